"""Becomes programs that tests start, in copies of itself that have imported this project already.

    python -m tests.support.fork_server

Importing takes most of the CPU time of a short program, and tests start hundreds of them. Each is a process of its own
all the same, with its environment, streams and exit code: it can be killed, traced and started again. Requests come
through the socket that is standard input; `tests.support.forked` makes them. Programs that are not modules of this
project start afresh, and so do all where the system is not Linux: libraries of others do not stand being copied.
"""

from __future__ import annotations

import fcntl
import gc
import json
import os
import pkgutil
import runpy
import signal
import socket
import sys
import termios
import time
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from typing import Any, NoReturn

import adapters
import bot
import memory
from bot.config.environment import VARIABLES, no_plugins, one_thread_for_products
from tests.chaos import ptrace
from tests.support.forked import NUMBER_BYTES

STREAMS = (("stdin", "r", "surrogateescape"), ("stdout", "w", "surrogateescape"), ("stderr", "w", "backslashreplace"))
"""Names of the standard streams, how they are opened, and what becomes of bytes that are no text, as Python has it."""


def preload() -> None:
    """Import all that a program of this project may; what is not installed is missed by those that need it."""
    for package in (adapters, bot, memory):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if not module.name.endswith("__main__"):
                with suppress(ImportError):
                    import_module(module.name)


def serve(requests: socket.socket) -> None:
    """Carry out requests until nobody can make any; comes back in a copy that has become a program, too."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the processes that wait for programs are waited for by nobody
    while True:
        message, descriptors, *_ = socket.recv_fds(requests, 1, len(STREAMS) + 2)
        if not message:
            return
        if os.fork():
            for descriptor in descriptors:
                os.close(descriptor)
            continue
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        requests.close()
        request, *streams, answers = descriptors
        with os.fdopen(request) as file:
            wanted = json.load(file)
        with socket.socket(fileno=answers) as asked_by:
            if program := os.fork():
                accompany(program, streams, asked_by)
            become(wanted, streams, asked_by)
        return


def accompany(program: int, streams: Sequence[int], asked_by: socket.socket) -> NoReturn:
    """Tell a program's process id, and later how it has ended."""
    for stream in streams:
        os.close(stream)
    asked_by.sendall(program.to_bytes(NUMBER_BYTES, signed=True))
    _, status = os.waitpid(program, 0)
    with suppress(ConnectionError):  # nobody wants to know
        asked_by.sendall(os.waitstatus_to_exitcode(status).to_bytes(NUMBER_BYTES, signed=True))
    os._exit(0)


def become(wanted: dict[str, Any], streams: Sequence[int], asked_by: socket.socket) -> None:
    """Take over everything in which one process differs from another, and run."""
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    if os.isatty(0):
        os.setsid()
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    os.chdir(wanted["folder"])
    if wanted["filter"]:
        asked_by.recv(1)  # until it is traced
        ptrace.install(bytes.fromhex(wanted["filter"]))
    asked_by.close()
    program, *words = wanted["argv"]
    if words[0] != "-m" or sys.platform != "linux":
        os.execve(program, [program, *words], wanted["env"])
    for number, (name, mode, errors) in enumerate(STREAMS):
        setattr(sys, name, os.fdopen(number, mode, encoding="utf-8", errors=errors, closefd=False))
    VARIABLES.clear()
    VARIABLES.update(wanted["env"])
    time.tzset()
    _, module, *sys.argv[1:] = words
    runpy.run_module(module, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    one_thread_for_products()
    no_plugins()
    if sys.platform == "linux":
        preload()
        gc.collect()
        gc.freeze()
    serve(socket.socket(fileno=os.dup(0)))
