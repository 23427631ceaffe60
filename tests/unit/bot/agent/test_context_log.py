from __future__ import annotations

import json
from pathlib import Path

from structlog.testing import capture_logs

from bot.access.permissions import Taint
from bot.agent.bootstrap import BootFile
from bot.agent.context_log import ContextLog, pieces
from bot.agent.loop import AgentLoop, TurnState
from bot.agent.prompt import RequestContext
from bot.llm.scripted import ScriptedModel, Step
from bot.llm.tokens import TokenCounter, Window
from bot.llm.types import Message, Request, Role, Tool, ToolCall, Usage
from tests.support.conversation import ToolHarness, count_characters


async def course(at: ToolHarness) -> TurnState:
    """A turn that a model has answered; it counts each of our tokens twice."""
    counter = TokenCounter(count_characters)
    model = ScriptedModel(Step(text="Hi.", usage=Usage(100, 1)))
    given = RequestContext(system=Message(Role.SYSTEM, "rules"), exchanges=(), window=Window(4_000), counter=counter)
    loop = AgentLoop(model, at.toolbox)
    begun = loop.begin(await at.turn(), given, Message(Role.USER, "hello"), taint=Taint.CLEAN)
    await loop.run(begun)
    return begun


async def test_the_last_request_is_kept_word_for_word_with_its_counts(at: ToolHarness, tmp_path: Path) -> None:
    log, ended = ContextLog(tmp_path / "c"), await course(at)
    await log.keep(ended.turn, ended, files=(BootFile("AGENTS.md", "rules", "s", 7),), model="scripted")

    found = await log.last("personal", str(ended.turn.session))

    assert found
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

    await log.keep(ended.turn, ended)
    (file,) = (tmp_path / "c").rglob("*.json")
    file.write_text(json.dumps({"session": session}))
    assert await log.last("personal", session) is None


async def test_a_folder_that_cannot_be_written_is_logged_and_nothing_more(at: ToolHarness, tmp_path: Path) -> None:
    (tmp_path / "c").write_text("a file where the folder should be")
    ended = await course(at)

    with capture_logs() as log:
        await ContextLog(tmp_path / "c").keep(ended.turn, ended)

    assert [event["event"] for event in log] == ["context.not_kept"]


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
