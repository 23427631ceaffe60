from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from structlog.testing import capture_logs

from bot.access.permissions import Taint
from bot.agent.context.bootstrap import BootFile
from bot.agent.context.context_log import WRITTEN_EVERY_S, ContextLog, pieces
from bot.agent.context.prompt import RequestContext
from bot.agent.loop import AgentLoop, TurnState
from bot.llm.scripted import ScriptedModel, Step
from bot.llm.tokens import TokenCounter, Window
from bot.llm.types import Message, Request, Role, Tool, ToolCall, Usage
from bot.storage.port import Grant, everywhere
from tests.support.canaries import ELSEWHERE
from tests.support.conversation import ToolHarness, count_characters

GRANT = Grant("personal", epoch=1, first=1)


async def course(at: ToolHarness, count: Callable[[str], int] = count_characters) -> TurnState:
    """A turn that a model has answered; it counts each of our tokens twice."""
    counter = TokenCounter(count)
    model = ScriptedModel(Step(text="Hi.", usage=Usage(100, 1)))
    given = RequestContext(system=Message(Role.SYSTEM, "rules"), exchanges=(), window=Window(4_000), counter=counter)
    loop = AgentLoop(model, at.toolbox)
    begun = loop.begin(await at.turn(), given, Message(Role.USER, "hello"), taint=Taint.CLEAN)
    await loop.run(begun)
    return begun


async def test_the_last_request_is_kept_word_for_word_with_its_counts(at: ToolHarness, tmp_path: Path) -> None:
    log, ended = ContextLog(tmp_path / "c"), await course(at)
    log.keep(ended.turn, ended, files=(BootFile("AGENTS.md", "rules", "s", 7),), model="scripted")
    before = await log.last("personal", str(ended.turn.session))
    await log.finish(GRANT)

    found = await ContextLog(tmp_path / "c").last("personal", str(ended.turn.session))

    assert found
    assert found == before
    assert (found.turn, found.model, found.window) == ("t1", "scripted", 4_000)
    assert [piece.what for piece in found.pieces][:2] == ["system", "tool edit_file"]
    assert found.pieces[-1].text == "hello"
    assert found.tokens == sum(piece.tokens for piece in found.pieces)
    assert found.reported == round(found.tokens * found.ratio)
    assert [(file.path, file.tokens, file.left_out) for file in found.files] == [("AGENTS.md", 5, 7)]
    assert next((tmp_path / "c").rglob("*.json")).stat().st_mode & 0o777 == 0o600


async def test_what_is_gone_or_damaged_is_nothing_that_was_seen(at: ToolHarness, tmp_path: Path) -> None:
    log, ended = ContextLog(tmp_path / "c"), await course(at)
    session = str(ended.turn.session)
    assert await log.last("personal", session) is None

    log.keep(ended.turn, ended)
    await log.finish(GRANT)
    (file,) = (tmp_path / "c").rglob("*.json")
    file.write_text(json.dumps({"session": session}))
    assert await log.last("personal", session) is None


async def test_a_folder_that_cannot_be_written_is_logged_and_nothing_more(at: ToolHarness, tmp_path: Path) -> None:
    (tmp_path / "c").write_text("a file where the folder should be")
    ended = await course(at)

    with capture_logs() as log:
        contexts = ContextLog(tmp_path / "c")
        contexts.keep(ended.turn, ended)
        await contexts.finish(GRANT)

    assert [event["event"] for event in log] == ["context.not_kept"]


async def test_the_last_request_of_each_conversation_is_written_after_a_while(at: ToolHarness, tmp_path: Path) -> None:
    paused, is_second = list[float](), asyncio.Event()

    async def pause(seconds: float) -> None:
        paused.append(seconds)
        if len(paused) == 1:  # it comes while those before it are being written
            asyncio.get_running_loop().call_soon(lambda: log.keep(replace(ended.turn, id="t2"), ended))
            return
        is_second.set()
        await asyncio.Event().wait()

    log, ended = ContextLog(tmp_path / "c", pause=pause), await course(at)
    elsewhere = replace(ended.turn, session=replace(ended.turn.session, address=ELSEWHERE))
    for turn in (replace(ended.turn, id="t0"), ended.turn, elsewhere):
        log.keep(turn, ended)

    async with asyncio.TaskGroup() as group:
        writing = group.create_task(log.run(GRANT))
        await is_second.wait()
        writing.cancel()

    assert paused == [WRITTEN_EVERY_S, WRITTEN_EVERY_S]
    for turn in (ended.turn, elsewhere):
        found = await ContextLog(tmp_path / "c").last("personal", str(turn.session))
        assert found
        assert found.turn == "t1"


async def test_what_is_to_be_forgotten_is_not_written_later(at: ToolHarness, tmp_path: Path) -> None:
    log, ended = ContextLog(tmp_path / "c"), await course(at)
    log.keep(ended.turn, ended)

    await log.redact("personal", lambda text: text.replace("hello", "[...]"), everywhere)
    await log.finish(GRANT)

    assert "hello" not in next((tmp_path / "c").rglob("*.json")).read_text()


def test_pieces_come_in_the_order_in_which_the_model_reads_them() -> None:
    request = Request(
        prefix=(Message(Role.SYSTEM, "rules"),),
        history=(
            Message(Role.USER, "hello"),
            Message(Role.ASSISTANT, "I look.", (ToolCall("c", "add", {"a": "ä"}),)),
            Message(Role.TOOL, "3", call_id="c"),
        ),
        tools=(Tool("add", "Adds.", {"type": "object"}),),
    )

    assert [(piece.what, piece.text) for piece in pieces(request, TokenCounter(count_characters))] == [
        ("system", "rules"),
        ("tool add", 'Adds.\n{"type": "object"}'),
        ("user", "hello"),
        ("assistant", 'I look.\n→ add({"a": "ä"})'),
        ("tool", "3"),
    ]


async def test_what_is_being_written_is_redacted_behind_it(at: ToolHarness, tmp_path: Path) -> None:
    may_go_on = threading.Event()

    def count(text: str) -> int:
        assert threading.current_thread() is threading.main_thread() or may_go_on.wait(60)
        return len(text)

    log, ended = ContextLog(tmp_path / "c"), await course(at, count)
    log.keep(ended.turn, ended)

    async with asyncio.TaskGroup() as group:
        group.create_task(log.finish(GRANT))
        group.create_task(log.redact("personal", lambda text: text.replace("hello", "[...]"), everywhere))
        asyncio.get_running_loop().call_soon(may_go_on.set)

    assert "hello" not in next((tmp_path / "c").rglob("*.json")).read_text()
