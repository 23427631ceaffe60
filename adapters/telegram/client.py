"""The client of the Bot API: errors of the port, long polling."""

from __future__ import annotations

import asyncio
import json
import logging
import re
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import aclosing, asynccontextmanager, contextmanager
from pathlib import Path
from ssl import SSLContext
from typing import Any, BinaryIO
from urllib.parse import urlencode, urlsplit
from urllib.request import getproxies, proxy_bypass

import aiohttp
import httpx
from telegram import Bot
from telegram.error import NetworkError, TelegramError, TimedOut
from telegram.request import BaseRequest, RequestData

from adapters.port import (
    AccountNotFound,
    AdapterError,
    Ambiguous,
    ChatMoved,
    ConnectionState,
    LoginRefused,
    MessageGone,
    NotSent,
    SendRefused,
    SlowDown,
)
from adapters.support import backoff_s

log = logging.getLogger(__name__)

_TOKEN = re.compile(r"[1-9][0-9]{0,19}:[\w-]{10,}")
_NOT_SENT_ERRORS = (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError, aiohttp.ClientHttpProxyError)
"""Errors before anything was written: a connection was not made, or none was free."""
_GONE_DESCRIPTIONS = ("message to edit not found", "message can't be edited", "message_id_invalid")

DOWNLOAD_BYTES = 2**18
"""How much of a file is in memory at a time."""

READ_TIMEOUT_S = 20.0


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
    def parse(cls, status: int, body: bytes) -> Refusal:
        """Parse an error answer; a proxy in front of the Bot API may not send JSON."""
        try:
            answer = json.loads(body)
        except (ValueError, RecursionError):
            answer = None
        fields = answer if isinstance(answer, dict) else {}
        hints = fields.get("parameters") or {}
        return cls(
            status,
            str(fields.get("description") or f"HTTP status {status}"),
            retry_after=float(hints.get("retry_after", 0)),
            moved_to=int(hints.get("migrate_to_chat_id", 0)),
        )


