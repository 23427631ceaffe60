from __future__ import annotations

from pathlib import Path

import pytest

from bot.cli.invocation import Invocation
from bot.cli.wizard.model_setup import Choice, from_options, prove
from bot.config.draft import Draft
from bot.config.loader import load
from bot.config.yaml_tree import read
from bot.errors import UsageError
from bot.llm.errors import NoSuchModel
from bot.paths import Home
from memory import FrozenClock
from tests.servers.openai_script import Call, Received, Step
from tests.servers.openai_server import KEY, MODEL, OpenAIServer
from tests.support.factories import NOON


@pytest.fixture
def run(home: Home) -> Invocation:
    assert not home.config.exists()
    return Invocation(clock=FrozenClock(NOON))


@pytest.fixture(autouse=True)
def no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "GROQ_API_KEY"):
        monkeypatch.delenv(name, raising=False)


def obedient(request: Received) -> Step:
    return Step(calls=(Call("note", {"word": "ready"}),)) if request.tools else Step(text="ready")


def test_a_key_is_written_as_a_reference_or_into_a_file_of_its_own(home: Home) -> None:
    referred, pasted = Draft(home), Draft(home)
    Choice("m", "http://x/v1", "${KEY}").put_into(referred)
    Choice("m", key="sk-$1").put_into(pasted)
    pasted.save()

    assert "sk-$1" not in pasted.text
    section = read(referred.text).root["model"]
    assert isinstance(section, dict)
    assert {name: section[name] for name in ("name", "base_url", "api_key")} == {
        "name": "m",
        "base_url": "http://x/v1",
        "api_key": "${KEY}",
    }
    assert home.config.with_name("model.api_key").read_text() == "sk-$1\n"
    assert load(home, environment={}).config.model.api_key.get_secret_value() == "sk-$1"


def test_a_name_alone_means_openai_with_the_key_that_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    assert from_options("m", None, None) == Choice("m")

    monkeypatch.setenv("OPENAI_API_KEY", "sk")

    assert from_options("m", None, None) == Choice("m", "https://api.openai.com/v1", "${OPENAI_API_KEY}")


def test_a_name_alone_goes_where_the_key_belongs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://localhost:9/v1")

    assert from_options("m", None, None) == Choice("m", "http://localhost:9/v1", "${OPENAI_API_KEY}")


def test_a_known_address_takes_its_own_key_and_an_unknown_one_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk")
    monkeypatch.setenv("GROQ_API_KEY", "gsk")

    assert from_options("m", "https://api.groq.com/openai/v1", None).reference == "${GROQ_API_KEY}"
    assert from_options("m", "http://localhost:11434/v1", None).reference == ""
    assert from_options("m", "http://localhost:11434/v1", "MINE").reference == "${MINE}"


async def test_what_is_asked_is_what_would_be_saved(run: Invocation, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MINE", KEY)
    draft = Draft(run.home)
    with OpenAIServer(obedient) as server:
        told = await prove(run, Choice(MODEL, server.base_url, "${MINE}"), draft)

    assert KEY not in draft.text
    assert draft.checked().model.api_key.get_secret_value() == KEY
    assert told.startswith(f"Model works: {MODEL} at 127.0.0.1:")
    assert told.endswith(" and calls tools.")


async def test_a_model_that_talks_instead_of_calling_is_told(run: Invocation) -> None:
    with OpenAIServer(lambda _: Step(text="ready")) as server:
        told = await prove(run, Choice(MODEL, server.base_url, key=KEY), Draft(run.home))

    assert "called no tool when asked to" in told


@pytest.mark.parametrize(
    ("choice", "told"),
    [
        (Choice("m", "nowhere"), 'model.base_url: found "nowhere"'),
        (Choice("m", "http://127.0.0.1:9/v1", "${NOT_SET}"), "the environment variable NOT_SET is not set"),
        (Choice("m" * 300, "http://127.0.0.1:9/v1"), "at most 200 characters"),
        (Choice("m", "http://127.0.0.1:9/v1", key="two words"), "a key without spaces"),
    ],
)
async def test_what_is_not_possible_is_not_asked(run: Invocation, choice: Choice, told: str) -> None:
    draft = Draft(run.home)
    before = draft.text

    with pytest.raises(UsageError) as refused:
        await prove(run, choice, draft)

    assert told in refused.value.message
    assert (draft.text, draft.secrets) == (before, {})


async def test_a_name_that_does_not_exist_is_an_error_with_those_that_do(run: Invocation, tmp_path: Path) -> None:
    with OpenAIServer(models=["small"]) as server, pytest.raises(NoSuchModel) as refused:
        await prove(run, Choice("smal", server.base_url, key=KEY), Draft(run.home))

    assert refused.value.hint == "Did you mean small? There are: small."
    assert not (tmp_path / "home").exists()
