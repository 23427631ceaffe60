"""A program to be killed: the whole service on Telegram, which answers `ask-17` with `ans-17`.

python -m tests.integration.telegram.life STATE URL
"""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path
from time import perf_counter
from zoneinfo import ZoneInfo

import bot.pipeline.delivery.streaming
from adapters.telegram.adapter import TelegramAdapter, TelegramOptions
from bot.access.access import Access
from bot.access.routing import Routing
from bot.pipeline.accounts import Accounts
from bot.pipeline.delivery.outbox import Adapters, Outbox
from bot.pipeline.delivery.rendering import Renderer
from bot.pipeline.intake import Intake
from bot.pipeline.worker import Worker
from bot.service.service import Service
from bot.storage.sqlite import SqliteCoordinator
from bot.storage.tables.people import AccessStore
from bot.turn import Agent, Reply, Turn
from bot.waiting import pause
from memory import Memory, SystemClock
from tests.servers.telegram.client import TOKEN


async def answer(turn: Turn) -> Reply:
    await turn.live.text(lambda: "I am thinking")
    await pause(0.3)
    return Reply(turn.text.replace("ask", "ans"))


async def briefly(seconds: float) -> None:
    await pause(min(seconds, 0.01))


def hurried() -> float:
    """Milliseconds as if they were seconds, so that drafts are shown at once."""
    return perf_counter() * 1000


async def serve(state: Path, url: str) -> None:
    clock = SystemClock()
    options = TelegramOptions(TOKEN, api=url)
    agent = Agent("personal", "an example", Memory.__new__(Memory), ZoneInfo("UTC"), clock)
    async with (
        SqliteCoordinator.open(state / "scrubjay.sqlite", clock=clock) as coordinator,
        TelegramAdapter(options, now=clock.now, monotonic=hurried, pause=briefly) as adapter,
    ):
        platforms = Adapters([adapter])
        owners = [f"telegram:{number}" for number in (7, 8)]
        await Service(
            coordinator,
            intake=Intake(
                coordinator,
                access=Access(owners, register=AccessStore()),
                routing=Routing("personal", ["personal"], register=AccessStore()),
                register=AccessStore(),
            ),
            worker=Worker(
                coordinator,
                agents={agent.name: agent},
                respond=answer,
                renderer=Renderer(platforms, clock=clock),
                adapters=platforms,
                batch_limit=1,
                pause=briefly,
            ),
            outbox=Outbox(coordinator, adapters=platforms, pause=briefly),
            accounts=Accounts([adapter]),
        ).run([agent.name], owner=str(os.getpid()))


if __name__ == "__main__":
    bot.pipeline.delivery.streaming.FIRST_OFFER_S = 0.05
    asyncio.run(serve(Path(sys.argv[1]), sys.argv[2]))