class BotApiRequest(BaseRequest):
    """The library's way to the Bot API, over aiohttp: a call takes a third of the processor time of its own client.

    An error answer is recognised by its status; nothing is logged of what people write.

    Args:
        connections: how many may be open at once.
        proxy: the HTTP proxy through which they go, if any.
        certificates: whom they trust.
    """

    def __init__(self, *, connections: int, proxy: str | None, certificates: SSLContext) -> None:
        self._connections = connections
        self._proxy = proxy
        self._certificates = certificates
        self._session: aiohttp.ClientSession | None = None

    @property
    def read_timeout(self) -> float:
        return READ_TIMEOUT_S

    async def initialize(self) -> None:
        """Do nothing: the first request opens the session."""

    async def shutdown(self) -> None:
        if self._session:
            await self._session.close()

    async def do_request(
        self,
        url: str,
        method: str,
        request_data: RequestData | None = None,
        read_timeout: Any = BaseRequest.DEFAULT_NONE,
        *_: Any,
        **_options: Any,
    ) -> tuple[int, bytes]:
        """Make a request as `exchange` does, within time limits of its own but for that of reading."""
        read_s = READ_TIMEOUT_S if read_timeout is BaseRequest.DEFAULT_NONE else read_timeout
        form = aiohttp.FormData(request_data.json_parameters) if request_data else None
        return httpx.codes.OK, await self.exchange(method, url, read_s=read_s, data=form)

    async def exchange(self, method: str, url: str, *, read_s: float = READ_TIMEOUT_S, **body: Any) -> bytes:
        """Make a request with a body as aiohttp takes it.

        Raises:
            TelegramError: there was no answer, or it was an error.
        """
        async with self._request(method, url, read_s, **body) as response:
            return await response.read()

    async def save(self, address: str, path: Path, *, limit: int) -> bool:
        """Write the bytes at an address into a file; False if they are more than `limit`.

        Raises:
            TelegramError: as `exchange`.
            OSError: the file cannot be written.
        """
        size = 0
        with path.open("wb") as target:
            async with aclosing(self._parts(address)) as parts:
                async for part in parts:
                    size += len(part)
                    if size > limit:
                        return False
                    await asyncio.to_thread(target.write, part)
        return True

    async def _parts(self, address: str) -> AsyncGenerator[bytes, None]:
        # What its reader raises, as over a full disk, does not come here and is not taken for the network's error.
        async with self._request("GET", address, READ_TIMEOUT_S) as response:
            async for part in response.content.iter_chunked(DOWNLOAD_BYTES):
                yield part

    @asynccontextmanager
    async def _request(
        self, method: str, url: str, read_s: float, **body: Any
    ) -> AsyncIterator[aiohttp.ClientResponse]:
        timeout = aiohttp.ClientTimeout(total=None, connect=20, sock_connect=10, sock_read=read_s)
        request = self._open_session().request(method, url, timeout=timeout, allow_redirects=False, **body)
        try:
            async with request as response:
                if not httpx.codes.is_success(response.status):
                    raise Refusal.parse(response.status, await response.read())
                yield response
        except TimeoutError as error:
            raise TimedOut from error
        except (aiohttp.ClientError, OSError) as error:
            raise NetworkError(f"{type(error).__name__}: {error}") from error

    def _open_session(self) -> aiohttp.ClientSession:
        if self._session is None:
            connector = aiohttp.TCPConnector(limit=self._connections, ssl=self._certificates)
            headers = {"User-Agent": self.USER_AGENT}
            cookies = aiohttp.DummyCookieJar()
            self._session = aiohttp.ClientSession(
                connector=connector, headers=headers, cookie_jar=cookies, proxy=self._proxy
            )
        return self._session

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
        api: the Bot API server.
        bot: the library's client; call it inside `translate_errors`.

    Args:
        token: as BotFather gives it.
        proxy: the HTTP proxy through which it is reached; if empty, the one of the environment, if any.

    Raises:
        LoginRefused: this is not a token.
    """

    def __init__(self, token: str, *, api: str, proxy: str = "") -> None:
        if not _TOKEN.fullmatch(token):
            raise LoginRefused(
                "The Telegram token in the configuration is not one. It looks like 123456789:AAE... and comes from "
                "@BotFather: send it /mybots, choose the bot, then API Token."
            )
        logging.getLogger("telegram").setLevel(logging.WARNING)  # it may write addresses, and the token is in each
        self.id, self.api = token.partition(":")[0], api
        self._token = token
        server = urlsplit(api)
        if not proxy and not proxy_bypass(server.hostname or ""):  # aiohttp would ask with each request, in a thread
            proxy = getproxies().get(server.scheme, "")
        certificates = httpx.create_ssl_context()  # one for both: it takes 25 ms and most of a megabyte
        self._polling = BotApiRequest(connections=2, proxy=proxy or None, certificates=certificates)
        self._calling = BotApiRequest(connections=64, proxy=proxy or None, certificates=certificates)
        self.bot = Bot(
            token,
            base_url=f"{api}/bot",
            base_file_url=f"{api}/file/bot",
            request=self._calling,
            get_updates_request=self._polling,
        )

    async def call(
        self, method: str, fields: Mapping[str, object], *, files: Mapping[str, BinaryIO] | None = None
    ) -> Any:
        """Call a method without the library's objects, which take longer than the rest; returns the result as it came.

        Args:
            fields: its parameters; those that are None are left out.
            files: by the names that the parameters give them; read while they are sent.

        Raises:
            TelegramError: there was no answer, or it was an error.
        """
        given = {name: value for name, value in fields.items() if value is not None}
        body: dict[str, Any] = {"json": given}
        if files:
            texts = {name: value if isinstance(value, str) else json.dumps(value) for name, value in given.items()}
            body = {"data": aiohttp.FormData(texts)}
            for name, file in files.items():
                body["data"].add_field(name, file, filename=Path(file.name).name)
        answer = await self._calling.exchange("POST", f"{self.bot.base_url}/{method}", **body)
        return self._calling.parse_json_payload(answer)["result"]

    async def poll(self, query: str, *, read_timeout_s: float) -> object:
        """Call getUpdates; returns the result as it came."""
        answer = await self._polling.exchange("POST", f"{self.bot.base_url}/getUpdates?{query}", read_s=read_timeout_s)
        return self._polling.parse_json_payload(answer)["result"]

    async def save(self, file: str, path: Path, *, limit: int) -> bool:
        """Write a file of people's to a path; `file` is its id. False if it has more than `limit` bytes."""
        description = await self.bot.get_file(file)
        return await self._calling.save(description.file_path or "", path, limit=limit)

    async def close(self) -> None:
        """Close the connections; no request may be under way."""
        await self._polling.shutdown()
        await self._calling.shutdown()

    @contextmanager
    def translate_errors(self, what: str) -> Iterator[None]:
        """Raise errors of the block as an `AdapterError`; `what` completes "Telegram refused to ..."."""
        try:
            yield
        except TelegramError as error:
            raise self.adapter_error(error, what) from None  # the library's own error may quote the token

    def adapter_error(self, error: TelegramError, what: str) -> AdapterError:
        """Return the error of the port for one of the library."""
        reason = str(error).replace(self._token, "<token>")
        if isinstance(error.__cause__, _NOT_SENT_ERRORS):
            return NotSent(f"Telegram cannot be reached to {what}: {reason}. Is the network up?")
        if not isinstance(error, Refusal):
            return Ambiguous(f"Telegram did not answer whether it would {what}: {reason}.")
        return self._refusal_error(error, what, reason)

    def _refusal_error(self, error: Refusal, what: str, reason: str) -> AdapterError:
        message = f"Telegram refused to {what}: {reason}."
        if error.status == httpx.codes.NOT_FOUND:
            return AccountNotFound(
                f"What answers at {self.api} knows no bot {self.id} (404: {reason}). Is telegram.api the address of a "
                "Bot API server, and is it up? A mistyped token can be answered like this, too."
            )
        if error.status == httpx.codes.UNAUTHORIZED:
            return LoginRefused(
                f"Telegram does not accept the token of bot {self.id} (401: {reason}). It was revoked, or mistyped: "
                "get the current one from @BotFather (/mybots, API Token), put it into the configuration, and start "
                "again."
            )
        if error.status == httpx.codes.TOO_MANY_REQUESTS:
            return SlowDown(message, seconds=max(1.0, error.retry_after))
        if not httpx.codes.is_client_error(error.status):
            return Ambiguous(message)
        if error.moved_to:
            return ChatMoved(message, chat=str(error.moved_to))
        is_gone = any(description in reason.lower() for description in _GONE_DESCRIPTIONS)
        return MessageGone(message) if is_gone else SendRefused(message)


