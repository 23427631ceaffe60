"""The service's end of chats in other processes: each `scrubjay chat` is a screen at the end of a local connection."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from adapters.port import Growing, NotSent, Sender
from adapters.terminal import HERE, Interrupted, Shown, TerminalAdapter, TerminalChat, Typed
from bot import __version__
from bot.errors import Locked, Missing, Refused
from bot.service.control import Conversation
from bot.storage.keys import SessionKey
from bot.texts.catalogue import tr

if TYPE_CHECKING:
    from bot.access.routing import Routing

OWNER = f"{HERE.platform}:{HERE.chat}"
"""Who sits at a terminal of this machine and can read the service's key, which is in a file of the owner's alone."""

MAX_FRAME_BYTES = 64 * 1024 * 1024
"""Bytes of one JSON line, in either direction."""

PROGRESS_S = 0.05
"""How often a growing answer is sent, at most; each time it is sent whole."""

LEFT, CHAT_CLOSED, SERVICE_ENDED = "left", "chat closed", "service ended"
"""Why the service ends a connection: the person has left; the chat that held the home was closed; `run` has ended."""

Frame = dict[str, Any]


async def frames(reader: asyncio.StreamReader) -> AsyncIterator[Frame]:
    """Yield the JSON objects that come over a connection, one a line, until it is closed.

    Raises:
        ConnectionError: it broke, or what comes is no JSON object, or longer than allowed.
    """
    held, searched = bytearray(), 0
    while chunk := await reader.read(65536):
        held += chunk
        while (end := held.find(b"\n", searched)) >= 0:
            try:
                yield dict(json.loads(held[:end]))
            except (ValueError, TypeError, RecursionError) as error:
                raise ConnectionAbortedError("what came is not a JSON object") from error
            del held[: end + 1]
            searched = 0
        searched = len(held)
        if searched > MAX_FRAME_BYTES:
            raise ConnectionAbortedError("what came is too long")


def send(writer: asyncio.StreamWriter, **frame: Any) -> None:
    """Write one JSON object; what the other side does not take yet is buffered."""
    writer.write(json.dumps(frame).encode() + b"\n")


class RemoteScreen:
    """A screen at the other end of a connection (`adapters.terminal.Screen`), which does what it is told there."""

    def __init__(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, waits: bool, is_attended: bool
    ) -> None:
        self.waits = waits
        self.is_attended = is_attended
        self._reader = reader
        self._writer = writer
        self._said: asyncio.Queue[Frame] = asyncio.Queue()
        self._printed: dict[int, asyncio.Future[None]] = {}
        self._shown = 0
        self._sent_at, self._doing = 0.0, ""
        self._has_gone = False

    async def hear(self) -> None:
        """Take what comes until the other side has gone, which is raised as a `ConnectionError`."""
        try:
            async for frame in frames(self._reader):
                if "shown" in frame:
                    waiting = self._printed.pop(int(frame["shown"]), None)
                    if waiting and not waiting.done():
                        waiting.set_result(None)
                else:
                    self._said.put_nowait(frame)
        finally:
            self._has_gone = True
            for waiting in self._printed.values():
                if not waiting.done():
                    waiting.set_exception(NotSent("The chat has gone."))
            self._printed.clear()
        raise ConnectionResetError("the chat has gone")

    async def read(self, agent: str) -> Typed | None:
        send(self._writer, do="read", agent=agent)
        said = await self._said.get()
        if "interrupt" in said:
            raise Interrupted
        return Typed(str(said["say"]), str(said.get("quote", ""))) if "say" in said else None

    async def accepted(self) -> None:
        send(self._writer, do="accepted")

    async def progress(self, text: Growing, doing: str) -> None:
        """Send how far the answer has come, but not too often, and not while the other side is behind."""
        now = asyncio.get_running_loop().time()
        is_due = now - self._sent_at >= PROGRESS_S and not self._writer.transport.get_write_buffer_size()
        if is_due or doing != self._doing:
            self._sent_at, self._doing = now, doing
            send(self._writer, do="progress", text=text(), doing=doing)

    async def show(self, shown: Shown) -> None:
        """Have something printed, and wait until it was; raises `NotSent` if the other side has gone."""
        if self._has_gone or self._writer.is_closing():
            raise NotSent("The chat has gone.")
        self._shown += 1
        printed = self._printed[self._shown] = asyncio.get_running_loop().create_future()
        send(self._writer, do="show", id=self._shown, **asdict(shown))
        await printed


class ChatServer:
    """Opens a chat for each connection that asks for one; who names no agent talks to the `default`."""

    def __init__(self, adapter: TerminalAdapter, routing: Routing, *, agents: Sequence[str], default: str) -> None:
        self._adapter = adapter
        self._routing = routing
        self._agents = tuple(agents)
        self._default = default
        self._open: set[asyncio.StreamWriter] = set()
        self._closed = asyncio.Event()
        self._ended: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        adapter.speaks = lambda to: routing.decide(to, Sender(HERE.chat, "")).agent

    def converse(self, *, version: str = "", agent: str = "", **screen: Any) -> Conversation:
        """Return what holds a chat with a client.

        Args:
            agent: whom it wants to talk to; empty for the default agent.
            screen: `run` (see `TerminalChat`), `waits`, `is_attended`, `greeting`.

        Raises:
            Refused: the client is of another version.
            Missing: there is no such agent.
            Locked: too many chats are open.
        """
        if version != __version__:
            raise Refused(
                tr("The running Scrubjay is version {own}, and this one is {other}.", own=__version__, other=version),
                hint=tr("Restart the running one (scrubjay service, or end it and call scrubjay run), then try again."),
            )
        name, address = agent or self._default, self._adapter.free
        if name not in self._agents:
            hint = tr("It has: {names}. If the configuration was changed, restart it.", names=", ".join(self._agents))
            raise Missing(tr("The running Scrubjay has no agent called {name}.", name=repr(name)), hint=hint)
        if address is None:
            raise Locked(tr("Too many chats are open."), hint=tr("Close one of them."))

        async def hold(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            send(writer, told={"agent": name, "session": str(SessionKey(name, address))})
            remote = RemoteScreen(reader, writer, waits=bool(screen["waits"]), is_attended=bool(screen["is_attended"]))
            with self._adapter.opened(remote, address, run=str(screen["run"])) as chat:
                await self._hold(remote, writer, chat, name, greeting=str(screen.get("greeting", "")))

        return hold

    async def _hold(
        self, screen: RemoteScreen, writer: asyncio.StreamWriter, chat: TerminalChat, agent: str, *, greeting: str
    ) -> None:
        self._open.add(writer)
        try:
            async with asyncio.TaskGroup() as group:
                others = [group.create_task(screen.hear()), group.create_task(self._end(writer))]
                await self._routing.choose(chat.address, agent)
                await self._adapter.serve(chat, greeting=greeting)
                for task in others:
                    task.cancel()
            send(writer, do="end", why=LEFT)
            await writer.drain()
        except* (ConnectionError, NotSent):
            writer.close()  # the client has gone, or is to go; what it has asked goes on
        finally:
            self._open.discard(writer)
            self._closed.set()

    async def _end(self, writer: asyncio.StreamWriter) -> None:
        """Tell a client that the service ends, when it does, and end its chat."""
        why = await asyncio.shield(self._ended)
        send(writer, do="end", why=why)
        raise ConnectionAbortedError(why)

    @asynccontextmanager
    async def ending(self, why: str) -> AsyncIterator[None]:
        """When the block ends, tell all clients why, and end their chats."""
        try:
            yield
        finally:
            self._ended.set_result(why)
            while self._open:
                self._closed.clear()
                await self._closed.wait()
