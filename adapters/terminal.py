"""Terminal adapter: one person at one screen or several, and the screen of plain lines."""

from __future__ import annotations

import asyncio
import os
import select
import threading
from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Generic, Protocol, TextIO, TypeVar

from adapters.port import (
    AdapterError,
    Address,
    Capabilities,
    ChatKind,
    Growing,
    Inbound,
    InboundHandler,
    NotSent,
    Outbound,
    Receipt,
    Sender,
    SendRefused,
    typed_choices,
)
from adapters.support import printable

T = TypeVar("T")

PROMPT = "> "

MAX_LINE_BYTES = 4 * 1024 * 1024
"""What goes beyond is read as the next line."""


class ScreenClosed(Exception):
    """The terminal was closed, or the program at the other end of the pipe has ended."""


class Interrupted(Exception):
    """The person pressed Ctrl-C, which stops the answer and not the conversation."""


@dataclass(frozen=True, slots=True)
class Typed:
    """What a person says: their own words, and what they lay before the agent with them, which is data.

    `is_confined`: as `adapters.port.Inbound` has it.
    """

    text: str
    quote: str = ""
    is_confined: bool = False


@dataclass(frozen=True, slots=True)
class Shown:
    """What a screen prints: Markdown, choices (each a key and what it means) and paths of files.

    `agent` speaks, or the program itself, and `prompt` is spoken to from now on. `is_answer`: to what was typed at this
    screen. `goes_on`: another answer is being made. `is_further`, `last`: its place among the parts of one answer.
    """

    text: str
    agent: str = ""
    choices: tuple[tuple[str, str], ...] = ()
    files: tuple[str, ...] = ()
    is_answer: bool = False
    goes_on: bool = False
    is_further: bool = False
    last: bool = True
    prompt: str = ""

    @property
    def markdown(self) -> str:
        """The text, with the choices and files below it."""
        choices = [f"- {label}: `{key}`" for key, label in self.choices]
        return "\n".join([self.text, *choices, *(f"- file: {path}" for path in self.files)])


class Screen(Protocol):
    """What the terminal adapter reads from and prints to.

    `waits`: each line is answered before the next is read; `is_attended`: a person is there, who can be asked.
    """

    waits: bool
    is_attended: bool

    async def read(self, agent: str, /) -> Typed | None:
        """Return what is said next, to this agent; None when the person has left; raises `Interrupted`."""

    async def accepted(self) -> None:
        """Take note that what was read last is on disk, and that its answer is being made."""

    async def progress(self, text: Growing, doing: str) -> None:
        """Show how far the answer has come, and what is being done."""

    async def show(self, shown: Shown) -> None:
        """Print something; raises `ScreenClosed`, or `NotSent` where somebody else may see it later."""


class LastingRead(Generic[T]):
    """Waits for input. When whoever waits is cancelled it goes on, and the next one gets what comes of it."""

    def __init__(self, begin: Callable[[], Coroutine[None, None, T]]) -> None:
        self._begin = begin
        self._reading: asyncio.Future[T] | None = None

    async def next(self) -> T:
        reading = self._reading = self._reading or asyncio.ensure_future(self._begin())
        await asyncio.wait([reading])
        self._reading = None
        return reading.result()


