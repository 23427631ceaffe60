"""The real service with its own commands: what is told is on disk, and only who asked sees what is recalled."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from adapters.discord.adapter import DiscordAdapter
from adapters.discord.options import DiscordOptions
from adapters.marks import VolatileMarks
from bot.app import build, commands
from bot.config import Config
from bot.menu import menu
from bot.paths import Home
from memory import SystemClock
from tests.integration.discord.life import serving
from tests.integration.discord.stage import briefly, offering_menu
from tests.servers.discord.client import Discord, Guild, Person
from tests.servers.ledger import bot_message


@pytest.fixture
def home(tmp_path: Path) -> Home:
    home = Home.at(tmp_path / "home")
    home.prepare()
    return home


@asynccontextmanager
async def scrubjay(server: Discord, home: Home, marks: VolatileMarks, owner: Person) -> AsyncIterator[None]:
    clock, config = SystemClock(), Config()
    adapter = DiscordAdapter(
        DiscordOptions(server.token, people=(str(owner.id),), settle_s=0.05),
        menu=menu(commands().values()),
        marks=marks,
        now=clock.now,
        pause=briefly,
    )
    owners = [f"discord:{owner.id}"]
    async with (
        build(home, config, clock=clock, adapters=[adapter], agent="personal", owners=owners) as service,
        serving(service.run(tuple(config.agents), owner="test")),
    ):
        await server.until(lambda entry: entry["kind"] == "identify")
        await offering_menu(server)
        yield


async def test_a_fact_that_was_told_is_recalled_after_a_restart_for_the_one_who_asked(
    server: Discord, home: Home, alice: Person, guild: Guild, room: int
) -> None:
    bob, marks = server.user("bob"), VolatileMarks()
    server.call("joins", guild=guild.id, user=bob.id)
    said = bob.says(room, "The boat is called Argo.")
    async with scrubjay(server, home, marks, alice):
        pointed_at = await alice.message_command(room, "Remember this", said)
        alice.says(alice.direct, "/remember The spare key is under the blue pot.")
        await server.until(bot_message(chat=alice.direct, text="Noted in"))
    async with scrubjay(server, home, marks, alice):
        alice.says(alice.direct, "where is the spare key?")
        await server.until(bot_message(chat=alice.direct, text="under the blue pot"))
        recalled = await alice.slash(room, "recall", **{"words-or-a-question": "boat"})
        refused = await bob.slash(room, "recall", **{"words-or-a-question": "boat"})

    assert pointed_at["ephemeral"]
    assert "Noted in" in pointed_at["messages"][0]["content"]
    assert recalled["ephemeral"]
    assert "Argo" in recalled["messages"][0]["content"]
    assert refused["ephemeral"]
    assert "Argo" not in refused["messages"][0]["content"]
    assert server.violations() == []
