"""A month of one person's private chat, with or without a model, and the store that it leaves behind.

    python -m tests.acceptance.living_month --model --json

prints one JSON object as its last line: {"reminders", "on_time", "late_or_lost", "not_wanted", "sister_facts",
"sister_restated", "answered", "faded", "faded_found", "observed_left", "decision_line", "jobs_failed"}. A person tells
things, tells one of them again and again, is reminded across the end of summer time, tells a trifle and never speaks of
it again; a program observes what does not matter. At the end another program asks over the Model Context Protocol why
something was decided. `reminders` are those that were to come, `decision_line` is where the answer has the decision
from, `observed_left` how many of the observations became facts.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import sqlite3
import sys
import tempfile
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, closing, nullcontext
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import structlog

from bot.access.access import AccessRules
from bot.app import Application, build
from bot.config.model import Config
from bot.paths import Home
from bot.pipeline import scheduler
from memory import OWNER, Filter, FrozenClock, Origin
from memory.life.overview import life_stats
from memory.life.reviews import due
from tests.servers.openai_script import Call, Received, Step
from tests.servers.openai_server import KEY, MODEL, OpenAIServer
from tests.support.mcp import spawned
from tests.support.service import PeopleAdapter

BERLIN = ZoneInfo("Europe/Berlin")
FIRST = date(2026, 10, 10)
DAYS = 31
LOOK_S = 0.01
PATIENCE_S = 60

SISTER = "My sister Ana lives in Graz."
DECISION = "We decided to keep the bikes in the shed because the cellar is damp."
TRIFLE = "The bus to Mirabell was five minutes late."
QUESTION = "Where does Ana live?"

TOLD: dict[int, Sequence[tuple[str, str]]] = {
    0: (
        ("09:00", SISTER),
        ("09:05", "I am allergic to walnuts."),
        ("09:10", DECISION),
        ("09:15", f"/remember B(i=0.2): {TRIFLE}"),
        ("09:20", "Remind me to call Ana tomorrow at 9"),
        ("09:25", "Remind me every Monday at 8 to water the plants"),
        ("09:30", "Erinnere mich am 26. Oktober um 7:30 daran, den Müll rauszustellen"),
        ("09:35", "Remind me on Friday at 18:00 to buy bread"),
        ("09:40", "/reminders"),
    ),
    4: (("18:00", SISTER),),
    5: (("12:00", "Remind me tomorrow at 10 to ring the dentist"), ("12:05", "/undo")),
    11: (("18:00", SISTER), ("18:30", "The new bakery opens at seven.")),
    18: (("18:00", SISTER),),
    20: (("17:00", "Remind me in 20 minutes to take the bread out"),),
}
"""What is said on which day, in local time."""

ASKED_EVERY = 3
"""So often, in days, the question is asked, and thanks are said: a citation counts at the next message."""

DUE = (
    ("2026-10-11 09:00", "call Ana"),
    ("2026-10-12 08:00", "water the plants"),
    ("2026-10-16 18:00", "buy bread"),
    ("2026-10-19 08:00", "water the plants"),
    ("2026-10-26 07:30", "Müll"),
    ("2026-10-26 08:00", "water the plants"),
    ("2026-10-30 17:20", "take the bread out"),
    ("2026-11-02 08:00", "water the plants"),
    ("2026-11-09 08:00", "water the plants"),
)
"""What is to come, in local time; `ring the dentist` was taken back."""

WISHES = {
    "Remind me to call Ana tomorrow at 9": ("call Ana", "tomorrow at 9"),
    "Remind me every Monday at 8 to water the plants": ("water the plants", "every Monday at 8"),
    "Erinnere mich am 26. Oktober um 7:30 daran, den Müll rauszustellen": ("Müll rausstellen", "2026-10-26T07:30"),
    "Remind me on Friday at 18:00 to buy bread": ("buy bread", "2026-10-16T18:00"),
    "Remind me tomorrow at 10 to ring the dentist": ("ring the dentist", "tomorrow at 10"),
    "Remind me in 20 minutes to take the bread out": ("take the bread out", "in 20 minutes"),
}
"""How the model calls its tool for a wish: what, and when."""


def answer(received: Received) -> Step:
    """A model with simple habits: it notes what it is told, sets reminders by its tool, and looks questions up."""
    said = received.user_text
    if received.tool_results:
        last = received.tool_results[-1]
        if '"results"' not in last:
            return Step(text="Done.")
        best = json.loads(last)["results"][0]
        return Step(text=f"{best['snippet']} ({best['citation']})")
    wish = next((found for wish, found in WISHES.items() if said.endswith(wish)), None)
    if wish:
        return Step(calls=(Call("remind", {"what": wish[0], "when": wish[1]}),))
    if said.endswith(QUESTION):
        return Step(calls=(Call("memory_search", {"query": QUESTION}),))
    told = next((text for texts in TOLD.values() for _, text in texts if said.endswith(text)), None)
    return Step(calls=(Call("remember", {"text": told}),)) if told else Step(text="You are welcome.")


class Month:
    """The chat, its clock, and what came in it without being asked for.

    Attributes:
        came: local minute and text of what came by itself.
    """

    def __init__(self, application: Application, people: PeopleAdapter, clock: FrozenClock, home: Home) -> None:
        self.application = application
        self._home = home
        self.came: list[tuple[str, str]] = []
        self._people = people
        self._clock = clock

    async def until(self, moment: datetime) -> None:
        """Let the time pass, minute by minute where something is due, and hear what comes."""
        while (next_due := await self._next_due()) and next_due <= moment:
            self._move(next_due)
            await self._settle()
        self._move(moment)

    async def say(self, text: str) -> str:
        """Say something, and hear the answer."""
        told = await self._people.ask(text)
        await self._settle()
        return told

    def _move(self, moment: datetime) -> None:
        self._clock.advance(seconds=max(0.0, (moment - self._clock.now()).total_seconds()))

    async def _next_due(self) -> datetime | None:
        return min((job.due for job in await self.application.coordinator.jobs("personal")), default=None)

    async def _settle(self) -> None:
        """Wait until nothing is due, and nothing waits; note what has come meanwhile."""
        coordinator = self.application.coordinator
        async with asyncio.timeout(PATIENCE_S):
            while True:
                due_at, (waiting, _) = await self._next_due(), await coordinator.unfinished()
                if not waiting and not (due_at and due_at <= self._clock.now()) and self._is_delivered():
                    break
                await asyncio.sleep(LOOK_S)
        while not self._people.answers.empty():
            local = self._clock.now().astimezone(BERLIN)
            self.came.append((f"{local:%Y-%m-%d %H:%M}", self._people.answers.get_nowait().text))

    def _is_delivered(self) -> bool:
        with closing(sqlite3.connect(f"file:{self._home.database}?mode=ro", uri=True)) as db:
            sql = "SELECT count(*) FROM outbox WHERE state NOT IN ('delivered', 'dead')"
            return not db.execute(sql).fetchone()[0]


@asynccontextmanager
async def looking_often() -> AsyncIterator[None]:
    """Have the scheduler look at the clock all the time: it does not go by itself."""
    usual, scheduler.CHECK_S = scheduler.CHECK_S, LOOK_S
    try:
        yield
    finally:
        scheduler.CHECK_S = usual


@asynccontextmanager
async def living(home: Home, address: str, clock: FrozenClock) -> AsyncIterator[Month]:
    """A running service, and its owner in a private chat."""
    model = {"name": MODEL, "base_url": address, "api_key": KEY} if address else {}
    options = {"model": model, "memory": {"embedder": {"kind": "none"}}, "owner": {"timezone": BERLIN.key}}
    home.prepare()
    home.config.write_text(json.dumps({**options, "model": {}}), encoding="utf-8")  # for the program that asks later
    people = PeopleAdapter(clock)
    async with (
        looking_often(),
        build(
            home,
            Config.model_validate(options),
            clock=clock,
            opening=lambda _: nullcontext([people]),
            default_agent="personal",
            access=AccessRules(owners=frozenset({"volatile:owner"})),
        ) as built,
        asyncio.TaskGroup() as group,
    ):
        group.create_task(built.service.run(("personal", "work"), owner="month"))
        yield Month(built, people, clock, home)
        built.service.stop()


async def live(home: Home, address: str = "") -> dict[str, object]:
    """Live through the month in an empty home; with the address of a model, or without one."""
    clock = FrozenClock(datetime.combine(FIRST, time(8), BERLIN).astimezone(UTC))
    answered = asked = 0
    async with living(home, address, clock) as month:
        memory = month.application.context.jobs.context.agents["personal"].memory
        for day in range(DAYS):
            for at, text in TOLD.get(day, ()):
                await month.until(_local(day, at))
                await month.say(text)
            await month.until(_local(day, "19:00"))
            trifle = f"On day {day} the sky had {day + 3} clouds."
            await memory.observe(trifle, origin=Origin.AGENT, scope=OWNER, op_id=f"observe:{day}", actor="window")
            if day % ASKED_EVERY == 1:
                asked += 1
                answered += "Graz" in await month.say(QUESTION)
                await month.say("Thanks!")
        await month.until(_local(DAYS, "08:00"))
        facts = await memory.recent(200, scope=OWNER)
        stats = await memory.run(life_stats, scope=OWNER)
        fading = await memory.run(due, scope=OWNER)
        shown = await memory.recall("bus", scope=OWNER, where=Filter(faded=True))
        failed = [
            f"{name}: {one.lines}"
            for name in month.application.context.jobs.known
            for one in await month.application.context.jobs.log(name, "personal")
            if one.outcome == "failed"
        ]
    wanted = dict.fromkeys(DUE, False)
    unwanted = []
    for minute, text in month.came:
        found = next((key for key, seen in wanted.items() if not seen and key[0] == minute and key[1] in text), None)
        if found:
            wanted[found] = True
        else:
            unwanted.append((minute, text))
    sister = [hit for hit in facts if "Graz" in hit.content]
    return {
        "reminders": len(DUE),
        "on_time": sum(wanted.values()),
        "late_or_lost": [key for key, seen in wanted.items() if not seen],
        "not_wanted": unwanted,
        "sister_facts": len(sister),
        "sister_restated": stats.reviews.get("restated", 0),
        "asked": asked,
        "answered": answered,
        "faded": fading.faded,
        "faded_found": any(TRIFLE in hit.content for hit in shown.hits),
        "observed_left": sum("clouds" in hit.content for hit in facts),
        "sensory": stats.stores["sensory"],
        "decision_line": await why(home),
        "jobs_failed": failed,
    }


async def why(home: Home) -> str:
    """Ask over the Model Context Protocol why the bikes are in the shed; return where the answer has it from."""
    async with spawned(home.config.parent) as client:
        told = await client.call_tool("why_did_we", {"topic": "bikes"})
        lines = "\n".join(getattr(part, "text", "") for part in told.content).splitlines()
        at = next((n for n, line in enumerate(lines) if f"memory/{FIRST}.md#L" in line), 0)
        return " ".join(line.strip() for line in lines[max(0, at - 1) : at + 1])


def _local(day: int, at: str) -> datetime:
    hour, minute = map(int, at.split(":"))
    return datetime.combine(FIRST + timedelta(days=day), time(hour, minute), BERLIN).astimezone(UTC)


def is_recognised(found: dict[str, object]) -> bool:
    """Return whether the store is one that its owner would recognise."""
    return (
        found["on_time"] == found["reminders"]
        and not found["not_wanted"]
        and (found["sister_facts"], found["sister_restated"]) == (1, 3)
        and found["answered"] == found["asked"]
        and (found["faded"], found["faded_found"]) == (1, True)
        and found["observed_left"] == 0
        and DECISION.removesuffix(".") in str(found["decision_line"])
        and not found["jobs_failed"]
    )


def main() -> None:
    """Run it and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", action="store_true", help="with a scripted model behind the OpenAI protocol")
    parser.add_argument("--json", action="store_true", help="print the figures as the last line")
    options = parser.parse_args()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))
    with tempfile.TemporaryDirectory() as folder:
        if options.model:
            with OpenAIServer(answer) as server:
                found = asyncio.run(live(Home.at(Path(folder)), server.base_url))
        else:
            found = asyncio.run(live(Home.at(Path(folder))))
    print(json.dumps(found) if options.json else found)
    if not is_recognised(found):
        sys.exit(1)


if __name__ == "__main__":
    main()
