"""Units as rows of the index: how they are written and read back, and how a filter narrows them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import astuple
from typing import Any, NamedTuple

from memory.index.terms import apart, entity_key
from memory.index.types import Changed, FileChange, Stored
from memory.index.units import LASTING, Chunked, Unit
from memory.language.guidance import TextFlags
from memory.sqlite import Statements
from memory.strength import speed_of
from memory.types import Evidence, FactSource, Filter, Kind, Origin

STORED = (
    'SELECT u.id, u.file, u."order", f.path, u.name, u.kind, u.start, u."end", u.text, coalesce(u.body, u.text), '
    "u.origin, u.scope, u.lead, u.title, u.speaker, u.entities, u.category, coalesce(u.time, u.first), u.first, "
    "u.last, u.language, u.turn, u.details, u.since, u.until, u.evidence, u.source, u.known, u.named FROM"
)
"""The beginning of a query whose rows `read_stored` takes: behind the path stand the fields of `Unit`, in its order."""

_INSERT = (
    'INSERT INTO units(id, file, "order", turn, scope, kind, first, last, speaker, characters, start, "end", name, '
    "origin, category, time, entities, title, lead, body, text, length, language, marks, digest, since, until, source, "
    "known, named, evidence, details, speed) VALUES (" + ", ".join("?" * 33) + ")"
)
_OF_UNITS = (("units", "id"), ("terms", "unit"), ("mentions", "unit"), ("vectors", "unit"), ("waiting", "unit"))
_FIRST_PERSON = TextFlags.FIRST_PERSON.value
_ADD = "INSERT INTO sums VALUES (?, ?) ON CONFLICT(key) DO UPDATE SET value = sums.value + excluded.value"
_FILE = (
    "INSERT INTO files(path, size, mtime_ns, digest) VALUES (?, ?, ?, ?) ON CONFLICT(path) DO UPDATE "
    "SET size = excluded.size, mtime_ns = excluded.mtime_ns, digest = excluded.digest RETURNING id"
)

IS_FACT = f"u.kind <> '{Kind.NOTE}' AND instr(u.name, '/') = 0"
"""Facts among units `u`, a long one once, by its first piece: in the words of the index `units_facts`."""

_LISTED = "(SELECT value FROM json_each(?))"
# SQLite knows small letters of ASCII only: "Übung" and "ÜBUNG" are met in three spellings.
_TAGGED = (
    "EXISTS (SELECT 1 FROM json_each(u.details, '$[1]') t JOIN json_each(?) v"
    " ON substr(lower(t.value) || '/', 1, length(v.value) + 1) = lower(v.value) || '/')"
)
"""A tag is found by itself and by those above it: `garden/shed` by `garden`."""


def _packed_evidence(unit: Unit) -> str | None:
    """Return a unit's evidence as it is kept; None for none."""
    return json.dumps([astuple(piece) for piece in unit.evidence], ensure_ascii=False) if unit.evidence else None


def read_stored(rows: Iterable[tuple[Any, ...]]) -> list[Stored]:
    """Read the rows of a query that begins with `STORED`."""
    stored = []
    for number, file, order, path, name, kind, start, end, text, body, origin, scope, lead, title, *rest in rows:
        speaker, entities, category, time, first, last, language, turn, details, *more = rest
        since, until, evidence, source, known, named = more
        lead_in, tags, attributes = json.loads(details) if details else ("", (), ())
        unit = Unit(
            name, Kind(kind), start, end, text, body, Origin(origin), scope, lead, title,
            speaker, tuple(entities.split("\n")) if entities else (), category, time, first, last, language, turn,
            lead_in, tuple(tags), tuple(map(tuple, attributes)), since, until,
            tuple(Evidence(*piece) for piece in json.loads(evidence)) if evidence else (),
            FactSource(source) if source else None, known, named,
        )  # fmt: skip
        stored.append(Stored(number, file, order, path, unit))
    return stored


def files_under(under: Sequence[str]) -> tuple[str, list[str]]:
    """Return the query for number and path of these files and of those in these folders, and its values."""
    each = " OR ".join(["path = ? OR substr(path, 1, length(?)) = ?"] * len(under))
    values = [value for path in under for value in (path, *[f"{path.rstrip('/')}/"] * 2)]
    return f"SELECT id, path FROM files WHERE {each}", values


