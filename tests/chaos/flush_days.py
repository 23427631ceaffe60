"""Flushes at midnights, at clock changes and across a change of zone, in the zones of the world.

    python -m tests.chaos.flush_days --zones 400 --json

prints one JSON object as its last line: {"zones", "flushes", "facts", "lost", "misplaced", "doubled"}. Each flush notes
two facts, and the clock goes on by some seconds with each request, so that where a day ends both are written on the
next one. It is carried out twice, as after a crash before its turn was committed; every other one is cancelled after
the first fact, and the last of a zone is taken up by an agent in another zone. A fact has to stand once, in the log of
the day on which the turn began, in the zone of the agent that wrote it.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo, available_timezones

import structlog

from adapters.port import Address, ChatKind
from bot.agent.context.history import Exchange, History
from bot.agent.context.prompt import NO_REPLY
from bot.agent.flush import MemoryFlush
from bot.app import tools
from bot.config.options.sessions import FlushOptions
from bot.llm.pool import ModelInfo
from bot.llm.retry import ModelHealth
from bot.llm.scripted import ScriptedModel, Step
from bot.llm.tokens import TokenCounter, Window
from bot.llm.types import Message, Request, Role, ToolCall
from bot.storage.effect_log import EffectLog
from bot.storage.in_memory import InMemoryCoordinator
from bot.storage.keys import Principal, SessionKey
from bot.turn import SILENT, Agent, Turn
from memory import OWNER, FrozenClock, Memory, Origin

YEAR = datetime(2027, 1, 1, tzinfo=UTC)
DAY, SECOND = timedelta(days=1), timedelta(seconds=1)
HOME = Address("flush", "test", "home", ChatKind.PRIVATE)
PERSON = Principal("flush:owner", "Ada", is_owner=True)
OTHER_ZONE = ZoneInfo("Pacific/Kiritimati")
PLAIN_CHANGES = (datetime(2027, 3, 28, 1, tzinfo=UTC), datetime(2027, 10, 31, 1, tzinfo=UTC))
"""Instants for zones whose clocks are not changed: those at which Europe's are."""


def changes(zone: ZoneInfo) -> list[datetime]:
    """The instants of a year at which the clocks of a zone are changed, to the second; two at least."""
    found, at = list[datetime](), YEAR
    while at < YEAR + 365 * DAY:
        before, after = at, at + DAY
        if before.astimezone(zone).utcoffset() != after.astimezone(zone).utcoffset():
            while after - before > SECOND:
                middle = before + (after - before) / 2
                same = middle.astimezone(zone).utcoffset() == before.astimezone(zone).utcoffset()
                before, after = (middle, after) if same else (before, middle)
            found.append(after.replace(microsecond=0))
        at += DAY
    return (found or list(PLAIN_CHANGES))[:2]


def moments(zone: ZoneInfo) -> list[datetime]:
    """Eight instants at which a flush may go wrong: clock changes, the ends of days, of a year and of February."""

    def midnight(year: int, month: int, day: int) -> datetime:
        return datetime(year, month, day, tzinfo=zone).astimezone(UTC)

    nights = (midnight(2027, 6, 15) - SECOND, midnight(2027, 6, 16), midnight(2028, 1, 1) - SECOND)
    around = (instant + side for instant in changes(zone) for side in (-SECOND, SECOND))
    return sorted([*around, *nights, midnight(2028, 2, 29) - SECOND])


class NotingModel:
    """Notes two facts, one in each request; the clock goes on meanwhile."""

    def __init__(self, clock: FrozenClock, facts: Sequence[str], *, is_cancelled: bool) -> None:
        self._clock = clock
        self._facts = facts
        self._is_cancelled = is_cancelled

    def __call__(self, request: Request) -> Step:
        self._clock.advance(seconds=3)
        done = sum(message.role is Role.TOOL for message in request.history)
        if done and self._is_cancelled:
            raise asyncio.CancelledError
        if done == len(self._facts):
            return Step(text=NO_REPLY)
        return Step(calls=(ToolCall(f"c{done}", "remember", {"text": self._facts[done]}),))


async def flush(turn: Turn, clock: FrozenClock, facts: Sequence[str], *, is_cancelled: bool = False) -> None:
    """One flush, by a model that notes these facts."""
    model = ScriptedModel(then=NotingModel(clock, facts, is_cancelled=is_cancelled))
    info = ModelInfo(Window(32_000), TokenCounter(), ModelHealth(clock))
    talk = (Message(Role.USER, "So it is."), Message(Role.ASSISTANT, "Yes."))
    history = History((Exchange("t0", 1, turn.at, talk, said="So it is."),))
    with suppress(asyncio.CancelledError):
        work = MemoryFlush(model, info, list(tools().values()), FlushOptions())
        await work.run(turn, history, Message(Role.SYSTEM, "You are a test."))


async def in_zone(folder: Path, name: str) -> Counter[str]:
    """Carry out the flushes of one zone; count facts that are lost, in another file, or there twice."""
    zone, count = ZoneInfo(name), Counter[str]()
    instants = moments(zone)
    clock = FrozenClock(instants[0])
    async with await Memory.open(folder / "w", index=folder / "i.sqlite", clock=clock, zone=zone) as memory:
        coordinator = InMemoryCoordinator()
        (grant,) = await coordinator.claim("test", ["personal"])
        agent = Agent("personal", "", memory, zone, clock, coordinator)
        expected: dict[str, str] = {}
        for number, at in enumerate(instants):
            clock.advance(seconds=max(0.0, (at - clock.now()).total_seconds()))
            turn_id = f"t{number}"
            turn = Turn(
                turn_id, agent, SessionKey("personal", HOME), PERSON, Origin.OWNER, OWNER, "", at,
                EffectLog(coordinator, grant, turn_id), SILENT,
            )  # fmt: skip
            facts = [f"Boat {number} has the sail number {number * 7919 + place * 101}." for place in range(2)]
            moved = replace(turn, agent=replace(agent, zone=OTHER_ZONE)) if number == len(instants) - 1 else turn
            await flush(turn, clock, facts, is_cancelled=number % 2 == 1)
            await flush(moved, clock, facts)
            own, other = at.astimezone(zone).date(), at.astimezone(moved.agent.zone).date()
            expected |= {facts[0]: own.isoformat(), facts[1]: (other if number % 2 == 1 else own).isoformat()}
            count["flushes"] += 1
    logs = {path.stem: path.read_text(encoding="utf-8") for path in (folder / "w" / "memory").glob("*.md")}
    for fact, day in expected.items():
        times = sum(text.count(fact) for text in logs.values())
        count["facts"] += 1
        count["lost"] += times == 0
        count["doubled"] += times > 1
        count["misplaced"] += times > 0 and fact not in logs.get(day, "")
    return count


async def run(zones: Sequence[str]) -> dict[str, int]:
    """All zones, each in a home of its own."""
    total = Counter[str]()
    for name in zones:
        with tempfile.TemporaryDirectory() as folder:
            total += await in_zone(Path(folder), name)
    return {"zones": len(zones)} | {what: total[what] for what in ("flushes", "facts", "lost", "misplaced", "doubled")}


def main() -> None:
    """Run it and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--zones", type=int, default=400)
    parser.add_argument("--json", action="store_true", help="print the figures as the last line")
    options = parser.parse_args()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
    names = sorted(name for name in available_timezones() if "/" in name and not name.startswith("Etc/"))
    found = asyncio.run(run(names[: options.zones]))
    print(json.dumps(found) if options.json else found)
    if found["lost"] or found["misplaced"] or found["doubled"]:
        sys.exit(1)


if __name__ == "__main__":
    main()
