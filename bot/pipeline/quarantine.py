"""Events that cannot be taken are set aside, so that those after them can be: tried three times, then given up.

Of somebody who is let in the event is kept as a file, of strangers nothing but a number. The owner is told once, and
`scrubjay doctor` finds it.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import asdict
from pathlib import Path

import structlog

from adapters.port import Inbound, Unreadable
from bot.access.access import Access
from bot.errors import BotError, Fenced, StateError
from bot.paths import create
from bot.pipeline.delivery.owner import OwnerChats
from bot.storage.tables.dead_letters import SqlQuarantine
from bot.supervision import Done, outcome
from bot.texts.catalogue import in_language, tr
from bot.texts.formatting import well_formed
from bot.waiting import Pause

TRIES = 3
WAITS_S = (0.5, 1.0)
"""Between tries."""

MAX_FILES = 100
"""Files that are kept."""

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)


class Quarantine:
    """Gives up events that cannot be taken; those of people who are let in are kept in the folder.

    `kept` knows how often each was tried, and what was given up.
    """

    def __init__(self, kept: SqlQuarantine, *, folder: Path, access: Access, owner: OwnerChats, pause: Pause) -> None:
        self._kept = kept
        self._folder = folder
        self._access = access
        self._owner = owner
        self._pause = pause

    async def attempt(self, take: Callable[[Inbound], Awaitable[bool]], inbound: Inbound) -> bool:
        """Take an event, in up to three tries, counted over restarts; False if it was given up. Raises `StateError`."""
        account, update, tries = inbound.address.account, inbound.update, 0
        while True:
            taken = await outcome(take(inbound), f"{account}: {update}", foreseen=(StateError, Fenced))
            if isinstance(taken, Done):
                if tries:
                    await self._kept.taken(account, update)
                return taken.result
            tries = await self._kept.failed(account, update, type(taken).__name__)
            if tries >= TRIES:
                raw = json.dumps(asdict(inbound), default=str)
                await self.set_aside(Unreadable(account, update, inbound.sender.id, raw, type(taken).__name__))
                return False
            await self._pause(WAITS_S[tries - 1])

    async def set_aside(self, event: Unreadable) -> None:
        platform = event.account.partition(".")[0]
        is_known = self._access.knows(f"{platform}:{event.sender}")
        path = self._folder / f"{event.account}-{event.update}.json"
        kept = str(path) if is_known and await asyncio.to_thread(self._keep, path, event.raw) else ""
        reason = well_formed(event.reason)
        is_new = await self._kept.set_aside(
            event.account, event.update, reason, kept=kept, is_counted_only=not is_known
        )
        if not is_new:
            return
        log.error("event.set_aside", account=event.account, update=event.update, reason=reason, kept=kept or "nowhere")
        with in_language(self._owner.language()):
            if is_known:
                text = tr(
                    "A message came over {account} that I cannot take, so I have set it aside and go on with the next "
                    "one ({reason}). `scrubjay doctor` says where it is and what to do.",
                    account=event.account,
                    reason=reason,
                )
            else:
                text = tr(
                    "A stranger's message came over {account} that I cannot take ({reason}). Nothing of it is kept, I "
                    "only count them, and go on. I do not tell you of further ones; `scrubjay doctor` does.",
                    account=event.account,
                    reason=reason,
                )
        what = event.update if is_known else "strangers"
        await self._owner.tell(text, about=f"{event.account}-{what}")

    def _keep(self, path: Path, text: str) -> bool:
        """Write an event down if there is room; what is not kept is told all the same."""
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            if sum(1 for _ in self._folder.iterdir()) >= MAX_FILES:
                return False
            create(path, well_formed(text))
        except (OSError, BotError) as error:
            log.warning("event.not_kept", reason=str(error))
            return False
        return True
