"""The instance lock: at most one process serves a home. The system takes it back when the process dies."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from bot.errors import Locked
from bot.paths import Home
from bot.texts import tr
from memory import Clock

PROBE_S = 0.3
"""Longer than somebody who only asks (`holder`) keeps the lock."""


@dataclass(frozen=True, slots=True)
class Holder:
    """The process that serves a home: what it wrote about itself when it took the lock."""

    pid: int
    command: str
    since: str

    def __str__(self) -> str:
        return tr(
            "{command}, process {pid}, since {since}",
            command=f"scrubjay {self.command}",
            pid=self.pid,
            since=self.since,
        )


@contextmanager
def hold(home: Home, *, command: str, clock: Clock) -> Iterator[Holder]:
    """Serve a home: hold its lock until the block ends, or the process does, by whatever means.

    Raises:
        Locked: another process serves this home.
    """
    from filelock import FileLock, Timeout

    card = _card(home)
    lock = FileLock(home.lock, timeout=PROBE_S, poll_interval=PROBE_S / 10, thread_local=False)
    try:
        lock.acquire()
    except Timeout as error:
        who = _read(card)
        named = f" ({who})" if who else ""
        end = tr("Close it there, or end it with: kill {pid}", pid=who.pid) if who else tr("Close it there.")
        reading = tr(
            "Reading works meanwhile (scrubjay memory recall ...). For a second one beside it, set SCRUBJAY_HOME to "
            "another folder."
        )
        raise Locked(
            tr("Scrubjay already runs on this home{named}: {state}", named=named, state=home.state),
            hint=f"{end}   {reading}",
        ) from error
    holder = Holder(os.getpid(), command, clock.now().astimezone().strftime("%Y-%m-%d %H:%M"))
    try:
        card.write_text(json.dumps({"pid": holder.pid, "command": command, "since": holder.since}), encoding="utf-8")
        yield holder
    finally:
        card.unlink(missing_ok=True)
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
        return _read(_card(home)) or Holder(0, "(unknown)", tr("an unknown time"))


def _card(home: Home) -> Path:
    return home.lock.with_suffix(".json")


def _read(card: Path) -> Holder | None:
    try:
        told = json.loads(card.read_text(encoding="utf-8"))
        return Holder(int(told["pid"]), str(told["command"]), str(told["since"]))
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None  # taken a moment ago and not yet written, or removed a moment ago
