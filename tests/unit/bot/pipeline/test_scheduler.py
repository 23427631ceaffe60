from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import partial
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.port import Address, ChatKind
from bot.config.options.sessions import ResetOptions, ResetRule, SessionOptions
from bot.pipeline.scheduler import ON_TIME, Scheduler, plan, reset_job
from bot.storage.in_memory import InMemoryCoordinator
from bot.storage.port import CatchUp, Envelope, Firing, Job
from bot.storage.tables.jobs import next_instant
from bot.waiting import InstantPause
from memory import FrozenClock
from tests.support.factories import HOME, NOON, chat, envelope

BERLIN = ZoneInfo("Europe/Berlin")
DAY = timedelta(days=1)


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=BERLIN).astimezone(UTC)


@pytest.mark.parametrize(
    ("repeats", "after", "expected"),
    [
        ("0 4 * * *", "2026-11-21 12:00", "2026-11-22 04:00"),
        ("30 2 * * *", "2026-03-28 12:00", "2026-03-29 03:00"),  # the hour is left out
        ("30 2 * * *", "2026-03-29 12:00", "2026-03-30 02:30"),
        ("30 2 * * *", "2026-10-24 12:00", "2026-10-25 02:30"),  # the hour comes twice
        ("30 2 * * *", "2026-10-25 02:30", "2026-10-26 02:30"),
        ("0 0 29 2 *", "2026-11-21 12:00", "2028-02-29 00:00"),
    ],
)
def test_an_expression_holds_on_the_clock_of_its_zone(repeats: str, after: str, expected: str) -> None:
    assert next_instant(repeats, "Europe/Berlin", after=at(after)) == at(expected)


@given(
    hour=st.integers(0, 23),
    minute=st.integers(0, 59),
    zone=st.sampled_from(["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Africa/Cairo", "Asia/Kolkata"]),
    minutes=st.integers(0, 2 * 365 * 24 * 60),
)
def test_a_daily_job_comes_once_on_each_day_of_its_zone(hour: int, minute: int, zone: str, minutes: int) -> None:
    here, after = ZoneInfo(zone), NOON + timedelta(minutes=minutes)
    instants = [after]
    for _ in range(4):
        instants.append(next_instant(f"{minute} {hour} * * *", zone, after=instants[-1]))

    days = [instant.astimezone(here).date() for instant in instants[1:]]

    assert days == [days[0] + number * DAY for number in range(4)]
    assert after < instants[1] <= after + DAY + timedelta(hours=2)


@pytest.mark.parametrize("repeats", ["", "no", "0 4 * *", "61 * * * *", "0 0 31 2 *"])
def test_what_is_no_expression_is_refused(repeats: str) -> None:
    with pytest.raises(ValueError, match="names no instants"):
        next_instant(repeats, "UTC", after=NOON)


def test_a_zone_that_this_machine_does_not_know_is_refused() -> None:
    with pytest.raises(ValueError, match="No time zone found with key Mars/Olympus"):
        next_instant("0 4 * * *", "Mars/Olympus", after=NOON)


def test_what_was_missed_is_made_up_for_once_or_left_out() -> None:
    daily = Job("tidy", NOON, envelope("/tidy"), repeats="0 12 * * *")
    skipping = Job("tidy", NOON, envelope("/tidy"), repeats="0 12 * * *", catch_up=CatchUp.SKIP)

    assert plan(daily, now=NOON + ON_TIME) == Firing(NOON, again=NOON + DAY)
    assert plan(skipping, now=NOON + ON_TIME) == Firing(NOON, again=NOON + DAY)
    assert plan(daily, now=NOON + 3.5 * DAY) == Firing(NOON, again=NOON + 4 * DAY)
    assert plan(skipping, now=NOON + 3.5 * DAY) == Firing(None, again=NOON + 4 * DAY)
    assert plan(skipping, now=NOON + 3 * DAY + ON_TIME) == Firing(NOON + 3 * DAY, again=NOON + 4 * DAY)
    assert plan(Job("once", NOON, envelope("/x")), now=NOON) == Firing(NOON, again=None)


