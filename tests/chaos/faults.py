"""Lets a model and its server fail in every way that we know, and looks at what the person in the chat gets to see.

    python -m tests.chaos.faults --json

Each script is a turn of its own, from the door to the outbox, with the real client against a server that speaks the
protocol. It has to end in one answer, or in one notice that says what is wrong; the message after it has to be answered
as if nothing had been. Prints one JSON object as its last line: {"scripts", "answers", "notices", "neither", "loops",
"most_requests", "not_answered_next", "as_expected"}. `loops` counts turns that asked the model more often than the
budget allows, `most_requests` is the largest number of requests for one question to the model.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import tempfile
from collections import Counter
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path

import structlog

from benchmarks import figures
from bot.agent.loop import ALL_FILTERED, BROKEN_OFF, NO_WORDS, NUDGE, TOO_LONG, UNFINISHED, Budget
from bot.llm.client import OpenAIModel
from bot.llm.retry import RetryingModel
from bot.llm.types import Event, Request
from memory import OWNER, Origin
from tests.chaos.fault_scripts import FACT, QUESTION, SCRIPTS, Ends, FaultScript
from tests.servers.openai_script import Received, Step
from tests.servers.openai_server import OpenAIServer
from tests.support.factories import ClockPause, endpoint
from tests.support.service import RunningService, ServiceOptions, running_service

NEXT = "And how are you?"
FINE = "I am fine, thank you."
SILENCE_S = 1.0
"""How long a server that falls silent is listened to, and how long a tool that hangs is waited for."""

NOTICES = (
    *("(The model could not answer this:", "(Answered from memory:"),
    *(ALL_FILTERED, BROKEN_OFF, NO_WORDS, TOO_LONG, UNFINISHED),
)
ENOUGH = "Stop here:"


class Counted:
    """A model that notes how many requests each question to it took (`bot.llm.types.Model`)."""

    def __init__(self, model: RetryingModel, server: OpenAIServer) -> None:
        self._model = model
        self._server = server
        self.requests: list[int] = []

    @property
    def name(self) -> str:
        return self._model.name

    async def stream(self, request: Request) -> AsyncGenerator[Event, None]:
        before = len(self._server.received)
        try:
            async with aclosing(self._model.stream(request)) as events:
                async for event in events:
                    yield event
        finally:
            self.requests.append(len(self._server.received) - before)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a script.

    Attributes:
        reply: what the person was shown.
        later: what they were shown for their next message.
        requests: for each time that the model was asked, how many requests that took.
        extra: further messages, which nobody asked for.
    """

    reply: str
    later: str
    requests: tuple[int, ...]
    extra: int

    @property
    def ends(self) -> Ends | None:
        """How it ended; None if the person was told nothing, or the same thing twice."""
        told = sum(self.reply.count(notice) for notice in NOTICES)
        if self.extra or told > 1 or not self.reply.strip():
            return None
        return Ends.NOTICE if told else Ends.ANSWER

    @property
    def is_loop(self) -> bool:
        return len(self.requests) > Budget().requests + 2

    @property
    def goes_on(self) -> bool:
        """Whether the next message was answered by the model."""
        return FINE in self.later

    def fits(self, script: FaultScript) -> bool:
        """Whether it is what was to be expected."""
        shown = script.says in self.reply and all(notice in self.reply for notice in script.notices)
        return self.ends is script.ends and shown and self.goes_on and not self.is_loop


async def played(script: FaultScript, folder: Path) -> Outcome:
    """Play one script in a folder of its own."""
    patience = ClockPause()
    with OpenAIServer(lambda received: answer(script, received), script.faults) as server:
        async with OpenAIModel(endpoint(server.base_url, read_s=SILENCE_S), clock=patience.clock) as asked_once:
            retrying = patience.retrying(asked_once)
            counted = Counted(retrying, server)
            setting = ServiceOptions(
                clock=patience.clock, pause=patience, health=retrying.health, more=script.tools, tool_s=SILENCE_S
            )
            async with running_service(folder, counted, setting) as here:
                reply, later, requests = await talk(here, script, counted, patience)
            extra = here.people.answers.qsize()
    return Outcome(reply, later, requests, extra)


async def talk(
    here: RunningService, script: FaultScript, model: Counted, patience: ClockPause
) -> tuple[str, str, tuple[int, ...]]:
    """Ask, wait until a failing model would be asked again, and say something else."""
    await here.agent.memory.remember(FACT, origin=Origin.OWNER, scope=OWNER, op_id="fact", actor="owner")
    for earlier in script.before:
        await here.people.ask(earlier)
    model.requests.clear()
    reply = await here.people.ask(QUESTION)
    requests = tuple(model.requests)
    patience.clock.advance(minutes=10)
    return reply, await here.people.ask(NEXT), requests


def answer(script: FaultScript, received: Received) -> Step:
    """What the model says."""
    said = received.user_text
    if NEXT in said:
        return Step(text=FINE)
    if any(earlier in said for earlier in script.before):
        return Step(text="Noted.")
    if said == NUDGE:
        return script.nudged
    if said.startswith(ENOUGH):
        return script.enough
    return script.after if received.tool_results else script.step


async def play(scripts: Sequence[FaultScript]) -> dict[str, Outcome]:
    """Play the scripts one after the other; the outcomes by name."""
    found = {}
    for script in scripts:
        with tempfile.TemporaryDirectory() as folder:
            found[script.name] = await played(script, Path(folder))
    return found


def summed_up(outcomes: dict[str, Outcome], scripts: Sequence[FaultScript]) -> dict[str, object]:
    """The figures."""
    ends = Counter(outcome.ends for outcome in outcomes.values())
    return {
        "scripts": len(outcomes),
        "answers": ends[Ends.ANSWER],
        "notices": ends[Ends.NOTICE],
        "neither": ends[None],
        "loops": sum(outcome.is_loop for outcome in outcomes.values()),
        "most_requests": max(max(outcome.requests, default=0) for outcome in outcomes.values()),
        "not_answered_next": sum(not outcome.goes_on for outcome in outcomes.values()),
        "as_expected": sum(outcomes[script.name].fits(script) for script in scripts),
    }


def main() -> None:
    """Play all scripts; exit code 1 if one of them ends otherwise than it has to."""
    parser = argparse.ArgumentParser(description="Lets a model fail in every way that we know.")
    parser.add_argument("--seed", type=int, default=0, help="nothing here is left to chance; kept for the record")
    parser.add_argument("--json", action="store_true", help="keep the figures")
    options = parser.parse_args()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(50))
    outcomes = asyncio.run(play(SCRIPTS))
    for script in SCRIPTS:
        outcome = outcomes[script.name]
        verdict = "ok  " if outcome.fits(script) else "FAIL"
        end = outcome.ends.value if outcome.ends else "neither"
        print(f"{verdict} {script.name}: {end}, requests {list(outcome.requests)}: {outcome.reply[:120]!r}")
    found = summed_up(outcomes, SCRIPTS)
    if options.json:
        figures.write("faults", found, seed=options.seed)
    print(json.dumps(found))
    sys.exit(found["as_expected"] != found["scripts"])


if __name__ == "__main__":
    main()
