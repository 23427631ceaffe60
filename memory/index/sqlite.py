"""The index on SQLite: its queries, and what is written into it."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import apsw

from memory.index import schema
from memory.index.fact_table import FactTable
from memory.index.life_table import LIFE, LifeTable
from memory.index.link_table import LinkTable
from memory.index.port import Changed, Entry, FileChange, FileState, Stored, Totals, Voice, Words
from memory.index.schema import STORED, filter_conditions, packed_details, packed_evidence, read_stored
from memory.index.terms import entity_key
from memory.index.units import Chunked, Unit
from memory.index.vector_table import VectorTable
from memory.language.guidance import TextFlags
from memory.sqlite import immediate, sqlite_errors, translated
from memory.strength import speed_of
from memory.types import EVERYWHERE, OWNER, Filter, Kind, Problem, Scope, Stats

_INSERT = (
    'INSERT INTO units(id, file, "order", turn, scope, kind, first, last, speaker, characters, start, "end", name, '
    "origin, category, time, entities, title, lead, body, text, length, language, marks, digest, since, until, source, "
    "known, evidence, details, speed) VALUES (" + ", ".join("?" * 32) + ")"
)
_OF_UNITS = (
    ("units", "id"),
    ("terms", "unit"),
    ("mentions", "unit"),
    ("fts", "rowid"),
    ("vectors", "unit"),
    ("waiting", "unit"),
)
_ADD = "INSERT INTO sums VALUES (?, ?) ON CONFLICT(key) DO UPDATE SET value = value + excluded.value"

Placed = tuple[int, Unit]
"""A unit and its place among its file's units."""


def write(db: apsw.Connection, changes: Sequence[FileChange], removed: Sequence[str]) -> Changed:
    """Take in files and remove others."""
    sums: Counter[str] = Counter()
    changed = Changed()
    for path in removed:
        found = db.execute("SELECT id FROM files WHERE path = ?", (path,)).fetchone()
        if found:
            ids = [unit for (unit,) in db.execute("SELECT id FROM units WHERE file = ?", found)]
            _delete_units(db, ids, sums)
            _delete_side_tables(db, found[0])
            db.execute("DELETE FROM files WHERE id = ?", found)
            sums["files"] -= 1
            changed += Changed(removed=len(ids))
    for change in changes:
        state = (change.state.size, change.state.mtime_ns, change.state.digest)
        found = db.execute("SELECT id FROM files WHERE path = ?", (change.path,)).fetchone()
        if found:
            db.execute("UPDATE files SET size = ?, mtime_ns = ?, digest = ? WHERE id = ?", (*state, found[0]))
        else:
            db.execute("INSERT INTO files(path, size, mtime_ns, digest) VALUES (?, ?, ?, ?)", (change.path, *state))
            sums["files"] += 1
        file = found[0] if found else db.last_insert_rowid()
        if change.chunked:
            changed += _write_units(db, file, change.chunked, sums, known=bool(found))
    db.executemany(_ADD, sums.items())
    return changed


class _Row(NamedTuple):
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


def _write_units(db: apsw.Connection, file: int, chunked: Chunked, sums: Counter[str], *, known: bool) -> Changed:
    """Write only what differs: a unit that is still there keeps its row, and at most changes its place."""
    new: dict[bytes, Placed] = {unit.digest(): (order, unit) for order, unit in enumerate(chunked.units)}
    old: dict[bytes, _Row] = {}
    if known:
        columns = 'digest, id, "order", turn, start, "end", origin, scope, source, known, evidence'
        rows = db.execute(f"SELECT {columns} FROM units WHERE file = ?", (file,))
        old = {digest: _Row(*rest) for digest, *rest in rows}
        _delete_side_tables(db, file)
        _delete_units(db, [row.id for digest, row in old.items() if digest not in new], sums)
        sums["rescoped"] += _move_units(db, [(old[digest], placed) for digest, placed in new.items() if digest in old])
    added = {digest: placed for digest, placed in new.items() if digest not in old}
    _insert_units(db, file, added, sums)
    db.executemany(
        "INSERT OR IGNORE INTO aliases VALUES (?, ?, ?)",
        ((entity_key(alias), entity_key(name), file) for alias, name in chunked.aliases),
    )
    db.executemany(
        "INSERT INTO problems VALUES (?, ?, ?, ?)",
        ((file, problem.line, problem.message, problem.hint) for problem in chunked.problems),
    )
    return Changed(len(added), len(old.keys() - new.keys()), len(new) - len(added))


