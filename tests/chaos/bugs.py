"""Mistakes that are planted into the service, one at a time, to see whether the harness finds them."""

from __future__ import annotations

import asyncio
import secrets
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from adapters.discord.adapter import DiscordAdapter
from adapters.port import AdapterError, Inbound, Outbound, Receipt
from bot.pipeline.delivery.outbox import Outbox
from bot.pipeline.intake import Intake
from bot.storage import statements
from bot.storage.database import Writer
from bot.storage.port import Grant, PartState
from bot.storage.tables import dead_letters

LATE_S = 0.05


def plant(owner: object, name: str, wrong: Callable[..., object]) -> None:
    """Put something wrong in the place of what is there."""
    if name not in vars(owner):
        raise AttributeError(f"There is no {name} in {owner} any more.")
    setattr(owner, name, wrong)


def acknowledge_before_commit() -> None:
    """Say "received" first, and put it on disk a little later."""
    receive, late = Intake.receive, set[asyncio.Task[bool]]()

    async def early(self: Intake, inbound: Inbound) -> bool:
        delay_s = LATE_S * (len(late) + 1)  # one after the other, as people talk

        async def later() -> bool:
            await asyncio.sleep(delay_s)
            return await receive(self, inbound)

        late.add(asyncio.ensure_future(later()))
        return True

    plant(Intake, "receive", early)


def no_fsync() -> None:
    """Leave it to the system when the state file reaches the disk."""
    commit = Writer._commit

    def unsynced(self: Writer, batch: Sequence[Any], db: sqlite3.Connection) -> list[object]:
        self._synchronous = "FULL" if any(write.flush for write in batch) else "NORMAL"  # as if it had been set
        db.execute("PRAGMA synchronous = OFF")
        return commit(self, batch, db)

    plant(Writer, "_commit", unsynced)


def random_nonce() -> None:
    """Send every attempt under another name, so that no platform recognises it."""
    send = DiscordAdapter.send

    async def anew(self: DiscordAdapter, out: Outbound) -> Receipt:
        return await send(self, replace(out, id=secrets.token_hex(12)))

    plant(DiscordAdapter, "send", anew)


def blind_retry() -> None:
    """Send again until an answer comes, whatever may have arrived."""

    async def serve(self: Outbox, grant: Grant, owed: Any) -> None:
        while owed:
            part = owed.popleft()
            out = replace(part.out, again=False)
            receipt: Receipt | None = None
            while receipt is None:
                with suppress(AdapterError):
                    receipt = await self.adapters[out.to.account].send(replace(out, id=secrets.token_hex(12)))
            await self.coordinator.move(grant, part.seq, PartState.DELIVERED, note=receipt.message)

    plant(Outbox, "_serve", serve)


def no_deduplication() -> None:
    """Take every update for a new one."""

    def mark_seen(db: sqlite3.Connection, account: str, update: str, *, at: str) -> bool:
        return True

    for module in (statements, dead_letters):
        plant(module, "mark_seen", mark_seen)


BUGS: dict[str, Callable[[], None]] = {
    bug.__name__: bug for bug in (acknowledge_before_commit, no_fsync, random_nonce, blind_retry, no_deduplication)
}
