"""A program to be killed: the whole service over a platform that lives in files and, like a real one, forgets nothing.

    python -m tests.chaos.postbox STATE PLATFORM [--recognises | --edits]

The platform is a folder: `said` holds what people wrote, one line each; `confirmed` how many of them the service has
taken, all others are handed over again; `shown` what the service has sent, as JSON lines. With `--recognises` a
message with an id that was shown before is not shown again; with `--edits` one that was shown can be changed. Answers
are "re: " and what was said.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from adapters.in_memory import PLAIN
from adapters.port import Address, Capabilities, ChatKind, Inbound, InboundHandler, Outbound, Receipt, Sender
from bot.access.access import Access
from bot.access.routing import Routing
from bot.pipeline.accounts import Accounts
from bot.pipeline.delivery.outbox import Adapters, Outbox
from bot.pipeline.delivery.rendering import Renderer
from bot.pipeline.intake import Intake as BotDoor
from bot.pipeline.worker import Worker
from bot.service.service import Service
from bot.storage.sqlite import SqliteCoordinator
from bot.storage.tables.people import AccessStore
from bot.turn import Agent, Reply, Turn
from bot.waiting import pause
from memory import FrozenClock, Memory

CHATS = 2
NOON = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)


class Postbox:
    """The platform's side: everything here survives whatever happens to the service."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def unconfirmed(self) -> list[tuple[int, str]]:
        """What has not been taken, with its number."""
        said = (self._folder / "said").read_text().splitlines()
        taken = self._folder / "confirmed"
        start = int(taken.read_text()) if taken.exists() else 0
        return list(enumerate(said))[start:]

    def confirm(self, number: int) -> None:
        """Everything up to this one has been taken."""
        new = self._folder / "confirmed.new"
        new.write_text(str(number + 1))
        new.replace(self._folder / "confirmed")  # at once: the service may be killed at any moment

    def shown(self) -> list[dict[str, Any]]:
        """What people see, after edits; a message's place is its number."""
        lines = self._lines()
        shown = [line for line in lines if line["of"] is None]
        for line in lines:
            if line["of"] is not None:
                shown[line["of"]] = line
        return shown

    def show(self, out: Outbound, *, of: int | None = None) -> int:
        """Show a message, or another text in the place of one. One write: it is there, or it is not."""
        line = json.dumps({"id": out.id, "chat": out.to.chat, "text": out.text, "reply_to": out.reply_to, "of": of})
        with (self._folder / "shown").open("ab", buffering=0) as ledger:
            ledger.write(f"{line}\n".encode())
        return len(self.shown()) - 1

    def _lines(self) -> list[dict[str, Any]]:
        shown = self._folder / "shown"
        return [json.loads(line) for line in shown.read_text().splitlines()] if shown.exists() else []


class PostboxAdapter:
    """Brings what was said to the door, one chat after the other, and leaves."""

    platform = "postbox"
    bot = "bot"

    def __init__(self, postbox: Postbox, *, recognises: bool, edits: bool) -> None:
        self._postbox = postbox
        self.capabilities: Capabilities = replace(PLAIN, idempotent=recognises, edits=edits)

    async def run(self, handler: InboundHandler) -> None:
        for number, text in self._postbox.unconfirmed():
            to = Address(self.platform, self.bot, f"chat-{number % CHATS}", ChatKind.PRIVATE)
            sender = Sender("owner", "Ada")
            await handler.receive(Inbound(f"u{number}", to, sender, text, f"m{number}", NOON))
            self._postbox.confirm(number)

    async def send(self, out: Outbound) -> Receipt:
        known = [number for number, shown in enumerate(self._postbox.shown()) if shown["id"] == out.id]
        if known and self.capabilities.idempotent:
            if self.capabilities.edits:
                self._postbox.show(out, of=known[0])
            return Receipt(str(known[0]))
        return Receipt(str(self._postbox.show(out)))

    async def edit(self, receipt: Receipt, out: Outbound) -> None:
        self._postbox.show(out, of=int(receipt.message))

    async def typing(self, to: Address) -> None:
        pass


async def echo(turn: Turn) -> Reply:
    return Reply(f"re: {turn.text}")


async def serve(state: Path, adapter: PostboxAdapter) -> None:
    """One life of the service."""
    clock = FrozenClock(NOON)
    platforms = Adapters([adapter])
    agent = Agent("personal", "an example", Memory.__new__(Memory), ZoneInfo("UTC"), clock)
    async with SqliteCoordinator.open(state / "scrubjay.sqlite", clock=clock) as coordinator:
        renderer = Renderer(platforms, clock=clock)
        await Service(
            coordinator,
            intake=BotDoor(
                coordinator,
                access=Access({"postbox:owner"}, register=AccessStore()),
                routing=Routing("personal", ["personal"], register=AccessStore()),
                register=AccessStore(),
            ),
            worker=Worker(
                coordinator,
                agents={agent.name: agent},
                respond=echo,
                renderer=renderer,
                adapters=platforms,
                batch_limit=1,
                pause=pause,
            ),
            outbox=Outbox(coordinator, adapters=platforms, pause=pause),
            accounts=Accounts([adapter]),
        ).run([agent.name], owner=str(os.getpid()))


def main() -> None:
    state, platform, *kind = sys.argv[1:]
    adapter = PostboxAdapter(Postbox(Path(platform)), recognises="--recognises" in kind, edits="--edits" in kind)
    asyncio.run(serve(Path(state), adapter))


if __name__ == "__main__":
    main()
