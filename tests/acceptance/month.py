"""A month of one private chat with a small window, and what is known of it on its last day.

    python -m tests.acceptance.month --platform telegram --json

prints one JSON object as its last line: {"days", "messages", "compactions", "first_day", "by_hand", "yesterday"}; the
last three say whether the model could answer a question about something that was said on the first day, that was
written into MEMORY.md by hand in between, and that was said the day before. The adapter is the real one, on a local
server of its platform whose clock stands still but for the steps of the story.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import sqlite3
import sys
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, closing, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import structlog

from adapters.discord.adapter import DiscordAdapter, DiscordOptions
from adapters.port import Adapter
from adapters.telegram.adapter import TelegramAdapter, TelegramOptions
from bot.access.access import AccessRules
from bot.app import build
from bot.config.model import Config
from bot.paths import Home
from bot.storage.coordinator import Coordinator
from memory import FrozenClock
from tests.acceptance.long_conversation import FACT, QUESTION, WORDS, Talker
from tests.integration.telegram.stage import Time
from tests.servers.discord.client import Discord, pointed
from tests.servers.discord.server import application
from tests.servers.openai_server import KEY, MODEL, OpenAIServer
from tests.servers.serving import ServingThread
from tests.servers.telegram.client import TOKEN, Telegram
from tests.servers.telegram.server import BotApi
from tests.support.factories import NOON
from tests.support.service import Everybody

DAYS = 30
A_DAY = 12
"""Messages from morning to evening."""
WINDOW = 8_000
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


async def say(place: Place, home: Home, text: str) -> str:
    """Say something in the private chat; what was answered."""
    message = place.says(text)
    async with asyncio.timeout(PATIENCE_S):
        while True:
            parts = list(answers(home.database, message))
            if any(part.get("last", True) for part in parts):
                return "\n".join(part["text"] for part in parts)
            await asyncio.sleep(LOOK_S)


@dataclass(frozen=True, slots=True)
class Place:
    """A private chat on a platform: who has it, how they write (gives the message's id), and the bot's account.

    `online` waits until what is said reaches the bot.
    """

    owner: str
    says: Callable[[str], int]
    online: Callable[[], Awaitable[object]]
    opening: Callable[[Coordinator], AbstractAsyncContextManager[Sequence[Adapter]]]


@contextmanager
def on_telegram(clock: FrozenClock) -> Iterator[Place]:
    """Telegram's Bot API."""
    with ServingThread(BotApi(token=TOKEN, clock=clock).application()) as thread:
        telegram, time = Telegram(thread.url), Time()
        options = TelegramOptions(TOKEN, api=telegram.url)

        @asynccontextmanager
        async def opening(_: Coordinator) -> AsyncIterator[Sequence[Adapter]]:
            async with TelegramAdapter(options, now=clock.now, monotonic=time.monotonic, pause=time.pause) as adapter:
                yield [adapter]

        person = telegram.user(10_000, "Olivia")
        yield Place(f"telegram:{person.id}", person.says, partial(asyncio.sleep, 0), opening)


@contextmanager
def on_discord(clock: FrozenClock) -> Iterator[Place]:
    """Discord's gateway and REST API."""
    with ServingThread(application(clock=clock)) as thread, pointed(discord := Discord(thread.url)):
        time = Time()

        @asynccontextmanager
        async def opening(coordinator: Coordinator) -> AsyncIterator[Sequence[Adapter]]:
            yield [
                DiscordAdapter(
                    DiscordOptions(discord.token, settle_s=0.05),
                    audience=Everybody(),
                    state=coordinator.marks,
                    now=clock.now,
                    pause=time.pause,
                    monotonic=time.monotonic,
                )
            ]

        person = discord.user("olivia")
        online = partial(discord.until, lambda entry: entry["kind"] == "identify")
        yield Place(f"discord:{person.id}", partial(person.says, person.direct), online, opening)


PLATFORMS = {"telegram": on_telegram, "discord": on_discord}


async def live(home: Home, platform: str, *, days: int) -> dict[str, object]:
    """Talk for so many days in an empty home, and ask on the last."""
    talker, clock = Talker(), FrozenClock(NOON)
    home.prepare()
    with OpenAIServer(talker.answer, talker.fault) as model, PLATFORMS[platform](clock) as place:
        options = {"name": MODEL, "base_url": model.base_url, "api_key": KEY, "context_tokens": WINDOW}
        config = Config.model_validate({"model": options, "memory": {"embedder": {"kind": "none"}}})
        access = AccessRules(owners=frozenset({place.owner}))
        async with (
            build(home, config, clock=clock, opening=place.opening, default_agent="personal", access=access) as built,
            asyncio.TaskGroup() as group,
        ):
            group.create_task(built.service.run(tuple(config.agents), owner="month"))
            await place.online()
            for day in range(days):
                if day == days // 2:
                    edit_by_hand(home.workspace("personal") / "MEMORY.md", FACT_OF["by_hand"])
                for number in range(A_DAY):
                    clock.advance(minutes=40)
                    told = {0: FACT_OF["first_day"], days - 2: FACT_OF["yesterday"]}.get(day, "") if not number else ""
                    await say(place, home, f"{told} What do you think of {' '.join(WORDS * 2)}?".strip())
                clock.advance(minutes=24 * 60 - 40 * A_DAY)
            found = {
                when: hook in await say(place, home, QUESTION.format(name=name)) for when, (name, hook) in TOLD.items()
            }
            built.service.stop()
    return {"days": days, "messages": days * A_DAY, "compactions": talker.total["compaction"], **found}


FACT_OF = {when: FACT.format(name=name, hook=hook) for when, (name, hook) in TOLD.items()}


def edit_by_hand(file: Path, line: str) -> None:
    """Add a line to a file, as its owner does in an editor."""
    before = file.read_text(encoding="utf-8") if file.exists() else ""
    file.write_text(f"{before}\n{line}\n", encoding="utf-8")


def main() -> None:
    """Run it and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--platform", choices=PLATFORMS, default="telegram")
    parser.add_argument("--days", type=int, default=DAYS)
    parser.add_argument("--json", action="store_true", help="print the figures as the last line")
    options = parser.parse_args()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))
    with tempfile.TemporaryDirectory() as folder:
        found = asyncio.run(live(Home.at(Path(folder)), options.platform, days=options.days))
    print(json.dumps(found) if options.json else found)
    if not all(found[when] for when in TOLD):
        sys.exit(1)


if __name__ == "__main__":
    main()