def _move_units(db: apsw.Connection, pairs: Sequence[tuple[_Row, Placed]]) -> int:
    """Write places, owners and what else may change of units that stay; return how many have another scope by now."""
    now = (
        (
            row, (
                order, unit.turn, unit.start, unit.end, unit.origin, unit.scope, unit.fact_source, unit.known,
                packed_evidence(unit),
            ),
        )
        for row, (order, unit) in pairs
    )  # fmt: skip
    db.executemany(
        'UPDATE units SET "order" = ?, turn = ?, start = ?, "end" = ?, origin = ?, scope = ?, source = ?, known = ?, '
        "evidence = ? WHERE id = ?",
        ((*place, row.id) for row, place in now if row[1:] != place),
    )
    return sum(1 for row, (_, unit) in pairs if row.scope != unit.scope)


def _delete_units(db: apsw.Connection, ids: Sequence[int], sums: Counter[str]) -> None:
    keys = [(unit,) for unit in ids]
    for key in keys:
        for row in db.execute("SELECT kind, length, characters, language, speaker, marks FROM units WHERE id = ?", key):
            _count(sums, -1, _Counted._make(row))
    for table, column in _OF_UNITS:
        db.executemany(f"DELETE FROM {table} WHERE {column} = ?", keys)
    db.executemany("INSERT INTO gone(id) VALUES (?)", keys)


def _insert_units(db: apsw.Connection, file: int, added: Mapping[bytes, Placed], sums: Counter[str]) -> None:
    (first,) = db.execute("SELECT coalesce(max(seq), 0) + 1 FROM sqlite_sequence WHERE name = 'units'").fetchone() or (
        1,
    )
    units, terms, mentions = [], [], []
    for number, (digest, (order, unit)) in enumerate(added.items(), first):
        language, found = unit.searched()
        length = found.count(" ") + 1 if found else 0
        marks = unit.marks  # found by rule, which takes a while
        _count(sums, 1, _Counted(unit.kind, length, len(unit.text), language, unit.speaker, marks))
        terms.append((number, f" {found.replace(' ', '  ')} "))
        mentions += [(entity_key(name), number) for name in unit.entities]
        units.append((
            number, file, order, unit.turn, unit.scope, unit.kind, unit.first, unit.last, unit.speaker, len(unit.text),
            unit.start, unit.end, unit.name, unit.origin, unit.category, unit.time, "\n".join(unit.entities),
            unit.title, unit.lead, None if unit.body == unit.text else unit.body, unit.text,
            length, language, marks, digest, unit.since, unit.until, unit.fact_source, unit.known,
            packed_evidence(unit), packed_details(unit),
            speed_of(unit.kind, unit.category, unit.attributes),
        ))  # fmt: skip
    db.executemany(_INSERT, units)
    db.executemany("INSERT INTO terms VALUES (?, ?)", terms)
    db.executemany("INSERT INTO fts(rowid, t) VALUES (?, ?)", terms)
    db.executemany("INSERT INTO waiting VALUES (?)", ((number,) for number, _ in terms))
    db.executemany("INSERT OR IGNORE INTO mentions VALUES (?, ?)", mentions)


def _delete_side_tables(db: apsw.Connection, file: int) -> None:
    db.execute("DELETE FROM aliases WHERE file = ?", (file,))
    db.execute("DELETE FROM problems WHERE file = ?", (file,))


class _Counted(NamedTuple):
    kind: str
    length: int
    characters: int
    language: str
    speaker: str
    marks: int


def _count(sums: Counter[str], sign: int, unit: _Counted) -> None:
    sums["units"] += sign
    sums["facts"] += sign * (unit.kind != Kind.NOTE)
    sums["terms"] += sign * unit.length
    sums["characters"] += sign * unit.characters
    sums[f"language.{unit.language}"] += sign
    if unit.speaker:
        sums[f"said.{unit.speaker}"] += sign
        sums[f"self.{unit.speaker}"] += sign * bool(unit.marks & TextFlags.FIRST_PERSON)


_ENTRY = 'u.id, u.file, u."order", u.turn, u.kind, u.first, u.last, u.speaker, u.characters, u.length, u.marks'
_MAX_COLUMNS = 500
"""Terms counted by one statement; SQLite has a limit on the columns of a result."""
_K1, _B = 1.2, 0.75


