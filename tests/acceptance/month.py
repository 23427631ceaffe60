"""A month of one private chat on Telegram with a small window, and what is known of it on its last day.

    python -m tests.acceptance.month --json

prints one JSON object as its last line: {"days", "messages", "compactions", "first_day", "by_hand", "yesterday"}; the
last three say whether the model could answer a question about something that was said on the first day, that was
written into MEMORY.md by hand in between, and that was said the day before. The adapter is the real one, on a local
server of Telegram's Bot API with a clock of its own, which stands still but for the steps of the story.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import sqlite3
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any

import structlog

from adapters.telegram.adapter import TelegramAdapter, TelegramOptions
from bot.access.access import AccessRules
from bot.app import build
from bot.config.model import Config
from bot.paths import Home
from memory import FrozenClock
from tests.acceptance.long_conversation import FACT, QUESTION, WORDS, Talker
from tests.integration.telegram.stage import Time
from tests.servers.openai_server import KEY, MODEL, OpenAIServer
from tests.servers.serving import ServingThread
from tests.servers.telegram.client import TOKEN, Person, Telegram
from tests.servers.telegram.server import BotApi
from tests.support.factories import NOON

DAYS = 30
A_DAY = 12
"""Messages from morning to evening."""
WINDOW = 8_000
OWNER = 10_000
TOLD = {"first_day": ("dora", "bikulo"), "by_hand": ("mela", "fozagu"), "yesterday": ("rino", "setapu")}
PATIENCE_S = 60
LOOK_S = 0.02


def answers(database: Path, message: int) -> Iterator[dict[str, Any]]:
    """The parts with which a message was answered, as far as they are delivered."""
    with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as db:
        for (body,) in db.execute("SELECT body FROM outbox WHERE state = 'delivered' ORDER BY seq"):
            part = json.loads(body)
            if part["reply_to"] == str(message):
                yield part


async def say(person: Person, home: Home, text: str) -> str:
    """Say something in the private chat; what was answered."""
    message = person.says(text)
    async with asyncio.timeout(PATIENCE_S):
        while True:
            parts = list(answers(home.database, message))
            if any(part.get("last", True) for part in parts):
                return "\n".join(part["text"] for part in parts)
            await asyncio.sleep(LOOK_S)


@asynccontextmanager
async def serving(home: Home, config: Config, telegram: Telegram, clock: FrozenClock) -> AsyncIterator[None]:
    """The service, with its account on Telegram."""
    time = Time()

    @asynccontextmanager
    async def opening(_: object) -> AsyncIterator[list[TelegramAdapter]]:
        options = TelegramOptions(TOKEN, api=telegram.url)
        async with TelegramAdapter.open(options, now=clock.now, monotonic=time.monotonic, pause=time.pause) as adapter:
            yield [adapter]

    home.prepare()
    access = AccessRules(owners=frozenset({f"telegram:{OWNER}"}))
    async with (
        build(home, config, clock=clock, opening=opening, default_agent="personal", access=access) as built,
        asyncio.TaskGroup() as group,
    ):
        group.create_task(built.service.run(tuple(config.agents), owner="month"))
        yield
        built.service.stop()


async def live(home: Home, *, days: int) -> dict[str, object]:
    """Talk for so many days in an empty home, and ask on the last."""
    talker, clock = Talker(), FrozenClock(NOON)
    api = BotApi(token=TOKEN, clock=clock)
    with OpenAIServer(talker.answer, talker.fault) as model, ServingThread(api.application()) as thread:
        options = {"name": MODEL, "base_url": model.base_url, "api_key": KEY, "context_tokens": WINDOW}
        config = Config.model_validate({"model": options, "memory": {"embedder": {"kind": "none"}}})
        telegram = Telegram(thread.url)
        person = telegram.user(OWNER, "Olivia")
        async with serving(home, config, telegram, clock):
            for day in range(days):
                if day == days // 2:
                    edit_by_hand(home.workspace("personal") / "MEMORY.md", FACT_OF["by_hand"])
                for number in range(A_DAY):
                    clock.advance(minutes=40)
                    told = {0: FACT_OF["first_day"], days - 2: FACT_OF["yesterday"]}.get(day, "") if not number else ""
                    await say(person, home, f"{told} What do you think of {' '.join(WORDS * 2)}?".strip())
                clock.advance(minutes=24 * 60 - 40 * A_DAY)
            found = {
                when: hook in await say(person, home, QUESTION.format(name=name)) for when, (name, hook) in TOLD.items()
            }
    return {"days": days, "messages": days * A_DAY, "compactions": talker.total["compaction"], **found}


FACT_OF = {when: FACT.format(name=name, hook=hook) for when, (name, hook) in TOLD.items()}


def edit_by_hand(file: Path, line: str) -> None:
    """Add a line to a file, as its owner does in an editor."""
    before = file.read_text(encoding="utf-8") if file.exists() else ""
    file.write_text(f"{before}\n{line}\n", encoding="utf-8")


def main() -> None:
    """Run it and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--days", type=int, default=DAYS)
    parser.add_argument("--json", action="store_true", help="print the figures as the last line")
    options = parser.parse_args()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))
    with tempfile.TemporaryDirectory() as folder:
        found = asyncio.run(live(Home.at(Path(folder)), days=options.days))
    print(json.dumps(found) if options.json else found)
    if not all(found[when] for when in TOLD):
        sys.exit(1)


if __name__ == "__main__":
    main()
