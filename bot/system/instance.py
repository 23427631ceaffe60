"""The process that serves a home: at most one, by a lock that the system takes back when it dies; what ends it."""

from __future__ import annotations

import asyncio
import json
import os
import signal
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from errno import EROFS
from pathlib import Path
from socket import gethostname
from typing import TYPE_CHECKING

from bot.errors import Locked
from bot.paths import Home
from bot.texts.catalogue import tr

if TYPE_CHECKING:
    from memory import Clock

PROBE_S = 0.3
"""Longer than somebody who only asks (`holder`) keeps the lock."""

ENDINGS = (signal.SIGTERM, signal.SIGHUP)
"""What `kill`, a service supervisor and a closing terminal window send."""

INTERRUPT = (*ENDINGS, signal.SIGINT)
"""The same, and Ctrl-C, where nobody types."""


@dataclass(frozen=True, slots=True)
class Holder:
    """The process that serves a home: what it wrote about itself when it took the lock. Older ones name no host."""

    pid: int
    command: str
    since: str
    host: str = ""

    def __str__(self) -> str:
        return tr(
            "{command}, process {pid}, since {since}",
            command=f"scrubjay {self.command}",
            pid=self.pid,
            since=self.since,
        )


@contextmanager
def hold(home: Home, *, command: str, clock: Clock) -> Iterator[Holder]:
    """Hold the lock of a home until the block, or the process, ends; raises `Locked` if another process has it."""
    from filelock import FileLock, Timeout

    described = holder_file(home)
    lock = FileLock(home.lock, timeout=PROBE_S, poll_interval=PROBE_S / 10, thread_local=False)
    try:
        lock.acquire()
    except Timeout as error:
        who = read_holder(home)
        named = f" ({who})" if who else ""
        end = tr("Close it there, or end it with: kill {pid}", pid=who.pid) if who else tr("Close it there.")
        reading = tr(
            "Reading works meanwhile (scrubjay memory recall ...). For a second one beside it, set SCRUBJAY_HOME to "
            "another folder."
        )
        message = tr("Scrubjay already runs on this home{named}: {state}", named=named, state=home.state)
        raise Locked(message, hint=f"{end}   {reading}") from error
    holder = Holder(os.getpid(), command, clock.now().astimezone().strftime("%Y-%m-%d %H:%M"), gethostname())
    try:
        described.write_text(json.dumps(asdict(holder)), encoding="utf-8")
        yield holder
    finally:
        described.unlink(missing_ok=True)
        lock.release()


def holder(home: Home) -> Holder | None:
    """Who serves a home now; None when nobody does, whatever a process that was killed left behind."""
    if not home.lock.exists():
        return None
    from filelock import FileLock, Timeout

    try:
        with FileLock(home.lock, timeout=0, thread_local=False):
            return None
    except Timeout:
        return read_holder(home) or Holder(0, "(unknown)", tr("an unknown time"))
    except OSError as error:
        if error.errno != EROFS:
            raise
        return None


def serves(home: Home) -> bool:
    """Whether who holds a home can be asked (`bot.service.control`), as a service can; a chat in a terminal cannot."""
    return home.control.exists() and holder(home) is not None


def holder_file(home: Home) -> Path:
    """Return the file in which the process that serves a home describes itself; a killed one leaves it behind."""
    return home.lock.with_suffix(".json")


def read_holder(home: Home) -> Holder | None:
    """Return what that file says, whether or not its process still runs; None if there is nothing to read."""
    try:
        fields = json.loads(holder_file(home).read_text(encoding="utf-8"))
        return Holder(int(fields["pid"]), str(fields["command"]), str(fields["since"]), str(fields.get("host", "")))
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None  # taken a moment ago and not yet written, or removed a moment ago


@contextmanager
def ending(stop: Callable[[], object], *, numbers: Collection[signal.Signals] = ENDINGS) -> Iterator[None]:
    """Call `stop` when one of these signals comes, instead of dying on the spot; for the running event loop."""
    loop = asyncio.get_running_loop()
    for number in numbers:
        loop.add_signal_handler(number, stop)
    try:
        yield
    finally:
        for number in numbers:
            loop.remove_signal_handler(number)