def filter_conditions(where: Filter) -> tuple[str, list[str]]:
    """Return a filter's SQL conditions, each beginning with AND, and their values."""
    parts: list[tuple[str, list[str]]] = []
    if where.since and where.until:
        in_days = "(u.last >= ? AND u.first <= ? OR u.named BETWEEN ? AND ?)"
        parts.append((in_days, [where.since, where.until] * 2))
    elif where.since:
        parts.append(("(u.last >= ? OR u.named >= ?)", [where.since] * 2))
    elif where.until:
        parts.append(("(u.first <= ? OR u.named <= ?)", [where.until] * 2))
    spellings = [case(tag) for tag in where.tags for case in (str.lower, str.upper, str.capitalize)]
    for condition, wanted in (
        (f"u.kind IN {_LISTED}", where.kinds),
        (f"u.category IN {_LISTED}", where.categories),
        (_TAGGED, spellings),
    ):
        if wanted:
            parts.append((condition, [json.dumps(wanted)]))
    if where.under:
        files, paths = files_under(where.under)
        parts.append((f"u.file IN (SELECT id FROM ({files}) f)", paths))
    if where.entities:
        keys = [entity_key(name) for name in where.entities]
        parts.append((f"u.id IN (SELECT unit FROM mentions WHERE entity IN {_LISTED})", [json.dumps(keys)]))
    if where.valid:
        # Without a day, what lasts holds always, and what is of one day never.
        is_dated = f"(u.since IS NOT NULL OR u.until IS NOT NULL OR u.kind IN {_LISTED})"
        holds = f"coalesce(u.since, '') <= ? AND coalesce(u.until, '9') >= ? AND {is_dated}"
        parts.append((holds, [where.valid[1], where.valid[0], json.dumps(sorted(LASTING))]))
    if where.known:
        parts.append(("u.known < ?", [f"{where.known}~"]))  # behind all instants of the day
    return " ".join([f"AND {condition}" for condition, _ in parts]), [value for _, some in parts for value in some]


Placed = tuple[int, Unit]
"""A unit and its place among its file's units."""


KeepTerms = Callable[[Sequence[tuple[int, str]], Sequence[int]], None]
"""Keeps which units hold which terms: of further ones, by number and terms as `apart` writes them; and drops units."""


class _Row(NamedTuple):
    """What of a unit may change while its digest stays, as it is in the table."""

    id: int
    order: int
    turn: int
    start: int
    end: int
    origin: str
    scope: str
    source: str | None
    known: str | None
    evidence: str | None


Counted = tuple[str, int, int, str, str, int]
"""What of a unit goes into the sums: kind, terms, characters, language, speaker, marks."""


