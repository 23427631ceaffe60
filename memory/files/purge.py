"""Blanking what the journal still holds of forgotten facts, once they can no longer be put back.

The lines stay, with their hashes, so the chain holds; the texts go.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime

from memory.files.atomic import remove_leftovers, replace
from memory.files.digest import digest
from memory.files.journal import Journal
from memory.files.months import FOLDER
from memory.files.notation import forgotten_id
from memory.files.record import Record, read_record
from memory.files.undo import is_past
from memory.files.workspace import Workspace

Repeats = Callable[[str], bool]
"""Whether a text repeats what was forgotten."""


def due(journal: Journal, now: datetime, *, at_once: bool = False) -> list[Record]:
    """The records of what was forgotten, not put back and not blanked yet: a day ago, or at any time."""
    forgotten = journal.ledger.forgotten.values()
    return [journal.record(one.seq) for one in forgotten if not one.blanked and (at_once or is_past(one.at, now))]


def purge(workspace: Workspace, journal: Journal, records: Sequence[Record], repeats: Repeats) -> None:
    """Blank the texts of facts that were forgotten by these records. The lock must be held.

    All records are blanked that are about one of them, have one of its lines in a text, or wrote other lines that
    repeat it. What was set aside of a line that was never finished goes with them, if it does.

    Raises:
        WriteFailed: the disk refused; what was not blanked will be next time.
    """
    if not records:
        return
    traces = _Traces(records, repeats)
    for file in journal.months.listing():
        names = (*FOLDER, file.name)
        remove_leftovers(workspace, names)
        data = journal.months.read(file.name)
        blanked = b"\n".join(map(traces.blanked, data.split(b"\n")))
        if blanked != data:
            replace(workspace, names, blanked, expected=digest(data))
    for name in journal.months.torn():
        if traces.are_in_text(journal.months.read(name).decode(errors="replace")):
            journal.months.remove(name)


class _Traces:
    """What forgotten facts are recognised by: their ids, their lines, and their words where no fact's id stands."""

    def __init__(self, forgotten: Sequence[Record], repeats: Repeats) -> None:
        self._ids = frozenset(record.target for record in forgotten)
        self._marks = tuple(f" ^{target}" for target in self._ids)
        self._lines = frozenset(_lines(record.before for record in forgotten))
        self._repeats = repeats

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
        if not self._lines.isdisjoint(found) or any(line.endswith(self._marks) for line in found):
            return True
        return not record.target and any(map(self._repeats, filter(None, (record.before, record.after))))

    def are_in_text(self, text: str) -> bool:
        """Whether a text that is no record holds one of the facts."""
        return self._repeats(text) or any(target in text for target in self._ids)


def _lines(texts: Iterable[str | None]) -> set[str]:
    """All lines of these texts but blank ones and the marks of forgotten lines."""
    found = {line.strip() for text in texts for line in (text or "").split("\n")}
    return {line for line in found if line and forgotten_id(line) is None}
