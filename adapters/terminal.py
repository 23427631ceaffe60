"""Terminal adapter: one person at one screen, and the file of what they typed."""

from __future__ import annotations

import asyncio
import os
import select
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import datetime
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Protocol, TextIO, TypeVar

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
from adapters.support import printable

T = TypeVar("T")

PROMPT = "> "

MAX_LINE_BYTES = 4 * 1024 * 1024
"""What goes beyond is read as the next line."""


class ScreenClosed(Exception):
    """The terminal was closed, or the program at the other end of the pipe has ended."""


class Interrupted(Exception):
    """The person pressed Ctrl-C, which stops the answer and not the conversation."""


class Screen(Protocol):
    """What the terminal adapter reads from and prints to."""

    @property
    def waits(self) -> bool:
        """Whether each line is answered before the next one is read."""
        ...

    async def read(self) -> str | None:
        """Return the next input; None when the person has left; raises `Interrupted`."""
        ...

    async def progress(self, text: str, doing: str) -> None:
        """Show how far the answer has come and what is being done; two empty texts when it is complete."""
        ...

    async def show(self, text: str) -> None:
        """Print Markdown; raises `ScreenClosed`."""
        ...


class PlainScreen:
    """A screen without a line editor: one line is read, then its answer is printed.

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
        line = await _run_in_daemon_thread(self._lines.next)
        return None if line is None else line.decode(errors="replace").replace("\x00", "")

    async def progress(self, text: str, doing: str) -> None:
        """Show nothing: only the complete answer is printed."""

    async def show(self, text: str) -> None:
        self._write(f"{printable(text)}\n")

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
        self._read = bytearray()
        self._has_ended = False

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
"""The only chat. A person at the terminal can read all files anyway, so they are the owner: `terminal:owner`."""

IDLE_NOTICE = "(Nothing is under way. Ctrl-D leaves.)"
REMARK = "(To what you wrote in an earlier session:)"

EXIT_WORDS = frozenset({"exit", "quit", "/exit", "/quit"})
"""What people type to leave a program. They leave at a prompt only; in a pipe they are lines like any other."""


class TerminalAdapter:
    """`adapters.port.Adapter` for one person at one screen.

    Args:
        screen: where they type and read.
        run: names this process and begins its update ids, so it must be new, unless the same lines are fed again and
            are to be recognised.
        now: the current instant, aware.
        person: what they are called.
        greeting: shown first to somebody who sits at a prompt.
    """

    platform = HERE.platform
    bot = HERE.bot
    capabilities = Capabilities(text_limit=1_000_000, at_least_once=True, file_limit=2**40)

    def __init__(
        self, screen: Screen, *, run: str, now: Callable[[], datetime], person: str = "", greeting: str = ""
    ) -> None:
        self._screen = screen
        self._run = run
        self._now = now
        self._person = person
        self._greeting = greeting
        self._answered: dict[str, asyncio.Event] = {}
        self._suppressed: set[str] = set()
        self._is_closed = False

    async def run(self, handler: InboundHandler) -> None:
        """Hand input to the handler until the person leaves; a screen that waits has the last answer by then."""
        if self._greeting and not self._screen.waits:
            with suppress(SendRefused):
                await self._show(self._greeting)
        while not self._is_closed:
            try:
                text = await self._screen.read()
            except Interrupted:
                # The answer to this /stop, which nobody typed, is not shown.
                if any(not answered.is_set() for answered in self._answered.values()):
                    self._suppressed.add(self._next_update)
                    await self._submit(handler, "/stop")
                else:
                    await self._show(IDLE_NOTICE)
                continue
            if text is None or (not self._screen.waits and text.strip().lower() in EXIT_WORDS):
                return
            if text.strip():
                await self._submit(handler, text)

    async def send(self, out: Outbound) -> Receipt:
        """Print it, with a remark if the question is from an earlier process.

        What is sent again is printed again: a process that was killed may have printed it without a record of that.
        """
        answered = self._answered.get(out.reply_to or "")
        if out.reply_to not in self._suppressed:
            remark = () if answered or not out.reply_to else (REMARK,)
            keys = "yn" if len(out.buttons) <= 2 else map(str, range(1, len(out.buttons) + 1))
            choices = [f"- {button.label}: `{key}`" for key, button in zip(keys, out.buttons, strict=False)]
            files = [f"- file: {path}" for path in out.files]
            await self._show("\n".join([*remark, out.text, *choices, *files]))
        if answered and out.last:  # what was written before it is answered with it, or was before
            for earlier in self._answered.values():
                earlier.set()
                if earlier is answered:
                    break
        return Receipt(out.id)

    async def edit(self, receipt: Receipt, out: Outbound) -> None:
        """Refuse: what is printed cannot be changed."""
        raise SendRefused(f"A terminal cannot edit {receipt.message}, to say {out.id} instead.")

    async def typing(self, to: Address) -> None:
        """Show nothing; `progress` shows more."""

    async def progress(self, to: Address, text: str, doing: str) -> None:
        """Show how far the answer has come and what is being done."""
        assert to == HERE
        await self._screen.progress(text, doing)

    async def announce(self, text: str) -> None:
        """Print a line that answers nothing, except to a pipe, which holds answers only."""
        if not self._screen.waits:
            await self._show(text)

    async def _submit(self, handler: InboundHandler, text: str) -> None:
        update = self._next_update
        answered = self._answered[update] = asyncio.Event()
        sender = Sender(HERE.chat, self._person)
        is_new = await handler.receive(
            Inbound(
                update, HERE, sender, text, update, self._now(), is_unattended=self._screen.waits, awaits_answer=True
            )
        )
        if is_new and self._screen.waits:
            await answered.wait()

    @property
    def _next_update(self) -> str:
        return f"{self._run}-{len(self._answered) + 1}"

    async def _show(self, text: str) -> None:
        try:
            await self._screen.progress("", "")
            await self._screen.show(text)
        except ScreenClosed as error:
            self._is_closed = True
            for answered in self._answered.values():
                answered.set()
            raise SendRefused(str(error)) from error


def open_screen(
    stdin: TextIO,
    stdout: TextIO,
    *,
    term: str = "",
    color: bool = True,
    commands: Sequence[str] = (),
    history: Path | None = None,
) -> Screen:
    """Open the screen that fits the streams: a line editor on a terminal, plain lines on a dumb one and in a pipe.

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
    from adapters.line_editor import EditorScreen  # prompt_toolkit, which nothing else needs

    return EditorScreen(stdin, stdout, commands=commands, history=history, color=color)


_TYPED = "+"


def rewrite_history(path: Path, rewrite: Callable[[str], str]) -> bool:
    """Rewrite every entry of the line editor's history, as prompt_toolkit keeps it; an open prompt loads the new file.

    The file has, for each entry, a line with the time, and the lines typed with a `+` in front.

    Returns:
        Whether it changed.

    Raises:
        OSError: the system refuses; the file is as it was.
    """
    if not path.exists():
        return False
    text = path.read_text(encoding="utf-8", errors="replace")
    lines: list[str] = []
    for is_typed, group in groupby(text.splitlines(keepends=True), key=lambda line: line.startswith(_TYPED)):
        if is_typed:
            entry = "".join(line.removeprefix(_TYPED) for line in group)
            lines += [f"{_TYPED}{line}\n" for line in rewrite(entry.removesuffix("\n")).split("\n")]
        else:
            lines += group
    new = "".join(lines)
    if new == text:
        return False
    temporary = path.with_name(f"{path.name}.tmp")
    with open(temporary, "w", encoding="utf-8", opener=partial(os.open, mode=0o600)) as file:
        file.write(new)
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)
    return True
