from __future__ import annotations

import asyncio
import time
from asyncio import sleep
from collections.abc import AsyncIterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, NoReturn

import discord
import pytest
from discord.utils import time_snowflake

from adapters.discord.adapter import Account, DiscordOptions
from adapters.discord.backfill import Backfill, ReadPositions
from adapters.discord.client import Client, RateLimits
from adapters.discord.gateway import GatewayConnection, MessageIngest
from adapters.discord.inbound import InboundParser
from adapters.discord.interactions import CommandMenu
from adapters.in_memory import InMemoryState
from adapters.port import Address, NotSent
from tests.integration.discord.stage import Listener
from tests.support.service import Everybody

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
ROOM, OTHER = discord.Object(10), discord.Object(11)
NEWER = time_snowflake(NOON + timedelta(seconds=30))


@pytest.fixture
def state() -> InMemoryState:
    return InMemoryState()


async def opened(state: InMemoryState, now: datetime = NOON, account: str = "discord.1") -> ReadPositions:
    positions = ReadPositions(state, account, now=lambda: now)
    await positions.load()
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
    await positions.advance(ROOM, NEWER)
    await positions.advance(ROOM, NEWER - 100)
    again = await opened(state)

    assert positions.read_up_to(ROOM) == again.read_up_to(ROOM) == NEWER


async def test_chatter_leaves_nothing_on_the_disk_until_the_account_s_beginning_moves_on(state: InMemoryState) -> None:
    positions = await opened(state)
    kept = dict(await state.load("discord.1"))
    await positions.advance(ROOM, NEWER, is_kept=False)
    await positions.settle(NEWER)

    assert positions.read_up_to(ROOM) == NEWER
    assert dict(await state.load("discord.1")) == kept

    later = time_snowflake(NOON + timedelta(hours=1))
    await positions.settle(later)
    again = await opened(state, NOON + timedelta(hours=2))

    assert positions.read_up_to(OTHER) == time_snowflake(NOON), "in this life, what is not read yet is still unread"
    assert again.read_up_to(OTHER) == time_snowflake(NOON + timedelta(minutes=59))
    assert not again.is_first_start


async def test_a_message_with_an_id_from_the_future_hides_none_that_come_after_it(state: InMemoryState) -> None:
    positions = await opened(state)
    damaged = time_snowflake(NOON + timedelta(days=400))
    await positions.advance(ROOM, damaged)
    await positions.settle(damaged)

    assert (await opened(state)).read_up_to(ROOM) == positions.read_up_to(ROOM) == time_snowflake(NOON)


async def test_the_channels_that_were_read_last_come_first(state: InMemoryState) -> None:
    positions = await opened(state)
    await positions.advance(ROOM, 200)
    await positions.advance(OTHER, 1000)

    assert list(positions.server_channels()) == [11, 10]


async def test_a_person_is_looked_up_once(state: InMemoryState) -> None:
    positions = await opened(state)
    assert positions.direct_channel("7") is None
    await positions.add_person("7", 70)

    assert positions.direct_channel("7") == (await opened(state)).direct_channel("7") == 70


async def test_another_account_has_state_of_its_own(state: InMemoryState) -> None:
    await (await opened(state)).advance(ROOM, NEWER)

    assert (await opened(state, account="discord.2")).read_up_to(ROOM) == time_snowflake(NOON)


class OneKnown(Everybody):
    """An audience of one person, and of no place."""

    def is_open(self, to: Address) -> bool:
        return False


class Server(discord.Guild):
    """A server with news, in which the person is."""

    async def query_members(self, *_: Any, **__: Any) -> Any:
        return [discord.Object(7)]


class SilentServer(discord.Guild):
    """A server with news, of which the gateway does not say in time who is there."""

    async def query_members(self, *_: Any, **__: Any) -> NoReturn:
        raise TimeoutError


def guild_data(number: int, me: dict[str, Any]) -> Any:
    may = str(discord.Permissions.all().value)
    everybody = {"id": str(number), "name": "@everyone", "permissions": may, "position": 0, "colors": {}}
    channel = {"id": str(number + 1), "type": 0, "name": "general", "position": 0, "permission_overwrites": []}
    member = {"user": me, "roles": [], "joined_at": NOON.isoformat(), "flags": 0}
    data = {"id": str(number), "name": "team", "roles": [everybody], "members": [member], "member_count": 2}
    return data | {"channels": [channel | {"last_message_id": str(NEWER)}]}


def gateway(positions: ReadPositions, audience: OneKnown) -> GatewayConnection:
    account = Account(
        "1", DiscordOptions("MQ.a.b"), CommandMenu([]), positions, audience,
        RateLimits(40, monotonic=time.monotonic, pause=sleep),
        now=lambda: NOON, pause=sleep,
    )  # fmt: skip
    return GatewayConnection(account, Listener(), message_content=True)


async def test_a_search_of_a_session_that_was_lost_decides_nothing_in_the_next_one(state: InMemoryState) -> None:
    positions, audience = await opened(state), OneKnown(["7"])
    connection, is_there = gateway(positions, audience), asyncio.Event()
    parser = InboundParser("1", message_content=True, threads=False)
    backfill = Backfill(connection.client, positions, parser=parser, audience=audience, limit=9, pause=sleep)

    async def found() -> AsyncIterator[Mapping[int, bool]]:
        await is_there.wait()
        yield {201: False}  # nothing is unread there, as far as the lost session knows

    async with asyncio.TaskGroup() as group:
        ingest = MessageIngest(group, Listener(), parser=parser, positions=positions, backfill=backfill)
        connection._group, connection._ingest = group, ingest
        await connection.on_connect()
        connection._search(found())
        await connection.on_connect()
        is_there.set()

    assert ingest._checked == set()


async def test_servers_that_do_not_say_who_is_there_are_named_after_all_that_are_available_were_searched(
    state: InMemoryState,
) -> None:
    positions, audience = await opened(state), OneKnown(["7"])
    client: Client = gateway(positions, audience).client
    parser = InboundParser("1", message_content=True, threads=False)
    backfill = Backfill(client, positions, parser=parser, audience=audience, limit=9, pause=sleep)
    me: Any = {"id": "1", "username": "bot", "discriminator": "0", "avatar": None}
    connection = client._connection
    connection.user = discord.ClientUser(state=connection, data=me)
    guilds = [
        kind(data=guild_data(number, me), state=connection)
        for number, kind in {100: SilentServer, 200: Server, 300: SilentServer, 400: Server}.items()
    ]
    guilds[-1].unavailable = True
    search = backfill.find_people(guilds)

    assert await anext(search) == {201: True}
    with pytest.raises(NotSent, match="100, 300"):
        await anext(search)
    assert backfill.unread_channels(guilds[1]) == {201: True}
    guilds[1].unavailable = True
    assert backfill.unread_channels(guilds[1]) == {}
