"""Told in one chat, found the next day in another; forgotten everywhere, and brought back everywhere."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, nullcontext
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from adapters.port import Happening
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


CORRECTED = [
    ("The spare key is under the blue pot", "Actually it is under the red pot", "key", ("spare", "blue", "red pot")),
    ("Der Zahnarzt ist am Freitag um 15 Uhr", "Eigentlich ist er um 16 Uhr", "Zahnarzt", ("zahnarzt", "16 uhr")),
    ("我的车停在B区", "其实是停在C区", "车停在", ("停在", "c区")),
    ("The code of the shed is 4411", "The wifi password is tulip-4711-Xa", "wifi", ("wifi", "tulip")),
]
OTHER = "My red car is in the garage."


@pytest.mark.parametrize(("told", "corrected", "wanted", "words"), CORRECTED)
async def test_of_a_purged_fact_nothing_is_left_not_the_words_that_corrected_it_nor_what_it_had_replaced(
    tmp_path: Path, told: str, corrected: str, wanted: str, words: tuple[str, ...]
) -> None:
    clock, home = FrozenClock(EVENING), Home.at(tmp_path)
    async with serving(home, clock) as (people, _, _):
        for text in (OTHER, told, corrected, "y", f"/forget {wanted} --purge", "y", "/new"):
            await people.ask(text, chat="a")

    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    left = {word: path.name for path in files for word in words if word.encode() in path.read_bytes().lower()}
    assert left == {}
    assert "red car" in (home.workspace("personal") / "memory/2026-11-21.md").read_text(encoding="utf-8")
    assert any(OTHER.encode() in path.read_bytes() for path in files if path.suffix == ".jsonl")


async def test_what_was_taken_back_is_in_no_note_of_the_conversation(tmp_path: Path) -> None:
    clock, home = FrozenClock(EVENING), Home.at(tmp_path)
    async with serving(home, clock) as (people, memory, _):
        assert "Noted" in await people.ask("The boiler was made in Lindau.", chat="a")
        assert "Taken out" in await people.ask("/undo", chat="a")
        assert await people.ask("/new", chat="a") == (
            "A new conversation begins; what is in memory stays. There was nothing to save."
        )
        assert not await found(memory)


async def test_a_correction_that_was_declined_is_in_no_note_of_the_conversation(tmp_path: Path) -> None:
    clock, home = FrozenClock(EVENING), Home.at(tmp_path)
    async with serving(home, clock) as (people, _, _):
        for text in ("The code of the shed is 9911", "No, the code is 9912", "n"):
            await people.ask(text, chat="a")
        assert "There was nothing to save." in await people.ask("/new", chat="a")


async def test_what_was_taken_back_can_be_purged_from_journal_and_conversation(tmp_path: Path) -> None:
    clock, home = FrozenClock(EVENING), Home.at(tmp_path)
    async with serving(home, clock) as (people, _, _):
        for text in (OTHER, "The boiler was made in Lindau.", "Where was the boiler made?", "/undo"):
            await people.ask(text, chat="a")
        shown = await people.ask("/forget boiler --purge", chat="a")
        assert shown.startswith("Nothing matches that")
        assert "This was forgotten or taken back" in shown
        assert "Lindau" in shown
        assert "Purged: 1 line" in await people.ask("y", chat="a")
        assert "nothing to purge" in await people.ask("/forget --purge", chat="a")
        await people.ask("/new", chat="a")

    assert [
        path.name for path in tmp_path.rglob("*") if path.is_file() and b"lindau" in path.read_bytes().lower()
    ] == []
    assert "red car" in (home.workspace("personal") / "memory/2026-11-21.md").read_text(encoding="utf-8")


async def test_a_note_of_a_conversation_names_a_fact_in_the_place_of_the_words_that_corrected_it(
    tmp_path: Path,
) -> None:
    clock, home = FrozenClock(EVENING), Home.at(tmp_path)
    async with serving(home, clock) as (people, _, _):
        await people.ask("Ben's birthday is on 3 May", chat="a")
        await people.ask("Actually it is on 4 May", chat="a")
        receipt = await people.ask("y", chat="a")
        fact = re.search(r"\^(\w{8})", receipt)
        assert fact
        assert "(1 known;" in await people.ask("/new Birthdays", chat="a")
        assert "You said on Volatile" in (why := await people.ask(f"/why {fact[0]}", chat="a"))
        assert "«Actually it is on 4 May»" in why

    page = (home.workspace("personal") / "memory/2026-11-21-birthdays.md").read_text(encoding="utf-8")
    assert f"noted: [{fact[1]}]" in page
    assert "4 May" not in page


async def test_a_question_that_was_answered_without_a_model_is_not_left_open(tmp_path: Path) -> None:
    clock, home = FrozenClock(EVENING), Home.at(tmp_path)
    async with serving(home, clock) as (people, _, _):
        for text in (
            "Yoga is every Tuesday at 7",
            "What time is it?",
            "What do I have on Monday?",
            "What's coming up?",
        ):
            await people.ask(text, chat="a")
        await people.ask("Where is the boat?", chat="a")
        assert "1 left open" in await people.ask("/new Yoga", chat="a")


async def test_a_yes_that_is_edited_to_a_no_takes_back_what_it_carried_out(tmp_path: Path) -> None:
    clock, home = FrozenClock(EVENING), Home.at(tmp_path)
    async with serving(home, clock) as (people, _, _):
        await people.ask("The spare key is under the blue pot", chat="a")
        await people.ask("Actually it is under the red pot", chat="a")
        agreed = people.say("y", chat="a")
        assert "It replaces" in await people.answer()
        people.repeat(replace(agreed, update="edited", text="n", happening=Happening.EDIT))

        assert "Back in `memory/2026-11-21.md`: - W: The spare key is under the blue pot" in await people.answer()
        assert "blue pot" in await people.ask("Where is the spare key?", chat="a")


async def test_a_correction_with_a_secret_is_noted_to_the_letter_once_that_is_agreed_to(tmp_path: Path) -> None:
    clock, home = FrozenClock(EVENING), Home.at(tmp_path)
    log = home.workspace("personal") / "memory/2026-11-21.md"
    async with serving(home, clock) as (people, _, _):
        await people.ask("The wifi password is rose-9000-Ab", chat="a")
        await people.ask("y", chat="a")
        assert "Shall I replace this?" in await people.ask("Actually the wifi password is tulip-4711-Xa", chat="a")
        assert "looks like it holds a password" in await people.ask("y", chat="a")
        assert "rose-9000-Ab" in log.read_text(encoding="utf-8")
        assert "It replaces" in await people.ask("y", chat="a")
        assert "wifi password is tulip-4711-Xa" in log.read_text(encoding="utf-8")

        await people.ask("/forget wifi --purge", chat="a")
        await people.ask("y", chat="a")
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    left = [path.name for path in files if b"wifi" in path.read_bytes() or b"tulip" in path.read_bytes()]
    assert left == []
