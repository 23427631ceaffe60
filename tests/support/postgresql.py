"""A way to a PostgreSQL server that can be cut, or held up, at a chosen moment; and its clock."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field

import psycopg

from tests.servers.postgresql import PostgresServer


@dataclass
class Gate:
    """Passes everything on between clients and a server, until it is told otherwise.

    Attributes:
        port: of the server.
        url: for clients.
        cuts: how often a connection was cut.
        open: cleared, nothing passes: connections are there, and silent.
    """

    port: int
    url: str = ""
    cuts: int = 0
    open: asyncio.Event = field(default_factory=asyncio.Event)
    _word: bytes = b""
    _arrives: bool = True

    def __post_init__(self) -> None:
        self.open.set()

    def cut_at(self, word: bytes, *, arrives: bool) -> None:
        """Cut the next connection on which a client says this, before or after it has reached the server."""
        self._word, self._arrives = word, arrives

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there, back = await asyncio.open_connection("127.0.0.1", self.port)
        try:
            async with asyncio.TaskGroup() as group:
                answers = group.create_task(self._answer(there, writer))
                await self._ask(reader, there, back, answers)
                answers.cancel()
        finally:
            for stream in (back, writer):
                stream.close()

    async def _ask(
        self,
        reader: asyncio.StreamReader,
        there: asyncio.StreamReader,
        back: asyncio.StreamWriter,
        answers: asyncio.Task[None],
    ) -> None:
        with suppress(ConnectionError):
            while some := await reader.read(65536):
                await self.open.wait()
                is_cut = bool(self._word) and self._word in some
                if not is_cut or self._arrives:
                    back.write(some)
                    await back.drain()
                if is_cut:
                    self._word, self.cuts = b"", self.cuts + 1
                    if self._arrives:
                        answers.cancel()
                        await asyncio.wait([answers])
                        await there.read(1)  # the server has done it
                    return

    async def _answer(self, source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError):
            while some := await source.read(65536):
                await self.open.wait()
                target.write(some)
                await target.drain()
        target.close()


@asynccontextmanager
async def gated(server: PostgresServer, url: str) -> AsyncIterator[Gate]:
    """Serve a gate to a database of a server."""
    gate = Gate(server.entrance)
    async with asyncio.TaskGroup() as group:
        serving = set[asyncio.Task[None]]()
        listener = await asyncio.start_server(
            lambda reader, writer: serving.add(group.create_task(gate.serve(reader, writer))), "127.0.0.1"
        )
        port = listener.sockets[0].getsockname()[1]
        gate.url = url.replace(f":{server.entrance}/", f":{port}/")
        async with listener:
            yield gate
        for task in serving:
            task.cancel()


class Gates:
    """A gate for each of several processes, on a loop in a thread of its own.

    Attributes:
        urls: of the gates, by number.
    """

    def __init__(self, server: PostgresServer, url: str) -> None:
        self.urls: list[str] = []
        self._server = server
        self._url = url
        self._gates: list[Gate] = []
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="gates", daemon=True)

    @classmethod
    @contextmanager
    def to(cls, server: PostgresServer, url: str, count: int) -> Iterator[Gates]:
        """Serve so many for a while."""
        gates = cls(server, url)
        gates._thread.start()
        over = asyncio.Event()
        ready = threading.Event()
        serving = asyncio.run_coroutine_threadsafe(gates._serve(count, ready, over), gates._loop)
        ready.wait()
        try:
            yield gates
        finally:
            gates._loop.call_soon_threadsafe(over.set)
            serving.result()
            gates._loop.call_soon_threadsafe(gates._loop.stop)
            gates._thread.join()
            gates._loop.close()

    def close(self, number: int) -> None:
        """Let nothing pass any more."""
        self._loop.call_soon_threadsafe(self._gates[number].open.clear)

    def open(self, number: int) -> None:
        """Let pass again, what was held up first."""
        self._loop.call_soon_threadsafe(self._gates[number].open.set)

    async def _serve(self, count: int, ready: threading.Event, over: asyncio.Event) -> None:
        async with AsyncExitStack() as stack:
            for _ in range(count):
                self._gates.append(await stack.enter_async_context(gated(self._server, self._url)))
            self.urls = [gate.url for gate in self._gates]
            ready.set()
            await over.wait()
            for gate in self._gates:
                gate.open.set()


class DatabaseClock:
    """The time that leases go by in a database, from now on moved by hand."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._run(
            "CREATE TABLE test_clock AS SELECT clock_timestamp() AS now",
            "CREATE OR REPLACE FUNCTION lease_now() RETURNS timestamptz LANGUAGE sql VOLATILE "
            "AS 'SELECT now FROM test_clock'",
        )

    def advance(self, seconds: float) -> None:
        """Let time pass."""
        self._run(f"UPDATE test_clock SET now = now + interval '{seconds} seconds'")

    def _run(self, *statements: str) -> None:
        with psycopg.connect(self._url, autocommit=True) as db:
            for sql in statements:
                db.execute(sql.encode())
