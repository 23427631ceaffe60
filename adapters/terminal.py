"""The terminal as a chat platform, on a plain screen or with a line editor."""

from __future__ import annotations

import asyncio
import io
import os
import re
import select
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TextIO, TypeVar

from adapters.port import (
    Address,
    Capabilities,
    ChatKind,
    Inbound,
    InboundHandler,
    Outbound,
    Receipt,
    Sender,
    SendRefused,
)

if TYPE_CHECKING:
    from prompt_toolkit import PromptSession


T = TypeVar("T")

LONGEST = 4 * 1024 * 1024
"""Bytes of one line; what goes beyond is read as the next one."""

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


class ScreenGone(Exception):
    """Nobody reads any more: the terminal was closed, or the program at the other end of the pipe has ended."""


class Interrupted(Exception):
    """The person pressed Ctrl-C: enough of this answer, not of the conversation."""


class Screen(Protocol):
    """A person's side of the conversation."""

    @property
    def waits(self) -> bool:
        """Whether each line is answered before the next one is read."""
        ...

    async def read(self) -> str | None:
        """The next thing that the person entered; None when they have left; raises `Interrupted`."""
        ...

    async def progress(self, text: str, doing: str) -> None:
        """Show how far the answer has come and what goes on; nothing of both when it is there."""
        ...

    async def show(self, text: str) -> None:
        """Print Markdown; raises `ScreenGone`."""
        ...


def printable(text: str) -> str:
    """The text without what a terminal would obey instead of showing it: escape sequences, direction overrides."""
    return _CONTROL.sub("\ufffd", text)


class PlainScreen:
    """Lines in, lines out.

    Args:
        stdin: read through its file descriptor, so nothing else may have read from it.
        stdout: where answers go.
        prompt: printed before each line is read.
    """

    waits = True

    def __init__(self, stdin: TextIO, stdout: TextIO, *, prompt: str = "") -> None:
        self._lines = _Lines(stdin.fileno())
        self._stdout = stdout
        self._prompt = prompt

    async def read(self) -> str | None:
        if self._prompt:
            self._write(self._prompt)
        line = await _in_thread(self._lines.next)
        return None if line is None else line.decode(errors="replace").replace("\x00", "")

    async def progress(self, text: str, doing: str) -> None:
        """What is printed stays; so only the whole answer is."""

    async def show(self, text: str) -> None:
        self._write(f"{printable(text)}\n")

    def _write(self, text: str) -> None:
        encoding = self._stdout.encoding or "utf-8"
        try:
            self._stdout.write(text.encode(encoding, "replace").decode(encoding))
            self._stdout.flush()
        except (OSError, ValueError) as error:  # a closed pipe, a closed file
            raise ScreenGone(f"The answer cannot be printed: {error}.") from error


