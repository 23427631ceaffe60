"""One session as a file of JSON lines: a line about the session, then one for each entry; only ever added to."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

from bot.durable import texts
from bot.durable.port import Among, Recorded, Session
from bot.durable.texts import Rewrite
from bot.files import put
from bot.text import as_json

CHUNK = 64 * 1024


class SessionFile:
    """A file in the making. What a crash left of its last line is cut off before anything is read or added."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def last(self) -> int:
        """The `seq` of the last entry; 0 if there is none.

        Raises:
            OSError: the system refuses.
        """
        if not self._path.exists():
            return 0
        with self._path.open("r+b") as file:
            return _repaired(file)

    def rewrite(self, rewrite: Rewrite, among: Among) -> None:
        """Give the file its entries with their texts rewritten, if it is of a conversation that is meant.

        Raises:
            OSError: the system refuses; the file is as it was.
        """
        lines = self._path.read_text(encoding="utf-8", errors="replace").split("\n")
        if not among(str(_parsed(lines[0]).get("key", ""))):
            return
        new = [_rewritten(one, rewrite) for one in lines]
        if new != lines:
            put(self._path, "\n".join(new))

    def add(self, session: Session, recorded: Iterable[Recorded]) -> None:
        """Add the entries that the file does not have; raises as `last` does."""
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with open(self._path, "a+b", opener=_private) as file:
            last = _repaired(file)
            opening = [heading(session)] if file.tell() == 0 else []
            lines = [*opening, *(line(one) for one in recorded if one.seq > last)]
            file.write("".join(lines).encode())


def heading(session: Session) -> str:
    """The line about the session."""
    return _written(
        {
            "type": "session",
            "id": session.id,
            "agent": session.agent,
            "key": session.key,
            "began": session.began.isoformat(),
        }
    )


def line(recorded: Recorded) -> str:
    """The line of an entry; `body` is as the state file holds it."""
    entry = recorded.entry
    return _written(
        {
            "type": entry.kind.value,
            "seq": recorded.seq,
            "turn": entry.turn,
            "at": entry.at.isoformat(),
            "body": json.loads(entry.body),
        }
    )


def _rewritten(text: str, rewrite: Rewrite) -> str:
    """A line with its texts rewritten; one that a crash left unfinished as a whole."""
    fields = _parsed(text)
    if not fields:
        return rewrite(text)
    new = texts.fields(fields, rewrite)
    return text if new == fields else _written(new).removesuffix("\n")


def _parsed(text: str) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _written(fields: dict[str, object]) -> str:
    return as_json(fields) + "\n"


def _repaired(file: BinaryIO) -> int:
    """Cut off what is no line of ours, and stand at the end; the `seq` of the last entry, 0 for the heading or less."""
    for end, text in _backwards(file):
        seq = _seq(text) if text.endswith(b"\n") else None
        if seq is not None:
            file.truncate(end)
            file.seek(end)
            return seq
    file.truncate(0)
    file.seek(0)
    return 0


def _seq(text: bytes) -> int | None:
    """The `seq` in a line, 0 in a heading; None if it is neither."""
    try:
        fields = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(fields, dict):
        return None
    seq = fields.get("seq", 0 if fields.get("type") == "session" else None)
    return seq if isinstance(seq, int) else None


def _backwards(file: BinaryIO) -> Iterator[tuple[int, bytes]]:
    """The lines of a file from the last one up, each with the place where it ends."""
    end = at = file.seek(0, os.SEEK_END)
    held = b""
    while at:
        step = min(CHUNK, at)
        at -= step
        file.seek(at)
        held = file.read(step) + held
        while (cut := held.rfind(b"\n", 0, -1)) >= 0:
            text, held = held[cut + 1 :], held[: cut + 1]
            yield end, text
            end -= len(text)
    if held:
        yield end, held


def _private(name: str, flags: int) -> int:
    return os.open(name, flags, 0o600)