RawUpdate = dict[str, Any]

UPDATE_KINDS = (
    "message",
    "edited_message",
    "channel_post",
    "edited_channel_post",
    "callback_query",
    "message_reaction",
    "my_chat_member",
)
POLL_S = 30
"""How long Telegram keeps a request open when there are no updates."""
POLL_MARGIN_S = 15
"""How much later than that an answer may come; after that the connection counts as broken."""
MAX_WAIT_S = 20.0
"""The longest time between two tries."""
CONFLICT_WAIT_S = 30
"""Two programs that poll with one token interrupt each other: asking more often would only harm the other one."""


class Poller:
    """Fetches one bot's updates, in order.

    Args:
        connection: is told when updates can be fetched, and when they cannot.
    """

    def __init__(
        self, client: BotApiClient, *, connection: ConnectionState, pause: Callable[[float], Awaitable[None]]
    ) -> None:
        self.client = client
        self.connection = connection
        self.pause = pause
        self._offset = 0
        self._failures = 0
        self._is_reported = False
        self._has_webhook = False

    async def batches(self) -> AsyncGenerator[list[RawUpdate], None]:
        """Yield updates as they came, at most a hundred at a time. Fetching the next ones confirms those before them.

        Raises:
            LoginRefused: the token is not accepted, or nobody knows the bot there.
        """
        while True:
            batch = await self.retry("fetch updates", self._fetch)
            if batch:
                yield batch
                self._offset = max(update["update_id"] for update in batch) + 1

    async def retry(self, what: str, request: Callable[[], Awaitable[Any]]) -> Any:
        """Make a request until it succeeds; an outage is logged when it begins and when it is over.

        Raises:
            LoginRefused: the token is not accepted.
        """
        while True:
            try:
                async with asyncio.timeout(POLL_S + POLL_MARGIN_S):
                    result = await request()
            except TelegramError as error:
                await self._recover(error, self.client.adapter_error(error, what))
            except TimeoutError:
                late = AdapterError(f"Telegram has not answered for {POLL_S + POLL_MARGIN_S} seconds.")
                await self._recover(None, late)
            else:
                if self._is_reported:
                    log.info("Telegram: bot %s is connected again.", self.client.id)
                self._failures, self._is_reported = 0, False
                return result

    async def _fetch(self) -> list[RawUpdate]:
        if self._has_webhook:
            await self.client.bot.delete_webhook()
            self._has_webhook = False
        # Whether Telegram answers at all is to be known at once; only then may the request stay open.
        open_s = 0 if self.connection.problem else POLL_S
        query = {"offset": self._offset, "timeout": open_s, "allowed_updates": json.dumps(UPDATE_KINDS)}
        result = await self.client.poll(urlencode(query), read_timeout_s=POLL_S + POLL_MARGIN_S)
        updates: list[Any] = result if isinstance(result, list) else [None]
        if not all(isinstance(update, dict) and isinstance(update.get("update_id"), int) for update in updates):
            raise TelegramError("The answer is not a list of updates.")
        self.connection.set("")
        return updates

    async def _recover(self, error: TelegramError | None, failure: AdapterError) -> None:
        """Log a failure and wait; raises it if the account is refused."""
        self.connection.set(str(failure))
        if isinstance(failure, LoginRefused):
            raise failure
        self._failures += 1
        wait_s, hint = backoff_s(self._failures, max_s=MAX_WAIT_S), "It is tried again until it works."
        if isinstance(error, Refusal) and error.status != httpx.codes.CONFLICT:
            wait_s = max(wait_s, error.retry_after)
        elif isinstance(error, Refusal) and "webhook" in error.description:
            self._has_webhook = True
            hint = "The bot's webhook is removed, since its messages are fetched from here now."
        elif isinstance(error, Refusal):
            wait_s = CONFLICT_WAIT_S
            hint = "Another program fetches this bot's messages: stop it, or give each a bot of its own."
        if not self._is_reported:
            log.warning("%s %s", failure, hint)
            self._is_reported = True
        await self.pause(wait_s)
