"""The client of the Bot API: errors by their meaning, long polling."""

from __future__ import annotations

import asyncio
import json
import logging
import re
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeGuard
from urllib.parse import urlencode

import httpx
from telegram import Bot
from telegram.error import TelegramError
from telegram.request import HTTPXRequest

from adapters.port import AdapterError, Ambiguous, ChatMoved, LoginRefused, MessageGone, NotSent, SendRefused, SlowDown

_TOKEN = re.compile(r"[1-9][0-9]{0,19}:[\w-]{10,}")
_NO_BYTE_LEFT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout, httpx.ProxyError)
"""Failures before anything was written: a connection was not made, or none was free."""
_GONE = ("message to edit not found", "message can't be edited", "message_id_invalid")
_LIBRARIES = ("httpx", "httpcore", "telegram")


class Refusal(TelegramError):
    """An error answer of the Bot API, as it came."""

    def __init__(self, status: int, description: str, *, retry_after: float = 0, moved_to: int = 0) -> None:
        super().__init__(description)
        self.message = description  # the library would write it in a way of its own
        self.status = status
        self.description = description
        self.retry_after = retry_after
        self.moved_to = moved_to

    @classmethod
    def read(cls, status: int, body: bytes) -> Refusal:
        """Make sense of an answer; what stands in front of the Bot API does not always speak JSON."""
        try:
            answer = json.loads(body)
        except (ValueError, RecursionError):
            answer = None
        told = answer if isinstance(answer, dict) else {}
        hints = told.get("parameters") or {}
        return cls(
            status,
            str(told.get("description") or f"HTTP status {status}"),
            retry_after=float(hints.get("retry_after", 0)),
            moved_to=int(hints.get("migrate_to_chat_id", 0)),
        )


class BotApiRequest(HTTPXRequest):
    """The library's HTTP client. It knows an error answer by its status, and logs nothing of what people write."""

    async def do_request(self, *arguments: Any, **options: Any) -> tuple[int, bytes]:
        status, body = await super().do_request(*arguments, **options)
        if not httpx.codes.is_success(status):
            raise Refusal.read(status, body)
        return status, body

    @staticmethod
    def parse_json_payload(payload: bytes) -> dict[str, Any]:
        try:
            answer = json.loads(payload.decode(errors="replace"))
        except (ValueError, RecursionError):
            answer = {}
        if not isinstance(answer, dict) or "result" not in answer:
            raise TelegramError("The answer is not one of the Bot API.")
        return answer


class BotApiClient:
    """One bot account.

    Attributes:
        id: the bot's numeric id as text.
        bot: the library's view of it; call it inside `asking`.

    Args:
        token: as BotFather gives it.
        api: the Bot API server.

    Raises:
        LoginRefused: this is not a token.
    """

    def __init__(self, token: str, *, api: str) -> None:
        if not _TOKEN.fullmatch(token):
            raise LoginRefused(
                "The Telegram token in the configuration is not one. It looks like 123456789:AAE... and comes from "
                "@BotFather: send it /mybots, choose the bot, then API Token."
            )
        for library in _LIBRARIES:  # at INFO, httpx writes every address that it calls, and the token is in each
            logging.getLogger(library).setLevel(logging.WARNING)
        self.id = token.partition(":")[0]
        self._token = token
        self._polling = BotApiRequest(connection_pool_size=2, connect_timeout=10)
        self._calling = BotApiRequest(
            connection_pool_size=64,
            connect_timeout=10,
            read_timeout=20,
            write_timeout=20,
            pool_timeout=20,
            media_write_timeout=60,
        )
        self.bot = Bot(
            token,
            base_url=f"{api}/bot",
            base_file_url=f"{api}/file/bot",
            request=self._calling,
            get_updates_request=self._polling,
        )

    async def poll(self, query: str, *, read_timeout_s: float) -> object:
        """Call getUpdates; the result as it came."""
        return await self._polling.post(f"{self.bot.base_url}/getUpdates?{query}", read_timeout=read_timeout_s)

    async def close(self) -> None:
        """Let go of the connections; no request may be under way."""
        await self._polling.shutdown()
        await self._calling.shutdown()

    @contextmanager
    def asking(self, what: str) -> Iterator[None]:
        """Name the failures of a request; `what` completes "Telegram refused to ..."."""
        try:
            yield
        except TelegramError as error:
            raise self.failure(error, what) from None  # the library's own error may quote the token

    def failure(self, error: TelegramError, what: str) -> AdapterError:
        """What the port calls it."""
        reason = str(error).replace(self._token, "<token>")
        if isinstance(error, Refusal):
            return self._refused(error, what, reason)
        if isinstance(error.__cause__, _NO_BYTE_LEFT):
            return NotSent(f"Telegram cannot be reached to {what}: {reason}. Is the network up?")
        return Ambiguous(f"Telegram did not answer whether it would {what}: {reason}.")

    def _refused(self, refusal: Refusal, what: str, reason: str) -> AdapterError:
        sentence = f"Telegram refused to {what}: {reason}."
        if refusal.status in {httpx.codes.UNAUTHORIZED, httpx.codes.NOT_FOUND}:
            return LoginRefused(
                f"Telegram does not accept the token of bot {self.id} ({reason}). It was revoked, or mistyped: get the "
                "current one from @BotFather (/mybots, API Token) and put it into the configuration."
            )
        if refusal.status == httpx.codes.TOO_MANY_REQUESTS:
            return SlowDown(sentence, seconds=max(1.0, refusal.retry_after))
        if not httpx.codes.is_client_error(refusal.status):
            return Ambiguous(sentence)
        if refusal.moved_to:
            return ChatMoved(sentence, chat=str(refusal.moved_to))
        return MessageGone(sentence) if any(sign in reason.lower() for sign in _GONE) else SendRefused(sentence)


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

    def __init__(self, account: BotApiClient, *, pause: Callable[[float], Awaitable[None]]) -> None:
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
