"""Posting updates to a webhook, with the rules of the official server (WebhookActor.cpp)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import aiohttp

from memory.ports import Clock
from tests.servers.ledger import Ledger

Update = dict[str, Any]

GIVEN_UP_S = 50
"""How long an answer may take."""
LONGEST_WAIT_S = 60.0
MESSAGES = {"message", "edited_message", "channel_post", "edited_channel_post"}


@dataclass
class Webhook:
    """What a setWebhook has asked for, and what became of the posts."""

    url: str
    secret: str = ""
    connections: int = 40
    error: str = ""
    error_at: int = 0
    tasks: dict[str, asyncio.Task[None]] = field(default_factory=dict)


def queue_of(update: Mapping[str, Any]) -> str:
    """Updates of one queue are posted one after the other: a chat's messages and edits, a person's taps."""
    kind, event = next((name, value) for name, value in update.items() if name != "update_id")
    if not isinstance(event, dict):
        return str(update["update_id"])
    chat = event.get("chat") or event.get("from") or {}
    return f"{'message' if kind in MESSAGES else kind} {chat.get('id') if isinstance(chat, dict) else chat}"


class Poster:
    """Posts what waits, each queue by itself.

    Args:
        ledger: every post is written down there, with its answer.
        patience_s: the first time after which a failed post is made again, a second time and on; doubled each time.
        clock: source of time.
        waiting: gives what waits.
        confirm: is told what has been taken.
    """

    def __init__(
        self,
        ledger: Ledger,
        *,
        patience_s: float,
        clock: Clock,
        waiting: Callable[[], list[Update]],
        confirm: Callable[[Update], None],
    ) -> None:
        self.webhook = Webhook("")
        self._ledger = ledger
        self._patience_s = patience_s
        self._clock = clock
        self._waiting = waiting
        self._confirm = confirm

    def set(self, webhook: Webhook) -> None:
        """Post to another address from now on, or, without one, to none."""
        for task in self.webhook.tasks.values():
            task.cancel()
        self.webhook = webhook
        self.wake()

    def wake(self) -> None:
        """See whether something waits that is not being posted. Only what is not encrypted can be posted here."""
        webhook = self.webhook
        if not webhook.url.startswith("http://"):
            return
        for update in self._waiting():
            queue = queue_of(update)
            if queue not in webhook.tasks and len(webhook.tasks) < webhook.connections:
                task = asyncio.get_running_loop().create_task(self._post_queue(webhook, queue))
                webhook.tasks[queue] = task

    async def _post_queue(self, webhook: Webhook, queue: str) -> None:
        """Post the updates of one queue in order; none before the one before it was taken."""
        failures = 0
        timeout = aiohttp.ClientTimeout(total=GIVEN_UP_S)
        async with aiohttp.ClientSession(timeout=timeout, headers={"Connection": "close"}) as session:
            while update := next((one for one in self._waiting() if queue_of(one) == queue), None):
                problem = await self._post(webhook, update, session)
                if not problem:
                    failures = 0
                    self._confirm(update)
                    continue
                webhook.error, webhook.error_at = problem, int(self._clock.now().timestamp())
                wait_s = min(self._patience_s * 2**failures, LONGEST_WAIT_S) if failures else 0
                failures += 1
                await asyncio.sleep(max(wait_s, 0.005))
        del webhook.tasks[queue]
        self.wake()

    async def _post(self, webhook: Webhook, update: Update, session: aiohttp.ClientSession) -> str:
        """Post an update; returns what went wrong, empty if nothing did."""
        headers = {"X-Telegram-Bot-Api-Secret-Token": webhook.secret} if webhook.secret else {}
        number = update["update_id"]
        self._ledger.record("posting", update=number)
        try:
            async with session.post(webhook.url, json=update, headers=headers) as answer:
                status, reason = answer.status, answer.reason
        except (aiohttp.ClientError, OSError, TimeoutError) as error:
            status, reason = 0, type(error).__name__
        self._ledger.record("posted", update=number, status=status)
        if 200 <= status <= 299:
            return ""
        return f"Wrong response from the webhook: {status} {reason}" if status else f"Connection refused ({reason})"
