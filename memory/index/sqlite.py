"""The index in a SQLite file: opened, checked, tidied; and words looked up in its full-text index."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path

import apsw

from memory.index import schema
from memory.index.rows import filter_conditions
from memory.index.sql import K1, B, Index, rarity
from memory.index.terms import needle_of
from memory.index.types import Words
from memory.sqlite import immediate, sqlite_errors, translated
from memory.types import EVERYWHERE, OWNER, Filter, Scope

_AHEAD = 2
"""So many times the units that are wanted are ranked before it is looked which of them may be seen."""
_MAX_COLUMNS = 500
"""Terms counted by one statement; SQLite has a limit on the columns of a result."""


class SqliteIndex(Index):
    """An open index file. Raises what `Index` raises."""

    _db: apsw.Connection

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

    def keep_terms(self, added: Sequence[tuple[int, str]], removed: Sequence[int]) -> None:
        self._db.executemany("DELETE FROM fts WHERE rowid = ?", [(unit,) for unit in removed])
        self._db.executemany("INSERT INTO fts(rowid, t) VALUES (?, ?)", added)

    @translated
    def frequencies(self, terms: Iterable[str], *, scope: Scope) -> dict[str, int]:
        if scope != OWNER:
            whole = [term for term in terms if term and not term.endswith("*")]
            counts = self._count_units([*map(needle_of, whole)], scope)
            return {term: count for term, count in zip(whole, counts, strict=True) if count}
        rows = self._db.execute(
            "SELECT v.term, v.doc FROM json_each(?) j CROSS JOIN vocabulary v ON v.term = j.value",
            (json.dumps([*terms]),),
        )
        return dict(rows)

    @translated
    def match(
        self, words: Words, *, scope: Scope, where: Filter = EVERYWHERE, limit: int, among: Words = ()
    ) -> list[int]:
        wanted = _match_expression(words, among)
        if not wanted:
            return []
        if scope != OWNER:
            needles = [needle_of(term) for word in (*among, *words) for term in word]
            return self._match_scope(wanted, needles, scope=scope, where=where, limit=limit)
        conditions, values = filter_conditions(where)
        sees_all = not conditions and not self._has_others(scope)
        # Who may see a unit is looked up for the best alone; if too few of these remain, for all.
        rows = self._db.execute(
            "SELECT rowid, bm25(fts) AS score FROM fts WHERE fts MATCH ? ORDER BY score, rowid LIMIT ?",
            (wanted, limit if sees_all else _AHEAD * limit),
        )
        best = [unit for unit, _ in rows]
        if sees_all:
            return best
        rows = self._db.execute(
            f"SELECT u.id FROM json_each(?) j CROSS JOIN units u ON u.id = j.value WHERE u.scope = ? {conditions}",
            (json.dumps(best), scope, *values),
        )
        seen = {unit for (unit,) in rows}
        if len(best) < _AHEAD * limit or len(seen) >= limit:
            return [unit for unit in best if unit in seen][:limit]
        # `ORDER BY rank` would be half as fast as the alias. CROSS keeps the planner from walking through all units.
        rows = self._db.execute(
            "SELECT fts.rowid, bm25(fts) AS score FROM fts CROSS JOIN units u ON u.id = fts.rowid AND u.scope = ? "
            f"{conditions} WHERE fts MATCH ? ORDER BY score, fts.rowid LIMIT ?",
            (scope, *values, wanted, limit),
        )
        return [unit for unit, _ in rows]

    def _has_others(self, scope: Scope) -> bool:
        """Return whether there are units of any other scope."""
        one = "EXISTS(SELECT 1 FROM units INDEXED BY units_scope WHERE scope"
        return bool(self._db.execute(f"SELECT {one} < ?1) OR {one} > ?1)", (scope,)).get)

    def _match_scope(
        self, wanted: str, needles: Sequence[str], *, scope: Scope, where: Filter, limit: int
    ) -> list[int]:
        """Rank by BM25 as FTS5 computes it, with the scope's own statistics."""
        conditions, values = filter_conditions(where)
        found = self._db.execute(
            "SELECT u.id, u.length, t.terms FROM fts CROSS JOIN units u ON u.id = fts.rowid AND u.scope = ? "
            f"{conditions} CROSS JOIN terms t ON t.unit = u.id WHERE fts MATCH ?",
            (scope, *values, wanted),
        )
        rows = [(unit, length, terms) for unit, length, terms in found]
        if not rows:
            return []
        sums = self.totals(scope=scope)
        mean = sums.terms / sums.units
        counts = self._count_units(needles, scope)
        weights = [(needle, rarity(sums.units, count)) for needle, count in zip(needles, counts, strict=True)]

        def score(length: int, terms: str) -> float:
            damp = K1 * (1 - B + B * length / mean)
            counts = ((weight, terms.count(needle)) for needle, weight in weights)
            return sum(weight * (K1 + 1) * count / (count + damp) for weight, count in counts if count)

        best = sorted((-score(length, terms), unit) for unit, length, terms in rows)
        return [unit for _, unit in best[:limit]]

    def _count_units(self, needles: Sequence[str], scope: Scope) -> list[int]:
        """Count, for each needle, the scope's units that have it in their terms."""
        counts: list[int] = []
        for start in range(0, len(needles), _MAX_COLUMNS):
            some = needles[start : start + _MAX_COLUMNS]
            columns = ", ".join(["total(instr(t.terms, ?) > 0)"] * len(some))
            row = self._db.execute(
                f"SELECT {columns} FROM units u CROSS JOIN terms t ON t.unit = u.id WHERE u.scope = ?", (*some, scope)
            ).fetchone()
            counts += map(int, row or ())
        return counts

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

    def close(self) -> None:
        self._db.close()


def _match_expression(words: Words, among: Words) -> str:
    """Format the FTS5 expression for `Index.match`. Every term is quoted, so that none is taken for an operator."""

    def quote(term: str) -> str:
        bare = term.replace("\x00", "").replace('"', '""')
        return f'"{bare[:-1]}"*' if bare.endswith("*") else f'"{bare}"'

    whole, required = (" OR ".join(quote(term) for word in some for term in word) for some in (words, among))
    return f"({required}) AND ({whole})" if whole and required else whole
