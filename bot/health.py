"""Tells a supervisor of this machine how things are: `/livez` and `/readyz` on 127.0.0.1, and systemd's protocol."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from http import HTTPStatus

import structlog

from bot.errors import StateError
from bot.pause import Pause
from bot.sockets import listen

PATIENCE_S = 5
LONGEST = 8192

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)


class Health:
    """How the service is.

    Args:
        accounts: how each bot account stands.
        touch: writes to the state file; raises if it cannot.
        troubles: what else is being begun anew after an error.
    """

    def __init__(
        self,
        accounts: Callable[[], Mapping[str, str]],
        touch: Callable[[], Awaitable[None]],
        troubles: Callable[[], Mapping[str, str]] = dict,
    ) -> None:
        self._accounts = accounts
        self._touch = touch
        self._troubles = troubles

    async def problem(self) -> str:
        """Why the service cannot take messages; empty if it can. Without names, ids and tokens."""
        if "running" not in self._accounts().values():
            return "no bot account is connected to its platform"
        try:
            async with asyncio.timeout(PATIENCE_S):
                await self._touch()
        except (TimeoutError, StateError):
            return "the state file takes nothing"
        return "a part of the service failed and is begun anew" if self._troubles() else ""

    @asynccontextmanager
    async def answering(self, port: int) -> AsyncIterator[None]:
        """Answer on this port of 127.0.0.1 until the block ends; not at all if it is 0 or taken."""
        server = None
        if port:
            try:
                server = await listen(self._respond, port, longest=LONGEST, patience_s=PATIENCE_S)
            except OSError as error:
                log.warning("health.port", port=port, reason=str(error), hint="Set health.port to a free one, or to 0.")
        try:
            yield
        finally:
            if server:
                server.close()

    async def _respond(self, reader: asyncio.StreamReader) -> bytes:
        try:
            head = await reader.readuntil(b"\r\n\r\n")
        except asyncio.LimitOverrunError:
            return _response(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, {"status": "the request is too long"})
        words = head.partition(b"\r\n")[0].split()
        if len(words) != 3 or not words[2].startswith(b"HTTP/"):
            return _response(HTTPStatus.BAD_REQUEST, {"status": "this is no request"})
        return _response(*await self._answer(words[1].decode("ascii", "replace")))

    async def _answer(self, path: str) -> tuple[HTTPStatus, dict[str, str]]:
        if path == "/livez":
            return HTTPStatus.OK, {"status": "alive"}
        if path != "/readyz":
            return HTTPStatus.NOT_FOUND, {"status": "there are /livez and /readyz"}
        problem = await self.problem()
        if problem:
            return HTTPStatus.SERVICE_UNAVAILABLE, {"status": "not ready", "problem": problem}
        return HTTPStatus.OK, {"status": "ready"}


def _response(status: HTTPStatus, body: dict[str, str]) -> bytes:
    text = json.dumps(body).encode()
    lines = (
        f"HTTP/1.1 {status.value} {status.phrase}",
        "Content-Type: application/json",
        f"Content-Length: {len(text)}",
        "Connection: close",
    )
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + text


class Supervisor:
    """systemd, or whatever else speaks its protocol (sd_notify(3)): told when the service is ready, alive and ending.

    Args:
        address: of its socket; empty if there is none.
        watchdog_s: how often it wants to hear something; 0 for never.
    """

    def __init__(self, address: str, *, watchdog_s: float = 0) -> None:
        self._address = "\0" + address[1:] if address.startswith("@") else address
        self._watchdog_s = watchdog_s

    def tell(self, state: str) -> None:
        """Send `READY=1`, `STOPPING=1` or the like; a supervisor that has gone is no reason to fail."""
        if not self._address:
            return
        with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as wire:
            wire.connect(self._address)
            wire.sendall(state.encode())

    async def reassure(self, health: Health, *, pause: Pause) -> None:
        """Send signs of life until cancelled, as long as the service is ready; without a watchdog, return at once."""
        while self._watchdog_s:
            await pause(self._watchdog_s / 2)
            problem = await health.problem()
            if problem:
                log.warning("health.problem", problem=problem)
            else:
                self.tell("WATCHDOG=1")
