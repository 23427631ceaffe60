from __future__ import annotations

from datetime import UTC, datetime, timedelta

import discord
import pytest
from discord.utils import time_snowflake

from adapters.discord.backfill import ReadPositions
from adapters.port import InMemoryState

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
ROOM, OTHER = discord.Object(10), discord.Object(11)


@pytest.fixture
def marks() -> InMemoryState:
    return InMemoryState()


async def opened(marks: InMemoryState, now: datetime = NOON, account: str = "discord.1") -> ReadPositions:
    bookmarks = ReadPositions(marks, account)
    await bookmarks.load(now)
    return bookmarks


async def test_what_was_written_before_the_first_start_counts_as_read_for_ever(marks: InMemoryState) -> None:
    await opened(marks)
    later = await opened(marks, NOON + timedelta(days=1))

    assert later.read_up_to(ROOM) == time_snowflake(NOON)


async def test_in_a_server_that_the_bot_joined_later_it_begins_with_that(marks: InMemoryState) -> None:
    bookmarks = await opened(marks)
    joined_at = NOON + timedelta(hours=1)

    assert bookmarks.read_up_to(ROOM, joined_at=joined_at) == time_snowflake(joined_at)
    assert bookmarks.read_up_to(ROOM, joined_at=NOON - timedelta(days=9)) == time_snowflake(NOON)


async def test_a_bookmark_never_goes_back_and_is_known_again(marks: InMemoryState) -> None:
    bookmarks = await opened(marks)
    await bookmarks.advance(ROOM, 200)
    await bookmarks.advance(ROOM, 100)
    again = await opened(marks)

    assert bookmarks.read_up_to(ROOM) == again.read_up_to(ROOM) == 200


async def test_the_channels_that_were_read_last_come_first(marks: InMemoryState) -> None:
    bookmarks = await opened(marks)
    await bookmarks.advance(ROOM, 200)
    await bookmarks.advance(OTHER, 1000)

    assert list(bookmarks.channels()) == [11, 10]


async def test_a_person_is_looked_up_once(marks: InMemoryState) -> None:
    bookmarks = await opened(marks)
    assert not bookmarks.knows("7")
    await bookmarks.meet("7", 70)

    assert bookmarks.knows("7")
    assert list((await opened(marks)).directs()) == [70]


async def test_another_account_has_marks_of_its_own(marks: InMemoryState) -> None:
    await (await opened(marks)).advance(ROOM, 200)

    assert (await opened(marks, account="discord.2")).read_up_to(ROOM) == time_snowflake(NOON)
