"""What the journal adds up to: which operations are known, where each fact comes from, what can be undone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from memory.files.digest import digest
from memory.files.record import Action, read_lines
from memory.model import Origin, Scope

UNDOABLE = frozenset({Action.REMEMBER, Action.FORGET, Action.APPEND, Action.REPLACE})


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where a fact comes from: ISO instant, actor, operation and file of the write, its origin, who may see it."""

    origin: Origin
    scope: Scope
    at: str
    actor: str
    op_id: str = ""
    path: str = ""


@dataclass(frozen=True, slots=True)
class Attribution:
    """A record that says whose words something is: its fact and file, and a hash over all such records so far."""

    target: str
    path: str
    mark: str


@dataclass(frozen=True, slots=True)
class Forgotten:
    """A fact that was forgotten and not put back: the record's number, its ISO instant, whether its text is gone."""

    seq: int
    at: str
    blanked: bool


class Ledger:
    """A fold over records, taken one by one in their order."""

    def __init__(self) -> None:
        self.operations: dict[str, tuple[int, ...]] = {}
        self.provenance: dict[str, Provenance] = {}
        self.attributions: list[Attribution] = []
        self.lines: dict[str, dict[str, Origin]] = {}
        self.forgotten: dict[str, Forgotten] = {}
        self.last = 0
        self._undoable: dict[str, list[int]] = {}
        self._targets: dict[int, str] = {}
        self._undone: set[int] = set()

    def take(self, fields: dict[str, Any]) -> None:
        """Add one record, as it was read; raises KeyError or ValueError if a field is missing or out of range."""
        seq, action, op_id, target = fields["seq"], fields["action"], fields["op_id"], fields["target"]
        at, scope, path, lines = fields["at"], fields["scope"], fields.get("path", ""), read_lines(fields)
        if action == Action.REMEMBER:
            self.provenance[target] = Provenance(Origin(fields["origin"]), scope, at, fields["actor"], op_id, path)
        elif action == Action.FORGET:
            self.forgotten[target] = Forgotten(seq, at, fields["before"] is None)
        elif action == Action.UNDO:
            self._undone.add(fields["undoes"])
            if target in self.forgotten and self.forgotten[target].seq == fields["undoes"]:
                del self.forgotten[target]
        for origin, names in lines:
            self.lines.setdefault(path, {}).update(dict.fromkeys(names, origin))
        if action == Action.REMEMBER or lines:
            before = self.attributions[-1].mark if self.attributions else ""
            mark = digest("\0".join((before, target, path, scope, fields["origin"], repr(lines))))
            self.attributions.append(Attribution(target, path, mark))
        if action in UNDOABLE:
            self._undoable.setdefault(scope, []).append(seq)
            self._targets[seq] = target
        self.operations[op_id] = (*self.operations.get(op_id, ()), seq)
        self.last = seq

    def undoable(self, scope: Scope) -> Iterator[int]:
        """Numbers of the records of a scope that have not been undone, newest first.

        A fact that was forgotten later is not there to be undone: putting it back comes first.
        """
        for seq in reversed(self._undoable.get(scope, ())):
            forgotten = self.forgotten.get(self._targets[seq])
            if seq not in self._undone and (forgotten is None or forgotten.seq == seq):
                yield seq
