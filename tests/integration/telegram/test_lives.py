"""The whole service against the server: killed and started again, and on a network that hides what became of it."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from itertools import count
from pathlib import Path
from tempfile import TemporaryFile

from tests.servers.history import check
from tests.servers.ledger import Entry, bot_message
from tests.servers.telegram.client import Telegram
from tests.support.cli_process import environment
from tests.support.forked import fork

QUESTIONS = 12
END_S = 60


def handed(entry: Entry) -> bool:
    return bool(entry["kind"] == "handed")


KILLED_AT: list[Callable[[Entry], bool]] = [
    handed,
    bot_message(text="…"),
    bot_message(kind="edit", text="ans-"),
    bot_message(kind="edit", text="thinking"),
]


@asynccontextmanager
async def life(telegram: Telegram, state: Path) -> AsyncIterator[None]:
    """One process, killed without a warning at the end of the block."""
    with TemporaryFile() as nothing, (state / "log").open("ab") as log:
        argv = [sys.executable, "-m", "tests.integration.telegram.life", str(state), telegram.url]
        program = fork(argv, environment(state), (nothing, log, log))
    try:
        yield
    finally:
        os.kill(program.pid, signal.SIGKILL)
        program.wait(END_S)


async def test_killed_again_and_again_it_answers_everything_once_and_in_order(
    telegram: Telegram, tmp_path: Path
) -> None:
    people, asked = [telegram.user(7), telegram.user(8)], count()

    def ask() -> list[str]:
        """Six more questions; what the last ones are answered with."""
        numbers = [next(asked) for _ in range(6)]
        for number in numbers:
            people[number % 2].says(f"ask-{number}")
        return [f"ans-{number}" for number in numbers[-2:]]

    for event in KILLED_AT:
        ask()
        seen = len(telegram.entries())
        async with life(telegram, tmp_path):
            await telegram.until(event, since=seen)
    last = ask()
    async with life(telegram, tmp_path):
        for answer in last:
            await telegram.until(bot_message(kind="edit", text=answer))

    verdict = check(telegram.entries())
    assert verdict.is_clean, verdict
    assert len(verdict.orphans) <= len(KILLED_AT)
    assert not [message for person in people for message in telegram.history(person.id) if "think" in message["text"]]


async def test_requests_whose_fate_is_unclear_cost_and_double_nothing(telegram: Telegram, tmp_path: Path) -> None:
    alice = telegram.user(7)
    for on in ("sendMessage", "editMessageText"):
        telegram.fault(on, "reset", effect=True, times=None, rate=0.3, seed=1)
        telegram.fault(on, "reset", times=None, rate=0.3, seed=2)
        telegram.fault(on, "status", status=502, effect=True, times=None, rate=0.3, seed=3)
    for number in range(QUESTIONS):
        alice.says(f"ask-{number}")

    async with life(telegram, tmp_path):
        await telegram.until(bot_message(kind="edit", text=f"ans-{QUESTIONS - 1}"), timeout_s=30)

    verdict = check(telegram.entries())
    assert verdict.is_clean, verdict
    assert len(telegram.entries("fault")) > QUESTIONS
