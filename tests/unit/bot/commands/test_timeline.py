from __future__ import annotations

from pathlib import Path

import pytest

from adapters.port import ChatKind
from bot.agent.offline.timeline import read_days
from memory import OWNER, Embedding, FrozenClock, Memory, Origin
from tests.fakes.embedder import LetterEmbedder
from tests.support.conversation import Conversation
from tests.support.factories import NOON, chat

OTHERS = ("The cellar door sticks in winter.", "My bank PIN hint is a birthday.", "The attic is cold.")
LOG = """# {day}

We talked about the garden all evening.

## Retain
- B @Ana: {what}
"""


@pytest.fixture
async def lived(here: Conversation) -> Conversation:
    """Three days in two months, and one today (2026-11-21)."""
    for day, what in (
        ("2026-10-03", "The kitchen was measured."),
        ("2026-11-18", "We decided to buy the oak table for the kitchen."),
        ("2026-11-20", "The electrician came."),
    ):
        log = here.folder / f"personal/memory/{day}.md"
        log.parent.mkdir(parents=True, exist_ok=True)
        log.write_text(LOG.format(day=day, what=what), encoding="utf-8")
    await here.agents["personal"].memory.sync()
    return here


async def test_without_days_it_is_the_last_week_oldest_first(lived: Conversation) -> None:
    told = await lived.say("/timeline")

    assert told.startswith("From 2026-11-15 to 2026-11-21:")
    assert told.index("oak table") < told.index("electrician")
    assert "measured" not in told
    assert "We talked about the garden" in told
    assert "`memory/2026-11-18.md#L6`" in told


@pytest.mark.parametrize("asked", ["/timeline", "/timeline electrician"])
async def test_what_was_carried_into_the_bank_is_told_once(lived: Conversation, asked: str) -> None:
    bank = lived.folder / "personal/bank/world.md"
    bank.parent.mkdir(parents=True, exist_ok=True)
    bank.write_text("- W(since=2026-11-20) @Ana: The electrician came.\n", encoding="utf-8")
    await lived.agents["personal"].memory.sync()

    assert (await lived.say(asked)).count("The electrician came.") == 1


@pytest.mark.parametrize("asked", ["/timeline October", "/timeline 2026-10-01 to 2026-10-31", "/timeline im Oktober"])
async def test_days_are_named_in_ones_own_words(lived: Conversation, asked: str) -> None:
    told = await lived.say(asked)
    assert "measured" in told
    assert "electrician" not in told


async def test_a_subject_narrows_it(lived: Conversation) -> None:
    told = await lived.say("/timeline November kitchen")
    assert told.startswith("From 2026-11-01 to 2026-11-30 about kitchen:")
    assert "oak table" in told
    assert "electrician" not in told


async def test_what_is_only_far_from_a_subject_is_not_about_it(tmp_path: Path) -> None:
    embedding = Embedding(LetterEmbedder(), tmp_path / "cache.sqlite")
    index = tmp_path / "index.sqlite"
    async with await Memory.open(tmp_path / "w", index=index, clock=FrozenClock(NOON), embedding=embedding) as memory:
        for text in ("The bike is blue.", "The biker rode to the sea.", *OTHERS):
            await memory.remember(text, origin=Origin.OWNER, scope=OWNER, op_id=text, actor="owner")
        await memory.embed()

        found = await read_days(memory, "bike", today=NOON.date(), scope=OWNER)
        near = await read_days(memory, "vxz", today=NOON.date(), scope=OWNER)

    assert [hit.content for hit in found.hits] == ["The bike is blue."]
    assert (found.is_near, near.is_near) == (False, True)


async def test_days_of_which_there_is_nothing(lived: Conversation) -> None:
    assert (await lived.say("/timeline 2020-01-01")).startswith("There is nothing from 2020-01-01.")


async def test_decisions_newest_first_and_by_topic(lived: Conversation) -> None:
    await lived.say("/remember We decided to use PostgreSQL for billing.")
    await lived.say("/remember Wir haben uns für den blauen Anstrich entschieden.")

    told = await lived.say("/decisions")
    assert told.index("blauen") < told.index("oak table")
    assert "PostgreSQL" in told
    assert "electrician" not in told
    about = await lived.say("/decisions kitchen")
    assert "2026-11-18" in about
    assert "PostgreSQL" not in about


async def test_a_group_sees_none_of_it(lived: Conversation) -> None:
    group = chat("-100", kind=ChatKind.GROUP)
    for asked in ("/timeline", "/timeline November kitchen", "/decisions", "/decisions kitchen"):
        assert "oak table" not in await lived.say(asked, at=group)


@pytest.mark.parametrize("typed", ["-5", "5"])
async def test_a_number_alone_is_so_many_days(lived: Conversation, typed: str) -> None:
    assert (await lived.say(f"/timeline {typed}")).startswith("From 2026-11-17 to 2026-11-21:")
