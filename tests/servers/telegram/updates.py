"""The queue of updates for a bot, with the rules of getUpdates in the official server (Client.cpp, do_get_updates)."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from memory.ports import Clock, SystemClock
from tests.servers.ledger import Ledger
from tests.servers.telegram.posting import Poster
from tests.servers.telegram.refusals import Refused, conflict

Update = dict[str, Any]

KINDS = frozenset(
    "message edited_message channel_post edited_channel_post business_connection business_message "
    "edited_business_message deleted_business_messages message_reaction message_reaction_count inline_query "
    "chosen_inline_result callback_query shipping_query pre_checkout_query purchased_paid_media poll poll_answer "
    "my_chat_member chat_member chat_join_request chat_boost removed_chat_boost managed_bot guest_message "
    "subscription stopped_message_generation".split()
)
BY_DEFAULT = KINDS - {"chat_member", "message_reaction", "message_reaction_count"}
LONGEST_POLL_S = 50
FIRST_ID = 700_000_001
PATIENCE_S = 3.0
"""Whoever asks for the same offset twice within this time waits as long; so does a second conflict."""
GATHER_S = 0.001  # an update waits this long for company before it wakes a poll


class UpdateQueue:
    """Updates wait until a getUpdates with a higher offset confirms them; one poll at a time waits for them."""

    def __init__(
        self,
        ledger: Ledger,
        *,
        patience_s: float = PATIENCE_S,
        monotonic: Callable[[], float] = time.monotonic,
        clock: Clock | None = None,
    ) -> None:
        self.poster = Poster(
            ledger,
            patience_s=patience_s,
            clock=clock or SystemClock(),
            waiting=lambda: self._pending,
            confirm=self._forget,
        )
        self._patience_s = patience_s
        self.allowed = BY_DEFAULT
        self._ledger = ledger
        self._monotonic = monotonic
        self._pending: list[Update] = []
        self._confirmed: list[Update] = []
        self._next_id = FIRST_ID
        self._poll: asyncio.Future[Refused | None] | None = None
        self._previous_offset = 0
        self._previous_start = float("-inf")
        self._next_conflict = float("-inf")

    @property
    def waiting(self) -> list[Update]:
        return list(self._pending)

    def push(self, kind: str, payload: Mapping[str, Any]) -> int | None:
        """Queue an update; None if the bot did not ask for its kind."""
        return self.push_raw({kind: dict(payload)}) if kind in self.allowed else None

    def push_raw(self, body: Mapping[str, Any]) -> int:
        """Queue an update as it is, however odd; gives its id."""
        update = {"update_id": self._next_id, **body}
        self._next_id += 1
        self._pending.append(update)
        self._ledger.record("update", update_id=update["update_id"], update=update)
        if self._poll and not self._poll.done():
            asyncio.get_running_loop().call_later(GATHER_S, _settle, self._poll, None)
        self.poster.wake()
        return int(update["update_id"])

    def redeliver(self, count: int) -> list[int]:
        """Put the newest `count` confirmed updates back, as if their confirmation had been lost."""
        again = self._confirmed[-count:]
        self._pending[:0] = again
        self.poster.wake()
        return [update["update_id"] for update in again]

    def drop(self) -> None:
        """Forget everything that waits, as the platform does after 24 hours."""
        self._pending.clear()

    async def get(self, *, offset: int, limit: int, timeout_s: float, allowed: Sequence[str] | None) -> list[Update]:
        """Confirm what is below the offset and give what follows, waiting for it if there is nothing.

        Raises:
            Refused: a webhook is set, or another poll took over.
        """
        if self.poster.webhook.url:
            reason = (
                "can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first"
            )
            raise await self._conflict(reason)
        if allowed:
            self.allow(allowed)
        limit, timeout_s = self._slowed(offset, min(limit, 100), min(max(timeout_s, 0), LONGEST_POLL_S))
        self._confirm(offset)
        if not self._pending and timeout_s:
            await self._wait(timeout_s)
        return self._pending[:limit]

    def allow(self, kinds: Sequence[str]) -> None:
        """Queue only these kinds of updates from now on."""
        self.allowed = frozenset(kinds) & KINDS or BY_DEFAULT

    def stop_poll(self, reason: str) -> None:
        """End the poll that waits, if one does, with a conflict."""
        if self._poll and not self._poll.done():
            _settle(self._poll, conflict(reason))

    async def _wait(self, timeout_s: float) -> None:
        self.stop_poll("terminated by other getUpdates request; make sure that only one bot instance is running")
        poll = self._poll = asyncio.get_running_loop().create_future()
        self._ledger.record("poll", timeout=timeout_s)
        timer = asyncio.get_running_loop().call_later(timeout_s, _settle, poll, None)
        try:
            ended = await poll
        finally:
            timer.cancel()
        if ended:
            raise await self._conflict(ended.description.removeprefix("Conflict: "))

    async def _conflict(self, reason: str) -> Refused:
        """A conflict is told at once, but not too often."""
        now = self._monotonic()
        if now < self._next_conflict:
            await asyncio.sleep(self._patience_s)
        else:
            self._next_conflict = now + self._patience_s
        return conflict(reason)

    def _slowed(self, offset: int, limit: int, timeout_s: float) -> tuple[int, float]:
        """Who asks for the same offset again and again is made to wait, and gets one update at a time."""
        since, same = self._monotonic() - self._previous_start, offset == self._previous_offset
        self._previous_offset, self._previous_start = offset, self._monotonic()
        if same and since < self._patience_s:
            timeout_s = max(timeout_s, self._patience_s)
        return (1 if same and since < self._patience_s / 6 else limit), timeout_s

    def _forget(self, update: Update) -> None:
        """Forget an update that a webhook has taken."""
        if update in self._pending:
            self._pending.remove(update)
            self._confirmed = [*self._confirmed, update][-1000:]
            self._ledger.record("confirmed", offset=0, updates=[update["update_id"]])

    def _confirm(self, offset: int) -> None:
        if offset < 0:
            keep = self._pending[offset:]
        elif self._next_id + 10 < offset:  # an offset from the future counts as none
            keep = self._pending
        else:
            keep = [update for update in self._pending if update["update_id"] >= offset]
        gone = self._pending[: len(self._pending) - len(keep)]
        if gone:
            self._pending = list(keep)
            self._confirmed = (self._confirmed + gone)[-1000:]
            self._ledger.record("confirmed", offset=offset, updates=[update["update_id"] for update in gone])


def _settle(poll: asyncio.Future[Refused | None], result: Refused | None) -> None:
    if not poll.done():
        poll.set_result(result)
