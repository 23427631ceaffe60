"""Blanking what the journal still holds of forgotten facts, once they can no longer be put back.

The lines stay, with their hashes, so the chain holds; the texts go.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from memory.files.atomic import remove_leftovers, replace
from memory.files.digest import digest
from memory.files.journal import Journal
from memory.files.months import FOLDER
from memory.files.notation import forgotten_id
from memory.files.record import Record, read_record
from memory.files.undo import is_past
from memory.files.workspace import Workspace


def purge(workspace: Workspace, journal: Journal, now: datetime) -> int:
    """Blank the texts of every fact that was forgotten more than a day ago, and say how many facts that was.

    All records are blanked that are about one of them or have one of its lines in a text. The lock must be held.

    Raises:
        WriteFailed: the disk refused; what was not blanked will be next time.
    """
    due = {
        target: journal.record(forgotten.seq)
        for target, forgotten in journal.ledger.forgotten.items()
        if not forgotten.blanked and is_past(forgotten.at, now)
    }
    if due:
        traces = _Traces(due)
        for file in journal.months.listing():
            names = (*FOLDER, file.name)
            remove_leftovers(workspace, names)
            data = journal.months.read(file.name)
            blanked = b"\n".join(map(traces.blanked, data.split(b"\n")))
            if blanked != data:
                replace(workspace, names, blanked, expected=digest(data))
    return len(due)


class _Traces:
    """What forgotten facts are recognised by: their ids and their lines."""

    def __init__(self, forgotten: dict[str, Record]) -> None:
        self._ids = frozenset(forgotten)
        self._marks = tuple(f" ^{target}" for target in forgotten)
        self._lines = frozenset(_lines(record.before for record in forgotten.values()))

    def blanked(self, line: bytes) -> bytes:
        """A line of the journal, without its texts if they hold one of the facts."""
        try:
            record = read_record(line)
        except ValueError:
            return line
        return record.blanked().line().removesuffix(b"\n") if self._are_in(record) else line

    def _are_in(self, record: Record) -> bool:
        if record.target in self._ids:
            return True
        found = _lines((record.before, record.after))
        return not self._lines.isdisjoint(found) or any(line.endswith(self._marks) for line in found)


def _lines(texts: Iterable[str | None]) -> set[str]:
    """All lines of these texts but blank ones and the marks of forgotten lines."""
    found = {line.strip() for text in texts for line in (text or "").split("\n")}
    return {line for line in found if line and forgotten_id(line) is None}
