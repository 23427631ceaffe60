"""Lets jobs come due for months, while the process is killed and the clock is set, and counts what was fired.

    python -m tests.chaos.schedule --days 400 --jobs 50 --seed 1 --json

prints one JSON object as its last line: {"days", "jobs", "instants", "fired", "missed", "doubled", "odd", "late",
"kills", "seconds"}. A process looks at a clock of its own every few minutes of it, for as long as the machine of the
story runs: there are nights without it, the clock is set forth and back by an hour and by a day, and the process is
killed (SIGKILL) wherever it is. What was to be fired is reckoned from the calendars of the jobs' zones, without the
library that the service asks. An instant counts as missed if neither it was fired nor an earlier one of its job made up
for it, late; one of a job that makes up for nothing, if the clock was looked at in time. A firing is odd if its instant
is none of its job's. It fails if any was missed, doubled or odd.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import structlog

from adapters.port import Address, ChatKind, Inbound, Sender
from bot.pipeline.scheduler import ON_TIME, Scheduler
from bot.storage.keys import Principal
from bot.storage.port import CatchUp, Envelope, Job
from bot.storage.sqlite import SqliteCoordinator
from bot.storage.tables.jobs import next_instant
from bot.waiting import InstantPause
from memory import FrozenClock
from tests.support.cli_process import ROOT

BEGINNING = datetime(2026, 3, 1, tzinfo=UTC)
ZONES = ("Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Africa/Cairo", "Asia/Kolkata", "UTC")
DAY, MINUTE = timedelta(days=1), timedelta(minutes=1)
HOME = Address("schedule", "test", "jobs", ChatKind.PRIVATE)
AGENT = "personal"


@dataclass(frozen=True, slots=True)
class Calendar:
    """When a job is to be done: at an hour and minute of each day of its zone, or of some weekdays or days of a month.

    `every_hour`: at the minute of every hour instead.
    """

    name: str
    zone: str
    minute: int
    hour: int
    weekday: int | None = None
    day: int | None = None
    every_hour: bool = False
    skips: bool = False

    @classmethod
    def make(cls, number: int, chance: random.Random) -> Calendar:
        """Return one of several kinds."""
        kind = number % 5
        return cls(
            f"job {number}",
            chance.choice(ZONES),
            chance.choice((0, 15, 30, 45, 59)),
            chance.choice((0, 1, 2, 2, 3, 4, 12, 23)),
            weekday=chance.randint(0, 6) if kind == 1 else None,
            day=chance.randint(1, 31) if kind == 2 else None,
            every_hour=kind == 3,
            skips=chance.random() < 0.3,
        )

    @property
    def expression(self) -> str:
        """The same for cron, where Sunday is 0."""
        weekday = "*" if self.weekday is None else str((self.weekday + 1) % 7)
        return f"{self.minute} {'*' if self.every_hour else self.hour} {self.day or '*'} * {weekday}"

    def is_on(self, wall: datetime) -> bool:
        """Whether it is to be done on the day of a wall clock's time."""
        return self.weekday in {None, wall.weekday()} and self.day in {None, wall.day}


def instants(calendars: Sequence[Calendar], since: datetime, until: datetime) -> dict[str, list[datetime]]:
    """Return the instants of each calendar above `since` and up to `until`, by its name, minute by minute.

    What lies in an hour that the clock leaves out is done behind it, and in one that comes twice, in the first; what is
    done every hour is done whenever the clock shows its minute.
    """
    found: dict[str, list[datetime]] = {calendar.name: [] for calendar in calendars}
    for zone in sorted({calendar.zone for calendar in calendars}):
        here, own = ZoneInfo(zone), [calendar for calendar in calendars if calendar.zone == zone]
        at, seen = since, since.astimezone(here).replace(tzinfo=None)  # the latest time that the clock has shown
        while (at := at + MINUTE) <= until:
            wall = at.astimezone(here).replace(tzinfo=None)
            for calendar in own:
                target = wall.replace(hour=calendar.hour, minute=calendar.minute)
                is_reached = wall.minute == calendar.minute if calendar.every_hour else seen < target <= wall
                if is_reached and calendar.is_on(wall if calendar.every_hour else target):
                    found[calendar.name].append(at)
            seen = max(seen, wall)
    return found


def story(days: int, chance: random.Random) -> list[datetime]:
    """Return what the clock shows at each look at it, with nights without a look, and days when it is wrong."""
    looks, at, wrong = [], BEGINNING, timedelta()
    until = BEGINNING + days * DAY
    while at < until:
        at += timedelta(seconds=chance.choice((30, 60, 60, 60, 60, 60, 300, 900)))
        if chance.random() < 0.002:
            at += timedelta(hours=chance.randint(1, 60))
        if chance.random() < 0.002:
            wrong = chance.choice((timedelta(), timedelta(hours=1), timedelta(hours=-1), DAY, -DAY))
        looks.append(at + wrong)
    return [*looks, until + 2 * DAY]