_IS_KNOWN = "(? = ? OR EXISTS (SELECT 1 FROM units u INDEXED BY units_file WHERE u.file = a.file AND u.scope = ?))"
"""Whether a scope knows an alias."""


class SqliteIndex:
    """An open index file. One connection, for one thread at a time; `memory.index.port.Index` documents its methods.

    Any method raises `IndexBroken` when the file turns out to be damaged, `WriteFailed` when the disk refuses, `Busy`
    when another process keeps it locked.

    Attributes:
        path: the file; `:memory:` for none.
        lives: how the facts live on, in the same file.
        links: what they are linked to, there.
        facts: the facts as lists.
        vectors: the vectors of the units, there, too.
    """

    def __init__(self, db: apsw.Connection, path: Path) -> None:
        self.path = path
        self.lives = LifeTable(db, path)
        self.links = LinkTable(db, path)
        self.facts = FactTable(db, path)
        self.vectors = VectorTable(db, path)
        self._db = db

    @classmethod
    def open(cls, path: Path, *, read_only: bool = False) -> SqliteIndex:
        """Open a file that has its tables, or make them in one that is new or empty."""
        with sqlite_errors(path):
            db = schema.connect(path, read_only=read_only)
            if not read_only and not schema.identity(db):
                schema.create(db)
        return cls(db, path)

    @translated
    def identity(self) -> dict[str, str]:
        """Return the versions that the file was made by."""
        return schema.identity(self._db)

    @translated
    def damage(self, *, whole: bool = False) -> str:
        """Return what a quick check finds wrong, or with `whole` one of every page; empty if nothing is."""
        return schema.check(self._db, whole=whole)

    @translated
    def write(
        self, changes: Sequence[FileChange], removed: Sequence[str] = (), *, notes: Mapping[str, str] | None = None
    ) -> Changed:
        with immediate(self._db):
            changed = write(self._db, changes, removed)
            for key, value in (notes or {}).items():
                schema.note(self._db, key, value)
            return changed

    @translated
    def merge_segments(self) -> bool:
        """Merge up to 16 pages of the search index; return whether there may be more to merge.

        `automerge` is off, so that a merge waits for a quiet moment instead of delaying a write.
        """
        with immediate(self._db):
            before = self._db.total_changes()
            self._db.execute("INSERT INTO fts(fts, rank) VALUES ('merge', 16)")
            # FTS5's manual: fewer than two changes mean that there was nothing left to merge.
            return self._db.total_changes() - before >= 2

    @translated
    def scrub(self, *, compact: bool = False) -> None:
        """Leave nothing in the file of what was removed from it; `compact` rewrites all of it, for older remains."""
        with immediate(self._db):
            # Merging everything drops the terms of what was removed; some tenths of a second at most.
            self._db.execute("INSERT INTO fts(fts) VALUES ('optimize')")
        if compact:
            self._db.execute("VACUUM").fetchall()
        self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

    @translated
    def become(self, other: SqliteIndex) -> None:
        """Take over all that another file holds, at once and for all processes that have this one open."""
        with self._db.backup("main", other._db, "main") as copy:
            copy.step(-1)
        self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

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
            "SELECT count(DISTINCT file), count(*), total(kind <> ?), total(length), total(characters) FROM units "
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

    @translated
    def frequencies(self, terms: Iterable[str], *, scope: Scope) -> dict[str, int]:
        if scope != OWNER:
            whole = [term for term in terms if term and not term.endswith("*")]
            counts = self._count_units([_needle(term) for term in whole], scope)
            return {term: count for term, count in zip(whole, counts, strict=True) if count}
        found = {}
        for term in terms:
            for (count,) in self._db.execute("SELECT doc FROM vocabulary WHERE term = ?", (term,)):
                found[term] = count
        return found

    @translated
    def match(
        self,
        words: Words,
        *,
        scope: Scope,
        where: Filter = EVERYWHERE,
        limit: int,
        among: Words = (),
    ) -> list[int]:
        wanted = _match_expression(words, among)
        if not wanted:
            return []
        if scope != OWNER:
            return self._match_scope(words, wanted, scope=scope, where=where, limit=limit, among=among)
        conditions, values = filter_conditions(where)
        # `ORDER BY rank` would be half as fast as the alias. CROSS keeps the planner from walking through all units.
        rows = self._db.execute(
            "SELECT fts.rowid, bm25(fts) AS score FROM fts CROSS JOIN units u ON u.id = fts.rowid AND u.scope = ? "
            f"{conditions} WHERE fts MATCH ? ORDER BY score, fts.rowid LIMIT ?",
            (scope, *values, wanted, limit),
        )
        return [unit for unit, _ in rows]

    def _match_scope(
        self, words: Words, wanted: str, *, scope: Scope, where: Filter, limit: int, among: Words
    ) -> list[int]:
        """Rank by BM25 as FTS5 computes it, with the scope's own statistics."""
        conditions, values = filter_conditions(where)
        found = self._db.execute(
            "SELECT u.id, u.length, t.terms FROM fts CROSS JOIN units u ON u.id = fts.rowid AND u.scope = ? "
            f"{conditions} CROSS JOIN terms t ON t.unit = u.id WHERE fts MATCH ?",
            (scope, *values, wanted),
        )
        rows = [(unit, length, held) for unit, length, held in found]
        if not rows:
            return []
        sums = self.totals(scope=scope)
        mean = sums.terms / sums.units
        needles = [_needle(term) for word in (*among, *words) for term in word]
        counts = self._count_units(needles, scope)
        rarities = (math.log((sums.units - held + 0.5) / (held + 0.5)) for held in counts)
        weights = [(needle, max(1e-6, rarity)) for needle, rarity in zip(needles, rarities, strict=True)]

        def score(length: int, held: str) -> float:
            damp = _K1 * (1 - _B + _B * length / mean)
            counts = ((weight, held.count(needle)) for needle, weight in weights)
            return sum(weight * (_K1 + 1) * count / (count + damp) for weight, count in counts if count)

        best = sorted((-score(length, held), unit) for unit, length, held in rows)
        return [unit for _, unit in best[:limit]]

    def _count_units(self, needles: Sequence[str], scope: Scope) -> list[int]:
        """Count, for each needle, the scope's units that have it in their terms."""
        found: list[int] = []
        for start in range(0, len(needles), _MAX_COLUMNS):
            some = needles[start : start + _MAX_COLUMNS]
            counts = ", ".join(["total(instr(t.terms, ?) > 0)"] * len(some))
            row = self._db.execute(
                f"SELECT {counts} FROM units u CROSS JOIN terms t ON t.unit = u.id WHERE u.scope = ?", (*some, scope)
            ).fetchone()
            found += map(int, row or ())
        return found

    @translated
    def dated(self, first: str, last: str, *, scope: Scope, where: Filter = EVERYWHERE, limit: int) -> list[int]:
        conditions, values = filter_conditions(where)
        rows = self._db.execute(
            "SELECT u.id FROM units u JOIN files f ON f.id = u.file "
            f"WHERE u.scope = ? {conditions} AND u.first <= ? AND u.last >= ? "
            'ORDER BY u.first DESC, f.path, u."order" LIMIT ?',
            (scope, *values, last, first, limit),
        )
        return [unit for (unit,) in rows]

    @translated
    def listed(self, *, scope: Scope, where: Filter = EVERYWHERE, limit: int) -> list[int]:
        conditions, values = filter_conditions(where)
        source = "units u JOIN files f ON f.id = u.file"
        if where.under:  # few files of many: from these to their units, not the other way round
            source = (
                "(SELECT id, path FROM files WHERE substr(path, 1, length(?)) = ?) f "
                "CROSS JOIN units u INDEXED BY units_file ON u.file = f.id"
            )
        rows = self._db.execute(
            f"SELECT u.id FROM {source} WHERE u.scope = ? {conditions} "
            'ORDER BY u.first IS NULL, u.first DESC, f.path, u."order" DESC LIMIT ?',
            (*([where.under] * 2 if where.under else ()), scope, *values, limit),
        )
        return [unit for (unit,) in rows]

    @translated
    def openings(self, speakers: Iterable[str], *, scope: Scope, where: Filter = EVERYWHERE) -> list[int]:
        conditions, values = filter_conditions(where)
        # Of a group's columns SQLite gives those of the row with the least order.
        rows = self._db.execute(
            'SELECT u.id, min(u."order") FROM units u WHERE u.scope = ? '
            f"AND u.speaker IN (SELECT value FROM json_each(?)) {conditions} "
            "GROUP BY u.file, u.turn ORDER BY u.first, u.file, u.turn",
            (scope, json.dumps([*speakers]), *values),
        )
        return [unit for unit, _ in rows]

    @translated
    def about(self, entities: Iterable[str], *, scope: Scope, where: Filter = EVERYWHERE, limit: int) -> list[int]:
        conditions, values = filter_conditions(where)
        rows = self._db.execute(
            "SELECT DISTINCT u.id FROM json_each(?) e CROSS JOIN mentions m ON m.entity = e.value "
            "CROSS JOIN units u ON u.id = m.unit "
            f"JOIN files f ON f.id = u.file WHERE u.scope = ? {conditions} "
            'ORDER BY u.first DESC, f.path, u."order" LIMIT ?',
            (json.dumps([*entities]), scope, *values, limit),
        )
        return [unit for (unit,) in rows]

    @translated
    def known(self, names: Iterable[str], *, scope: Scope) -> dict[str, str]:
        asked = json.dumps([*names])
        entities = self._db.execute(
            "SELECT value FROM json_each(?) j WHERE EXISTS (SELECT 1 FROM mentions m CROSS JOIN units u "
            "ON u.id = m.unit WHERE m.entity = j.value AND u.scope = ?)",
            (asked, scope),
        )
        aliases = self._db.execute(
            "SELECT alias, max(entity) FROM json_each(?) j CROSS JOIN aliases a ON a.alias = j.value "
            f"WHERE {_IS_KNOWN} GROUP BY alias",
            (asked, scope, OWNER, scope),
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
                "SELECT speaker, count(*), total(marks & ? > 0) FROM units WHERE scope = ? AND speaker <> '' "
                "GROUP BY 1",
                (int(TextFlags.FIRST_PERSON), scope),
            )
        return {speaker: Voice(units, int(first)) for speaker, units, first in rows}

    @translated
    def entries(self, ids: Sequence[int], *, scope: Scope, around: int = 0) -> list[Entry]:
        # CROSS keeps the order of the joins: without statistics the planner would begin with all units of the scope.
        rows = self._db.execute(
            "WITH near(id) AS (SELECT DISTINCT u.id FROM json_each(?1) j CROSS JOIN units c ON c.id = j.value "
            'CROSS JOIN units u ON u.file = c.file AND u."order" BETWEEN c."order" - ?2 AND c."order" + ?2 '
            f"WHERE c.scope = ?3) SELECT {_ENTRY}, f.path, t.terms, u.since, u.until, {LIFE.columns} FROM near "
            "CROSS JOIN units u ON u.id = near.id CROSS JOIN terms t ON t.unit = u.id "
            f"CROSS JOIN files f ON f.id = u.file {LIFE.join} WHERE u.scope = ?3",
            (json.dumps([*ids]), around, scope),
        )
        return list(map(Entry._make, rows))

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
        counts = f"count(DISTINCT file), count(*), sum(kind <> ? AND {own}), min(first), max(first)"
        row = self._db.execute(f"SELECT {counts} FROM units WHERE scope = ?", (Kind.NOTE, scope)).fetchone()
        files, units, facts, first_day, last_day = row or (0, 0, 0, None, None)
        grouped = (
            f"SELECT {{0}}, count(*) AS n FROM units WHERE scope = ? AND {own} AND {{0}} IS NOT NULL "
            "GROUP BY 1 ORDER BY n DESC, 1"
        )
        names = self._db.execute(
            "SELECT m.entity, min(u.entities), count(*) AS n FROM mentions m JOIN units u ON u.id = m.unit "
            "WHERE u.scope = ? GROUP BY 1 ORDER BY n DESC, 1",
            (scope,),
        )
        return Stats(
            files=files,
            units=units,
            facts=facts or 0,
            by_kind=dict(self._db.execute(grouped.format("kind"), (scope,))),
            by_category=dict(self._db.execute(grouped.format("category"), (scope,))),
            # Each is named as it is written among a unit's entities.
            entities=tuple(
                (next((name for name in written.split("\n") if entity_key(name) == key), key), n)
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

    def close(self) -> None:
        self._db.close()


def _match_expression(words: Words, among: Words) -> str:
    """Format the FTS5 expression for `Index.match`. Every term is quoted, so that none is taken for an operator."""

    def quote(term: str) -> str:
        bare = term.replace("\x00", "").replace('"', '""')
        return f'"{bare[:-1]}"*' if bare.endswith("*") else f'"{bare}"'

    whole, required = (" OR ".join(quote(term) for word in some for term in word) for some in (words, among))
    return f"({required}) AND ({whole})" if whole and required else whole


def _needle(term: str) -> str:
    """Return what stands for a term in `terms`: itself with a space on both sides, or what begins like it."""
    return f" {term[:-1]}" if term.endswith("*") else f" {term} "
