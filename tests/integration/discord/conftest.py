"""A Discord server for each test, and the library pointed at it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.servers.discord.client import Discord, Guild, Person, pointed, running


@pytest.fixture
def server() -> Iterator[Discord]:
    with running() as server, pointed(server):
        yield server


@pytest.fixture
def alice(server: Discord) -> Person:
    return server.user("alice")


@pytest.fixture
def guild(server: Discord, alice: Person) -> Guild:
    return server.guild("Team", [alice])


@pytest.fixture
def room(guild: Guild) -> int:
    return guild.channel("general")
