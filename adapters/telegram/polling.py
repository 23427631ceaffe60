"""Fetches updates, whatever happens to the connection, and gives up only when the token is no longer accepted."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable
from typing import Any, TypeGuard
from urllib.parse import urlencode

import httpx
from telegram.error import TelegramError

from adapters.port import AdapterError, LoginRefused
from adapters.telegram.account import Account, Refusal

RawUpdate = dict[str, Any]

KINDS = ("message", "edited_message", "channel_post", "edited_channel_post", "callback_query", "my_chat_member")
POLL_S = 30
"""How long Telegram keeps a request open when there is nothing to tell."""
SLACK_S = 15
"""How much later than that an answer may come; then the connection counts as dead, whatever it says of itself."""
WAITS_S = (1, 2, 4, 8, 16, 30)
"""Between tries; the last one counts for all that follow."""
REFUSALS = 3
"""So often in a row a token must be refused before that is believed: what is in front of Telegram may be at fault."""
RIVAL_WAIT_S = 30
"""Two programs that poll with one token throw each other out: asking more often would only harm the other one."""

log = logging.getLogger(__name__)


class Poller:
    """One bot's updates, in order.

    Args:
        account: whose.
        pause: waits; the time between tries after a failure.
    """

    def __init__(self, account: Account, *, pause: Callable[[float], Awaitable[None]]) -> None:
        self._account = account
        self._pause = pause
        self._offset = 0
        self._failures = 0
        self._refusals = 0
        self._is_said = False
        self._has_webhook = False

    async def batches(self) -> AsyncGenerator[list[RawUpdate], None]:
        """Updates as they came, at most a hundred at a time. Asking for the next ones confirms those before them.

        Raises:
            LoginRefused: the token was revoked.
        """
        while True:
            batch = await self.persistently("fetch updates", self._fetch)
            if batch:
                yield batch
                self._offset = max(update["update_id"] for update in batch) + 1

    async def persistently(self, what: str, request: Callable[[], Awaitable[Any]]) -> Any:
        """Make a request until it succeeds; trouble is said when it begins and when it is over.

        Raises:
            LoginRefused: the token is not accepted.
        """
        while True:
            try:
                async with asyncio.timeout(POLL_S + SLACK_S):
                    result = await request()
            except TelegramError as error:
                await self._recover(error, self._account.failure(error, what))
            except TimeoutError:
                await self._recover(None, AdapterError(f"Telegram has not answered for {POLL_S + SLACK_S} seconds."))
            else:
                if self._is_said:
                    log.info("Telegram: bot %s is connected again.", self._account.id)
                self._failures, self._refusals, self._is_said = 0, 0, False
                return result

    async def _fetch(self) -> list[RawUpdate]:
        if self._has_webhook:
            await self._account.bot.delete_webhook()
            self._has_webhook = False
        query = {"offset": self._offset, "timeout": POLL_S, "allowed_updates": json.dumps(KINDS)}
        result = await self._account.poll(urlencode(query), read_timeout_s=POLL_S + SLACK_S)
        if not _is_batch(result):
            raise TelegramError("The answer is not a list of updates.")
        return result

    async def _recover(self, error: TelegramError | None, failure: AdapterError) -> None:
        is_refused = isinstance(failure, LoginRefused)
        self._refusals = self._refusals + 1 if is_refused else 0
        if self._refusals == REFUSALS:
            raise failure  # and whoever runs the adapter says so
        self._failures += 1
        wait_s, hint = self._remedy(error)
        if not is_refused and not self._is_said:
            log.warning("%s %s", failure, hint)
            self._is_said = True
        await self._pause(wait_s)

    def _remedy(self, error: TelegramError | None) -> tuple[float, str]:
        """How long to wait, and what there is to say about it."""
        wait_s = float(WAITS_S[min(self._failures, len(WAITS_S)) - 1])
        if not isinstance(error, Refusal):
            return wait_s, "It is tried again until it works."
        if error.status != httpx.codes.CONFLICT:
            return max(wait_s, error.retry_after), "It is tried again until it works."
        if "webhook" in error.description:
            self._has_webhook = True
            return wait_s, "The bot's webhook is removed, since its messages are fetched from here now."
        return RIVAL_WAIT_S, "Another program fetches this bot's messages: stop it, or give each a bot of its own."


def _is_batch(result: object) -> TypeGuard[list[RawUpdate]]:
    return isinstance(result, list) and all(isinstance(u, dict) and isinstance(u.get("update_id"), int) for u in result)