class _Lines:
    """Lines of a file descriptor. Not through Python's buffered reader, whose lock would outlive a cancelled read."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._read = bytearray()
        self._has_ended = False

    def next(self) -> bytes | None:
        """Block until there is a line, without its end; None when there are no more."""
        while b"\n" not in self._read[:LONGEST] and len(self._read) < LONGEST and not self._has_ended:
            self._more()
        if not self._read:
            return None
        line, end, _ = self._read[:LONGEST].partition(b"\n")
        del self._read[: len(line) + len(end)]
        return bytes(line.removesuffix(b"\r"))

    def _more(self) -> None:
        select.select([self._descriptor], [], [])  # whoever shares the pipe may have made it non-blocking
        try:
            chunk = os.read(self._descriptor, 65536)
        except OSError:  # the terminal hung up
            chunk = b""
        self._read += chunk
        self._has_ended = not chunk


async def _in_thread(function: Callable[[], T]) -> T:
    """Run what may block for ever, in a thread that does not keep the process from ending."""
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


PROMPT = "> "

_SOFT_BREAK = re.compile(r"(?<!\n)\n(?!\n)")


LINES_OF_PROGRESS = 6
"""The end of a growing answer that is shown below the prompt."""


class _Left(Exception):
    """Ctrl-D."""


class EditorScreen:
    """What is typed comes at once; answers appear when they come.

    Args:
        stdin, stdout: a terminal, both of them.
        commands: what Tab completes after a slash, without it.
        history: a file that keeps what was typed for the next session; None keeps nothing.
        color: whether answers may be coloured; bold and italics remain.
    """

    waits = False

    def __init__(
        self,
        stdin: TextIO,
        stdout: TextIO,
        *,
        commands: Sequence[str] = (),
        history: Path | None = None,
        color: bool = True,
    ) -> None:
        self._session = _session(stdin, stdout, commands=commands, history=history)
        self._color = color
        self._progress = ""
        self._session.bottom_toolbar = lambda: self._progress or None

    async def read(self) -> str | None:
        try:
            return await self._session.prompt_async()
        except _Left:
            return None

    async def progress(self, text: str, doing: str) -> None:
        lines = printable(text).splitlines()[-LINES_OF_PROGRESS:]
        self._progress = "\n".join([*lines, *([f"{doing}…"] if doing else [])])
        if self._session.app.is_running:
            self._session.app.invalidate()

    async def show(self, text: str) -> None:
        from prompt_toolkit.application import run_in_terminal

        output = self._session.output
        drawn = rendered(printable(text), width=output.get_size().columns, color=self._color)

        def draw() -> None:
            output.write_raw(drawn.replace("\n", "\r\n"))
            output.flush()

        try:
            if self._session.app.is_running:
                await run_in_terminal(draw)
            else:
                draw()
        except OSError as error:
            raise ScreenGone(f"The answer cannot be printed: {error}.") from error


def rendered(text: str, *, width: int, color: bool = True) -> str:
    """Markdown as lines for a terminal. Line breaks stay where they are; links show where they lead; tags are text."""
    from markdown_it import MarkdownIt
    from rich.console import Console
    from rich.markdown import Markdown

    console = Console(file=io.StringIO(), force_terminal=True, width=width, no_color=not color, legacy_windows=False)
    with console.capture() as captured:
        page = Markdown("", hyperlinks=False)
        page.parsed = (
            MarkdownIt("commonmark", {"html": False})
            .enable(["strikethrough", "table"])
            .parse(_SOFT_BREAK.sub("  \n", text))
        )
        console.print(page)
    return captured.get()


def _session(stdin: TextIO, stdout: TextIO, *, commands: Sequence[str], history: Path | None) -> PromptSession[str]:
    from prompt_toolkit import PromptSession
    from prompt_toolkit.completion import WordCompleter
    from prompt_toolkit.history import InMemoryHistory
    from prompt_toolkit.input import create_input
    from prompt_toolkit.output import create_output

    from adapters.prompt_history import KeptHistory

    return PromptSession(
        PROMPT,
        completer=WordCompleter([f"/{name}" for name in commands], sentence=True),
        complete_while_typing=False,
        history=KeptHistory(history) if history else InMemoryHistory(),
        input=create_input(stdin),
        output=create_output(stdout),
        interrupt_exception=Interrupted,
        eof_exception=_Left,
    )


HERE = Address("terminal", "local", "owner", ChatKind.PRIVATE)
"""The only chat. Whoever sits here has the files anyway, so they are the owner: `terminal:owner`."""

LEAVE = "(Nothing is under way. Ctrl-D leaves.)"
REMARK = "(To what you wrote in an earlier session:)"

LEAVING = frozenset({"exit", "quit", "/exit", "/quit"})
"""What people type to leave a program; taken as that at a prompt only, through a pipe it is a line like any other."""


class TerminalAdapter:
    """One person at one screen.

    Args:
        screen: what they see and type into.
        run: names this process; update ids are made of it, so it must not have been used before, unless the same
            lines are fed again and are to be recognised.
        now: the current instant, aware.
        person: what they are called.
        greeting: shown first to somebody who sits at a prompt.
    """

    platform = HERE.platform
    bot = HERE.bot
    capabilities = Capabilities(text_limit=1_000_000, at_least_once=True)

    def __init__(
        self, screen: Screen, *, run: str, now: Callable[[], datetime], person: str = "", greeting: str = ""
    ) -> None:
        self._screen = screen
        self._run = run
        self._now = now
        self._person = person
        self._greeting = greeting
        self._asked: dict[str, asyncio.Event] = {}
        self._hushed: set[str] = set()
        self._is_gone = False

    async def run(self, door: InboundHandler) -> None:
        """Bring what is typed to the door until the person leaves; a screen that waits has the last answer by then."""
        if self._greeting and not self._screen.waits:
            with suppress(SendRefused):
                await self._show(self._greeting)
        while not self._is_gone:
            try:
                text = await self._screen.read()
            except Interrupted:
                await self._interrupt(door)
                continue
            if text is None or (not self._screen.waits and text.strip().lower() in LEAVING):
                return
            if text.strip():
                await self._ask(door, text)

    async def send(self, out: Outbound) -> Receipt:
        """Print it, with a remark if the question is from an earlier process.

        What is sent again is printed again: a process that was killed may have printed it without a record of that.
        """
        answered = self._asked.get(out.reply_to or "")
        if out.reply_to not in self._hushed:
            remark = () if answered or not out.reply_to else (REMARK,)
            await self._show("\n".join([*remark, out.text, *_extras(out)]))
        if answered and out.last:
            answered.set()
        return Receipt(out.id)

    async def edit(self, receipt: Receipt, out: Outbound) -> None:
        """What is printed is printed."""
        raise SendRefused(f"A terminal cannot edit {receipt.message}, to say {out.id} instead.")

    async def typing(self, to: Address) -> None:
        """`progress` says more."""

    async def progress(self, to: Address, text: str, doing: str) -> None:
        """Show how far the answer has come and what goes on."""
        assert to == HERE
        await self._screen.progress(text, doing)

    async def announce(self, text: str) -> None:
        """Print a line that answers nothing; a pipe, which is to hold answers alone, is spared it."""
        if not self._screen.waits:
            await self._show(text)

    async def _ask(self, door: InboundHandler, text: str) -> None:
        update = self._next_update
        answered = self._asked[update] = asyncio.Event()
        sender = Sender(HERE.chat, self._person)
        is_new = await door.receive(
            Inbound(update, HERE, sender, text, update, self._now(), is_unattended=self._screen.waits)
        )
        if is_new and self._screen.waits:
            await answered.wait()

    @property
    def _next_update(self) -> str:
        return f"{self._run}-{len(self._asked) + 1}"

    async def _interrupt(self, door: InboundHandler) -> None:
        """Ctrl-C ends the answer that is under way; it never ends the program by surprise.

        What becomes of that answer is shown; what is answered to the `/stop` itself, which nobody typed, is not.
        """
        if any(not answered.is_set() for answered in self._asked.values()):
            self._hushed.add(self._next_update)
            await self._ask(door, "/stop")
        else:
            await self._show(LEAVE)

    async def _show(self, text: str) -> None:
        try:
            await self._screen.progress("", "")
            await self._screen.show(text)
        except ScreenGone as error:
            self._is_gone = True
            for answered in self._asked.values():
                answered.set()
            raise SendRefused(str(error)) from error


def _extras(out: Outbound) -> list[str]:
    """Choices as what to type (a yes and a no, or the numbers of more than two), files as where they are."""
    keys = "yn" if len(out.buttons) <= 2 else map(str, range(1, len(out.buttons) + 1))
    choices = [f"- {button.label}: `{key}`" for key, button in zip(keys, out.buttons, strict=False)]
    return [*choices, *(f"- file: {path}" for path in out.files)]


def open_screen(
    stdin: TextIO,
    stdout: TextIO,
    *,
    term: str = "",
    color: bool = True,
    commands: Sequence[str] = (),
    history: Path | None = None,
) -> Screen:
    """The screen that fits the streams: a line editor on a terminal, plain lines on a dumb one and through a pipe.

    Args:
        stdin: where the person types.
        stdout: where they read.
        term: the environment's TERM.
        color: False where NO_COLOR is set.
        commands: slash commands to complete, without the slash.
        history: where the line editor keeps what was typed.
    """
    if not (stdin.isatty() and stdout.isatty()):
        return PlainScreen(stdin, stdout)
    if term == "dumb":
        return PlainScreen(stdin, stdout, prompt=PROMPT)
    return EditorScreen(stdin, stdout, commands=commands, history=history, color=color)