class PlainScreen:
    """A screen without a line editor: one line is read, then its answer is printed.

    Nothing else may have read from `stdin`. A person gets a prompt (`is_attended`); `names`: as in `personal: Hello.`
    """

    waits = True

    def __init__(self, stdin: TextIO, stdout: TextIO, *, is_attended: bool = False, names: bool = False) -> None:
        self.is_attended = is_attended
        self._lines = _Lines(stdin.fileno())
        self._stdout, self._names = stdout, names
        self._reading = LastingRead(lambda: _run_in_daemon_thread(self._lines.next))

    async def read(self, agent: str) -> Typed | None:
        if self.is_attended:
            self._write(f"{agent}{PROMPT}")
        line = await self._reading.next()
        return None if line is None else Typed(line.decode(errors="replace").replace("\x00", ""))

    async def accepted(self) -> None:
        """Show nothing."""

    async def progress(self, text: Growing, doing: str) -> None:
        """Show nothing."""

    async def show(self, shown: Shown) -> None:
        name = f"{shown.agent}: " if self._names and shown.agent and not shown.is_further else ""
        blank = "\n" if self.is_attended and shown.last else ""
        self._write(f"{name}{printable(shown.markdown)}\n{blank}")

    def _write(self, text: str) -> None:
        encoding = self._stdout.encoding or "utf-8"
        try:
            self._stdout.write(text.encode(encoding, "replace").decode(encoding))
            self._stdout.flush()
        except (OSError, ValueError) as error:  # a closed pipe, a closed file
            raise ScreenClosed(f"The answer cannot be printed: {error}.") from error


class _Lines:
    """Reads lines of a file descriptor. The lock of Python's buffered reader would outlive a cancelled read."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._read, self._has_ended = bytearray(), False

    def next(self) -> bytes | None:
        """Block until there is a line; returns it without its end, or None when there are no more."""
        while b"\n" not in self._read[:MAX_LINE_BYTES] and len(self._read) < MAX_LINE_BYTES and not self._has_ended:
            select.select([self._descriptor], [], [])  # another process may have made the pipe non-blocking
            try:
                chunk = os.read(self._descriptor, 65536)
            except OSError:  # the terminal hung up
                chunk = b""
            self._read += chunk
            self._has_ended = not chunk
        if not self._read:
            return None
        line, end, _ = self._read[:MAX_LINE_BYTES].partition(b"\n")
        del self._read[: len(line) + len(end)]
        return bytes(line.removesuffix(b"\r"))


async def _run_in_daemon_thread(function: Callable[[], T]) -> T:
    """Run a function that may block for ever, in a thread that does not keep the process from ending."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[T] = loop.create_future()

    def settle(result: T) -> None:
        if not done.done():
            done.set_result(result)

    def run() -> None:
        result = function()
        with suppress(RuntimeError):  # the loop has ended meanwhile
            loop.call_soon_threadsafe(settle, result)

    threading.Thread(target=run, daemon=True, name="standard input").start()
    return await done


HERE = Address("terminal", "local", "owner", ChatKind.PRIVATE)
"""The first chat. A person at the terminal can read all files anyway, so they are the owner: `terminal:owner`."""

CHATS = (HERE, *(replace(HERE, thread=str(number)) for number in range(2, 17)))
"""The chats that can be open side by side, each a conversation of its own; whoever comes gets the first free one."""

IDLE_NOTICE = "(Nothing is under way. Ctrl-D leaves.)"
NOT_TAKEN = "(That could not be taken. scrubjay doctor says why.)"
REMARK = "(To what you wrote in an earlier session:)"

EXIT_WORDS = frozenset({"exit", "quit", "/exit", "/quit"})
"""What people type to leave a program. They leave at a prompt only; in a pipe they are lines like any other."""


