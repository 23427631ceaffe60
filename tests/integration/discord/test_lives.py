"""The whole service against the server: killed and started again, away for long, and on a network that hides much."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from itertools import islice
from pathlib import Path
from tempfile import TemporaryFile

import pytest

from adapters.markdown import fences
from bot.turn import Reply, Turn
from tests.integration.discord.life import briefly, serve, serving
from tests.servers.discord.client import Discord, Person
from tests.servers.history import check
from tests.servers.ledger import Entry, bot_message
from tests.support.cli_process import environment
from tests.support.forked import fork

QUESTIONS = 12
MISSED = 150
END_S = 60
UNCLEAR = 80
"""Questions on a network on which half of all requests fail."""


def asks_history(entry: Entry) -> bool:
    return entry["kind"] == "request" and str(entry["name"]).startswith("GET /channels/")


def is_identified(entry: Entry) -> bool:
    return bool(entry["kind"] == "identify")


KILLED_AT: list[Callable[[Entry], bool]] = [is_identified, asks_history, bot_message(text="ans-")]


@pytest.fixture
def bob(server: Discord) -> Person:
    return server.user("bob")


@asynccontextmanager
async def life(server: Discord, state: Path, *people: Person) -> AsyncIterator[None]:
    """One process, killed without a warning at the end of the block."""
    words = [str(state), server.url, *(str(one.id) for one in people)]
    argv = [sys.executable, "-m", "tests.integration.discord.life", *words]
    with TemporaryFile() as nothing, (state / "log").open("ab") as log:
        program = fork(argv, environment(state), (nothing, log, log))
    try:
        yield
    finally:
        os.kill(program.pid, signal.SIGKILL)
        program.wait(END_S)


async def first_life(server: Discord, state: Path, *people: Person) -> None:
    """Long enough to learn since when to listen."""
    async with life(server, state, *people):
        await server.until(is_identified, timeout_s=30)
        people[0].says(people[0].direct, "ask-first")
        await server.until(bot_message(text="ans-first"))


async def test_killed_again_and_again_it_answers_everything_once_and_in_order(
    server: Discord, alice: Person, bob: Person, room: int, tmp_path: Path
) -> None:
    await first_life(server, tmp_path, alice, bob)
    unasked = iter(range(QUESTIONS))

    def ask(count: int) -> None:
        for number in islice(unasked, count):
            chat = [alice.direct, bob.direct, room][number % 3]
            (bob if chat == bob.direct else alice).says(chat, f"{server.mention} ask-{number}")

    for event in KILLED_AT:
        seen = len(server.entries())
        ask(2)
        async with life(server, tmp_path, alice, bob):
            await server.until(event, since=seen, timeout_s=30)
    ask(QUESTIONS)
    async with life(server, tmp_path, alice, bob):
        for number in range(QUESTIONS):
            await server.until(bot_message(text=f"ans-{number}"), timeout_s=30)

    verdict = check(server.entries())
    assert verdict.is_clean, verdict
    assert not verdict.orphans
    assert server.violations() == []


async def test_many_missed_messages_are_answered_once_and_in_order(
    server: Discord, alice: Person, room: int, tmp_path: Path
) -> None:
    await first_life(server, tmp_path, alice)
    for number in range(MISSED):
        alice.says(room, f"{server.mention} ask-{number}")

    async with life(server, tmp_path, alice):
        await server.until(bot_message(text=f"ans-{MISSED // 2}"), timeout_s=60)
    async with life(server, tmp_path, alice):
        await server.until(bot_message(text=f"ans-{MISSED - 1}"), timeout_s=60)

    verdict = check(server.entries())
    assert verdict.is_clean, verdict
    assert len([one for one in server.history(room) if one["author"]["bot"]]) == MISSED


async def test_requests_whose_fate_is_unclear_lose_and_double_nothing(
    server: Discord, alice: Person, room: int, tmp_path: Path
) -> None:
    post = "POST /channels/*/messages"
    server.fault(post, "reset", effect=True, times=None, rate=0.2, seed=1)
    server.fault(post, "reset", times=None, rate=0.1, seed=2)
    server.fault(post, "status", status=503, effect=True, times=None, rate=0.2, seed=3)

    async with serving(serve(tmp_path, server, [str(alice.id)])):
        await server.until(is_identified, timeout_s=30)
        for number in range(UNCLEAR):
            alice.says(room if number % 2 else alice.direct, f"{server.mention} ask-{number}")
        for number in (UNCLEAR - 2, UNCLEAR - 1):
            await server.until(bot_message(text=f"ans-{number}"), timeout_s=60)

    verdict = check(server.entries())
    assert verdict.is_clean, verdict
    assert len([fault for fault in server.entries("fault") if fault["effect"]]) > UNCLEAR / 4


async def test_after_a_minute_of_being_asked_to_wait_the_whole_answer_arrives_formatted(
    server: Discord, alice: Person, room: int, tmp_path: Path
) -> None:
    code = "\n".join(f"print({number})  # {'x' * 30}" for number in range(150))
    waited = [0.0]

    async def respond(_: Turn) -> Reply:
        return Reply(f"**Here** it is:\n\n```python\n{code}\n```\n\n*That* is all.")

    async def pass_time(seconds: float) -> None:
        waited[0] += seconds
        await briefly(seconds)

    server.fault("POST /channels/*/messages", "status", status=429, seconds=60)
    service = serve(tmp_path, server, [str(alice.id)], respond=respond, wait=pass_time, monotonic=lambda: waited[0])
    async with serving(service):
        await server.until(is_identified, timeout_s=30)
        alice.says(room, f"{server.mention} show me")
        await server.until(bot_message(text="is all"))

    parts = [one["content"] for one in server.history(room) if one["author"]["bot"]]
    assert waited[0] >= 60
    assert len(parts) > 3
    assert all(len(part) <= 2000 for part in parts)
    assert all(fence.mark == "```" and not fence.is_open for part in parts for fence in fences(part))
    lines = [line for part in parts for line in part.splitlines() if line.startswith("print(")]
    assert lines == code.splitlines()
    assert parts[0].startswith("**Here**")
    assert parts[-1].endswith("*That* is all.")