async def test_a_clock_that_is_set_forth_and_back_repeats_nothing() -> None:
    coordinator, clock = InMemoryCoordinator(), FrozenClock(NOON)
    (grant,) = await coordinator.claim("test", ["personal"])
    await coordinator.schedule(grant, Job("tidy", NOON, envelope("/tidy"), repeats="0 12 * * *"))

    scheduler = Scheduler(coordinator, clock=clock, pause=InstantPause())
    for hours in (0, 1, -1, 0, 25, -25, 24):
        clock.advance(seconds=hours * 3600)
        await scheduler.fire(grant)

    waiting = await coordinator.pending(grant, after=0)
    assert [message.envelope.inbound.sent_at for message in waiting] == [NOON, NOON + DAY]


async def test_what_a_clock_that_was_ahead_has_put_off_comes_when_it_is_due() -> None:
    coordinator, clock, hours = InMemoryCoordinator(), FrozenClock(NOON), iter([5000, -5000, 24, 24])
    (grant,) = await coordinator.claim("test", ["personal"])
    await coordinator.schedule(grant, Job("tidy", NOON, envelope("/tidy"), repeats="0 12 * * *"))

    async def pause(seconds: float) -> None:
        del seconds
        clock.advance(seconds=3600 * next(hours))

    with pytest.raises(RuntimeError, match="StopIteration"):
        await Scheduler(coordinator, clock=clock, pause=pause).run(grant)

    waiting = await coordinator.pending(grant, after=0)
    told = [message.envelope.inbound.sent_at for message in waiting]
    assert told == [NOON, NOON + DAY, NOON + 2 * DAY]  # the second one while the clock was ahead


def said(to: Address) -> Envelope:
    return envelope("hello", at=to)


def reset_of(options: SessionOptions, to: Address = HOME) -> Job | None:
    return reset_job(said(to), options, clock=FrozenClock(NOON), zone=BERLIN)


def test_without_a_rule_a_conversation_goes_on_for_ever() -> None:
    assert reset_of(SessionOptions()) is None


def test_of_two_rules_the_one_that_comes_first_ends_it() -> None:
    both = ResetOptions(daily=4, idle_minutes=60)

    daily = reset_of(SessionOptions(reset=ResetOptions(daily=4)))
    first = reset_of(SessionOptions(reset=both))

    assert daily
    assert first
    assert (daily.due, first.due) == (at("2026-11-22 04:00"), NOON + timedelta(hours=1))
    assert (first.envelope.inbound.text, first.repeats) == ("/new", "")


def test_the_rule_that_names_more_of_a_conversation_wins() -> None:
    options = SessionOptions(
        reset=ResetOptions(daily=4),
        resets=(
            ResetRule(platform="discord", idle_minutes=5),
            ResetRule(platform="discord", type="thread", idle_minutes=7),
            ResetRule(type="group"),
        ),
    )
    channel = chat("c", kind=ChatKind.CHANNEL, platform="discord")
    thread = Address("discord", "bot", "c", ChatKind.CHANNEL, thread="t")
    group = chat("g", kind=ChatKind.GROUP, platform="telegram")

    found = [reset_of(options, to) for to in (HOME, channel, thread, group)]

    dues = [job.due if job else None for job in found]
    assert dues == [at("2026-11-22 04:00"), NOON + timedelta(minutes=5), NOON + timedelta(minutes=7), None]


async def test_what_the_configuration_no_longer_ends_goes_on() -> None:
    coordinator, clock = InMemoryCoordinator(), FrozenClock(NOON)
    (grant,) = await coordinator.claim("test", ["personal"])
    group = chat("g", kind=ChatKind.GROUP)
    earlier = SessionOptions(reset=ResetOptions(daily=4))
    for to in (HOME, group):
        job = reset_job(said(to), earlier, clock=clock, zone=BERLIN)
        assert job
        await coordinator.schedule(grant, job)
    await coordinator.schedule(grant, Job("tidy", NOON + DAY, envelope("/tidy")))

    options = SessionOptions(resets=(ResetRule(type="group", daily=4),))
    now = partial(reset_job, options=options, clock=clock, zone=BERLIN)
    scheduler = Scheduler(coordinator, clock=clock, pause=InstantPause(), resets=now)
    await scheduler.drop_obsolete(grant)

    assert [job.envelope.inbound.address for job in await coordinator.jobs("personal")] == [group, HOME]
    assert [job.name for job in await coordinator.jobs("personal")][1] == "tidy"
