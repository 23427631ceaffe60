"""What is said, noted and answered is in no line of the log, not even at debug level."""

from __future__ import annotations

import asyncio
import io
import logging
from contextlib import nullcontext
from pathlib import Path

from bot import log
from bot.access.access import AccessRules
from bot.app import build
from bot.config.model import Config
from bot.paths import Home
from memory import FrozenClock
from tests.servers.openai_script import Call, Received, Step
from tests.servers.openai_server import KEY, MODEL, OpenAIServer
from tests.support.factories import NOON
from tests.support.service import PeopleAdapter

ASKED, NOTED, ANSWERED, FILED, COMMANDED = "zuldarim", "vexomirt", "quelbast", "brontify", "marzolin"


def script(received: Received) -> Step:
    """Notes something, then answers."""
    if received.tool_results:
        return Step(text=f"I have it: {ANSWERED}.")
    return Step(calls=(Call("remember", {"text": f"The watchword is {NOTED}."}),))


async def test_a_whole_conversation_at_debug_level_leaves_no_word_of_it_in_the_log(tmp_path: Path) -> None:
    home, stream, clock = Home.at(tmp_path / "home"), io.StringIO(), FrozenClock(NOON)
    home.prepare()
    workspace = home.workspace("personal")
    workspace.mkdir(parents=True)
    (workspace / "MEMORY.md").write_text(f"- W: The attic is called {FILED}. ![]( <{FILED}\n")
    people = PeopleAdapter(clock)
    access = AccessRules(frozenset({"volatile:owner"}))
    with OpenAIServer(script) as server, log.to_stream(stream, level="debug", clock=clock, mask=log.Mask([KEY])):
        config = Config.model_validate(
            {
                "memory": {"embedder": {"kind": "none"}},
                "model": {"name": MODEL, "base_url": server.base_url, "api_key": KEY},
            }
        )
        async with (
            build(
                home,
                config,
                clock=clock,
                opening=lambda _: nullcontext([people]),
                default_agent="personal",
                access=access,
            ) as built,
            asyncio.TaskGroup() as group,
        ):
            group.create_task(built.service.run(("personal",), owner="test"))
            answers = [
                await people.ask(said)
                for said in (f"What is {ASKED}?", f"/remember {COMMANDED}", f"/recall {FILED}", "/new")
            ]
            built.service.stop()
        logging.getLogger("bot").debug("the end")

    written = stream.getvalue()
    assert ANSWERED in answers[0]
    assert "Noted in" in answers[0]
    assert FILED in answers[2]
    assert "turn.finished" in written
    assert "the end" in written
    assert [word for word in (ASKED, NOTED, ANSWERED, FILED, COMMANDED, KEY) if word in written] == []