class IndexWrite:
    """One write of files.

    Units that are new are collected and written at the end: a statement that may have to be taken back makes FTS5
    write what it has collected, as a segment of its own. With the words of all files after everything else there is
    one.
    """

    def __init__(self, db: Statements, keep_terms: KeepTerms) -> None:
        self._db = db
        self._keep_terms = keep_terms
        self._sums: Counter[str] = Counter()
        highest = "SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'units'"
        self._number: int = db.execute(highest).get
        self._units: list[tuple[object, ...]] = []
        self._terms: list[tuple[int, str]] = []
        self._mentions: list[tuple[str, int]] = []
        self._counted: list[Counted] = []

    def write(self, changes: Sequence[FileChange], removed: Sequence[str]) -> Changed:
        """Take in files and remove others."""
        changed = Changed()
        for path in removed:
            changed += self._remove(path)
        seen: set[str] = set()
        for change in changes:
            if change.path in seen:
                self._insert()
            seen.add(change.path)
            known = self._db.execute("SELECT 1 FROM files WHERE path = ?", (change.path,)).fetchone() is not None
            self._sums["files"] += not known
            state = (change.state.size, change.state.mtime_ns, change.state.digest)
            [(file,)] = self._db.execute(_FILE, (change.path, *state))
            if change.chunked:
                changed += self._write_units(file, change.chunked, known=known)
        self._insert()
        self._db.executemany(_ADD, self._sums.items())
        return changed

    def _remove(self, path: str) -> Changed:
        found = self._db.execute("SELECT id FROM files WHERE path = ?", (path,)).fetchone()
        if not found:
            return Changed()
        ids = [unit for (unit,) in self._db.execute("SELECT id FROM units WHERE file = ?", found)]
        self._delete_units(ids)
        self._delete_side_tables(found[0])
        self._db.execute("DELETE FROM files WHERE id = ?", found)
        self._sums["files"] -= 1
        return Changed(removed=len(ids))

    def _write_units(self, file: int, chunked: Chunked, *, known: bool) -> Changed:
        """Write only what differs: a unit that is still there keeps its row, and at most changes its place."""
        new: dict[bytes, Placed] = {unit.digest(): (order, unit) for order, unit in enumerate(chunked.units)}
        old: dict[bytes, _Row] = {}
        if known:
            columns = 'digest, id, "order", turn, start, "end", origin, scope, source, known, evidence'
            rows = self._db.execute(f"SELECT {columns} FROM units WHERE file = ?", (file,))
            old = {digest: _Row(*rest) for digest, *rest in rows}
            self._delete_side_tables(file)
            self._delete_units([row.id for digest, row in old.items() if digest not in new])
            self._move_units([(old[digest], placed) for digest, placed in new.items() if digest in old])
        missing = {digest: placed for digest, placed in new.items() if digest not in old}
        self._add(file, missing)
        self._db.executemany(
            "INSERT OR IGNORE INTO aliases VALUES (?, ?, ?)",
            ((entity_key(alias), entity_key(name), file) for alias, name in chunked.aliases),
        )
        self._db.executemany(
            "INSERT INTO problems VALUES (?, ?, ?, ?)",
            ((file, problem.line, problem.message, problem.hint) for problem in chunked.problems),
        )
        return Changed(len(missing), len(old.keys() - new.keys()), len(new) - len(missing))

    def _move_units(self, pairs: Sequence[tuple[_Row, Placed]]) -> None:
        """Write places, owners and what else may change of units that stay."""
        changed = []
        for row, (order, unit) in pairs:
            place = (order, unit.turn, unit.start, unit.end)
            now = (*place, unit.origin, unit.scope, unit.fact_source, unit.known, _packed_evidence(unit))
            if row[1:] != now:
                changed.append((*now, row.id))
        self._db.executemany(
            'UPDATE units SET "order" = ?, turn = ?, start = ?, "end" = ?, origin = ?, scope = ?, source = ?, '
            "known = ?, evidence = ? WHERE id = ?",
            changed,
        )
        self._sums["rescoped"] += sum(1 for row, (_, unit) in pairs if row.scope != unit.scope)

    def _delete_units(self, ids: Sequence[int]) -> None:
        keys = [(unit,) for unit in ids]
        counted = "SELECT kind, length, characters, language, speaker, marks FROM units WHERE id = ?"
        self._count(-1, [row for key in keys for row in self._db.execute(counted, key)])
        self._keep_terms((), ids)
        for table, column in _OF_UNITS:
            self._db.executemany(f"DELETE FROM {table} WHERE {column} = ?", keys)
        self._db.executemany("INSERT INTO gone(id) VALUES (?)", keys)

    def _delete_side_tables(self, file: int) -> None:
        self._db.execute("DELETE FROM aliases WHERE file = ?", (file,))
        self._db.execute("DELETE FROM problems WHERE file = ?", (file,))

    def _add(self, file: int, placed: Mapping[bytes, Placed]) -> None:
        """Collect units of a file, by their digests."""
        for number, (digest, (order, unit)) in enumerate(placed.items(), self._number + 1):
            language, terms, marks = unit.searched()
            length = terms.count(" ") + 1 if terms else 0
            details = (unit.lead_in, unit.tags, unit.attributes)
            self._counted.append((unit.kind, length, len(unit.text), language, unit.speaker, marks))
            self._terms.append((number, apart(terms)))
            if unit.entities:
                self._mentions += [(entity_key(name), number) for name in unit.entities]
            self._units.append((
                number, file, order, unit.turn, unit.scope, unit.kind, unit.first, unit.last, unit.speaker,
                len(unit.text), unit.start, unit.end, unit.name, unit.origin, unit.category,
                None if unit.time == unit.first else unit.time, "\n".join(unit.entities), unit.title, unit.lead,
                None if unit.body == unit.text else unit.body, unit.text, length, language, marks, digest,
                unit.since, unit.until, unit.fact_source, unit.known, unit.named, _packed_evidence(unit),
                json.dumps(details, ensure_ascii=False) if any(details) else None,
                speed_of(unit.kind, unit.category, unit.attributes),
            ))  # fmt: skip
        self._number += len(placed)

    def _insert(self) -> None:
        """Write what has been collected, and count it."""
        if not self._units:
            return
        self._db.executemany(_INSERT, self._units)
        self._db.executemany("INSERT INTO terms VALUES (?, ?)", self._terms)
        self._db.executemany("INSERT INTO waiting VALUES (?)", ((number,) for number, _ in self._terms))
        self._db.executemany("INSERT OR IGNORE INTO mentions VALUES (?, ?)", self._mentions)
        self._keep_terms(self._terms, ())
        self._count(1, self._counted)
        self._units, self._terms, self._mentions, self._counted = [], [], [], []

    def _count(self, sign: int, units: Sequence[Counted]) -> None:
        if not units:
            return
        sums = self._sums
        kinds, lengths, characters, languages, speakers, marks = zip(*units, strict=True)
        sums["units"] += sign * len(units)
        sums["facts"] += sign * (len(units) - kinds.count(Kind.NOTE))
        sums["terms"] += sign * sum(lengths)
        sums["characters"] += sign * sum(characters)
        for language, count in Counter(languages).items():
            sums[f"language.{language}"] += sign * count
        said = ((speaker, of & _FIRST_PERSON) for speaker, of in zip(speakers, marks, strict=True) if speaker)
        for (speaker, of_self), count in Counter(said).items():
            sums[f"said.{speaker}"] += sign * count
            sums[f"self.{speaker}"] += sign * count * bool(of_self)
