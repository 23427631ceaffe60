"""The index in SQL, for any engine: its queries, and what is written into it."""

from __future__ import annotations

import json
import math
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from memory.index import schema
from memory.index.port import Changed, Entry, Excerpt, FileChange, FileState, Neighbour, Stored, Totals, Voice, Words
from memory.index.rows import STORED, files_under, filter_conditions, packed_details, packed_evidence, read_stored
from memory.index.tables.facts import FactTable
from memory.index.tables.links import LinkTable
from memory.index.tables.lives import LIFE, LIVES_JOIN, LifeTable, whole_name_in_sql
from memory.index.tables.vectors import VectorTable
from memory.index.terms import apart, entity_key
from memory.index.units import Chunked, Unit
from memory.language.guidance import TextFlags
from memory.sqlite import Statements, Table, immediate, snapshot, sqlite_errors, translated
from memory.strength import speed_of
from memory.types import EVERYWHERE, OWNER, Filter, Kind, Problem, Scope, Stats

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

ENTRY = 'u.id, u.file, u."order", u.turn, u.kind, u.first, u.last, u.speaker, u.characters, u.length, u.marks'
"""The first columns of `port.Entry`."""
K1, B = 1.2, 0.75
"""The constants of BM25, as FTS5 has them."""
LEAST_WEIGHT = 1e-6
"""Of a term that more than half of the units hold, as FTS5 has it."""
_IS_KNOWN = "(? = ? OR EXISTS (SELECT 1 FROM units u INDEXED BY units_file WHERE u.file = a.file AND u.scope = ?))"
"""Whether a scope knows an alias."""

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


class _Counted(NamedTuple):
    """What of a unit goes into the sums."""

    kind: str
    length: int
    characters: int
    language: str
    speaker: str
    marks: int


