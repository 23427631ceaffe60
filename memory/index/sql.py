"""The index in SQL, for any engine: its queries, and what is written into it."""

from __future__ import annotations

import json
import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import repeat
from pathlib import Path

from memory.index import schema
from memory.index.rows import STORED, IndexWrite, files_under, filter_conditions, read_stored
from memory.index.tables.facts import FactTable
from memory.index.tables.links import LinkTable
from memory.index.tables.lives import LIFE, LIVES_JOIN, LifeTable, whole_name_in_sql
from memory.index.tables.vectors import VectorTable
from memory.index.terms import entity_key
from memory.index.types import Changed, Entry, Excerpt, FileChange, FileState, Neighbour, Stored, Totals, Voice, Words
from memory.language.guidance import TextFlags
from memory.sqlite import Statements, Table, immediate, snapshot, sqlite_errors, translated
from memory.types import EVERYWHERE, OWNER, Filter, Kind, Problem, Scope, Stats

ENTRY = 'u.id, u.file, u."order", u.turn, u.kind, u.first, u.last, u.speaker, u.characters, u.length, u.marks'
"""The first columns of `types.Entry`."""
K1, B = 1.2, 0.75
"""The constants of BM25, as FTS5 has them."""
MIN_WEIGHT = 1e-6
"""Of a term that more than half of the units hold, as FTS5 has it."""
_IS_KNOWN = "(? = ? OR EXISTS (SELECT 1 FROM units u INDEXED BY units_file WHERE u.file = a.file AND u.scope = ?))"
"""Whether a scope knows an alias."""


