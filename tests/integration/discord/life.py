"""A program to be killed: the whole service on Discord, which answers `ask-17` with `ans-17`.

python -m tests.integration.discord.life STATE URL PERSON...
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from zoneinfo import ZoneInfo

from adapters.discord.adapter import DiscordAdapter, DiscordOptions
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
from bot.turn import Agent, Reply, Responder, Turn
from bot.waiting import Pause, pause
from memory import Memory, SystemClock
from tests.integration.discord.stage import MENU, BriefTime
from tests.servers.discord.client import Discord, pointed


async def answer(turn: Turn) -> Reply:
    return Reply(turn.text.replace("ask", "ans"))


async def briefly(seconds: float) -> None:
    await pause(min(seconds, 0.01))


async def serve(
    state: Path,
    server: Discord,
    people: Sequence[str],
    *,
    respond: Responder = answer,
    wait: Pause | None = None,
    monotonic: Callable[[], float] | None = None,
) -> None:
    """Answer these people until cancelled. A later call with the same folder is the same bot after a restart."""
    clock, passing = SystemClock(), BriefTime()
    wait, monotonic = wait or passing.pause, monotonic or passing.monotonic
    access = Access([f"discord:{person}" for person in people], register=AccessStore())
    agent = Agent("personal", "an example", Memory.__new__(Memory), ZoneInfo("UTC"), clock)
    async with SqliteCoordinator.open(state / "scrubjay.sqlite", clock=clock) as coordinator:
        adapter = DiscordAdapter(
            DiscordOptions(server.token, settle_s=0.05),
            menu=MENU,
            audience=access,
            state=coordinator.marks,
            now=clock.now,
            pause=wait,
            monotonic=monotonic,
        )
        platforms = Adapters([adapter])
        await Service(
            coordinator,
            intake=Intake(
                coordinator,
                access=access,
                routing=Routing("personal", ["personal"], register=AccessStore()),
                register=AccessStore(),
            ),
            worker=Worker(
                coordinator,
                agents={agent.name: agent},
                respond=respond,
                renderer=Renderer(platforms, clock=clock),
                adapters=platforms,
                batch_limit=1,
                pause=wait,
            ),
            outbox=Outbox(coordinator, adapters=platforms, pause=wait),
            accounts=Accounts([adapter]),
        ).run([agent.name], owner=str(os.getpid()))


@asynccontextmanager
async def serving(service: Coroutine[None, None, None]) -> AsyncIterator[asyncio.Task[None]]:
    """The service runs in this process until the block ends; if it fails, so does the block."""
    async with asyncio.TaskGroup() as group:
        running = group.create_task(service)
        try:
            yield running
        finally:
            running.cancel()


def main(state: str, url: str, *people: str) -> None:
    server = Discord(url)
    with pointed(server):
        asyncio.run(serve(Path(state), server, people))


if __name__ == "__main__":
    main(*sys.argv[1:])
