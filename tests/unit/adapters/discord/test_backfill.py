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
def state() -> InMemoryState:
    return InMemoryState()


async def opened(state: InMemoryState, now: datetime = NOON, account: str = "discord.1") -> ReadPositions:
    positions = ReadPositions(state, account)
    await positions.load(now)
    return positions


async def test_what_was_written_before_the_first_start_counts_as_read_for_ever(state: InMemoryState) -> None:
    await opened(state)
    later = await opened(state, NOON + timedelta(days=1))

    assert later.read_up_to(ROOM) == time_snowflake(NOON)


async def test_in_a_server_that_the_bot_joined_later_it_begins_with_that(state: InMemoryState) -> None:
    positions = await opened(state)
    joined_at = NOON + timedelta(hours=1)

    assert positions.read_up_to(ROOM, joined_at=joined_at) == time_snowflake(joined_at)
    assert positions.read_up_to(ROOM, joined_at=NOON - timedelta(days=9)) == time_snowflake(NOON)


async def test_a_read_position_never_goes_back_and_is_known_again(state: InMemoryState) -> None:
    positions = await opened(state)
    await positions.advance(ROOM, 200)
    await positions.advance(ROOM, 100)
    again = await opened(state)

    assert positions.read_up_to(ROOM) == again.read_up_to(ROOM) == 200


async def test_the_channels_that_were_read_last_come_first(state: InMemoryState) -> None:
    positions = await opened(state)
    await positions.advance(ROOM, 200)
    await positions.advance(OTHER, 1000)

    assert list(positions.server_channels()) == [11, 10]


async def test_a_person_is_looked_up_once(state: InMemoryState) -> None:
    positions = await opened(state)
    assert not positions.has_person("7")
    await positions.add_person("7", 70)

    assert positions.has_person("7")
    assert list((await opened(state)).direct_channels()) == [70]


async def test_another_account_has_state_of_its_own(state: InMemoryState) -> None:
    await (await opened(state)).advance(ROOM, 200)

    assert (await opened(state, account="discord.2")).read_up_to(ROOM) == time_snowflake(NOON)