class Index(Table, ABC):
    """Units kept and looked up. One connection, for one thread at a time.

    Any method raises `IndexBroken` when the index turns out to be damaged, `WriteFailed` when it cannot be written,
    `Busy` when another process keeps it locked.

    Laws, which `tests/contract/test_index.py` holds every engine to:
        1. A read that takes a scope gives units of that scope, and no other.
        2. A write happens as a whole or not at all; the next read sees it.
        3. Units that a changed file still holds keep their ids; an id is never given twice.
        4. After any writes the index answers as one that was given the last version of every file in one write.
        5. The same question gets the same answer, in the same order.
        6. What is counted (totals, languages, frequencies, voices, BM25) is counted over what the scope may see: all
           units for the owner, and for any other scope its own, so that no count tells of what it may not see.
        7. No term, name or path makes a read raise anything but the above.

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
        """Have all reads within a block see one state: what others write meanwhile comes after it."""
        with sqlite_errors(self.path), snapshot(self._db):
            yield

    @translated
    def write(
        self, changes: Sequence[FileChange], removed: Sequence[str] = (), *, notes: Mapping[str, str] | None = None
    ) -> Changed:
        """Take in new versions of files, remove others, and keep short texts by key, in one transaction."""
        with immediate(self._db):
            changed = IndexWrite(self._db, self.keep_terms).write(changes, removed)
            schema.note(self._db, notes or {})
            return changed

    @translated
    def paths_of(self, names: Iterable[str]) -> set[str]:
        """Return the paths of the files that hold units of any of these names, of all scopes."""
        rows = self._db.execute(
            "SELECT DISTINCT f.path FROM json_each(?) j CROSS JOIN units u INDEXED BY units_name ON u.name = j.value "
            "CROSS JOIN files f ON f.id = u.file",
            (json.dumps([*names]),),
        )
        return {path for (path,) in rows}

    @translated
    def note(self, key: str) -> str:
        """Return a text that was kept with a write; empty if there is none."""
        return schema.read_note(self._db, key)

    @translated
    def files(self, paths: Iterable[str] | None = None) -> dict[str, FileState]:
        """Return the states of the indexed files: of all, or of these."""
        some = "" if paths is None else "WHERE path IN (SELECT value FROM json_each(?))"
        values = () if paths is None else (json.dumps([*paths]),)
        rows = self._db.execute(f"SELECT path, size, mtime_ns, digest FROM files {some}", values)
        return {row[0]: FileState._make(row[1:]) for row in rows}

    @translated
    def totals(self, *, scope: Scope = OWNER) -> Totals:
        """Return the sums over what a scope may see."""
        if scope == OWNER:
            keys = ("files", "units", "facts", "terms", "characters")
            sums = dict(self._db.execute("SELECT key, value FROM sums WHERE key IN (?, ?, ?, ?, ?)", keys))
            return Totals(*(sums.get(key, 0) for key in keys))
        row = self._db.execute(
            "SELECT count(DISTINCT file), count(*), count(*) FILTER (WHERE kind <> ?), coalesce(sum(length), 0), "
            "coalesce(sum(characters), 0) FROM units "
            "WHERE scope = ?",
            (Kind.NOTE, scope),
        ).fetchone()
        return Totals(*map(int, row))

    @translated
    def languages(self, *, scope: Scope) -> tuple[str, ...]:
        """Return the languages of the units, commonest first."""
        if scope == OWNER:
            rows = self._db.execute(
                "SELECT substr(key, 10) FROM sums WHERE key > 'language.' AND key < 'language/' AND value > 0 "
                "ORDER BY value DESC, key"
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
    def frequencies(self, terms: Iterable[str], *, scope: Scope) -> dict[str, int]:
        """Count the units that hold each of these terms; a term that none holds is left out."""

    @abstractmethod
    def match(
        self, words: Words, *, scope: Scope, where: Filter = EVERYWHERE, limit: int, among: Words = ()
    ) -> list[int]:
        """Return the ids of the units with the highest BM25 for these words, best first.

        With `among`, only units with one of those words are looked at.
        """

    @translated
    def dated(self, first: str, last: str, *, scope: Scope, where: Filter = EVERYWHERE, limit: int) -> list[int]:
        """Return the ids of the units about any day from `first` to `last` (ISO, both included), newest first."""
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
    def newest(self, *, scope: Scope, where: Filter = EVERYWHERE, limit: int) -> list[int]:
        """Return ids of units, newest first, those without a day last; what stands further down in a file is newer."""
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
        """Return the ids of the first units of the facts, paragraphs and turns of these speakers, oldest first.

        What nobody says has the speaker "".
        """
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
        """Return ids of the units about any of these entities (keys as `keys_of` gives them), newest first."""
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
    def keys_of(self, names: Iterable[str], *, scope: Scope) -> dict[str, str]:
        """Return those of these folded names that are entities, with their keys; an alias has the key of what it names.

        A scope knows the entities that its own units are about, and the aliases in files that hold such units; the
        owner knows those of all files.
        """
        rows = self._db.execute(
            "SELECT value, NULL FROM json_each(?1) j WHERE EXISTS (SELECT 1 FROM mentions m CROSS JOIN units u "
            "ON u.id = m.unit WHERE m.entity = j.value AND u.scope = ?2) UNION ALL "
            "SELECT alias, max(entity) FROM json_each(?1) j CROSS JOIN aliases a ON a.alias = j.value WHERE ?2 = ?3 "
            "OR EXISTS (SELECT 1 FROM units u INDEXED BY units_file WHERE u.file = a.file AND u.scope = ?2) "
            "GROUP BY alias",
            (json.dumps([*names]), scope, OWNER),
        )
        return {name: meant or name for name, meant in sorted(rows, key=lambda row: row[1] or "")}

    @translated
    def synonyms(self, entities: Iterable[str], *, scope: Scope) -> set[str]:
        """Return the keys of these entities with those of all their other names that a scope knows."""
        keys = {*entities}
        rows = self._db.execute(
            f"SELECT alias FROM json_each(?) j CROSS JOIN aliases a ON a.entity = j.value WHERE {_IS_KNOWN}",
            (json.dumps([*keys]), scope, OWNER, scope),
        )
        return keys.union(alias for (alias,) in rows)

    @translated
    def guiding(self, *, scope: Scope) -> list[int]:
        """Return the ids of the units that hold a standing instruction or a preference."""
        rows = self._db.execute("SELECT id FROM units INDEXED BY units_guiding WHERE scope = ? AND marks & 3", (scope,))
        return [unit for (unit,) in rows]

    @translated
    def voices(self, *, scope: Scope) -> dict[str, Voice]:
        """Return the speakers of all conversations."""
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
        """Return what ranking needs of these units, each once."""
        # CROSS keeps the order of the joins: without statistics the planner would begin with all units of the scope.
        rows = self._db.execute(
            f"SELECT {ENTRY}, f.path, t.terms, u.since, u.until, u.named, {LIFE} FROM json_each(?1) j "
            "CROSS JOIN units u ON u.id = j.value CROSS JOIN terms t ON t.unit = u.id "
            f"CROSS JOIN files f ON f.id = u.file {LIVES_JOIN} WHERE u.scope = ?2",
            (json.dumps([*dict.fromkeys(ids)]), scope),
        )
        return [*map(tuple.__new__, repeat(Entry), rows)]  # `_make` is a function in Python, called for each row

    @translated
    def neighbours(self, ids: Sequence[int], *, scope: Scope) -> list[Neighbour]:
        """Return the units directly before and behind each of these in its file, each once."""
        rows = self._db.execute(
            'SELECT u.id, u.file, u."order", u.kind, u.length, t.terms FROM json_each(?1) j '
            "CROSS JOIN units c ON c.id = j.value CROSS JOIN units u INDEXED BY units_file ON u.file = c.file "
            'AND u."order" BETWEEN c."order" - 1 AND c."order" + 1 AND u.id <> c.id '
            "CROSS JOIN terms t ON t.unit = u.id WHERE c.scope = ?2 AND u.scope = ?2",
            (json.dumps([*ids]), scope),
        )
        return [*map(tuple.__new__, repeat(Neighbour), {row[0]: row for row in rows}.values())]

    @translated
    def stored(self, ids: Sequence[int], *, scope: Scope) -> list[Stored]:
        """Return these units, in this order; those of another scope are left out."""
        rows = self._db.execute(
            f"{STORED} json_each(?) j CROSS JOIN units u ON u.id = j.value CROSS JOIN files f ON f.id = u.file "
            "WHERE u.scope = ?",
            (json.dumps([*ids]), scope),
        )
        found = {stored.id: stored for stored in read_stored(rows)}
        return [found[unit] for unit in ids if unit in found]

    @translated
    def surroundings(self, ids: Sequence[int], *, scope: Scope, notes: int, pieces: int) -> dict[int, list[Excerpt]]:
        """Return what passages around units are made of, in the order of their files; for a unit of another scope none.

        Around a note these are so many `notes` on each side, around a fact its own among so many `pieces`.
        """
        steps = f"CASE c.kind WHEN '{Kind.NOTE}' THEN ?2 ELSE ?3 END"
        rows = self._db.execute(
            f'WITH around AS MATERIALIZED (SELECT c.id AS hit, c.kind, c.name, c.file, c."order" - {steps} AS low, '
            f'c."order" + {steps} AS high FROM json_each(?1) j CROSS JOIN units c ON c.id = j.value '
            'WHERE c.scope = ?4) SELECT a.hit, u.id, u."order", u.name, u.kind, u.start, u."end", u.text, '
            "coalesce(u.body, u.text), u.origin, u.lead, u.entities FROM around a "
            'CROSS JOIN units u INDEXED BY units_file ON u.file = a.file AND u."order" BETWEEN a.low AND a.high '
            f"WHERE u.scope = ?4 AND (a.kind = '{Kind.NOTE}' "
            f"OR {whole_name_in_sql('u.name')} = {whole_name_in_sql('a.name')})",
            (json.dumps([*ids]), notes, pieces, scope),
        )
        found: dict[int, list[Excerpt]] = {unit: [] for unit in ids}
        excerpts: Iterator[Excerpt] = map(tuple.__new__, repeat(Excerpt), rows)
        for excerpt in sorted(excerpts, key=lambda one: one.order):  # SQLite would copy all texts for that
            found[excerpt.around].append(excerpt)
        return found

    @translated
    def between(self, file: int, *, first: int, last: int, scope: Scope) -> list[Stored]:
        """Return the units of a file whose order is between two numbers, both included, in order."""
        rows = self._db.execute(
            f"{STORED} units u INDEXED BY units_file JOIN files f ON f.id = u.file "
            'WHERE u.file = ? AND u."order" BETWEEN ? AND ? AND u.scope = ? ORDER BY u."order"',
            (file, first, last, scope),
        )
        return read_stored(rows)

    @translated
    def find(self, name: str, *, scope: Scope) -> Stored | None:
        """Return the unit of a name; of several files with the same block id that of the shortest path, no copy."""
        rows = self._db.execute(
            f"{STORED} units u INDEXED BY units_name JOIN files f ON f.id = u.file "
            'WHERE u.name = ? AND u.scope = ? ORDER BY length(f.path), f.path, u."order" LIMIT 1',
            (name, scope),
        )
        return next(iter(read_stored(rows)), None)

    @translated
    def stats(self, *, scope: Scope) -> Stats:
        """Return counts over what a scope may see."""
        own = "instr(name, '/') = 0"  # not a further piece of a long fact
        counts = f"count(DISTINCT file), count(*), count(*) FILTER (WHERE kind <> ? AND {own}), min(first), max(first)"
        row = self._db.execute(f"SELECT {counts} FROM units WHERE scope = ?", (Kind.NOTE, scope)).fetchone()
        files, units, facts, first_day, last_day = row
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
        """Return what was wrong with files and bullets when they were indexed, by path and line."""
        rows = self._db.execute(
            "SELECT f.path, p.line, p.message, p.hint FROM problems p JOIN files f ON f.id = p.file ORDER BY 1, 2, 3"
        )
        return tuple(Problem(*row) for row in rows)

    def merge_segments(self) -> bool:
        """Tidy up a little when there is time; return whether there may be more to do."""
        return False

    @abstractmethod
    def close(self) -> None:
        """Close the file."""


def rarity(units: int, holding: int) -> float:
    """Return BM25's weight of a term that some of all units hold, as FTS5 computes it."""
    return max(MIN_WEIGHT, math.log((units - holding + 0.5) / (holding + 0.5)))
