"""What the records of a journal add up to, taken one by one."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from sys import intern
from typing import Any, NamedTuple

from memory.files.workspace import digest
from memory.journal import records
from memory.journal.records import DECIDING, LIVING, UNDOABLE, Action, read_lines
from memory.types import Origin, Scope


class Provenance(NamedTuple):
    """Where a fact comes from.

    ISO instant, actor, operation and file of the write, its origin, who may see it, and what it was derived from.
    """

    origin: Origin
    scope: Scope
    at: str
    actor: str
    op_id: str = ""
    path: str = ""
    sources: tuple[str, ...] = ()

    @property
    def turns(self) -> frozenset[str]:
        """The turns in which was said what it was made of, by default the one that wrote it."""
        named = frozenset(source for source in self.sources if "#" not in source)
        return named or frozenset({self.op_id.rpartition(":")[0]})


class Attribution(NamedTuple):
    """A record that says whose words something is, or how it lives on: fact, file, and a hash over all such so far."""

    target: str
    path: str
    mark: str


class Forgotten(NamedTuple):
    """A fact that is gone: number of the record with its text, ISO instant, if that is gone, operation and fact."""

    seq: int
    at: str
    blanked: bool
    name: str


class LifeEvent(NamedTuple):
    """One record about how a fact lives on: its number, ISO instant, action and details."""

    seq: int
    at: str
    action: str
    details: Mapping[str, Any]


class JournalState:
    """A fold over records, taken one by one in their order. Records are named by their numbers, facts by their ids.

    Attributes:
        operations: the records of each operation, by its id.
        provenance: where each fact comes from.
        attributions: which records say whose words something is; an index sees by them what is new.
        lines: the origins of the lines of each page with several writers, by their digests.
        forgotten: the facts that were forgotten and not put back.
        taken_back: the facts whose writing was undone.
        changes: the records of each file.
        proposed: the record of each proposal.
        undone: the records that were taken back.
        undoes: which one each undoing took back; 0 where that is not there.
        lives: the events of each fact (records of `LIVING` not taken back, and pins taken over), oldest first.
        living: which facts had an event or lost one; an index sees by them what is new.
        latest: the last record of each machine: the number on its line, which a merge leaves alone, and its own.
        last: the last record.
    """

    def __init__(self) -> None:
        self.operations: dict[str, tuple[int, ...]] = {}
        self.provenance: dict[str, Provenance] = {}
        self.attributions: list[Attribution] = []
        self.lines: dict[str, dict[str, Origin]] = {}
        self.forgotten: dict[str, Forgotten] = {}
        self.taken_back: dict[str, Forgotten] = {}
        self.changes: dict[str, list[int]] = {}
        self.proposed: dict[str, int] = {}
        self._decided: dict[str, tuple[int, ...]] = {}
        self.last = 0
        self._undoable: dict[str, list[int]] = {}
        self._targets: dict[int, str] = {}
        self._unblanked: set[str] = set()
        self.undone: set[int] = set()
        self.undoes: dict[int, int] = {}
        self.lives: dict[str, list[LifeEvent]] = {}
        self.living: list[Attribution] = []
        self.latest: dict[str, tuple[int, int]] = {}

    def fold(self, fields: dict[str, Any]) -> None:
        """Add a record, as `read_fields` gives it, and how far git `moved` it; a text that many share is kept once."""
        fields |= {name: intern(fields[name]) for name in ("actor", "path", "scope")}
        seq, action, op_id, target = fields["seq"], fields["action"], fields["op_id"], fields["target"]
        at, scope, path, lines = fields["at"], fields["scope"], fields["path"], read_lines(fields)
        self.changes.setdefault(path, []).append(seq)
        self._fold_action(fields)
        for origin, names in lines:
            self.lines.setdefault(path, {}).update(dict.fromkeys(names, origin))
        if action == Action.REMEMBER or lines:
            before = self.attributions[-1].mark if self.attributions else ""
            mark = digest("\0".join((before, target, path, scope, fields["origin"], at, op_id, repr(lines))))
            self.attributions.append(Attribution(target, path, mark))
        if action in LIVING or action == Action.UNDO:
            self._fold_life(fields)
        for name in self._pinned_by(action, op_id, target) if action in {Action.FORGET, Action.REMEMBER} else ():
            self._fold_life(fields | {"action": Action.PIN, "target": name})
        self._targets[seq] = target
        if action in UNDOABLE:
            self._undoable.setdefault(scope, []).append(seq)
        self.operations[op_id] = (*self.operations.get(op_id, ()), seq)
        machine, own = intern(fields.get("machine", "")), (seq - fields["moved"], seq)
        self.latest[machine] = max(self.latest.get(machine, own), own)
        self.last = seq

    def note_unblanked(self, target: str) -> None:
        """Take it that a text about this fact is there that had been blanked."""
        self._unblanked.add(target)
        if target in self.forgotten:
            self.forgotten[target] = self.forgotten[target]._replace(blanked=False)

    def _fold_action(self, fields: dict[str, Any]) -> None:
        """Add what a record says of a fact, a proposal or another record."""
        seq, action, target = fields["seq"], fields["action"], fields["target"]
        written = (Origin(fields["origin"]), fields["scope"], fields["at"], fields["actor"], fields["op_id"])
        name = f"{fields['op_id']} {target}"
        if action == Action.REMEMBER:
            self.provenance[target] = Provenance(*written, fields["path"], tuple(fields.get("sources", ())))
        elif action == Action.IMPORT:
            facts = fields.get("details", {}).get("facts")
            for path, names in facts.items() if isinstance(facts, dict) else ():
                ids = map(str, names if isinstance(names, list) else ())
                self.provenance |= dict.fromkeys(ids, Provenance(*written, path))
        elif action == Action.FORGET:
            is_there = fields["before"] is not None or target in self._unblanked
            self.forgotten[target] = Forgotten(seq, fields["at"], not is_there, name)
        elif action == Action.UNDO:
            fields["undoes"] = self.undoes[seq] = undoes = self._undone_by(fields)
            self.undone.add(undoes)
            if (gone := self.forgotten.get(target)) and gone.seq == undoes:
                del self.forgotten[target]
            elif target in self.provenance and fields["path"] and not fields["after"]:
                self.taken_back[target] = Forgotten(seq, fields["at"], fields["before"] is None, name)
        elif action == Action.PROPOSE:
            self.proposed.setdefault(target, seq)
        elif action in DECIDING:
            self._decided[target] = self.operations.get(fields["op_id"].rpartition("/")[0], ())

    def _undone_by(self, fields: Mapping[str, Any]) -> int:
        """Return the number of the record that another one takes back; 0 if that is not there."""
        undoes, of = fields["undoes"], fields.get("details", {}).get("of")
        here = self.changes.get(fields["path"], ())  # without an operation's name it is of an older version
        by_number = (seq for seq in (undoes + fields["moved"], undoes) if seq in here)
        numbers = by_number if of is None else iter(self.operations.get(str(of), ()))
        return next((seq for seq in numbers if self._targets[seq] == fields["target"]), 0)

    def _fold_life(self, fields: dict[str, Any]) -> None:
        """Add a record about how a fact lives on, or take one away that is undone."""
        seq, target, action, known = fields["seq"], fields["target"], fields["action"], self.lives.get(fields["target"])
        if action in LIVING:
            self.lives.setdefault(target, []).append(LifeEvent(seq, fields["at"], action, fields.get("details", {})))
        elif known and any(event.seq == fields["undoes"] for event in known):
            self.lives[target] = [event for event in known if event.seq != fields["undoes"]]
        else:
            return
        before = self.living[-1].mark if self.living else ""
        mark = digest("\0".join((before, target, action, str(seq))))
        self.living.append(Attribution(target, fields["path"], mark))

    def _pinned_by(self, action: str, op_id: str, target: str) -> Iterator[str]:
        """Yield the facts that become pinned, because with this record they take the place of pinned ones."""
        goes = action == Action.FORGET
        other = op_id.removesuffix(records.SUPERSEDED) if goes else f"{op_id.removesuffix(':0')}{records.EDITED}"
        for replaced in [self._targets[seq] for seq in self.operations.get(other, ()) if other != op_id]:
            old, new = (target, replaced) if goes else (replaced, target)
            pins = [event.action for event in self.lives.get(old, ()) if event.action in {Action.PIN, Action.UNPIN}]
            if pins[-1:] == [Action.PIN]:
                yield new

    def unblanked(self, *, taken_back: bool = False) -> Iterator[Forgotten]:
        """Yield what was forgotten, or `taken_back`, as well, whose text is still there."""
        gone = (*self.forgotten.values(), *(self.taken_back.values() if taken_back else ()))
        return (one for one in gone if not one.blanked)

    def is_decided(self, proposal: str) -> bool:
        """Return whether a proposal was rejected, or accepted and what that changed was not taken back."""
        return proposal in self._decided and self.undone.isdisjoint(self._decided[proposal])

    def about(self, wanted: str) -> set[int]:
        """Return the numbers of the records of a fact, by its id, or of a file."""
        return {*self.changes.get(wanted, ()), *(seq for seq, target in self._targets.items() if target == wanted)}

    def merged_into(self, target: str) -> str:
        """Return the id of the fact that stands for a fact; empty if it stands for itself."""
        merges = (event for event in reversed(self.lives.get(target, ())) if event.action == Action.MERGE)
        return next((str(event.details.get("into", "")) for event in merges), "")

    def merged_with(self, names: Collection[str]) -> list[str]:
        """Return the ids of what stands for these facts, and of what they stand for: it says what they say."""
        above, below = dict[str, None](), dict.fromkeys(names)
        for name in names:
            while (name := self.merged_into(name)) and name not in above:
                above[name] = None
        while merged := [fact for fact in self.lives if fact not in below and self.merged_into(fact) in below]:
            below |= dict.fromkeys(merged)
        return [fact for fact in (*above, *below) if fact not in names]

    def undoable(self, scope: Scope) -> Iterator[int]:
        """Yield the numbers of the records of a scope that have not been undone, newest first.

        A fact that was forgotten later is not there to be undone: putting it back comes first.
        """
        for seq in reversed(self._undoable.get(scope, ())):
            forgotten = self.forgotten.get(self._targets[seq])
            if seq not in self.undone and (forgotten is None or forgotten.seq == seq):
                yield seq
