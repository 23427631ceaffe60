"""Run an aiohttp application on 127.0.0.1: on this event loop, in a thread with its own, or as a whole process."""

from __future__ import annotations

import asyncio
import json
import signal
import socket
import struct
import threading
from collections.abc import AsyncIterator
from concurrent.futures import Future
from contextlib import asynccontextmanager
from types import TracebackType
from typing import Self

from aiohttp import web

SHUTDOWN_S = 0.05
"""How long requests that are still open may go on when a server stops: long polls and hung answers never end."""


@asynccontextmanager
async def listening(application: web.Application, port: int = 0) -> AsyncIterator[str]:
    """Serve on the running loop; gives the address, `http://127.0.0.1:<port>`."""
    runner = web.AppRunner(application, access_log=None, shutdown_timeout=SHUTDOWN_S)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", port).start()
        host, bound = runner.addresses[0][:2]
        yield f"http://{host}:{bound}"
    finally:
        await runner.cleanup()


class ServingThread:
    """An application served from an event loop in a thread of its own, between `start` and `stop`."""

    def __init__(self, application: web.Application) -> None:
        self._application = application
        self._thread = threading.Thread(target=self._run, name="test-server", daemon=True)
        self._address: Future[str] = Future()
        self._stop = asyncio.Event()
        self._loop: asyncio.AbstractEventLoop

    @property
    def url(self) -> str:
        return self._address.result(timeout=30)

    def start(self) -> Self:
        self._thread.start()
        self._address.result(timeout=30)
        return self

    def stop(self) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(timeout=10)

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.stop()

    def _run(self) -> None:
        try:
            asyncio.run(self._serve())
        except OSError as error:
            self._address.set_exception(error)

    async def _serve(self) -> None:
        self._loop = asyncio.get_running_loop()
        async with listening(self._application) as url:
            self._address.set_result(url)
            await self._stop.wait()


def serve_process(application: web.Application, port: int) -> None:
    """Serve until SIGTERM or SIGINT; the first line of standard output is `{"url": ..., "port": ...}`."""

    async def serve() -> None:
        stop = asyncio.Event()
        for name in (signal.SIGTERM, signal.SIGINT):
            asyncio.get_running_loop().add_signal_handler(name, stop.set)
        async with listening(application, port) as url:
            print(json.dumps({"url": url, "port": int(url.rpartition(":")[2])}), flush=True)
            await stop.wait()

    asyncio.run(serve())


def reset(request: web.Request) -> None:
    """Tear the connection down with a TCP reset: what the client has not read yet is lost."""
    if request.transport is None:
        return
    connection: socket.socket = request.transport.get_extra_info("socket")
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    request.transport.abort()
