"""What happened on a test server, in order: kept in memory and, if wanted, as JSON lines on disk."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from contextlib import suppress
from io import TextIOWrapper
from pathlib import Path
from typing import Any

from memory.ports import Clock, SystemClock

Entry = dict[str, Any]
"""`n` counts from 1, `at` is the server's time, `kind` says what happened; the rest depends on the kind."""


class Ledger:
    """An append-only list of entries.

    Entries are recorded on the server's event loop. A path makes each entry a line of that file as well, written out
    at once: the file is read after the program under test was killed, the server itself lives on.
    """

    def __init__(self, path: Path | None = None, *, clock: Clock | None = None) -> None:
        self._entries: list[Entry] = []
        self._clock = clock or SystemClock()
        self._file: TextIOWrapper | None = path.open("a", encoding="utf-8", buffering=1) if path else None
        self._grown = asyncio.Event()

    def record(self, kind: str, **fields: Any) -> Entry:
        """Append an entry; the fields must be JSON."""
        entry = {"n": len(self._entries) + 1, "at": self._clock.now().isoformat(), "kind": kind, **fields}
        self._entries.append(entry)
        if self._file:
            self._file.write(json.dumps(entry, ensure_ascii=False) + "\n")
        grown, self._grown = self._grown, asyncio.Event()
        grown.set()
        return entry

    def entries(self, kind: str | None = None, *, since: int = 0) -> list[Entry]:
        """The entries after number `since`, all or those of one kind."""
        return [entry for entry in self._entries[since:] if kind in {None, entry["kind"]}]

    async def grown(self, *, since: int, wait_s: float) -> list[Entry]:
        """The entries after number `since`; if there is none yet, waits for one, at most `wait_s` seconds."""
        if len(self._entries) <= since and wait_s > 0:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._grown.wait(), wait_s)
        return self.entries(since=since)

    def close(self) -> None:
        """Let go of the file and of everybody who waits."""
        self._grown.set()
        if self._file:
            self._file.close()


def read(path: Path) -> list[Entry]:
    """The entries of a ledger on disk."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def bot_message(*, chat: int = 0, text: str = "", kind: str = "message") -> Callable[[Entry], bool]:
    """Fits ledger entries of the bot's new (or with `kind="edit"` edited) messages; `text` is a part of theirs."""

    def fits(entry: Entry) -> bool:
        is_there = not chat or entry.get("chat") == str(chat)
        return entry["kind"] == kind and entry["by"] == "bot" and is_there and text in entry["text"]

    return fits
