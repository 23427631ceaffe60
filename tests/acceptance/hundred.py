"""A conversation of a hundred messages in seven languages, as a new owner has it without a language model.

`python -m tests.acceptance.hundred` prints every message with its answer, to be judged by reading beside what a person
would expect, and counts the plain mistakes that the data names. `--json` prints the counts as its last line.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import tempfile
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path

from bot.access.access import AccessRules
from bot.app import build
from bot.config.model import Config
from bot.paths import Home
from memory import FrozenClock, Memory
from tests.support.factories import NOON
from tests.support.service import PeopleAdapter

MESSAGES = Path(__file__).parents[1] / "data" / "hundred.jsonl"


@dataclass(frozen=True, slots=True)
class Exchange:
    """One message of the conversation, its answer, and the mistakes that the data can tell by itself."""

    number: int
    lang: str
    text: str
    expect: str
    why: str
    answer: str
    mistakes: tuple[str, ...]


class Owner(PeopleAdapter):
    """The owner of the bot; `memory` is that of the agent they talk to."""

    memory: Memory


async def converse(home: Home, path: Path = MESSAGES, *, embedder: str = "built-in") -> list[Exchange]:
    """Have the conversation in an empty home."""
    config = Config.model_validate({"memory": {"embedder": {"kind": embedder}}})
    messages = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    clock = FrozenClock(NOON)
    exchanges = []
    async with offline_bot(home, config, clock) as people:
        for message in messages:
            clock.advance(minutes=1)
            await people.memory.embed()  # a person takes longer to type than this takes
            answer = await people.ask(message["text"])
            wanted = [text for text in message.get("must", ()) if text not in answer]
            unwanted = [text for text in message.get("must_not", ()) if text in answer]
            mistakes = (*(f"lacks {text!r}" for text in wanted), *(f"says {text!r}" for text in unwanted))
            fields = (message["n"], message["lang"], message["text"], message["expect"], message["why"])
            exchanges.append(Exchange(*fields, answer, mistakes))
    return exchanges


@asynccontextmanager
async def offline_bot(
    home: Home, config: Config, clock: FrozenClock, people: Owner | None = None
) -> AsyncIterator[Owner]:
    """A running service without a model, and its owner in a private chat; there may be a guest."""
    home.prepare()
    people = people or Owner(clock)
    access = AccessRules(owners=frozenset({"volatile:owner"}), guests=frozenset({"volatile:guest"}))
    async with (
        build(
            home, config, clock=clock, opening=lambda _: nullcontext([people]), default_agent="personal", access=access
        ) as built,
        asyncio.TaskGroup() as group,
    ):
        people.memory = built.service.worker.agents["personal"].memory
        group.create_task(built.service.run(tuple(config.agents), owner="conversation"))
        yield people
        built.service.stop()


def report(exchanges: Sequence[Exchange]) -> str:
    """The conversation for somebody who judges it."""
    lines = []
    for one in exchanges:
        lines += [f"## {one.number} [{one.lang}] {one.expect}: {one.why}", f"> {one.text}", one.answer]
        lines += [f"!! {mistake}" for mistake in one.mistakes]
        lines.append("")
    return "\n".join(lines)


def main() -> None:
    """Run it and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--words", action="store_true", help="search by words alone")
    parser.add_argument("--json", action="store_true", help="print the counts as the last line")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        home = Home.at(Path(folder))
        exchanges = asyncio.run(converse(home, embedder="none" if options.words else "built-in"))
    print(report(exchanges))
    mistaken = Counter(one.expect for one in exchanges if one.mistakes)
    print(f"{len(exchanges)} messages, {sum(mistaken.values())} with a plain mistake: {dict(mistaken)}")
    if options.json:
        print(json.dumps({"messages": len(exchanges), "mistaken": sum(mistaken.values()), "of": mistaken}))


if __name__ == "__main__":
    main()
