"""Records of the journal: what they say, and how they stand on a line."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from memory.files.origins import LineOrigins
from memory.files.workspace import digest
from memory.ports import instant
from memory.types import Origin, Scope

VERSION = 1

SUPERSEDED = "/old"
"""Ends the id of the operation that takes a superseded fact away; it is taken back with the one that wrote the new."""
EDITED = ":edited"
"""Ends the id of the operation that takes back what a message wrote before it was edited."""
FORGETTING_UNDOABLE = timedelta(hours=24)
"""How long something forgotten can be put back."""


class Action(StrEnum):
    """What was done.

    The first four change a file, `undo` takes things back, the next three are about a proposal. The others (`LIVING`)
    change no file, and say by `Record.details` how a fact lives on:

    - `review`: it was used: `rating` (again, hard, good, easy) and `reason` (cited, restated, approved, corrected).
    - `restate`: an observation said the same; `after` is its text where that is another; `similarity`.
    - `link`: what it is linked to, in the place of earlier links: `links`, weights by ids.
    - `merge`: another fact stands for it: `into`, the id of that.
    - `pin`, `unpin`: it does not fade; it does again.
    - `gate`: how an observation was judged that became this fact: `decision`, `similarity`, `error`, `salience`.
    - `promote`: it was made of others that had proved themselves: `from`, their ids.

    `forget` says in `reach` in which chat alone what repeats the fact is forgotten, too, where that is not its scope;
    `copies` are the files of all lines like it, for the next start to finish what was broken off. `undo` says in `of`
    of which operation the record was that it takes back: where git has merged two journals, numbers are others.

    `consolidate` says what a run of consolidation is going to write, so that the next can finish one that was killed.
    `import` says which files were made of what another program knew: `facts`, their ids by files.
    """

    REMEMBER = "remember"
    FORGET = "forget"
    APPEND = "append"
    REPLACE = "replace"
    UNDO = "undo"
    PROPOSE = "propose"
    ACCEPT = "accept"
    REJECT = "reject"
    REVIEW = "review"
    RESTATE = "restate"
    LINK = "link"
    MERGE = "merge"
    PIN = "pin"
    UNPIN = "unpin"
    GATE = "gate"
    PROMOTE = "promote"
    CONSOLIDATE = "consolidate"
    IMPORT = "import"


@dataclass(frozen=True, slots=True)
class Operation:
    """One thing that was asked for: its id (`<turn>:<n>`), who asked, where the text comes from, who may see it.

    What was planned before has the instant of the plan: finished later, it is the same to the byte.
    """

    op_id: str
    actor: str
    origin: Origin
    scope: Scope
    planned: datetime | None = None

    def __post_init__(self) -> None:
        """Refuse what no file can hold, before anything is written; raises `UnicodeEncodeError`."""
        f"{self.op_id}{self.actor}{self.scope}".encode()

    def record(self, action: str, at: datetime) -> Record:
        """Return a record of it that says nothing yet of what is changed."""
        return Record(self.op_id, self.actor, self.origin, self.scope, action, instant(self.planned or at))

    def undo(self, record: Record, at: datetime) -> Record:
        """Return a record of it that takes another one back, and says nothing yet of what is changed."""
        begun = replace(self.record(Action.UNDO, at), origin=record.origin, target=record.target, path=record.path)
        return replace(begun, undoes=record.seq, details={"of": record.op_id})


@dataclass(frozen=True, slots=True)
class Record:
    """A record of the journal.

    Attributes:
        op_id: `<turn>:<n>`; several records of one operation share it.
        actor: who asked for it.
        origin, scope: where the text came from, and who may see it.
        action: one of `Action`, or one that a newer version adds.
        at: ISO instant in UTC.
        target: the id of the fact that is meant, or empty.
        path: the file that is changed, or empty.
        offset: the byte where the change begins.
        before, after: the text that was there and the text that is; None when there is none, or when it was blanked.
        base: `digest` of the whole file before; empty if there was no file.
        lines: in a page with foreign words, the lines that are not: origins with `line_digest` of each line.
        sources: what a derived fact was made of: turns, and lines of files as `path#L12`.
        details: what else there is to say, as `Action` has it; a JSON object.
        machine: which one wrote it, and carries it out.
        undoes: the number of the record that this one takes back; 0 for none.
        seq: 1, 2, 3, ... without gaps, as it stands on the line or as `Numbering` gives it.
        before_hash, after_hash: `digest` of the two texts; empty where there is none.
        prev: `chain_hash` of the record before; empty for the first.
        v: version of the format.
        others: what a newer version has added: place among the keys of the line, key, and value as JSON.
    """

    op_id: str
    actor: str
    origin: Origin
    scope: Scope
    action: str
    at: str
    target: str = ""
    path: str = ""
    offset: int = 0
    before: str | None = None
    after: str | None = None
    base: str = ""
    lines: LineOrigins = ()
    sources: tuple[str, ...] = ()
    details: Mapping[str, Any] = field(default_factory=dict)
    machine: str = ""
    undoes: int = 0
    seq: int = 0
    before_hash: str = ""
    after_hash: str = ""
    prev: str = ""
    v: int = VERSION
    others: tuple[tuple[int, str, str], ...] = ()

    def sealed(self, seq: int, prev: str) -> Record:
        """This record with its number, its place in the chain and the hashes of its texts."""
        return replace(self, seq=seq, prev=prev, before_hash=_hash(self.before), after_hash=_hash(self.after))

    def blanked(self) -> Record:
        """This record without its texts."""
        return replace(self, before=None, after=None)

    @property
    def identifying(self) -> tuple[str, ...]:
        """Its `IDENTIFYING` texts."""
        return tuple(getattr(self, name) for name in IDENTIFYING)

    @property
    def is_blanked(self) -> bool:
        """Whether a text has been taken out."""
        return (self.before is None and self.before_hash != "") or (self.after is None and self.after_hash != "")

    @property
    def is_intact(self) -> bool:
        """Whether the texts that are still there are those that were hashed."""
        texts = ((self.before, self.before_hash), (self.after, self.after_hash))
        return all(text is None or _hash(text) == expected for text, expected in texts)

    def line(self) -> bytes:
        """Return the record as it stands in the file, with its newline."""
        return _json(self._fields()) + b"\n"

    def chain_hash(self) -> str:
        """Return the hash that the next record carries as `prev`."""
        return digest(_json(self._fields(*_TEXTS)))

    def seal(self) -> str:
        """Return a hash over what never changes in the record: its path may be called otherwise by a purge."""
        op_id = self.op_id.replace(self.path, "") if self.path else self.op_id
        return digest(_json({**self._fields(*_TEXTS, "path", "prev"), "op_id": op_id}))

    def _fields(self, *without: str) -> dict[str, Any]:
        """Return what came later only where there is any: records that were written before have the same hash."""
        pairs = [(name, getattr(self, name)) for name in _NAMES if name not in _LATER or getattr(self, name)]
        for place, name, value in self.others:
            pairs.insert(place, (name, json.loads(value)))
        return {name: value for name, value in pairs if name not in without}


class Numbering:
    """Gives each record of a journal a number of its own, in the order in which they stand.

    Where git has put what two machines wrote one behind the other, numbers come a second time: those records get the
    next ones. One that stands there twice keeps its own. `last` is the highest so far.
    """

    def __init__(self) -> None:
        self.last = 0
        self._numbers: dict[int, int] = {}

    def take(self, seq: int, *identifying: str) -> int:
        """Return the number of the next record, which has this one on its line and these `IDENTIFYING` texts."""
        # By hashes, as the texts would take as much memory as the rest of the journal's state; of a million records two
        # have the same with a chance of 1 in 30 million.
        number = self._numbers.setdefault(hash((seq, *identifying)), max(seq, self.last + 1))
        self.last = max(self.last, number)
        return number


IDENTIFYING = ("op_id", "at", "target", "after_hash")
"""What no other record of the same number has on another machine, and is the same where the texts are blanked."""
_FIRST = ("v", "seq", "at")
_NAMES = (*_FIRST, *(one.name for one in fields(Record) if one.name not in {*_FIRST, "others"}))
_KNOWN = frozenset(_NAMES)
_TEXTS = ("before", "after")
_LATER = ("lines", "sources", "details", "machine")
_REQUIRED = _KNOWN.difference(_LATER)
_STRINGS = tuple("op_id actor origin scope action at target path base before_hash after_hash prev".split())
_NUMBERS = ("v", "seq", "offset", "undoes")
_MAX_NUMBER = 1 << 53
_MAX_LINE_BYTES = 1 << 28
"""Bytes; two texts of the largest file that is written, with every character escaped, are shorter."""


def read_record(line: bytes) -> Record:
    """Read a line of the journal; raises `ValueError` if it is no record."""
    fields = read_fields(line)
    others = tuple(
        (place, name, _json(value).decode("utf-8", "surrogatepass"))
        for place, (name, value) in enumerate(fields.items())
        if name not in _KNOWN
    )
    known = {name: value for name, value in fields.items() if name in _KNOWN}
    listed = {"lines": read_lines(fields), "sources": tuple(fields.get("sources", ())), "others": others}
    return Record(**{**known, "origin": Origin(fields["origin"]), **listed})


def read_fields(line: bytes) -> dict[str, Any]:
    """Return the fields of a line, in its order: each that we know is what it should be, and others are as they are.

    Raises:
        ValueError: it is no record: cut off, altered, of another kind, or too long or too deep to be one.
    """
    if len(line) > _MAX_LINE_BYTES:
        raise ValueError("longer than any record")
    try:
        fields = json.loads(line)
        if not isinstance(fields, dict) or not fields.keys() >= _REQUIRED:
            raise ValueError("not a record")
        for name in _NUMBERS:
            value = fields[name]
            if type(value) is not int or not 0 <= value < _MAX_NUMBER or (name == "seq" and not value):
                raise ValueError(f"not a record: {name}")
        texts = [fields.get("machine", ""), *(fields[name] for name in _STRINGS)]
        "".join(texts).encode()  # refuses what is no text, and what no file can hold
        before, after = fields["before"], fields["after"]
        if not ((before is None or type(before) is str) and (after is None or type(after) is str)):
            raise ValueError("not a record: texts")
        if "sources" in fields and not all(isinstance(source, str) for source in fields["sources"]):
            raise ValueError("not a record: sources")
        {**fields.get("details", {})}  # raises for what is no object
        if datetime.fromisoformat(fields["at"]).tzinfo is None:
            raise ValueError("not a record: at")
        Origin(fields["origin"])
        if others := fields.keys() - _KNOWN:
            json.dumps([fields[name] for name in others])
        read_lines(fields)
    except (TypeError, RecursionError) as error:
        raise ValueError(f"not a record: {error}") from error
    return fields


def read_lines(fields: Mapping[str, Any]) -> LineOrigins:
    """Return the `lines` among a record's fields; raises `ValueError` if they are none."""
    if "lines" not in fields:
        return ()
    try:
        return tuple((Origin(origin), tuple(map(str, names))) for origin, names in fields["lines"])
    except TypeError as error:
        raise ValueError(f"not lines of a page: {error}") from error


def _hash(text: str | None) -> str:
    return "" if text is None else digest(text)


def _json(values: dict[str, Any]) -> bytes:
    return json.dumps(values, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")


def is_past(at: str, now: datetime) -> bool:
    """Return whether something forgotten at that ISO instant can no longer be put back."""
    return now - datetime.fromisoformat(at) > FORGETTING_UNDOABLE


DECIDING = frozenset({Action.ACCEPT, Action.REJECT})
LIVING = frozenset(
    {Action.REVIEW, Action.RESTATE, Action.LINK, Action.MERGE, Action.PIN, Action.UNPIN, Action.GATE, Action.PROMOTE}
)
UNDOABLE = frozenset(
    {Action.REMEMBER, Action.FORGET, Action.APPEND, Action.REPLACE, Action.RESTATE, Action.MERGE, Action.PIN}
)
