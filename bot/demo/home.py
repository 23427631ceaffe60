"""Makes the demo home: lives through the half year of `half_year.md` day by day, by the means of the program itself."""

from __future__ import annotations

import asyncio
import re
import shutil
from collections import defaultdict
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from importlib import resources
from pathlib import Path

from adapters.in_memory import InMemoryAdapter
from adapters.port import Outbound, Receipt
from adapters.terminal import HERE
from bot import log, starter
from bot.access.access import AccessRules
from bot.app import build
from bot.config.model import Config
from bot.config.schema import example
from bot.errors import Refused
from bot.memories import Memories
from bot.paths import Home, create, make_private
from bot.system import instance
from bot.texts.catalogue import in_language, tr
from memory import OWNER, Clock, FrozenClock, Origin, Progress

DAYS = 180
MARKER = "demo-home.txt"
"""A file that says of a folder that it is a demo home, and may be made anew."""

OWNER_OPTIONS = {"name": "Robin", "timezone": "Europe/Zurich"}
ACTOR = f"{HERE.platform}:{HERE.chat}"
MORNING_H = 7
MINUTES_APART = 9
REFLECTED_EVERY = 15

_ABOUT = """\
This folder is a demo home of Scrubjay, made by `scrubjay demo`. Its person is invented.
`scrubjay demo` makes it anew, and takes away what was said in it since. Delete it whenever you like.
"""
_LINE = re.compile(r"- (?P<agent>\w+)(?P<says> says)?: (?P<text>.+)")
_LATER = re.compile(r"\{\+(\d+)\}")


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the half year: its day from 1 on, whose agent it is for, and whether it is said to it or noted."""

    day: int
    number: int
    agent: str
    is_said: bool
    text: str

    def noted_on(self, day: date) -> str:
        """Return the bullet to note on a day."""
        return "- " + _LATER.sub(lambda later: (day + timedelta(days=int(later[1]))).isoformat(), self.text)


class Person(InMemoryAdapter):
    """The person at the terminal: says something, and waits for the whole answer."""

    platform = HERE.platform
    bot = HERE.bot

    def __init__(self, clock: Clock) -> None:
        super().__init__(now=clock.now)
        self._answers: asyncio.Queue[Outbound] = asyncio.Queue()

    async def send(self, out: Outbound) -> Receipt:
        """Take a part of an answer."""
        receipt = await super().send(out)
        self._answers.put_nowait(out)
        return receipt

    async def ask(self, text: str) -> None:
        """Say something, and wait until it is answered."""
        self.say(text, chat=HERE.chat, sender=HERE.chat)
        while not (await self._answers.get()).last:
            pass


def entries(days: int = DAYS) -> Iterator[Entry]:
    """Yield the lines of the first days, oldest first."""
    day = number = 0
    for line in resources.files(__package__).joinpath("half_year.md").read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            day = int(line.removeprefix("## "))
        elif day and day <= days and (found := _LINE.fullmatch(line)):
            number += 1
            yield Entry(day, number, found["agent"], bool(found["says"]), found["text"])


async def make(folder: Path, *, clock: Clock, days: int = DAYS, progress: Progress | None = None) -> Home:
    """Make a demo home whose last day is today; it needs no network, and no vectors are computed.

    Args:
        folder: where it goes. A demo home that is there is made anew.
        clock: says what today is.
        days: how many of the days of the half year are lived through.
        progress: told the days that are done, and all of them.

    Returns:
        The home. The same day and program make the same facts.

    Raises:
        Refused: the folder is there and is no demo home, or somebody is using it.
        BotError: it cannot be written.
    """
    home = Home.at(folder, chosen_by="scrubjay demo")
    root = home.config.parent
    if root.exists():
        if not (root / MARKER).is_file():
            message = tr("{folder} exists, and is no demo home. Nothing was changed.", folder=root)
            raise Refused(message, hint=tr("Name a folder that does not exist: scrubjay demo --to FOLDER"))
        if holder := instance.holder(home):
            raise Refused(tr("{folder} is in use: {holder}", folder=root, holder=holder), hint=tr("Stop it first."))
        shutil.rmtree(root)
    config = _config()
    make_private(root)
    create(root / MARKER, _ABOUT)  # first, so that one that was not finished can be made anew
    home.prepare()
    create(home.config, example(config))
    starter.write_all(home, config)
    first = clock.now().astimezone(config.owner.zone).date() - timedelta(days=days - 1)
    mask = log.Mask(())
    with (
        instance.hold(home, command="demo", clock=clock),
        log.to_file(home.log_file, level=config.log.level, clock=clock, mask=mask),
        in_language("en"),
    ):
        await _live(home, first, days=days, progress=progress)
    return home


async def embed(home: Home, *, clock: Clock, progress: Progress | None = None) -> None:
    """Give vectors to what the agents of a demo home remember: the first question is answered by meaning, too."""
    config = _config()
    async with Memories(home, config, clock=clock) as memories:
        for agent in config.agents:
            async with memories.open(agent) as memory:
                await memory.embed(progress=progress)


def _config(**options: object) -> Config:
    return Config.model_validate({"owner": OWNER_OPTIONS, **options})


async def _live(home: Home, first: date, *, days: int, progress: Progress | None) -> None:
    """Live through the days in an empty home."""
    off = {name: {"enabled": False} for name in type(Config().jobs).model_fields}  # nothing comes by itself
    config = _config(memory={"embedder": {"kind": "none"}}, jobs=off)
    by_day = defaultdict[int, list[Entry]](list)
    for entry in entries(days):
        by_day[entry.day].append(entry)
    clock = FrozenClock(_morning(first, config))
    person, rules = Person(clock), AccessRules(owners=frozenset({ACTOR}))
    answering = next(iter(config.agents))
    async with (
        build(
            home, config, clock=clock, opening=lambda _: nullcontext([person]), default_agent=answering, access=rules
        ) as built,
        asyncio.TaskGroup() as group,
    ):
        running = group.create_task(built.service.run(tuple(config.agents), owner="demo"))
        for day in range(1, days + 1):
            today = first + timedelta(days=day - 1)
            clock.advance(seconds=(_morning(today, config) - clock.now()).total_seconds())
            for entry in by_day[day]:
                clock.advance(minutes=MINUTES_APART)
                if not entry.is_said:
                    text, op_id = entry.noted_on(today), f"demo:{entry.number}"
                    memory = built.context.jobs.context.agents[entry.agent].memory
                    await memory.remember(text, origin=Origin.OWNER, scope=OWNER, op_id=op_id, actor=ACTOR)
                    continue
                if entry.agent != answering:
                    await person.ask(f"/agent {entry.agent}")
                    answering = entry.agent
                await person.ask(entry.text)
            if day % REFLECTED_EVERY == 0 or day == days:
                for agent in config.agents:
                    await built.context.jobs.run("reflect", agent, id=f"demo:reflect:{day}")
            if progress:
                progress(day, days)
        person.leave()
        await running


def _morning(day: date, config: Config) -> datetime:
    return datetime.combine(day, time(MORNING_H), config.owner.zone)