class _Writing:
    """One write of files.

    Units that are new are collected and written at the end: a statement that may have to be taken back makes FTS5
    write what it has collected, as a segment of its own. With the words of all files after everything else there is
    one.
    """

    def __init__(self, db: Statements, keep_terms: KeepTerms) -> None:
        self._db = db
        self._keep_terms = keep_terms
        self._sums: Counter[str] = Counter()
        highest = db.execute("SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'units'").fetchone()
        self._number: int = highest[0] if highest else 0
        self._units: list[tuple[object, ...]] = []
        self._terms: list[tuple[int, str]] = []
        self._mentions: list[tuple[str, int]] = []
        self._counted: list[_Counted] = []

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
        now = (
            (
                row, (
                    order, unit.turn, unit.start, unit.end, unit.origin, unit.scope, unit.fact_source, unit.known,
                    packed_evidence(unit),
                ),
            )
            for row, (order, unit) in pairs
        )  # fmt: skip
        self._db.executemany(
            'UPDATE units SET "order" = ?, turn = ?, start = ?, "end" = ?, origin = ?, scope = ?, source = ?, '
            "known = ?, evidence = ? WHERE id = ?",
            ((*place, row.id) for row, place in now if row[1:] != place),
        )
        self._sums["rescoped"] += sum(1 for row, (_, unit) in pairs if row.scope != unit.scope)

    def _delete_units(self, ids: Sequence[int]) -> None:
        keys = [(unit,) for unit in ids]
        columns = "kind, length, characters, language, speaker, marks"
        rows = (row for key in keys for row in self._db.execute(f"SELECT {columns} FROM units WHERE id = ?", key))
        self._count(-1, [_Counted._make(row) for row in rows])
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
            self._counted.append(_Counted(unit.kind, length, len(unit.text), language, unit.speaker, marks))
            self._terms.append((number, apart(terms)))
            if unit.entities:
                self._mentions += [(entity_key(name), number) for name in unit.entities]
            self._units.append((
                number, file, order, unit.turn, unit.scope, unit.kind, unit.first, unit.last, unit.speaker,
                len(unit.text), unit.start, unit.end, unit.name, unit.origin, unit.category,
                None if unit.time == unit.first else unit.time, "\n".join(unit.entities), unit.title, unit.lead,
                None if unit.body == unit.text else unit.body, unit.text, length, language, marks, digest,
                unit.since, unit.until, unit.fact_source, unit.known, unit.named, packed_evidence(unit),
                packed_details(unit),
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

    def _count(self, sign: int, units: Sequence[_Counted]) -> None:
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


class SqlIndex(Table, ABC):
    """An open index. One connection, for one thread at a time; `memory.index.port.Index` documents its methods.

    Any method raises `IndexBroken` when the index turns out to be damaged, `WriteFailed` when it cannot be written,
    `Busy` when another process keeps it locked.

    Attributes:
        path: the file; `:memory:` for none.
        lives: how the facts live on, in the same place.
        links: what they are linked to, there.
        facts: the facts as lists.
        vectors: the vectors of the units, there, too.
    """

    def __init__(self, db: Statements, path: Path) -> None:
        super().__init__(db, path)
        self.lives = LifeTable(db, path)
        self.links = LinkTable(db, path)
        self.facts = FactTable(db, path)
        self.vectors = VectorTable(db, path)

    @contextmanager
    def reading(self) -> Iterator[None]:
        with sqlite_errors(self.path), snapshot(self._db):
            yield

    @translated
    def write(
        self, changes: Sequence[FileChange], removed: Sequence[str] = (), *, notes: Mapping[str, str] | None = None
    ) -> Changed:
        with immediate(self._db):
            changed = _Writing(self._db, self.keep_terms).write(changes, removed)
            for key, value in (notes or {}).items():
                schema.note(self._db, key, value)
            return changed

    @translated
    def holding(self, names: Iterable[str]) -> set[str]:
        rows = self._db.execute(
            "SELECT DISTINCT f.path FROM json_each(?) j CROSS JOIN units u INDEXED BY units_name ON u.name = j.value "
            "CROSS JOIN files f ON f.id = u.file",
            (json.dumps([*names]),),
        )
        return {path for (path,) in rows}

    @translated
    def noted(self, key: str) -> str:
        return schema.noted(self._db, key)

    @translated
    def files(self, paths: Iterable[str] | None = None) -> dict[str, FileState]:
        some = "" if paths is None else "WHERE path IN (SELECT value FROM json_each(?))"
        values = () if paths is None else (json.dumps([*paths]),)
        rows = self._db.execute(f"SELECT path, size, mtime_ns, digest FROM files {some}", values)
        return {row[0]: FileState._make(row[1:]) for row in rows}

    @translated
    def totals(self, *, scope: Scope = OWNER) -> Totals:
        if scope == OWNER:
            sums = dict(self._db.execute("SELECT key, value FROM sums"))
            return Totals(*(sums.get(key, 0) for key in ("files", "units", "facts", "terms", "characters")))
        row = self._db.execute(
            "SELECT count(DISTINCT file), count(*), count(*) FILTER (WHERE kind <> ?), coalesce(sum(length), 0), "
            "coalesce(sum(characters), 0) FROM units "
            "WHERE scope = ?",
            (Kind.NOTE, scope),
        ).fetchone()
        return Totals(*map(int, row or ()))

    @translated
    def languages(self, *, scope: Scope) -> tuple[str, ...]:
        if scope == OWNER:
            rows = self._db.execute(
                "SELECT substr(key, 10) FROM sums WHERE key LIKE 'language._%' AND value > 0 ORDER BY value DESC, key"
            )
        else:
            rows = self._db.execute(
                "SELECT language FROM units WHERE scope = ? AND language <> '' GROUP BY 1 ORDER BY count(*) DESC, 1",
                (scope,),
            )
        return tuple(code for (code,) in rows)

    @abstractmethod
    def keep_terms(self, added: Sequence[tuple[int, str]], removed: Sequence[int]) -> None:
        """See `KeepTerms`."""

    @abstractmethod
    def frequencies(self, terms: Iterable[str], *, scope: Scope) -> dict[str, int]: ...

    @abstractmethod
    def match(
        self, words: Words, *, scope: Scope, where: Filter = EVERYWHERE, limit: int, among: Words = ()
    ) -> list[int]: ...

    @translated
    def dated(self, first: str, last: str, *, scope: Scope, where: Filter = EVERYWHERE, limit: int) -> list[int]:
        conditions, values = filter_conditions(where)
        found: list[int] = []
        # One after the other: of an OR, SQLite would walk through all units of the scope.
        for of_them, days in (
            ("u.named BETWEEN ? AND ?", (first, last)),
            ("u.first <= ? AND u.last >= ?", (last, first)),
        ):
            rows = self._db.execute(
                "SELECT u.id FROM units u JOIN files f ON f.id = u.file "
                f'WHERE u.scope = ? {conditions} AND {of_them} ORDER BY u.first DESC, f.path, u."order" LIMIT ?',
                (scope, *values, *days, limit),
            )
            found += [unit for (unit,) in rows]
        return [*dict.fromkeys(found)][:limit]

    @translated
    def listed(self, *, scope: Scope, where: Filter = EVERYWHERE, limit: int) -> list[int]:
        conditions, values = filter_conditions(where)
        source, paths = "units u JOIN files f ON f.id = u.file", list[str]()
        if where.under:  # few files of many: from these to their units, not the other way round
            files, paths = files_under(where.under)
            source = f"({files}) f CROSS JOIN units u INDEXED BY units_file ON u.file = f.id"
        rows = self._db.execute(
            f"SELECT u.id FROM {source} WHERE u.scope = ? {conditions} "
            'ORDER BY u.first IS NULL, u.first DESC, f.path, u."order" DESC LIMIT ?',
            (*paths, scope, *values, limit),
        )
        return [unit for (unit,) in rows]

    @translated
    def openings(self, speakers: Iterable[str], *, scope: Scope, where: Filter = EVERYWHERE) -> list[int]:
        conditions, values = filter_conditions(where)
        rows = self._db.execute(
            "SELECT id FROM (SELECT u.id, u.first, u.file, u.turn, "
            'row_number() OVER (PARTITION BY u.file, u.turn ORDER BY u."order") AS place FROM units u '
            f"WHERE u.scope = ? AND u.speaker IN (SELECT value FROM json_each(?)) {conditions}) said "
            "WHERE place = 1 ORDER BY first NULLS FIRST, file, turn",
            (scope, json.dumps([*speakers]), *values),
        )
        return [unit for (unit,) in rows]

    @translated
    def about(self, entities: Iterable[str], *, scope: Scope, where: Filter = EVERYWHERE, limit: int) -> list[int]:
        conditions, values = filter_conditions(where)
        rows = self._db.execute(
            "SELECT u.id FROM (SELECT DISTINCT m.unit FROM json_each(?) e CROSS JOIN mentions m ON m.entity = e.value) "
            "m CROSS JOIN units u ON u.id = m.unit "
            f"JOIN files f ON f.id = u.file WHERE u.scope = ? {conditions} "
            'ORDER BY u.first DESC, f.path, u."order" LIMIT ?',
            (json.dumps([*entities]), scope, *values, limit),
        )
        return [unit for (unit,) in rows]

    @translated
    def known(self, names: Iterable[str], *, scope: Scope) -> dict[str, str]:
        listed = json.dumps([*names])
        entities = self._db.execute(
            "SELECT value FROM json_each(?) j WHERE EXISTS (SELECT 1 FROM mentions m CROSS JOIN units u "
            "ON u.id = m.unit WHERE m.entity = j.value AND u.scope = ?)",
            (listed, scope),
        )
        aliases = self._db.execute(
            "SELECT alias, max(entity) FROM json_each(?) j CROSS JOIN aliases a ON a.alias = j.value "
            f"WHERE {_IS_KNOWN} GROUP BY alias",
            (listed, scope, OWNER, scope),
        )
        return {name: name for (name,) in entities} | dict(aliases)

    @translated
    def synonyms(self, entities: Iterable[str], *, scope: Scope) -> set[str]:
        keys = {*entities}
        rows = self._db.execute(
            f"SELECT alias FROM json_each(?) j CROSS JOIN aliases a ON a.entity = j.value WHERE {_IS_KNOWN}",
            (json.dumps([*keys]), scope, OWNER, scope),
        )
        return keys.union(alias for (alias,) in rows)

    @translated
    def guiding(self, *, scope: Scope) -> list[int]:
        rows = self._db.execute("SELECT id FROM units INDEXED BY units_guiding WHERE scope = ? AND marks & 3", (scope,))
        return [unit for (unit,) in rows]

    @translated
    def voices(self, *, scope: Scope) -> dict[str, Voice]:
        if scope == OWNER:
            rows = self._db.execute(
                "SELECT substr(said.key, 6), said.value, own.value FROM sums said "
                "JOIN sums own ON own.key = 'self.' || substr(said.key, 6) "
                "WHERE said.key >= 'said.' AND said.key < 'said/' AND said.value > 0"
            )
        else:
            rows = self._db.execute(
                "SELECT speaker, count(*), count(*) FILTER (WHERE marks & ? > 0) FROM units "
                "WHERE scope = ? AND speaker <> '' "
                "GROUP BY 1",
                (int(TextFlags.FIRST_PERSON), scope),
            )
        return {speaker: Voice(units, int(first)) for speaker, units, first in rows}

    @translated
    def entries(self, ids: Sequence[int], *, scope: Scope) -> list[Entry]:
        # CROSS keeps the order of the joins: without statistics the planner would begin with all units of the scope.
        rows = self._db.execute(
            f"SELECT {ENTRY}, f.path, t.terms, u.since, u.until, u.named, {LIFE} FROM json_each(?1) j "
            "CROSS JOIN units u ON u.id = j.value CROSS JOIN terms t ON t.unit = u.id "
            f"CROSS JOIN files f ON f.id = u.file {LIVES_JOIN} WHERE u.scope = ?2",
            (json.dumps([*dict.fromkeys(ids)]), scope),
        )
        return [*map(Entry._make, rows)]

    @translated
    def neighbours(self, ids: Sequence[int], *, scope: Scope) -> list[Neighbour]:
        rows = self._db.execute(
            'SELECT u.id, u.file, u."order", u.kind, u.length, t.terms FROM json_each(?1) j '
            "CROSS JOIN units c ON c.id = j.value CROSS JOIN units u INDEXED BY units_file ON u.file = c.file "
            'AND u."order" BETWEEN c."order" - 1 AND c."order" + 1 AND u.id <> c.id '
            "CROSS JOIN terms t ON t.unit = u.id WHERE c.scope = ?2 AND u.scope = ?2",
            (json.dumps([*ids]), scope),
        )
        return [*map(Neighbour._make, {row[0]: row for row in rows}.values())]

    @translated
    def stored(self, ids: Sequence[int], *, scope: Scope) -> list[Stored]:
        rows = self._db.execute(
            f"{STORED} json_each(?) j CROSS JOIN units u ON u.id = j.value CROSS JOIN files f ON f.id = u.file "
            "WHERE u.scope = ?",
            (json.dumps([*ids]), scope),
        )
        found = {stored.id: stored for stored in read_stored(rows)}
        return [found[unit] for unit in ids if unit in found]

    @translated
    def surroundings(self, ids: Sequence[int], *, scope: Scope, notes: int, pieces: int) -> dict[int, list[Excerpt]]:
        steps = f"CASE c.kind WHEN '{Kind.NOTE}' THEN ?2 ELSE ?3 END"
        rows = self._db.execute(
            f'WITH around AS MATERIALIZED (SELECT c.id AS hit, c.kind, c.name, c.file, c."order" - {steps} AS low, '
            f'c."order" + {steps} AS high FROM json_each(?1) j CROSS JOIN units c ON c.id = j.value '
            'WHERE c.scope = ?4) SELECT a.hit, u.id, u."order", u.name, u.kind, u.start, u."end", u.text, '
            "coalesce(u.body, u.text), u.origin, u.lead, u.entities FROM around a "
            'CROSS JOIN units u INDEXED BY units_file ON u.file = a.file AND u."order" BETWEEN a.low AND a.high '
            f"WHERE u.scope = ?4 AND (a.kind = '{Kind.NOTE}' "
            f'OR {whole_name_in_sql("u.name")} = {whole_name_in_sql("a.name")}) ORDER BY u."order"',
            (json.dumps([*ids]), notes, pieces, scope),
        )
        found: dict[int, list[Excerpt]] = {unit: [] for unit in ids}
        for excerpt in map(Excerpt._make, rows):
            found[excerpt.around].append(excerpt)
        return found

    @translated
    def between(self, file: int, *, first: int, last: int, scope: Scope) -> list[Stored]:
        rows = self._db.execute(
            f"{STORED} units u INDEXED BY units_file JOIN files f ON f.id = u.file "
            'WHERE u.file = ? AND u."order" BETWEEN ? AND ? AND u.scope = ? ORDER BY u."order"',
            (file, first, last, scope),
        )
        return read_stored(rows)

    @translated
    def find(self, name: str, *, scope: Scope) -> Stored | None:
        rows = self._db.execute(
            f"{STORED} units u INDEXED BY units_name JOIN files f ON f.id = u.file "
            'WHERE u.name = ? AND u.scope = ? ORDER BY f.path, u."order" LIMIT 1',
            (name, scope),
        )
        return next(iter(read_stored(rows)), None)

    @translated
    def stats(self, *, scope: Scope) -> Stats:
        own = "instr(name, '/') = 0"  # not a further piece of a long fact
        counts = f"count(DISTINCT file), count(*), count(*) FILTER (WHERE kind <> ? AND {own}), min(first), max(first)"
        row = self._db.execute(f"SELECT {counts} FROM units WHERE scope = ?", (Kind.NOTE, scope)).fetchone()
        files, units, facts, first_day, last_day = row or (0, 0, 0, None, None)
        grouped = (
            f"SELECT {{0}}, count(*) AS n FROM units WHERE scope = ? AND {own} AND {{0}} IS NOT NULL "
            "GROUP BY 1 ORDER BY n DESC, 1"
        )
        names = self._db.execute(
            "SELECT name, min(CASE WHEN entity = name THEN written END), count(DISTINCT unit) AS n FROM ("
            "SELECT coalesce((SELECT max(a.entity) FROM aliases a WHERE a.alias = m.entity "
            f"AND {_IS_KNOWN}), m.entity) AS name, m.entity, m.unit, u.entities AS written "
            "FROM mentions m JOIN units u ON u.id = m.unit WHERE u.scope = ?) AS named GROUP BY 1 ORDER BY n DESC, 1",
            (scope, OWNER, scope, scope),
        )
        return Stats(
            files=files,
            units=units,
            facts=facts,
            by_kind=dict(self._db.execute(grouped.format("kind"), (scope,))),
            by_category=dict(self._db.execute(grouped.format("category"), (scope,))),
            # Each is named as it is written among a unit's entities; merged names count as the one that is kept.
            entities=tuple(
                (next((name for name in (written or "").split("\n") if entity_key(name) == key), key), n)
                for key, written, n in names
            ),
            first_day=first_day,
            last_day=last_day,
        )

    @translated
    def problems(self) -> tuple[Problem, ...]:
        rows = self._db.execute(
            "SELECT f.path, p.line, p.message, p.hint FROM problems p JOIN files f ON f.id = p.file ORDER BY 1, 2, 3"
        )
        return tuple(Problem(*row) for row in rows)

    def merge_segments(self) -> bool:
        """Tidy up a little when there is time; return whether there may be more to do."""
        return False

    @abstractmethod
    def close(self) -> None: ...


def rarity(units: int, holding: int) -> float:
    """Return BM25's weight of a term that some of all units hold, as FTS5 computes it."""
    return max(LEAST_WEIGHT, math.log((units - holding + 0.5) / (holding + 0.5)))
