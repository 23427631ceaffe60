"""`scrubjay run` against the server: from a pasted token to a first answer, and whom a memory is told to."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from structlog.testing import capture_logs

from bot.config.model import Config
from bot.paths import Home
from bot.service.probes import Supervisor
from bot.service.run import run_service
from memory import SystemClock
from tests.integration.discord.life import serving
from tests.integration.discord.stage import offering_menu
from tests.servers.discord.client import Discord, Guild, Person
from tests.servers.ledger import bot_message

BY_WORDS = {"embedder": {"kind": "none"}}
"""What is not there is then answered with nothing, and not with the nearest."""


@pytest.fixture
def home(tmp_path: Path) -> Home:
    home = Home.at(tmp_path / "home")
    home.prepare()
    return home


@asynccontextmanager
async def scrubjay(server: Discord, home: Home, **options: Any) -> AsyncIterator[None]:
    config = Config.model_validate(
        {"discord": {"token": server.token, "api": server.url}, "memory": BY_WORDS, **options}
    )
    since = len(server.entries())
    async with serving(run_service(home, config, clock=SystemClock(), supervisor=Supervisor(""))):
        await server.until(lambda entry: entry["kind"] == "identify", since=since)
        await offering_menu(server)
        yield


async def test_a_newcomer_pastes_a_token_sends_the_code_and_gets_a_first_answer(
    server: Discord, home: Home, alice: Person
) -> None:
    with capture_logs() as log:
        async with scrubjay(server, home):
            (code,) = [str(event["send"]) for event in log if event["event"] == "owner.unknown"]
            alice.says(alice.direct, code)
            await server.until(bot_message(chat=alice.direct, text="you are my owner"))
            alice.says(alice.direct, "The spare key is under the blue pot.")
            await server.until(bot_message(chat=alice.direct, text="Noted in"))
            alice.says(alice.direct, "Where is the spare key?")
            await server.until(bot_message(chat=alice.direct, text="under the blue pot"))

    assert server.violations() == []


async def test_a_stranger_gets_a_code_and_nothing_else(
    server: Discord, home: Home, alice: Person, tmp_path: Path
) -> None:
    bob = server.user("bob")
    async with scrubjay(server, home, access={"owners": [f"discord:{alice.id}"]}):
        bob.says(bob.direct, "Where is the spare key?", files=[("plan.txt", b"x")])
        await server.until(bot_message(chat=bob.direct, text="I do not know you yet"))
        bob.says(bob.direct, "Where is the spare key?")
        alice.says(alice.direct, "/whoami")
        await server.until(bot_message(chat=alice.direct))

    assert len([one for one in server.history(bob.direct) if one["author"]["bot"]]) == 1
    written = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert str(alice.id).encode() in written
    assert b"spare key" not in written
    assert b"plan.txt" not in written


async def test_a_file_is_kept_its_words_are_noted_and_one_that_was_taken_back_is_named(
    server: Discord, home: Home, alice: Person
) -> None:
    async with scrubjay(server, home, access={"owners": [f"discord:{alice.id}"]}):
        files = [("plan.txt", b"dig"), ("beet.png", b"red")]
        alice.says(alice.direct, "The spare key is under the blue pot.", files=files)
        await server.until(bot_message(chat=alice.direct, text="Noted in"))
        server.fault("GET /cdn/*", "status", status=404)
        alice.says(alice.direct, files=[("gone.txt", b"x")])
        await server.until(bot_message(chat=alice.direct, text="`gone.txt` (1 B) was not fetched: it is gone"))

    noted = next(one["content"] for one in server.history(alice.direct) if "Noted in" in one["content"])
    assert "plan.txt (3 B) is kept in `files/personal/discord." in noted
    kept = {path.name: path.read_bytes() for path in home.files.rglob("*") if path.is_file()}
    assert kept == {"plan.txt": b"dig", "beet.png": b"red"}


async def test_a_server_reaches_work_a_direct_message_personal_and_neither_knows_the_other(
    server: Discord, home: Home, alice: Person, guild: Guild, room: int
) -> None:
    options = {
        "access": {"owners": [f"discord:{alice.id}"]},
        "routes": [{"agent": "work", "platform": "discord", "guild": str(guild.id)}],
    }
    async with scrubjay(server, home, **options):
        alice.says(alice.direct, "/remember The spare key is under the blue pot.")
        await server.until(bot_message(chat=alice.direct, text="Noted in"))
        alice.says(room, f"{server.mention} /remember The launch is on Friday.")
        await server.until(bot_message(chat=room, text="Noted in"))
    async with scrubjay(server, home, **options):
        public = await alice.slash(room, "recall", words="launch")
        hidden = await alice.slash(room, "recall", words="spare key")
        alice.says(alice.direct, "/recall launch")
        await server.until(bot_message(chat=alice.direct, text="Nothing found"))

    assert public["ephemeral"]
    assert "Friday" in public["messages"][0]["content"]
    assert "blue pot" not in hidden["messages"][0]["content"]


async def test_a_message_that_is_pointed_at_is_remembered_for_the_owner_and_not_for_others(
    server: Discord, home: Home, alice: Person, guild: Guild, room: int
) -> None:
    bob = server.user("bob")
    server.call("joins", guild=guild.id, user=bob.id)
    said = bob.says(room, "The boat is called Argo.")
    named = bob.says(room, f"<@{alice.id}> has the oars.")
    async with scrubjay(server, home, access={"owners": [f"discord:{alice.id}"]}):
        await alice.message_command(room, "Remember this", named)
        oars = await alice.slash(room, "recall", words="oars")
        pointed_at = await alice.message_command(room, "Remember this", said)
        recalled = await alice.slash(room, "recall", words="boat")
        refused = await bob.slash(room, "recall", words="boat")

    assert pointed_at["ephemeral"]
    assert "Noted in" in pointed_at["messages"][0]["content"]
    assert recalled["ephemeral"]
    assert "bob said: @alice has the oars." in oars["messages"][0]["content"]
    assert "bob said: The boat is called Argo." in recalled["messages"][0]["content"]
    assert refused["ephemeral"]
    assert "Argo" not in refused["messages"][0]["content"]


async def test_from_the_menu_a_person_says_something_and_is_shown_what_is_remembered(
    server: Discord, home: Home, alice: Person, guild: Guild, room: int
) -> None:
    bob = server.user("bob")
    server.call("joins", guild=guild.id, user=bob.id)
    async with scrubjay(server, home, access={"owners": [f"discord:{alice.id}"]}):
        told = await alice.slash(alice.direct, "ask", text="The spare key is under the blue pot.")
        found = await alice.slash(alice.direct, "ask", text="Where is the spare key?")
        written = await alice.slash_and_fill_in(alice.direct, "remember", "The boat is called Argo.")
        facts = await alice.types(alice.direct, "forget", "what", "spare")
        agents = await alice.types(alice.direct, "agent", "agent", "w")
        others = [await bob.types(room, "forget", "what", ""), await bob.types(room, "agent", "agent", "")]
        here = await alice.types(room, "forget", "what", "")

    assert "Noted in" in told["messages"][0]["content"]
    assert "under the blue pot" in found["messages"][0]["content"]
    assert "Noted in" in written["messages"][0]["content"]
    assert [(label, value[0]) for label, value in facts] == [("The spare key is under the blue pot.", "^")]
    assert agents == [("work", "work")]
    assert others == [[], []]
    assert here == []
