"""Where a unit or a line comes from and who may see it: the one place that decides, whoever asks.

What counts is the least trusted of what the journal, the place, and the text itself say:

- The journal's record of an id is believed in the file that it was written into, and once there. Elsewhere an id gives
  no scope and no trust; an origin that is foreign sticks to it.
- Below `memory/guests/` all is a guest's. What has no record there is shown to nobody: its chat is not known.
- An extra folder is foreign, unless its owner trusts it.
- A page can declare that it has words of others; then only the lines that the journal knows as clean are.
- A fact can say that it is from somebody else.

What remains was written by hand, and is the owner's.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from memory.files.origins import declared_origin, line_digest
from memory.files.paths import is_guests
from memory.journal.state import JournalState, Provenance
from memory.types import OWNER, QUARANTINED, FactSource, Origin, Scope

Owner = tuple[Origin, Scope]

_SOURCES = {"job:": FactSource.CRON, "observe:": FactSource.OBSERVATION, "reflect:": FactSource.INFERENCE}
"""How a fact came into memory, by how the id of the operation that wrote it begins."""
_OUTSIDE = frozenset({Origin.IMPORT, Origin.UNTRUSTED})


class Owners:
    """All that is known of who wrote what, as of one moment."""

    def __init__(self, state: JournalState, *, is_foreign: Callable[[str], bool] = lambda _: False) -> None:
        """Keep the journal's state; `is_foreign` tells which paths lie in extra folders that are not trusted."""
        self._state = state
        self._is_foreign = is_foreign

    def of(self, path: str, lines: Sequence[str]) -> PageOwners:
        """Return what is known of one file with these lines."""
        if self._is_foreign(path):
            return PageOwners(self._state, path, lines, Origin.UNTRUSTED, {}, is_guests(path))
        stated = declared_origin(lines)
        clean = self._state.lines.get(path, {}) if stated else {}
        return PageOwners(self._state, path, lines, stated or Origin.OWNER, clean, is_guests(path))


@dataclass(frozen=True, slots=True)
class PageOwners:
    """Who wrote what in one file.

    Attributes:
        state: what the journal adds up to.
        path: of the file.
        lines: its lines.
        stated: the origin of every line that is not known by itself.
        clean: the lines that are known, by `line_digest`.
        is_guests: whether it lies where groups and guests are kept apart.
    """

    state: JournalState
    path: str
    lines: Sequence[str]
    stated: Origin
    clean: Mapping[str, Origin]
    is_guests: bool

    def line(self, number: int) -> Origin:
        """Return where a line (1-based) comes from, as far as it belongs to no fact; a blank one is the owner's."""
        line = self.lines[number - 1]
        if not line.strip():
            return Origin.OWNER
        known = self.clean.get(line_digest(line), self.stated) if self.clean else self.stated
        return Origin.worst([known, Origin.GUEST]) if self.is_guests else known

    def unit(self, name: str, start: int, end: int, *, says: Origin = Origin.OWNER, is_first: bool = True) -> Owner:
        """Return where a unit on these lines (1-based, both included) comes from, and who may see it.

        `says` is what it says of itself; `is_first`: no unit further up in the file has the same id.
        """
        record = self.record(name)
        if self.stated is says and not (record or self.clean or self.is_guests):
            return says, OWNER
        if record and is_first and record.path == self.path:
            known = [record.origin]
            scope = record.scope
        else:
            known = [*map(self.line, range(start, end + 1))] if self.clean else [self.stated]
            known += [record.origin] if record else []
            scope = QUARANTINED
        if not self.is_guests:
            return Origin.worst([*known, says]), OWNER
        return Origin.worst([*known, says, Origin.GUEST]), QUARANTINED if scope == OWNER else scope

    def record(self, name: str) -> Provenance | None:
        """Return the journal's record of an id, wherever it was written; None for what was written by hand."""
        return self.state.provenance.get(whole_name(name))

    def source(self, name: str) -> FactSource:
        """Return how the fact of an id came into memory; by hand, and copied from elsewhere, is from outside."""
        record = self.record(name)
        if record is None or record.path != self.path or record.origin in _OUTSIDE:
            return FactSource.EXTERNAL
        sources = (source for prefix, source in _SOURCES.items() if record.op_id.startswith(prefix))
        return next(sources, FactSource.CONVERSATION)


def whole_name(name: str) -> str:
    """Return the id of the fact that a piece belongs to; any other id as it is."""
    return name.partition("/")[0]


def is_piece(name: str) -> bool:
    """Return whether an id is that of a further piece of a long fact."""
    return "/" in name
