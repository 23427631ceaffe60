"""How the service tells whoever watches it that it is well: health endpoints over HTTP, and systemd's watchdog."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import ExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from http import HTTPStatus

import structlog

from bot.errors import StateError
from bot.paths import reason
from bot.service.control import listen
from bot.supervision import ENDED, RUNNING
from bot.texts.formatting import plural
from bot.waiting import Pause

TIMEOUT_S = 5
MAX_REQUEST_BYTES = 8192

PROMETHEUS_TEXT = "text/plain; version=0.0.4; charset=utf-8"

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)


@dataclass
class HealthEndpoint:
    """Answers over HTTP how the service is: `/livez`, `/readyz`, and `/metrics` where figures are wanted.

    Attributes:
        touch: writes to the state file; raises if it cannot.
        troubles: what else is being begun anew after an error.
        metrics: returns the figures in Prometheus' text format; None if they are not wanted.
    """

    accounts: Callable[[], Mapping[str, str]]
    touch: Callable[[], Awaitable[None]]
    troubles: Callable[[], Mapping[str, str]] = dict
    metrics: Callable[[], Awaitable[bytes]] | None = None

    async def problem(self) -> str:
        """Why the service cannot take messages; empty if it can. Without names, ids and tokens."""
        if failure := await self.failure():
            return failure
        statuses = self.accounts().values()
        lost = sum(status not in {RUNNING, ENDED} for status in statuses)
        return f"{lost} of {plural(len(statuses), 'bot account')} not connected to the platform" if lost else ""

    async def failure(self) -> str:
        """What is wrong with the service itself, whatever its platforms do; empty if nothing is."""
        try:
            async with asyncio.timeout(TIMEOUT_S):
                await self.touch()
        except (TimeoutError, StateError):
            return "the state file takes nothing"
        return "a part of the service failed and is begun anew" if self.troubles() else ""

    @asynccontextmanager
    async def answering(self, port: int, host: str = "127.0.0.1") -> AsyncIterator[None]:
        """Answer on this port until the block ends; not at all if it is 0 or taken."""
        with ExitStack() as stack:
            try:
                if port:
                    longest, patience_s = MAX_REQUEST_BYTES, TIMEOUT_S
                    server = await listen(self._respond, port, host=host, longest=longest, patience_s=patience_s)
                    stack.callback(server.close)
            except OSError as error:
                log.warning("health.port", port=port, reason=reason(error), hint="Set health.port to a free one, or 0.")
            yield

    async def _respond(self, reader: asyncio.StreamReader) -> bytes:
        try:
            head = await reader.readuntil(b"\r\n\r\n")
        except asyncio.LimitOverrunError:
            return _response(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, {"status": "the request is too long"})
        words = head.partition(b"\r\n")[0].split()
        if len(words) != 3 or not words[2].startswith(b"HTTP/"):
            return _response(HTTPStatus.BAD_REQUEST, {"status": "this is no request"})
        path = words[1].decode("ascii", "replace")
        if path == "/livez":
            return _response(HTTPStatus.OK, {"status": "alive"})
        if path == "/metrics" and self.metrics:
            return _response(HTTPStatus.OK, await self.metrics(), kind=PROMETHEUS_TEXT)
        if path != "/readyz":
            there_are = "there are /livez, /readyz and /metrics" if self.metrics else "there are /livez and /readyz"
            return _response(HTTPStatus.NOT_FOUND, {"status": there_are})
        problem = await self.problem()
        status = HTTPStatus.SERVICE_UNAVAILABLE if problem else HTTPStatus.OK
        return _response(status, {"status": "not ready", "problem": problem} if problem else {"status": "ready"})


def _response(status: HTTPStatus, body: dict[str, str] | bytes, *, kind: str = "application/json") -> bytes:
    text = body if isinstance(body, bytes) else json.dumps(body).encode()
    lines = (
        f"HTTP/1.1 {status.value} {status.phrase}",
        f"Content-Type: {kind}",
        f"Content-Length: {len(text)}",
        "Connection: close",
    )
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + text


class Supervisor:
    """systemd, or whatever else speaks its protocol (sd_notify(3)): told when the service is ready, alive and ending.

    The `address` of its socket is empty if there is none; it wants to hear something every `watchdog_s`, 0 for never.
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

    async def reassure(self, health: HealthEndpoint, *, pause: Pause) -> None:
        """Send signs of life until cancelled, as long as the service is ready; without a watchdog, return at once."""
        while self._watchdog_s:
            await pause(self._watchdog_s / 2)
            problem = await health.failure()  # a restart ends no outage of a platform, and interrupts the others
            if problem:
                log.warning("health.problem", problem=problem)
            else:
                self.tell("WATCHDOG=1")
