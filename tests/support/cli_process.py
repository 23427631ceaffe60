"""The command line as a process, between pipes or in a pseudo-terminal, on a fixed day."""

from __future__ import annotations

import os
import pty
import re
import signal
import subprocess
import sys
import termios
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Self

import pexpect
import pyte
from pexpect import fdpexpect

from tests.fakes.scrubjay import MORNING
from tests.support.forked import complete, fork

ROOT = Path(__file__).parents[2]
TIMEOUT_S = 60
STILL_S = 0.05
"""How long nothing is printed on a screen that is still: between two prompts keys mean something else."""
PROMPT = "personal>"
_PROMPT = re.compile(r"\w*>")
_LIVE = re.compile(r"^[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] \d+ s")
MENU = 12
"""Lines below the cursor in which completions may be shown."""


@dataclass(frozen=True, slots=True)
class CompletedCli:
    """The exit code and output of a finished process."""

    code: int
    out: str
    err: str


def command(*words: str, at: datetime = MORNING) -> list[str]:
    """Return the command that runs `scrubjay WORDS` on that day."""
    return [sys.executable, "-m", "tests.fakes.scrubjay", "--at", at.isoformat(), *words]


def environment(home: Path) -> dict[str, str]:
    """Return the whole environment of the process."""
    return {
        "SCRUBJAY_HOME": str(home),
        "HOME": str(home.parent),
        "PATH": os.defpath,
        "PYTHONPATH": str(ROOT),
        "PYTHONUTF8": "1",
        "TERM": "xterm",
        "TZ": "Europe/Berlin",
    }


def run(home: Path, *words: str, stdin: str | bytes = b"", at: datetime = MORNING) -> CompletedCli:
    """Run `scrubjay WORDS` to its end."""
    given = stdin.encode() if isinstance(stdin, str) else stdin
    done = complete(command(*words, at=at), environment(home), stdin=given, timeout_s=TIMEOUT_S)
    return CompletedCli(done.code, done.output.decode(), done.errors.decode())


def start(home: Path, *words: str, at: datetime = MORNING) -> subprocess.Popen[bytes]:
    """Start `scrubjay WORDS` between pipes."""
    pipe = subprocess.PIPE
    return subprocess.Popen(command(*words, at=at), env=environment(home), stdin=pipe, stdout=pipe, stderr=pipe)


class TerminalProcess:
    """A process in a pseudo-terminal so tall that nothing scrolls away; leaving the block kills the process."""

    COLUMNS, LINES = 110, 700

    def __init__(
        self, home: Path, *words: str, at: datetime = MORNING, columns: int = COLUMNS, **more_environment: str
    ) -> None:
        self._columns = columns
        self.raw = b""
        ours, theirs = pty.openpty()
        termios.tcsetwinsize(theirs, (self.LINES, columns))
        modes = termios.tcgetattr(theirs)
        modes[3] &= ~termios.ECHO
        termios.tcsetattr(theirs, termios.TCSANOW, modes)
        self._terminal = fdpexpect.fdspawn(ours)
        with os.fdopen(theirs, "r+b", buffering=0) as terminal:
            self._program = fork(command(*words, at=at), environment(home) | more_environment, [terminal] * 3)
        self._code: int | None = None
        self._screen = pyte.Screen(columns, self.LINES)
        self._stream = pyte.ByteStream(self._screen)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._code is None:
            with suppress(ProcessLookupError):  # it has ended by itself
                os.kill(self.pid, signal.SIGKILL)
            self._program.wait(TIMEOUT_S)
        self._terminal.close()

    @property
    def pid(self) -> int:
        """The program's process."""
        return self._program.pid

    def press(self, keys: str) -> None:
        """Press keys once the screen is still, as a person would; Enter is `\\r`, Ctrl-D `\\x04`."""
        while self._look(STILL_S):
            pass
        self._terminal.send(keys.encode())

    def ask(self, text: str, *, until: str = "") -> str:
        """Type a line, and wait for its answer, with these words in it, and the next prompt; the answer."""
        self.until(lambda lines: bool(lines and _PROMPT.fullmatch(lines[-1])) and not self.status())
        start = len(self.lines())
        self.press(f"{text}\r")

        def is_answered(lines: list[str]) -> bool:
            answer = lines[start:]
            is_prompting = len(answer) > 1 and _PROMPT.fullmatch(answer[-1]) and not self.status()
            return bool(is_prompting) and until in collapse_whitespace("\n".join(answer))

        return "\n".join(self.until(is_answered)[start:-1])

    def until(self, condition: Callable[[list[str]], bool]) -> list[str]:
        """Wait until the lines on the screen are as they should be; the lines."""
        while not condition(lines := self.lines()):
            if not self._look():
                raise AssertionError("it never came to this; the screen shows:\n" + "\n".join(lines))
        return lines

    def lines(self) -> list[str]:
        """Return the lines on the screen, without empty ones at the end."""
        lines = [self._line(y) for y in range(min(self.LINES, self._screen.cursor.y + MENU))]
        while lines and not lines[-1]:
            lines.pop()
        return lines

    def status(self) -> str:
        """Return the screen while the line is there that says that an answer is being made; else nothing."""
        lines = self.lines()
        return "\n".join(lines) if any(map(_LIVE.match, lines)) else ""

    def _line(self, y: int) -> str:
        return "".join(self._screen.buffer[y][x].data for x in range(self._columns)).rstrip()

    def ended(self) -> int:
        """Wait for the end of the process and return its exit code, negative for a signal."""
        while self._look():
            pass
        if self._code is None:
            self._code = self._program.wait(TIMEOUT_S)
        return self._code

    def _look(self, timeout_s: float = TIMEOUT_S) -> bool:
        """Take in what the program has printed; False if nothing comes any more."""
        try:
            data = self._terminal.read_nonblocking(65536, timeout=timeout_s)
        except (pexpect.EOF, pexpect.TIMEOUT):
            return False
        self.raw += data
        self._stream.feed(data)
        for _ in range(data.count(b"\x1b[6n")):  # "where is the cursor?"
            self._terminal.send(f"\x1b[{self._screen.cursor.y + 1};{self._screen.cursor.x + 1}R".encode())
        return True


def collapse_whitespace(text: str) -> str:
    """Undo the wrapping and indenting of the terminal."""
    return " ".join(text.split())
