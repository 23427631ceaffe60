from __future__ import annotations

import pytest

from bot.doctor.base import Severity
from bot.doctor.model import CHECK
from bot.paths import Home
from tests.servers.openai_script import Call, Received, Step, web_page
from tests.servers.openai_server import KEY, MODEL, OpenAIServer
from tests.unit.bot.doctor.conftest import Look

READY = Step(text="ready")


def obedient(request: Received) -> Step:
    return Step(calls=(Call("note", {"word": "ready"}),)) if request.tools else READY


def configured(home: Home, base_url: str, *, name: str = MODEL, key: str = KEY, more: str = "") -> None:
    home.config.parent.mkdir(parents=True, exist_ok=True)
    home.config.write_text(f"model:\n  name: {name}\n  base_url: {base_url}\n  api_key: {key}\n{more}")


async def test_no_model_is_no_fault(look: Look) -> None:
    (finding,) = await look(CHECK)

    assert (finding.id, finding.severity, finding.place) == ("model.none", Severity.NOTE, "personal, work")


async def test_a_model_that_two_agents_share_is_asked_once(look: Look, home: Home) -> None:
    with OpenAIServer(obedient) as server:
        configured(home, server.base_url)
        (finding,) = await look(CHECK)

    assert (finding.id, finding.place) == ("model.answers", "personal, work")
    assert finding.message.startswith(f"{MODEL} at 127.0.0.1:")
    assert [request.tools for request in server.received] == [[], ["note"]]


async def test_each_agents_own_model_is_asked(look: Look, home: Home) -> None:
    with OpenAIServer(obedient) as server:
        configured(home, server.base_url, more="agents:\n  a: {}\n  b:\n    model:\n      name: fable\n")
        findings = await look(CHECK)

    assert [(finding.id, finding.place) for finding in findings] == [("model.answers", "a"), ("model.unknown", "b")]
    assert "There are: scripted" in findings[1].hint


async def test_nothing_of_memory_is_sent(look: Look, home: Home) -> None:
    with OpenAIServer(obedient) as server:
        configured(home, server.base_url)
        await look(CHECK)

    assert [len(request.messages) for request in server.received] == [1, 1]


@pytest.mark.parametrize(
    ("key", "name", "id", "told", "hint"),
    [
        ("wrong", MODEL, "model.key_refused", "refused the key", "api_key"),
        (KEY, "fable", "model.unknown", "does not exist", "There are: scripted"),
    ],
)
async def test_a_model_that_does_not_answer_says_why(
    look: Look, home: Home, key: str, name: str, id: str, told: str, hint: str
) -> None:
    with OpenAIServer(obedient) as server:
        configured(home, server.base_url, name=name, key=key)
        (finding,) = await look(CHECK)

    assert (finding.id, finding.severity) == (id, Severity.ERROR)
    assert told in finding.message
    assert hint in finding.hint


async def test_a_web_page_in_the_place_of_a_model_is_told(look: Look, home: Home) -> None:
    with OpenAIServer((), lambda _: web_page()) as server:
        configured(home, server.base_url)
        (finding,) = await look(CHECK)

    assert "a web page instead of a completion" in finding.message


async def test_a_model_that_calls_no_tool_has_no_way_to_memory(look: Look, home: Home) -> None:
    with OpenAIServer(lambda _: READY) as server:
        configured(home, server.base_url)
        (finding,) = await look(CHECK)

    assert (finding.id, finding.severity) == ("model.no_tools", Severity.WARNING)


async def test_a_window_that_is_too_small_is_told(look: Look, home: Home) -> None:
    with OpenAIServer(obedient) as server:
        configured(home, server.base_url, more="  context_tokens: 4096\n")
        _, finding = await look(CHECK)

    assert (finding.id, finding.severity) == ("model.small", Severity.WARNING)
    assert "4,096" in finding.message


async def test_offline_no_model_is_asked_and_that_is_said(look: Look, home: Home) -> None:
    with OpenAIServer(obedient) as server:
        configured(home, server.base_url)
        (finding,) = await look(CHECK, is_offline=True)

    assert (finding.id, finding.severity) == ("model.not_asked", Severity.NOTE)
    assert "not known" in finding.message
    assert server.received == []


async def test_while_the_configuration_cannot_be_used_no_model_is_known(look: Look, home: Home) -> None:
    configured(home, "nowhere")

    assert await look(CHECK) == []
