"""What the terminal chat reads from and writes to, and the plain one: a pipe, or a terminal that can do nothing."""

from __future__ import annotations

import asyncio
import os
import re
import select
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Protocol, TextIO, TypeVar

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
