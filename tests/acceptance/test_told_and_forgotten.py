"""Told in one chat, found the next day in another; forgotten everywhere, and brought back everywhere."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, nullcontext
from datetime import UTC, datetime
from pathlib import Path

from bot.access.access import AccessRules
from bot.app import build
from bot.config.model import Config
from bot.jobs.base import JobRunner
from bot.paths import Home
from memory import OWNER, FrozenClock, Memory
from tests.support.service import PeopleAdapter

EVENING = datetime(2026, 11, 21, 18, 30, tzinfo=UTC)
TOLD = ("The boiler of @Wendelin was made in Lindau.", "The boiler of @Wendelin takes two hours to warm up.")
QUESTION = "where was Wendelin's boiler made?"
PAGE = "bank/entities/Wendelin.md"


@asynccontextmanager
async def serving(home: Home, clock: FrozenClock) -> AsyncIterator[tuple[PeopleAdapter, Memory, JobRunner]]:
    config = Config.model_validate({"memory": {"embedder": {"kind": "none"}}, "owner": {"timezone": "UTC"}})
    people, rules = PeopleAdapter(clock), AccessRules(owners=frozenset({"volatile:owner"}))
    home.prepare()
    async with (
        build(
            home, config, clock=clock, opening=lambda _: nullcontext([people]), default_agent="personal", access=rules
        ) as built,
        asyncio.TaskGroup() as group,
    ):
        group.create_task(built.service.run(("personal", "work"), owner="test"))
        yield people, built.context.jobs.context.agents["personal"].memory, built.context.jobs
        built.service.stop()


async def found(memory: Memory) -> bool:
    return any("Lindau" in hit.content for hit in (await memory.recall(QUESTION, scope=OWNER)).hits)


async def test_what_is_told_is_found_elsewhere_and_what_is_forgotten_nowhere_until_it_is_undone(tmp_path: Path) -> None:
    clock, home = FrozenClock(EVENING), Home.at(tmp_path)
    page = home.workspace("personal") / PAGE
    async with serving(home, clock) as (people, memory, jobs):
        for text in TOLD:
            assert "Noted in memory/2026-11-21.md" in await people.ask(f"/remember W {text}", chat="a")
        await jobs.run("reflect", "personal", id="reflect:1")
        assert "Lindau" in page.read_text(encoding="utf-8")

        clock.advance(days=1)
        assert "memory/2026-11-21.md" in await people.ask(QUESTION, chat="b")

        assert "take away" in await people.ask("/forget boiler Lindau", chat="b")
        assert "Forgotten" in await people.ask("y", chat="b")
        assert not await found(memory)
        assert "Lindau" not in page.read_text(encoding="utf-8")
        await memory.rebuild()
        assert not await found(memory)

        assert "Lindau" in await people.ask("/undo", chat="b")
        assert await found(memory)
        await jobs.run("reflect", "personal", id="reflect:2")
        assert "Lindau" in page.read_text(encoding="utf-8")
