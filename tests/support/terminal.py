"""What a terminal chat can be attached to: pipes, and a pseudo-terminal whose screen can be read."""

from __future__ import annotations

import asyncio
import fcntl
import os
import pty
import select
import struct
import termios
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress

import pyte


class Pipes:
    """Standard input and output as pipes; use it through `pipes()`."""

    def __init__(self, stack: ExitStack) -> None:
        reading, self._typing = os.pipe()
        self._seen, writing = os.pipe()
        os.set_blocking(self._seen, False)
        self.stdin = stack.enter_context(os.fdopen(reading, encoding="utf-8"))
        self.stdout = os.fdopen(writing, "w", encoding="utf-8")
        stack.callback(self._close_output)
        stack.callback(self.stop_reading)
        stack.callback(self.hang_up)
        self._text = b""

    def type(self, data: bytes) -> None:
        """Write to standard input; more than a pipe holds blocks until it is read."""
        os.write(self._typing, data)

    def hang_up(self) -> None:
        """End standard input, and let threads that read it end."""
        if self._typing >= 0:
            os.close(self._typing)
            self._typing = -1
        for thread in threading.enumerate():
            if thread.name == "standard input":
                thread.join(5)

    def seen(self) -> str:
        """All of standard output so far."""
        with suppress(BlockingIOError):
            self._text += os.read(self._seen, 10_000_000)
        return self._text.decode()

    def stop_reading(self) -> None:
        """Close the other end of standard output, as `head` does."""
        if self._seen >= 0:
            os.close(self._seen)
            self._seen = -1

    def _close_output(self) -> None:
        with suppress(BrokenPipeError):  # what was to be shown after `stop_reading`
            self.stdout.close()


@contextmanager
def pipes() -> Iterator[Pipes]:
    """Pipes that are closed at the end."""
    with ExitStack() as stack:
        yield Pipes(stack)


class PseudoTerminal:
    """A terminal of 80 x 24 that a test types into and reads; use it through `pseudo_terminal()`.

    What is shown is read in a thread at once: a terminal that nobody reads holds 4 KB, and then lets its writer wait,
    which is the event loop of the test.
    """

    def __init__(self, stack: ExitStack) -> None:
        self._master, slave = pty.openpty()
        stack.callback(os.close, self._master)
        os.set_blocking(self._master, False)
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        reader = threading.Thread(target=self._read, name="pseudo-terminal", daemon=True)
        stack.callback(reader.join, 5)
        self.stdin = stack.enter_context(os.fdopen(os.dup(slave), encoding="utf-8"))
        self.stdout = stack.enter_context(os.fdopen(slave, "w", encoding="utf-8"))
        self.raw = b""
        self._screen = pyte.Screen(80, 24)
        self._stream = pyte.ByteStream(self._screen)
        self._lock = threading.Lock()
        self._waiting: tuple[asyncio.AbstractEventLoop, asyncio.Event] | None = None
        reader.start()

    def type(self, keys: str) -> None:
        """Press keys; Enter is `\\r`."""
        os.write(self._master, keys.encode())

    async def until(self, text: str) -> str:
        """Wait until the screen shows a text; the screen's lines."""
        changed = asyncio.Event()
        self._waiting = asyncio.get_running_loop(), changed
        try:
            async with asyncio.timeout(20):
                while text not in self.lines():
                    await changed.wait()
                    changed.clear()
        finally:
            with self._lock:
                self._waiting = None
        return self.lines()

    def lines(self) -> str:
        """What the screen shows."""
        with self._lock:
            return "\n".join(line.rstrip() for line in self._screen.display).rstrip()

    def _read(self) -> None:
        """Read until the other end is closed."""
        with suppress(OSError):
            while True:
                select.select([self._master], [], [])
                data = os.read(self._master, 65536)
                if not data:
                    return
                self._show(data)

    def _show(self, data: bytes) -> None:
        with self._lock:
            self.raw += data
            self._stream.feed(data)
            for _ in range(data.count(b"\x1b[6n")):  # "where is the cursor?"
                self.type(f"\x1b[{self._screen.cursor.y + 1};{self._screen.cursor.x + 1}R")
            if self._waiting:
                loop, changed = self._waiting
                loop.call_soon_threadsafe(changed.set)


@contextmanager
def pseudo_terminal() -> Iterator[PseudoTerminal]:
    """A pseudo-terminal that is closed at the end."""
    with ExitStack() as stack:
        yield PseudoTerminal(stack)