async def live(path: Path, looks: Sequence[datetime], calendars: Sequence[Calendar], first: int) -> None:
    """Look at the clock again and again, from one look on, and say so behind each."""
    clock = FrozenClock(looks[first])
    async with SqliteCoordinator.open(path, clock=clock) as coordinator:
        (grant,) = await coordinator.claim(f"life {first}", [AGENT])
        if not await coordinator.jobs(AGENT):
            for calendar in calendars:
                due = next_instant(calendar.expression, calendar.zone, after=BEGINNING)
                inbound = Inbound("", HOME, Sender("schedule", ""), f"/{calendar.name}", "", due)
                envelope = Envelope(AGENT, Principal("schedule", "", is_owner=True), inbound)
                catch_up = CatchUp.SKIP if calendar.skips else CatchUp.LATE
                await coordinator.schedule(
                    grant, Job(calendar.name, due, envelope, calendar.expression, calendar.zone, catch_up)
                )
        scheduler = Scheduler(coordinator, clock=clock, pause=InstantPause())
        for number in range(first, len(looks)):
            clock.advance(seconds=(looks[number] - clock.now()).total_seconds())
            await scheduler.fire(grant)
            print(number, flush=True)


def lives(path: Path, arguments: Sequence[str], looks: int, *, kills: int, chance: random.Random) -> int:
    """Run it to the end of the story, killed about so many times; return how often."""
    first, killed = 0, 0
    while first < looks:
        command = [
            sys.executable,
            "-m",
            "tests.chaos.schedule",
            *arguments,
            "--state",
            str(path),
            "--first",
            str(first),
        ]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as process:
            assert process.stdout
            end = first + chance.randint(1, 2 * looks // kills)
            for line in process.stdout:
                first = int(line) + 1
                if first >= end and first < looks:
                    process.send_signal(signal.SIGKILL)
                    killed += 1
                    break
            process.stdout.close()
        if process.returncode not in {0, -signal.SIGKILL}:
            raise RuntimeError(f"A life ended with {process.returncode}.")
    return killed


@dataclass(frozen=True, slots=True)
class Firing:
    """One firing: the instant that it was for, and what the clock showed."""

    due: datetime
    at: datetime

    @property
    def is_late(self) -> bool:
        """Whether the service takes it for late."""
        return self.at - self.due > ON_TIME


def firings(path: Path) -> tuple[dict[str, list[Firing]], int]:
    """Return the firings of each job by its name, and how many messages have no firing or more than one."""
    found: defaultdict[str, list[Firing]] = defaultdict(list)
    with sqlite3.connect(path) as db:
        seen = db.execute("SELECT update_id, at FROM seen").fetchall()
        messages = Counter(json.loads(body)["inbound"]["update"] for (body,) in db.execute("SELECT body FROM inbox"))
    for update, at in seen:
        name, _, due = update.removeprefix(f"job:{AGENT}:").partition("@")
        found[name].append(Firing(datetime.fromisoformat(due), datetime.fromisoformat(at)))
    doubled = sum(messages.values()) - len(messages)
    return found, doubled + len(messages.keys() ^ {update for update, _ in seen})


def verdict(path: Path, calendars: Sequence[Calendar], looks: Sequence[datetime]) -> dict[str, int]:
    """Compare what was fired with what was to be."""
    expected, (fired, doubled) = instants(calendars, BEGINNING, max(looks)), firings(path)
    missed = odd = 0
    for calendar in calendars:
        own = sorted(fired[calendar.name], key=lambda one: one.due)
        doubled += len(own) - len({one.due for one in own})
        odd += len({one.due for one in own} - set(expected[calendar.name]))
        for instant in expected[calendar.name]:
            is_covered = any(one.due <= instant <= one.at or one.due == instant for one in own)
            missed += not is_covered and not (calendar.skips and was_late(instant, looks))
    every = [one for own in fired.values() for one in own]
    return {
        "instants": sum(map(len, expected.values())),
        "fired": len(every),
        "missed": missed,
        "doubled": doubled,
        "odd": odd,
        "late": sum(one.is_late for one in every),
    }


def was_late(instant: datetime, looks: Sequence[datetime]) -> bool:
    """Return whether the first look at a clock that showed an instant, or a later one, came too late for it."""
    return next(look for look in looks if look >= instant) - instant > ON_TIME


def run(days: int, jobs: int, kills: int, seed: int) -> dict[str, int | float]:
    """Run the story once and return the figures."""
    began, chance = time.perf_counter(), random.Random(f"kills {seed}")
    calendars, looks = setting(days, jobs, seed)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "state.sqlite"
        told = ["--days", str(days), "--jobs", str(jobs), "--seed", str(seed)]
        killed = lives(path, told, len(looks), kills=kills, chance=chance)
        found = verdict(path, calendars, looks)
    return {"days": days, "jobs": jobs, **found, "kills": killed, "seconds": round(time.perf_counter() - began, 1)}


def setting(days: int, jobs: int, seed: int) -> tuple[list[Calendar], list[datetime]]:
    """Return the jobs and the looks at the clock that follow from a seed."""
    chance = random.Random(seed)
    return [Calendar.make(number, chance) for number in range(jobs)], story(days, chance)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--days", type=int, default=400)
    parser.add_argument("--jobs", type=int, default=50)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=2026)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--state", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--first", type=int, default=0, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.state:
        structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))
        calendars, looks = setting(options.days, options.jobs, options.seed)
        asyncio.run(live(options.state, looks, calendars, options.first))
        return
    found = run(options.days, options.jobs, options.kills, options.seed)
    print(json.dumps(found) if options.json else "\n".join(f"{name}: {value}" for name, value in found.items()))
    if found["missed"] or found["doubled"] or found["odd"]:
        sys.exit(1)


if __name__ == "__main__":
    main()
