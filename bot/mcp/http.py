"""The server over HTTP, for programs of this machine: who has no token, or comes by way of a browser, is turned away.

Every request is checked by itself, before any byte of its body is read: there are no sessions that could be taken over.
"""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Iterable, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING

import structlog
import uvicorn
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.datastructures import Headers
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from bot.errors import BotError
from bot.mcp.server import Client, Context, MemoryServer, embedding
from bot.mcp.tokens import TokenFile
from bot.paths import Home
from memory import Clock, Memory

if TYPE_CHECKING:
    from socket import socket

    from bot.config.model import Config

HOST = "127.0.0.1"
PATH = "/mcp"
MAX_BODY_BYTES = 1 << 20
METHODS = frozenset({"GET", "POST", "DELETE"})
IDENTITY = "scrubjay.client"
"""Where in the scope of a request its `Client` stands. Only the guard puts it there."""

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a request is not let in."""

    status: int
    message: str


class RequestGuard:
    """Lets in requests with a token, for this very server, that no page in a browser has made."""

    def __init__(self, app: ASGIApp, tokens: TokenFile, *, agents: Iterable[str], port: int) -> None:
        self._app = app
        self._tokens = tokens
        self._agents = frozenset(agents)
        self._hosts = frozenset(f"{name}:{port}" for name in (HOST, "localhost", "[::1]"))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        admitted = self._admit(scope)
        if isinstance(admitted, Refusal):
            log.warning("mcp.refused", status=admitted.status, reason=admitted.message)
            more = {401: {"www-authenticate": "Bearer"}, 405: {"allow": ", ".join(sorted(METHODS))}}
            answer = JSONResponse({"error": admitted.message}, admitted.status, more.get(admitted.status))
            await answer(scope, receive, send)
            return
        await self._app({**scope, IDENTITY: admitted}, receive, send)

    def _admit(self, scope: Scope) -> Client | Refusal:
        """Return who sends a request, or why it is refused: where it goes, from where it comes, with which token."""
        hosts, origins, tokens = map(Headers(scope=scope).getlist, ("host", "origin", "authorization"))
        if len(hosts) != 1 or hosts[0].lower() not in self._hosts:
            return Refusal(421, "This is not the address of this server.")
        if any(origin.lower().removeprefix("http://") not in self._hosts for origin in origins) or len(origins) > 1:
            return Refusal(403, "Pages of other sites have no business here.")
        if scope["path"] != PATH:
            return Refusal(404, f"There is only {PATH}.")
        if scope["method"] not in METHODS:
            return Refusal(405, "This method is not used here.")
        scheme, _, token = tokens[0].partition(" ") if len(tokens) == 1 else ("", "", "")
        try:
            record = self._tokens.find(token) if scheme.lower() == "bearer" else None
        except BotError as error:
            log.warning("mcp.tokens_not_read", reason=str(error))
            record = None
        if record is None or record.access.agent not in self._agents:
            return Refusal(401, "A token is needed: scrubjay mcp token add NAME")
        return Client(record.access, record.name)


def identify(context: Context) -> Client:
    """Return whom the guard has let in with a request; nobody else has put it there."""
    request = context.request
    client = request.scope[IDENTITY] if request is not None else None
    assert isinstance(client, Client)
    return client


async def serve_http(
    memories: Mapping[str, Memory], listening: socket, *, home: Home, config: Config, clock: Clock, with_aliases: bool
) -> None:
    """Serve clients that have a token, on a bound socket, until this process is told to end."""
    server = MemoryServer(memories, home=home, config=config, clock=clock, identify=identify, with_aliases=with_aliases)
    manager = StreamableHTTPSessionManager(
        server.build(), stateless=True, json_response=True, max_request_body_size=MAX_BODY_BYTES
    )
    port = listening.getsockname()[1]
    guard = RequestGuard(manager.handle_request, TokenFile(home.mcp_tokens), agents=memories, port=port)
    options = uvicorn.Config(
        guard, lifespan="off", log_config=None, access_log=False, proxy_headers=False, server_header=False, ws="none"
    )
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(embedding(*memories.values()))
        await stack.enter_async_context(manager.run())
        for number in (signal.SIGINT, signal.SIGTERM):  # the server raises them again when it has ended well
            asyncio.get_running_loop().add_signal_handler(number, lambda: None)
        await uvicorn.Server(options).serve(sockets=[listening])
