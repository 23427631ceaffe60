"""Programs of this project that start at once: `tests.support.fork_server` has imported what they are made of."""

from __future__ import annotations

import atexit
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO

ROOT = Path(__file__).parents[2]
NUMBER_BYTES = 4
SERVER = "tests.support.fork_server"


@dataclass(frozen=True, slots=True)
class Completed:
    """The exit code of a process that has ended, negative for a signal, and what it wrote."""

    code: int
    output: bytes
    errors: bytes


class Forked:
    """A program that was started, or that waits for `go` if it is to be traced.

    Attributes:
        pid: its process, which is no child of this one.
    """

    def __init__(self, answers: socket.socket) -> None:
        self._answers = answers
        self.pid = self._number()

    def go(self) -> None:
        """Let it begin; whoever traces it sees for themselves how it ends."""
        with self._answers:
            self._answers.send(b"!")

    def wait(self, timeout_s: float) -> int:
        """Wait for its end; the exit code, negative for a signal. Raises TimeoutError when it had to be killed."""
        self._answers.settimeout(timeout_s)
        with self._answers:
            try:
                return self._number()
            except TimeoutError:
                os.kill(self.pid, signal.SIGKILL)
                raise

    def _number(self) -> int:
        answer = self._answers.recv(NUMBER_BYTES)
        if not answer:
            raise ConnectionError("what starts the tests' programs has ended; its last words are above")
        return int.from_bytes(answer, signed=True)


def fork(argv: Sequence[str], env: Mapping[str, str], streams: Sequence[IO[bytes]], *, calls: bytes = b"") -> Forked:
    """Start a program, `python -m MODULE ...` if it is one of ours, with standard streams and a whole environment.

    `calls` is a filter of system calls for a program that is to be traced.
    """
    wanted = {"argv": [*argv], "env": {**env}, "folder": str(Path.cwd()), "filter": calls.hex()}
    ours, theirs = socket.socketpair()
    with theirs, TemporaryFile() as request:
        request.write(json.dumps(wanted).encode())
        request.seek(0)
        descriptors = [request.fileno(), *(stream.fileno() for stream in streams), theirs.fileno()]
        socket.send_fds(_server(), [b"!"], descriptors)
    return Forked(ours)


def complete(argv: Sequence[str], env: Mapping[str, str], *, stdin: bytes = b"", timeout_s: float) -> Completed:
    """Run a program to its end."""
    with ExitStack() as stack:
        given, output, errors = (stack.enter_context(TemporaryFile()) for _ in range(3))
        given.write(stdin)
        given.seek(0)
        code = fork(argv, env, (given, output, errors)).wait(timeout_s)
        for stream in (output, errors):
            stream.seek(0)
        return Completed(code, output.read(), errors.read())


@cache
def _server() -> socket.socket:
    """Start the server of this process; it ends with it."""
    ours, theirs = socket.socketpair()
    with theirs:
        process = subprocess.Popen([sys.executable, "-X", "utf8", "-m", SERVER], stdin=theirs.fileno(), cwd=ROOT)
    atexit.register(process.wait)
    atexit.register(ours.close)
    return ours
