"""Webhook: Telegram posts a bot's updates to a server of this process, instead of being asked for them."""

from __future__ import annotations

import asyncio
import hmac
import json
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from heapq import heappop, heappush

from aiohttp import web

from adapters.pacing import Monotonic
from adapters.port import WebhookRefused
from adapters.telegram.client import UPDATE_KINDS, Poller, RawUpdate, Refusal
from adapters.telegram.updates import chat_id

log = logging.getLogger(__name__)

HEADER = "X-Telegram-Bot-Api-Secret-Token"
MAX_CONNECTIONS = 40
"""How many updates Telegram posts at a time: of one chat, messages and edits one after the other."""
MAX_BODY_BYTES = 2**20
"""An update has some kilobytes; files come as names."""
ANSWER_S = 25.0
"""How long Telegram is kept waiting for an update to be on disk. After 50 s it would give up by itself."""
FINISH_S = 2.0
"""How long the end waits for updates under way."""
CHECK_S = 60.0
"""The time between two looks at what Telegram knows of the webhook."""
REFUSALS_S = 600.0
"""The shortest time between two lines about requests of strangers."""


class UpdateQueues:
    """Handles updates: those of one chat in the order of their numbers, as far as they have come; chats in parallel.

    `group` runs the work; `handle` returns whether an update is on disk.
    """

    def __init__(self, group: asyncio.TaskGroup, handle: Callable[[RawUpdate], Awaitable[bool]]) -> None:
        self._group = group
        self._handle = handle
        self._waiting: dict[str, list[tuple[int, RawUpdate]]] = {}  # heaps by chat
        self._under_way: dict[int, asyncio.Future[bool]] = {}

    def put(self, update: RawUpdate) -> asyncio.Future[bool]:
        """Queue an update unless it is under way; returns what becomes of it, cancelled if nobody knows."""
        number, chat = update["update_id"], chat_id(update)
        if number not in self._under_way:
            self._under_way[number] = asyncio.get_running_loop().create_future()
            if chat in self._waiting:
                heappush(self._waiting[chat], (number, update))
            else:
                self._waiting[chat] = [(number, update)]
                self._group.create_task(self._serve(chat), name=f"telegram chat {chat}")
        return self._under_way[number]

    async def finish(self) -> None:
        """Wait a little for what is under way, and give the rest up: Telegram posts it again."""
        if self._under_way:
            await asyncio.wait(self._under_way.values(), timeout=FINISH_S)
        for done in self._under_way.values():
            done.cancel()

    async def _serve(self, chat: str) -> None:
        waiting = self._waiting[chat]
        while waiting:
            number, update = heappop(waiting)
            done = self._under_way[number]
            try:
                is_kept = await self._handle(update)
                if not done.done():  # else it has been given up meanwhile
                    done.set_result(is_kept)
            finally:
                del self._under_way[number]
                done.cancel()
        del self._waiting[chat]


class WebhookServer:
    """The HTTP server to which Telegram posts the updates of all bots of this process. It listens while one is served.

    Attributes:
        url: where Telegram reaches it; the updates of a bot come to this, a slash and the bot's id.
    """

    def __init__(self, url: str, *, host: str, port: int, monotonic: Monotonic) -> None:
        self.url, self._host, self._port = url, host, port
        self._monotonic = monotonic
        self._bots: dict[str, tuple[str, UpdateQueues]] = {}  # secret and queues, by id
        self._lock = asyncio.Lock()
        self._listening: list[web.AppRunner] = []  # at most one
        self._refused, self._told_at = 0, -REFUSALS_S

    @asynccontextmanager
    async def serving(self, bot: str, *, secret: str, queues: UpdateQueues) -> AsyncIterator[None]:
        """Take updates of a bot until the block ends; raises `WebhookRefused` if the port cannot be had."""
        async with self._lock:
            if not self._listening:
                self._listening.append(await self._listen())
            self._bots[bot] = secret, queues
        try:
            yield
        finally:
            del self._bots[bot]
            await queues.finish()
            async with self._lock:
                if self._listening and not self._bots:
                    await self._listening.pop().cleanup()

    async def _listen(self) -> web.AppRunner:
        application = web.Application(client_max_size=MAX_BODY_BYTES)
        application.router.add_post("/{path:.*}", self._answer)
        runner = web.AppRunner(application, access_log=None, shutdown_timeout=FINISH_S)
        await runner.setup()
        try:
            await web.TCPSite(runner, self._host, self._port).start()
        except OSError as error:
            await runner.cleanup()
            problem = str(error.strerror).rpartition(": ")[2]
            raise WebhookRefused(
                f"Telegram's messages cannot be taken on {self._host}, port {self._port}: {problem}. Stop the program "
                "that uses the port, or set telegram.webhook.port to a free one."
            ) from None
        return runner

    async def _answer(self, request: web.Request) -> web.Response:
        """Answer 200 only when the update is on disk; else Telegram posts it again. The body is read last."""
        bot = request.path.rpartition("/")[2]  # a proxy may cut off what stands before
        if bot not in self._bots:
            return web.Response(status=404)
        secret, queues = self._bots[bot]
        given = request.headers.get(HEADER, "")
        if not hmac.compare_digest(given.encode(errors="surrogateescape"), secret.encode()):
            self._log_refusal(bot)
            return web.Response(status=403)
        try:
            async with asyncio.timeout(ANSWER_S):
                update = json.loads(await request.read())
        except (ValueError, RecursionError, TimeoutError):
            update = None
        if not isinstance(update, dict) or not isinstance(update.get("update_id"), int):
            log.warning("Telegram: bot %s was posted something that is no update.", bot)
            return web.Response(status=400)
        done = queues.put(update)
        await asyncio.wait([done], timeout=ANSWER_S)
        if not done.done() or done.cancelled():
            return web.Response(status=503)
        return web.Response(status=200 if done.result() else 500)

    def _log_refusal(self, bot: str) -> None:
        self._refused += 1
        if self._monotonic() - self._told_at >= REFUSALS_S:
            hint = f"They are not Telegram's, or the proxy does not pass {HEADER} on."
            log.warning("Requests without the secret of bot %s were refused: %d lately. %s", bot, self._refused, hint)
            self._refused, self._told_at = 0, self._monotonic()