class TerminalChat:
    """One chat at one screen.

    `answered` has an event for each message that was typed, set once it is answered, or will not be any more.
    """

    def __init__(self, adapter: TerminalAdapter, screen: Screen, address: Address, *, run: str) -> None:
        self._adapter = adapter
        self.screen = screen
        self.address = address
        self._run = run
        self.answered: dict[str, asyncio.Event] = {}
        self._suppressed: set[str] = set()
        self._is_closed = False

    async def run(self, handler: InboundHandler, *, greeting: str = "", first: Typed | None = None) -> None:
        """Hand input to the handler until the person leaves; a screen that waits has the last answer by then."""
        if greeting and self.screen.is_attended:
            with suppress(AdapterError):
                await self.show(Shown(greeting))
        if first:
            await self._submit(handler, first)
        while not self._is_closed:
            try:
                typed = await self.screen.read(self._adapter.speaks(self.address))
            except Interrupted:
                # The answer to this /stop, which nobody typed, is not shown.
                if self.is_answering:
                    self._suppressed.add(self._next_update)
                    await self._submit(handler, Typed("/stop"))
                else:
                    await self.show(Shown(IDLE_NOTICE))
                continue
            if typed is None or (self.screen.is_attended and typed.text.strip().lower() in EXIT_WORDS):
                return
            if typed.text.strip():
                await self._submit(handler, typed)

    @property
    def is_answering(self) -> bool:
        """Whether something that was typed has no answer yet."""
        return any(not answered.is_set() for answered in self.answered.values())

    async def deliver(self, out: Outbound) -> None:
        """Print a message, with a remark if the question is from an earlier life."""
        answered = self.answered.get(out.reply_to or "")
        if out.reply_to not in self._suppressed:
            shown = Shown(
                out.text if answered or not out.reply_to else f"{REMARK}\n{out.text}",
                agent=out.agent,
                choices=typed_choices(out.buttons),
                files=out.files,
                is_answer=answered is not None,
                goes_on=answered is None and self.is_answering,
                is_further=out.part > 0,
                last=out.last,
                prompt=self._adapter.speaks(self.address),
            )
            await self.show(shown)
        if answered and out.last:  # what was written before it is answered with it, or was before
            for earlier in self.answered.values():
                earlier.set()
                if earlier is answered:
                    break

    async def show(self, shown: Shown) -> None:
        """Print something; raises `SendRefused` if that is not possible any more, and then ends the chat."""
        try:
            await self.screen.show(shown)
        except ScreenClosed as error:
            self._is_closed = True
            for answered in self.answered.values():
                answered.set()
            raise SendRefused(str(error)) from error

    async def _submit(self, handler: InboundHandler, typed: Typed) -> None:
        update = self._next_update
        answered = self.answered[update] = asyncio.Event()
        sender, at = Sender(HERE.chat, self._adapter.person), self._adapter.now()
        said = Inbound(update, self.address, sender, typed.text, update, at, quote=typed.quote, awaits_answer=True)
        said = replace(said, is_unattended=not self.screen.is_attended, is_confined=typed.is_confined)
        if not await handler.receive(said):  # given up, or fed again: nothing is under way for it
            answered.set()
            if self.screen.is_attended:
                await self.show(Shown(NOT_TAKEN))
            return
        if update not in self._suppressed and not answered.is_set():
            await self.screen.accepted()
        if self.screen.waits:
            await answered.wait()

    @property
    def _next_update(self) -> str:
        return f"{self._run}-{len(self.answered) + 1}"


