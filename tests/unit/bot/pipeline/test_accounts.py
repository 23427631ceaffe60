"""A platform that refuses an account: it is tried again in time, and the owner is told once."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from pathlib import Path

import pytest

from adapters.in_memory import InMemoryAdapter
from adapters.port import AccountNotFound, Address, ChatKind, ConnectionState, InboundHandler, LoginRefused
from bot.access.routing import Routing
from bot.pipeline.accounts import BELIEVED, MAX_WAIT_S, PATIENT_WAIT_S, Accounts
from bot.pipeline.delivery.owner import OwnerChats
from bot.storage.sqlite import SqliteCoordinator
from bot.storage.tables.people import AccessStore
from bot.texts.catalogue import in_language
from memory import FrozenClock
from tests.support.factories import NOON, OWNER, ClockPause, inbound
from tests.support.service import AGENTS, ServiceHarness, echo

REVOKED = LoginRefused("The token was revoked (401).")
NOT_FOUND = AccountNotFound("What answers knows no such bot (404).")


class PassingTime(ClockPause):
    """Waits by moving its clock, and lets others work meanwhile."""

    async def __call__(self, seconds: float) -> None:
        await super().__call__(seconds)
        await asyncio.sleep(0)


class Gatekeeper(InMemoryAdapter):
    """A platform that lets its account in for a while, and then refuses it for a while."""

    def __init__(self, clock: FrozenClock, error: LoginRefused, *, works_s: float, outage_s: float) -> None:
        super().__init__(now=clock.now)
        self.connection = ConnectionState()
        self.tries: list[float] = []
        self._clock = clock
        self._error = error
        self._begins = clock.now() + timedelta(seconds=works_s)
        self._ends = self._begins + timedelta(seconds=outage_s)

    async def run(self, handler: InboundHandler) -> None:
        if self._clock.now() < self._begins:
            self.connection.set("")
            self._clock.advance(seconds=(self._begins - self._clock.now()).total_seconds())
        since_s = (self._clock.now() - self._begins).total_seconds()
        self.tries.append(since_s)
        if self._clock.now() < self._ends:
            self.connection.set(str(self._error))
            raise self._error
        self.connection.set("")
        await super().run(handler)


@pytest.mark.parametrize("error", [REVOKED, NOT_FOUND], ids=["401", "404"])
@pytest.mark.parametrize("seconds", [1, 4, 30, 600])
async def test_after_an_outage_it_is_back_within_half_a_minute(seconds: int, error: LoginRefused) -> None:
    pause = PassingTime()
    adapter = Gatekeeper(pause.clock, error, works_s=120, outage_s=seconds)
    stand = ServiceHarness(echo, adapter=adapter, retry_pause=pause, clock=pause.clock)

    assert await stand.run("hello") == ["hello"]
    assert seconds <= adapter.tries[-1] <= seconds + 30
    assert not stand.service.accounts.are_hopeless


async def test_an_outage_of_days_is_not_met_with_thousands_of_logins() -> None:
    pause = PassingTime()
    adapter = Gatekeeper(pause.clock, REVOKED, works_s=120, outage_s=24 * 3600)
    stand = ServiceHarness(echo, adapter=adapter, retry_pause=pause, clock=pause.clock)

    assert await stand.run("hello") == ["hello"]
    assert len(adapter.tries) < 500
    assert max(pause.waited) == PATIENT_WAIT_S
    assert max(pause.waited[:100]) == MAX_WAIT_S


async def test_where_every_account_is_refused_from_the_start_there_is_nothing_to_wait_for() -> None:
    pause = PassingTime()
    adapter = Gatekeeper(pause.clock, REVOKED, works_s=0, outage_s=3600)
    stand = ServiceHarness(echo, adapter=adapter, retry_pause=pause, clock=pause.clock)
    await stand.service.run(AGENTS, owner="test")

    assert stand.service.accounts.are_hopeless
    assert adapter.tries == [0, 1, 3]


async def test_a_server_that_knows_no_bot_yet_is_waited_for_also_at_the_start() -> None:
    pause = PassingTime()
    adapter = Gatekeeper(pause.clock, NOT_FOUND, works_s=0, outage_s=90)
    stand = ServiceHarness(echo, adapter=adapter, retry_pause=pause, clock=pause.clock)

    assert await stand.run("hello") == ["hello"]


def test_it_is_said_since_when_an_account_is_refused_and_why() -> None:
    clock = FrozenClock(NOON)
    adapter = Gatekeeper(clock, REVOKED, works_s=0, outage_s=0)
    accounts = Accounts([adapter], clock=clock)
    before = dict(accounts.statuses)
    adapter.connection.set("")
    connected = dict(accounts.statuses)
    clock.advance(minutes=5)
    accounts.refuse("volatile.bot", REVOKED)
    clock.advance(minutes=5)
    accounts.refuse("volatile.bot", REVOKED)

    assert before == {"volatile.bot": "not connected since 2026-11-21 12:00: it is being connected"}
    assert connected == {"volatile.bot": "running"}
    assert accounts.statuses == {"volatile.bot": "refused since 2026-11-21 12:05: The token was revoked (401)."}
    with in_language("de"):
        assert accounts.statuses["volatile.bot"].startswith("abgelehnt seit 2026-11-21 12:05: ")
    assert accounts.reachable == set()


async def test_the_owner_is_told_once_of_an_outage_and_once_of_its_end() -> None:
    told: list[tuple[str, str]] = []

    async def report(account: str, reason: str) -> None:
        told.append((account, reason))

    pause = PassingTime()
    adapter = Gatekeeper(pause.clock, REVOKED, works_s=120, outage_s=600)
    stand = ServiceHarness(echo, adapter=adapter, retry_pause=pause, clock=pause.clock, report=report)
    await stand.run("hello")

    assert [reason for _, reason in told if reason] == [str(REVOKED)]
    assert told[-1] == ("volatile.bot", "")


async def test_a_refusal_or_two_that_pass_are_not_worth_a_word(capsys: pytest.CaptureFixture[str]) -> None:
    told: list[str] = []

    async def report(account: str, reason: str) -> None:
        told.append(f"{account}{reason}")

    pause = PassingTime()
    adapter = Gatekeeper(pause.clock, REVOKED, works_s=120, outage_s=2)
    stand = ServiceHarness(echo, adapter=adapter, retry_pause=pause, clock=pause.clock, report=report)
    await stand.run("hello")

    assert len(adapter.tries) == BELIEVED
    assert set(told) == {"volatile.bot"}
    assert "refused" not in capsys.readouterr().out


async def test_an_account_that_comes_and_goes_is_told_of_when_it_stays_away(capsys: pytest.CaptureFixture[str]) -> None:
    clock = FrozenClock(NOON)
    adapter = Gatekeeper(clock, REVOKED, works_s=0, outage_s=0)
    accounts = Accounts([adapter], clock=clock)
    words = []
    for away_s in (1, 1, 1, 30):
        adapter.connection.set("")
        for _ in range(3):
            adapter.connection.set(str(REVOKED))
            accounts.refuse("volatile.bot", REVOKED)
            clock.advance(seconds=away_s)
        words.append("adapter.refused" in capsys.readouterr().out)

    assert words == [True, False, False, True]


async def test_what_the_owner_was_told_of_an_account_is_known_after_a_restart(tmp_path: Path) -> None:
    clock = FrozenClock(NOON)
    here, there = (Address(platform, "1", "7", ChatKind.PRIVATE) for platform in ("telegram", "discord"))

    async def live(*news: str) -> list[str]:
        """One life of the process; returns all that it owes the owner, and where."""
        async with SqliteCoordinator.open(tmp_path / "s", clock=clock) as coordinator:
            routing = Routing("personal", AGENTS, register=AccessStore())
            owner = OwnerChats(coordinator, routing=routing, clock=clock)
            await owner.load()
            for to in (there, here):
                await owner.remember(OWNER, inbound("hello", update="1", at=to))
            for reason in news:
                await owner.report_account("telegram.1", reason)
            (grant,) = await coordinator.claim("test", ["personal"])
            parts = await coordinator.outgoing(grant, {"telegram.1", "discord.1"}, after=0)
            clock.advance(hours=1)
            return [f"{part.out.to.platform}: {part.out.text.splitlines()[0]}" for part in parts]

    refused = "discord: Telegram does not let me in: revoked"
    accepted = "discord: Telegram lets me in again. I go on with what was written to me there."
    assert await live("revoked") == [refused]
    assert await live("revoked", "revoked") == [refused]
    assert await live("", "") == [refused, accepted]
    assert await live("", "revoked") == [refused, accepted, refused]
