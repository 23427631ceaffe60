"""A conversation that goes on for months through a small window, and what is known of its beginning at its end.

    python -m tests.acceptance.long_conversation --turns 1000 --window 16000 --facts 50 --seed 1 --json

prints one JSON object as its last line: {"facts", "answered", "loops", "compactions", "model_calls"}. A person talks to
an agent with a scripted model behind the OpenAI protocol, and says a fact now and then; at the end they are asked for,
one by one. The model notes nothing by itself while it talks, writes summaries without any of the facts, and answers
from what is before it or from a search. `loops` are turns with more than `MOST_CALLS` requests, `model_calls` the most
requests that one compaction has taken.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import random
import re
import tempfile
from collections import Counter
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, nullcontext
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path

import structlog

from adapters.port import Address, ChatKind
from bot.access.access import AccessRules
from bot.agent.compaction import SECTIONS
from bot.app import Application, build
from bot.config.model import Config
from bot.paths import Home
from bot.storage.keys import SessionKey
from bot.storage.port import EntryKind
from memory import FrozenClock
from tests.servers.openai_script import Call, Fault, Received, Step, context_too_long, server_error
from tests.servers.openai_server import KEY, MODEL, OpenAIServer
from tests.support.factories import NOON
from tests.support.service import PeopleAdapter

MOST_CALLS = 6
MINUTES = 45
"""Between two messages."""

FACT = "The key of cabin {name} hangs on hook {hook}."
QUESTION = "On which hook hangs the key of cabin {name}?"
_SAID = re.compile(r"key of cabin (\w+) hangs on hook (\w+)")
_ASKED = re.compile(r"On which hook hangs the key of cabin (\w+)\?\Z")
WORDS = (
    "we could walk along the river again and look at the boats before the rain comes over the hills from the west"
).split()
SYLLABLES = ["".join(pair) for pair in product("bdfgklmnprstvz", "aeiou")]


@dataclass
class Talker:
    """A model that talks, notes what it is asked to note, and finds what is before it or in memory.

    Attributes:
        calls: how many requests were made for each kind of thing since the last message.
        total: how many in all.
        is_down: it answers nothing but errors.
        overflows: it finds the next request too long.
    """

    calls: Counter[str] = field(default_factory=Counter)
    total: Counter[str] = field(default_factory=Counter)
    is_down: bool = False
    overflows: bool = False

    def answer(self, received: Received) -> Step:
        kind = self.kind(received)
        self.calls[kind] += 1
        self.total[kind] += 1
        if kind == "compaction":
            return Step(text="\n".join(f"## {name}\nnone" for name in SECTIONS))
        said = dict(_SAID.findall("\n".join(str(message.get("content") or "") for message in received.messages)))
        return self._note(received, said) if kind == "flush" else self._talk(received, said)

    def _note(self, received: Received, said: dict[str, str]) -> Step:
        if received.tool_results or not said:
            return Step(text="NO_REPLY")
        facts = [FACT.format(name=name, hook=hook) for name, hook in said.items()]
        return Step(calls=tuple(Call("remember", {"text": fact}) for fact in facts))

    def _talk(self, received: Received, said: dict[str, str]) -> Step:
        asked = _ASKED.search(received.user_text)
        if not asked:
            return Step(text=f"I see. {' '.join(WORDS)}.")
        if asked[1] in said:
            return Step(text=f"On hook {said[asked[1]]}.")
        if received.tool_results:
            return Step(text="I do not know.")
        return Step(calls=(Call("memory_search", {"query": received.user_text}),))

    def kind(self, received: Received) -> str:
        first = str(received.messages[0].get("content") or "")
        if first.startswith("You shorten a conversation"):
            return "compaction"
        return "flush" if "Call remember once for each thing" in str(received.messages) else "answer"

    def fault(self, received: Received) -> Fault | None:
        if self.overflows:
            self.overflows = False
            return context_too_long()
        if self.is_down:
            self.total[self.kind(received)] += 1
            return server_error(503)
        return None


@dataclass(frozen=True, slots=True)
class Talk:
    """A conversation under way: who talks, the service, its clock."""

    people: PeopleAdapter
    application: Application
    clock: FrozenClock

    async def say(self, text: str) -> str:
        self.clock.advance(minutes=MINUTES)
        return await self.people.ask(text, chat="home")

    async def compactions(self) -> int:
        key = SessionKey("personal", Address(self.people.platform, self.people.bot, "home", ChatKind.PRIVATE))
        entries = await self.application.coordinator.newest(key, after=0, limit=10_000, kinds=(EntryKind.COMPACTION,))
        return sum(bool(json.loads(one.entry.body)["summary"]) for one in entries)


@asynccontextmanager
async def talking(
    home: Home, address: str, *, window: int, clock: FrozenClock, reset: Mapping[str, int] | None = None, first: int = 0
) -> AsyncIterator[Talk]:
    """A running service, and its owner in a private chat.

    Args:
        home: where it lives.
        address: of the scripted model; empty for none.
        window: tokens that fit into it.
        clock: stands still until it is moved.
        reset: the option `session.reset`.
        first: the number of the owner's first message, if there was a process before.
    """
    model = {"name": MODEL, "base_url": address, "api_key": KEY, "context_tokens": window} if address else {}
    options = {"model": model, "memory": {"embedder": {"kind": "none"}}, "session": {"reset": dict(reset or {})}}
    config = Config.model_validate(options)
    home.prepare()
    people = PeopleAdapter(clock)
    people._count = first
    access = AccessRules(owners=frozenset({"volatile:owner"}))
    async with (
        build(
            home, config, clock=clock, opening=lambda _: nullcontext([people]), default_agent="personal", access=access
        ) as built,
        asyncio.TaskGroup() as group,
    ):
        group.create_task(built.service.run(tuple(config.agents), owner="conversation"))
        yield Talk(people, built, clock)
        built.service.stop()


async def converse(home: Home, *, turns: int, window: int, facts: int, seed: int) -> dict[str, int]:
    """Have the conversation in an empty home."""
    chance, talker, clock = random.Random(seed), Talker(), FrozenClock(NOON)
    names = chance.sample(SYLLABLES, len(SYLLABLES))
    told = {f"{names[n % len(names)]}{n}x": "".join(chance.sample(SYLLABLES, 3)) for n in range(facts)}
    planted = {number * turns // facts: item for number, item in enumerate(told.items())}
    answered = loops = most = 0
    with OpenAIServer(talker.answer, talker.fault) as server:
        async with talking(home, server.base_url, window=window, clock=clock) as talk:
            for number in range(turns):
                talker.calls.clear()
                words = " ".join(chance.choices(WORDS, k=60))
                fact = FACT.format(name=planted[number][0], hook=planted[number][1]) if number in planted else ""
                await talk.say(f"{fact} What do you think: {words}?".strip())
                loops += sum(talker.calls.values()) > MOST_CALLS
                most = max(most, talker.calls["compaction"])
            for name, hook in told.items():
                answered += f"hook {hook}" in await talk.say(QUESTION.format(name=name))
            compactions = await talk.compactions()
    return {"facts": facts, "answered": answered, "loops": loops, "compactions": compactions, "model_calls": most}


def main() -> None:
    """Run it and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--turns", type=int, default=1000)
    parser.add_argument("--window", type=int, default=16_000)
    parser.add_argument("--facts", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true", help="print the figures as the last line")
    options = parser.parse_args()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))
    with tempfile.TemporaryDirectory() as folder:
        found = asyncio.run(
            converse(
                Home.at(Path(folder)),
                turns=options.turns,
                window=options.window,
                facts=options.facts,
                seed=options.seed,
            )
        )
    print(json.dumps(found) if options.json else found)


if __name__ == "__main__":
    main()