class TerminalAdapter:
    """`adapters.port.Adapter` for one person at one screen or several.

    Args:
        screen: of the chat in this process; None if all come from elsewhere (`serve`).
        run: begins the update ids, so it must be new, unless the same lines are fed again and are to be recognised.
        now: the current instant, aware.
        person: what they are called.
        greeting: shown first to somebody who sits at a prompt; `first`: what they have said already.

    `speaks` says which agent answers in a chat; an empty name while that is not known.
    """

    platform = HERE.platform
    bot = HERE.bot
    capabilities = Capabilities(text_limit=1_000_000, at_least_once=True, file_limit=2**40)

    def __init__(
        self,
        screen: Screen | None,
        *,
        run: str,
        now: Callable[[], datetime],
        person: str = "",
        greeting: str = "",
        first: Typed | None = None,
    ) -> None:
        self.now, self.person = now, person
        self._greeting, self._first = greeting, first
        self.speaks: Callable[[Address], str] = lambda _: ""
        self._chats: dict[Address, TerminalChat] = {}
        self._came, self._runs = asyncio.Event(), asyncio.Event()
        self._handler: InboundHandler | None = None
        self._own = None if screen is None else self._open(screen, HERE, run)

    async def run(self, handler: InboundHandler) -> None:
        """Hand input to the handler until the person of this process leaves; for ever, if there is none."""
        self._handler = handler
        self._runs.set()
        if self._own is None:
            await asyncio.Event().wait()
        else:
            await self._own.run(handler, greeting=self._greeting, first=self._first)

    @property
    def free(self) -> Address | None:
        """The chat that whoever comes next gets; None if all are taken."""
        return next((chat for chat in CHATS if chat not in self._chats), None)

    def answered(self, to: Address) -> int:
        """Return how many of the messages have an answer that were typed in a chat since it was opened."""
        chat = self._chats.get(to)
        return sum(event.is_set() for event in chat.answered.values()) if chat else 0

    @contextmanager
    def opened(self, screen: Screen, address: Address, *, run: str) -> Iterator[TerminalChat]:
        """Open one more chat, which is free, until the block ends; from now on whoever comes gets another."""
        chat = self._open(screen, address, run)
        try:
            yield chat
        finally:
            del self._chats[address]

    async def serve(self, chat: TerminalChat, *, greeting: str = "") -> None:
        """Hold a chat until its person leaves and has all answers."""
        await self._runs.wait()
        assert self._handler
        await chat.run(self._handler, greeting=greeting)
        for answered in [*chat.answered.values()]:
            await answered.wait()

    async def present(self, out: Outbound) -> None:
        while self._find(out) is None:
            self._came.clear()
            await self._came.wait()

    def is_present(self, to: Address) -> bool:
        return self._find(Outbound("", to, "")) is not None

    async def send(self, out: Outbound) -> Receipt:
        """Print it where it was asked for; once that screen has gone, in the same chat or at another person's prompt.

        What is sent again is printed again: a process that was killed may have printed it without a record of that.
        """
        chat = self._find(out)
        if chat is None:
            raise NotSent("Nobody is at the terminal.")
        await chat.deliver(out)
        return Receipt(out.id)

    async def edit(self, receipt: Receipt, out: Outbound) -> None:
        """Refuse: what is printed cannot be changed."""
        raise SendRefused(f"A terminal cannot edit {receipt.message}, to say {out.id} instead.")

    async def typing(self, to: Address) -> None:
        """Show nothing; `progress` shows more."""

    async def progress(self, to: Address, text: Growing, doing: str) -> None:
        if to in self._chats:
            await self._chats[to].screen.progress(text, doing)

    async def announce(self, text: str) -> None:
        """Print a line that answers nothing to the person of this process; not to a pipe, which holds answers only."""
        if self._own and self._own.screen.is_attended:
            await self._own.show(Shown(text, goes_on=self._own.is_answering))

    def _open(self, screen: Screen, address: Address, run: str) -> TerminalChat:
        chat = self._chats[address] = TerminalChat(self, screen, address, run=run)
        self._came.set()
        return chat

    def _find(self, out: Outbound) -> TerminalChat | None:
        chats = [*self._chats.values()]
        asking = [chat for chat in chats if out.reply_to in chat.answered]
        same = [chat for chat in chats if chat.address == out.to]
        others = [chat for chat in chats if chat.screen.is_attended]
        return next(iter([*asking, *same, *others]), None)


def open_screen(
    stdin: TextIO,
    stdout: TextIO,
    *,
    term: str = "",
    color: bool = True,
    plain: bool = False,
    agents: Sequence[str] = (),
    commands: Sequence[str] = (),
    history: Path | None = None,
) -> Screen:
    """Open the screen that fits the streams: a line editor on a terminal, plain lines on a dumb one and in a pipe.

    Args:
        stdin, stdout: where the person types and reads.
        term, color: what the environment's TERM and NO_COLOR say.
        plain: nothing is to move or be drawn, and each answer to begin with its agent's name, as for a screen reader.
        agents, commands, history: see `adapters.line_editor.EditorScreen`.
    """
    is_attended = stdin.isatty() and stdout.isatty()
    if not is_attended or plain or term == "dumb":
        return PlainScreen(stdin, stdout, is_attended=is_attended, names=plain or is_attended)
    from adapters.line_editor import EditorScreen  # prompt_toolkit, which nothing else needs

    return EditorScreen(stdin, stdout, agents=agents, commands=commands, history=history, color=color)