class Webhook:
    """The webhook of one bot: sets it, and sees to it that it stays set and that Telegram gets through.

    Args:
        server: to which Telegram posts.
        poller: makes requests until they succeed, and is told whether Telegram gets through.
        now: the current instant, aware.
    """

    def __init__(self, server: WebhookServer, poller: Poller, *, now: Callable[[], datetime]) -> None:
        self._server, self._poller, self._now = server, poller, now
        self._client = poller.client
        self._address = f"{server.url}/{self._client.id}"
        # It follows from the token, so that every process knows it, and none has to keep it.
        self._secret = hmac.digest(self._client.bot.token.encode(), b"Telegram webhook", "sha256").hex()

    async def run(self, handle: Callable[[RawUpdate], Awaitable[bool]]) -> None:
        """Hand updates over until cancelled. The webhook stays set: Telegram keeps for a day what it cannot post.

        Raises:
            LoginRefused: the token is not accepted, the address is not, or the port cannot be had.
        """
        async with asyncio.TaskGroup() as group:
            queues = UpdateQueues(group, handle)
            async with self._server.serving(self._client.id, secret=self._secret, queues=queues):
                await self._poller.retry("set the webhook", self._set)
                while True:
                    await self._poller.pause(CHECK_S)
                    await self._poller.retry("tell how the webhook is", self._check)

    async def _set(self) -> None:
        await self._client.bot.delete_webhook()  # else what failed before waits on, for up to two minutes
        try:
            await self._client.bot.set_webhook(
                self._address,
                None,
                MAX_CONNECTIONS,
                UPDATE_KINDS,
                drop_pending_updates=False,
                secret_token=self._secret,
            )
        except Refusal as refusal:
            if refusal.status != web.HTTPBadRequest.status_code:
                raise
            raise WebhookRefused(
                f"Telegram does not take {self._address} as the webhook of bot {self._client.id}: "
                f"{refusal.description}. Correct telegram.webhook.url; it has to be reachable from the internet."
            ) from None
        log.info("Telegram: what is said to bot %s is posted to %s.", self._client.id, self._address)
        self._poller.connection.set("")

    async def _check(self) -> None:
        """See whether the webhook is still set, and whether Telegram gets through."""
        info = await self._client.bot.get_webhook_info()
        if info.url != self._address:
            hint = "It is set again; stop the other one, or give each a bot of its own."
            log.warning("Telegram: another program has changed the webhook of bot %s. %s", self._client.id, hint)
            await self._set()
        problem, failed_at, waiting = "", info.last_error_date, info.pending_update_count
        recent = self._now() - timedelta(seconds=3 * CHECK_S)  # what fails is posted again within two minutes
        if waiting and failed_at and failed_at >= recent:
            problem = f"Telegram cannot post to {self._address}: {info.last_error_message} ({waiting} waiting)."
        if problem and not self._poller.connection.problem:
            log.warning("%s Does the proxy run, and lead here?", problem)
        self._poller.connection.set(problem)
