"""Queries of the index on SQLite, and what a chat may know of the collection."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence

import apsw

from memory.index.port import Entry, FileState, Stored, Totals, Voice, Words
from memory.index.terms import entity_key
from memory.index.units import Unit
from memory.language.guidance import TextFlags
from memory.types import Filter, Kind, Origin, Problem, Scope, Stats

_ENTRY = 'u.id, u.file, u."order", u.turn, u.kind, u.first, u.last, u.speaker, u.characters, u.length, u.marks'
_UNIT = (
    'u.name, u.kind, u.start, u."end", u.text, coalesce(u.body, u.text), u.lead, u.title, u.speaker, u.entities, '
    "u.category, u.time, u.first, u.last, u.origin, u.scope, u.language, u.turn"
)
_STORED = f'SELECT u.id, u.file, u."order", f.path, {_UNIT} FROM'


def files(db: apsw.Connection, paths: Iterable[str] | None) -> dict[str, FileState]:
    """Files with their states."""
    some = "" if paths is None else "WHERE path IN (SELECT value FROM json_each(?))"
    values = () if paths is None else (json.dumps([*paths]),)
    rows = db.execute(f"SELECT path, size, mtime_ns, digest FROM files {some}", values)
    return {row[0]: FileState._make(row[1:]) for row in rows}


def holding(db: apsw.Connection, names: Iterable[str]) -> set[str]:
    """Files with units of these names."""
    rows = db.execute(
        "SELECT DISTINCT f.path FROM json_each(?) j CROSS JOIN units u INDEXED BY units_name ON u.name = j.value "
        "CROSS JOIN files f ON f.id = u.file",
        (json.dumps([*names]),),
    )
    return {path for (path,) in rows}


def noted(db: apsw.Connection, key: str) -> str:
    """A text that was kept."""
    return next((value for (value,) in db.execute("SELECT value FROM meta WHERE key = ?", (f"note.{key}",))), "")


def generation(db: apsw.Connection) -> int:
    """How often the index was written."""
    return next((value for (value,) in db.execute("SELECT value FROM sums WHERE key = 'generation'")), 0)


def totals(db: apsw.Connection) -> Totals:
    """The sums that writes keep."""
    sums = dict(db.execute("SELECT key, value FROM sums"))
    return Totals(*(sums.get(key, 0) for key in ("files", "units", "facts", "terms", "characters")))


def languages(db: apsw.Connection) -> tuple[str, ...]:
    """The languages of the units, commonest first."""
    rows = db.execute(
        "SELECT substr(key, 10) FROM sums WHERE key LIKE 'language._%' AND value > 0 ORDER BY value DESC, key"
    )
    return tuple(code for (code,) in rows)


def frequencies(db: apsw.Connection, terms: Iterable[str]) -> dict[str, int]:
    """How many units hold each term."""
    found = {}
    for term in terms:
        for (count,) in db.execute("SELECT doc FROM vocabulary WHERE term = ?", (term,)):
            found[term] = count
    return found


def match(db: apsw.Connection, words: Words, *, scope: Scope, where: Filter, limit: int, among: Words) -> list[int]:
    """The best units for some words, with the statistics of all units."""
    wanted = expression(words, among)
    if not wanted:
        return []
    conditions, values = narrowed(where)
    # `ORDER BY rank` would be half as fast as the alias. CROSS keeps the planner from walking through all units first.
    rows = db.execute(
        "SELECT fts.rowid, bm25(fts) AS score FROM fts CROSS JOIN units u ON u.id = fts.rowid AND u.scope = ? "
        f"{conditions} WHERE fts MATCH ? ORDER BY score, fts.rowid LIMIT ?",
        (scope, *values, wanted, limit),
    )
    return [unit for unit, _ in rows]


def dated(db: apsw.Connection, first: str, last: str, *, scope: Scope, where: Filter, limit: int) -> list[int]:
    """Units about days in a range, newest first."""
    conditions, values = narrowed(where)
    rows = db.execute(
        "SELECT u.id FROM units u JOIN files f ON f.id = u.file "
        f"WHERE u.scope = ? {conditions} AND u.first <= ? AND u.last >= ? "
        'ORDER BY u.first DESC, f.path, u."order" LIMIT ?',
        (scope, *values, last, first, limit),
    )
    return [unit for (unit,) in rows]


def listed(db: apsw.Connection, *, scope: Scope, where: Filter, limit: int) -> list[int]:
    """Units, newest first."""
    conditions, values = narrowed(where)
    rows = db.execute(
        f"SELECT u.id FROM units u JOIN files f ON f.id = u.file WHERE u.scope = ? {conditions} "
        'ORDER BY u.first IS NULL, u.first DESC, f.path, u."order" DESC LIMIT ?',
        (scope, *values, limit),
    )
    return [unit for (unit,) in rows]


def about(db: apsw.Connection, entities: Iterable[str], *, scope: Scope, where: Filter, limit: int) -> list[int]:
    """Units about entities, newest first."""
    conditions, values = narrowed(where)
    rows = db.execute(
        "SELECT DISTINCT u.id FROM json_each(?) e CROSS JOIN mentions m ON m.entity = e.value "
        "CROSS JOIN units u ON u.id = m.unit "
        f"JOIN files f ON f.id = u.file WHERE u.scope = ? {conditions} "
        'ORDER BY u.first DESC, f.path, u."order" LIMIT ?',
        (json.dumps([*entities]), scope, *values, limit),
    )
    return [unit for (unit,) in rows]


def known(db: apsw.Connection, names: Iterable[str], *, scope: Scope) -> dict[str, str]:
    """Names that are entities or aliases, with the entity's key."""
    asked = json.dumps([*names])
    entities = db.execute(
        "SELECT value FROM json_each(?) j WHERE EXISTS (SELECT 1 FROM mentions m CROSS JOIN units u ON u.id = m.unit "
        "WHERE m.entity = j.value AND u.scope = ?)",
        (asked, scope),
    )
    aliases = db.execute(
        "SELECT alias, max(entity) FROM json_each(?) j CROSS JOIN aliases a ON a.alias = j.value WHERE EXISTS "
        "(SELECT 1 FROM units u INDEXED BY units_file WHERE u.file = a.file AND u.scope = ?) GROUP BY alias",
        (asked, scope),
    )
    return {name: name for (name,) in entities} | dict(aliases)


def entries(db: apsw.Connection, ids: Sequence[int], *, scope: Scope, around: int) -> list[Entry]:
    """Units and their neighbours, as ranking needs them."""
    # CROSS keeps the order of the joins: without statistics the planner would begin with all units of the scope.
    rows = db.execute(
        "WITH near(id) AS (SELECT DISTINCT u.id FROM json_each(?1) j CROSS JOIN units c ON c.id = j.value "
        'CROSS JOIN units u ON u.file = c.file AND u."order" BETWEEN c."order" - ?2 AND c."order" + ?2 '
        f"WHERE c.scope = ?3) SELECT {_ENTRY}, f.path, t.terms FROM near CROSS JOIN units u ON u.id = near.id "
        "CROSS JOIN terms t ON t.unit = u.id CROSS JOIN files f ON f.id = u.file WHERE u.scope = ?3",
        (json.dumps([*ids]), around, scope),
    )
    return list(map(Entry._make, rows))


def stored(db: apsw.Connection, ids: Sequence[int], *, scope: Scope) -> list[Stored]:
    """Whole units, in the order asked for."""
    rows = db.execute(
        f"{_STORED} json_each(?) j CROSS JOIN units u ON u.id = j.value CROSS JOIN files f ON f.id = u.file "
        "WHERE u.scope = ?",
        (json.dumps([*ids]), scope),
    )
    found = {stored.id: stored for stored in _stored(rows)}
    return [found[unit] for unit in ids if unit in found]


def waiting(db: apsw.Connection, limit: int) -> list[Stored]:
    """Units that wait for a vector, newest first; of all scopes."""
    rows = db.execute(
        f"{_STORED} (SELECT u.id FROM waiting w CROSS JOIN units u ON u.id = w.unit "
        "ORDER BY u.first IS NULL, u.first DESC, u.id DESC LIMIT ?) w "
        "CROSS JOIN units u ON u.id = w.id CROSS JOIN files f ON f.id = u.file "
        "ORDER BY u.first IS NULL, u.first DESC, u.id DESC",
        (limit,),
    )
    return _stored(rows)


def texts(db: apsw.Connection, after: int, limit: int, *, waiting: bool) -> list[Stored]:
    """Whole units of all scopes, by number: all, or those that wait for a vector."""
    units = "waiting w CROSS JOIN units u ON u.id = w.unit" if waiting else "units u"
    number = "w.unit" if waiting else "u.id"
    rows = db.execute(
        f"{_STORED} {units} CROSS JOIN files f ON f.id = u.file WHERE {number} > ? ORDER BY {number} LIMIT ?",
        (after, limit),
    )
    return _stored(rows)


def between(db: apsw.Connection, file: int, *, first: int, last: int, scope: Scope) -> list[Stored]:
    """Whole units of one file, in order."""
    rows = db.execute(
        f"{_STORED} units u INDEXED BY units_file JOIN files f ON f.id = u.file "
        'WHERE u.file = ? AND u."order" BETWEEN ? AND ? AND u.scope = ? ORDER BY u."order"',
        (file, first, last, scope),
    )
    return _stored(rows)


def find(db: apsw.Connection, name: str, *, scope: Scope) -> Stored | None:
    """The unit of a name."""
    rows = db.execute(
        f"{_STORED} units u INDEXED BY units_name JOIN files f ON f.id = u.file "
        'WHERE u.name = ? AND u.scope = ? ORDER BY f.path, u."order" LIMIT 1',
        (name, scope),
    )
    return next(iter(_stored(rows)), None)


def stats(db: apsw.Connection, scope: Scope) -> Stats:
    """Counts over one scope."""
    own = "instr(name, '/') = 0"  # not a further piece of a long fact
    counts = f"count(DISTINCT file), count(*), sum(kind <> ? AND {own}), min(first), max(first)"
    count = f"SELECT {counts} FROM units WHERE scope = ?"
    row = db.execute(count, (Kind.NOTE, scope)).fetchone() or (0, 0, 0, None, None)
    units = f"units WHERE scope = ? AND {own}"
    grouped = f"SELECT {{0}}, count(*) AS n FROM {units} AND {{0}} IS NOT NULL GROUP BY 1 ORDER BY n DESC, 1"
    names = db.execute(
        "SELECT m.entity, min(u.entities), count(*) AS n FROM mentions m JOIN units u ON u.id = m.unit "
        "WHERE u.scope = ? GROUP BY 1 ORDER BY n DESC, 1",
        (scope,),
    )
    return Stats(
        files=row[0],
        units=row[1],
        facts=row[2] or 0,
        by_kind=dict(db.execute(grouped.format("kind"), (scope,))),
        by_category=dict(db.execute(grouped.format("category"), (scope,))),
        entities=tuple((_spelled(key, written), n) for key, written, n in names),
        first_day=row[3],
        last_day=row[4],
    )


def problems(db: apsw.Connection) -> tuple[Problem, ...]:
    """All problems, by path and line."""
    rows = db.execute(
        "SELECT f.path, p.line, p.message, p.hint FROM problems p JOIN files f ON f.id = p.file ORDER BY 1, 2, 3"
    )
    return tuple(Problem(*row) for row in rows)


def expression(words: Words, among: Words) -> str:
    """The FTS5 expression for `Index.match`. Every term is quoted, so that none is taken for an operator."""
    whole, required = (" OR ".join(_quoted(term) for word in some for term in word) for some in (words, among))
    return f"({required}) AND ({whole})" if whole and required else whole


def narrowed(where: Filter) -> tuple[str, list[str]]:
    """SQL conditions, each beginning with AND, and their values."""
    conditions: list[str] = []
    values: list[str] = []
    if where.since:
        conditions.append("AND u.last >= ?")
        values.append(where.since)
    if where.until:
        conditions.append("AND u.first <= ?")
        values.append(where.until)
    if where.kinds:
        conditions.append("AND u.kind IN (SELECT value FROM json_each(?))")
        values.append(json.dumps(where.kinds))
    if where.under:
        conditions.append("AND u.file IN (SELECT id FROM files WHERE substr(path, 1, length(?)) = ?)")
        values += [where.under, where.under]
    return " ".join(conditions), values


def _quoted(term: str) -> str:
    bare = term.replace("\x00", "").replace('"', '""')
    return f'"{bare[:-1]}"*' if bare.endswith("*") else f'"{bare}"'


def _stored(rows: apsw.Cursor) -> list[Stored]:
    found = []
    for number, file, order, path, name, kind, start, end, text, body, lead, title, speaker, entities, *rest in rows:
        category, time, first, last, origin, scope, language, turn = rest
        unit = Unit(
            name=name,
            kind=Kind(kind),
            start=start,
            end=end,
            text=text,
            body=body,
            lead=lead,
            title=title,
            speaker=speaker,
            entities=tuple(entities.split("\n")) if entities else (),
            category=category,
            time=time,
            first=first,
            last=last,
            origin=Origin(origin),
            scope=scope,
            language=language,
            turn=turn,
        )
        found.append(Stored(number, file, order, path, unit))
    return found


def _spelled(key: str, written: str) -> str:
    """The name as it is written among a unit's entities."""
    return next((name for name in written.split("\n") if entity_key(name) == key), key)


def guiding(db: apsw.Connection, scope: Scope) -> list[int]:
    """Units that hold a standing instruction or a preference."""
    rows = db.execute("SELECT id FROM units INDEXED BY units_guiding WHERE scope = ? AND marks & 3", (scope,))
    return [unit for (unit,) in rows]


def voices(db: apsw.Connection) -> dict[str, Voice]:
    """The speakers, with how many units they say and how many of these in the first person."""
    rows = db.execute(
        "SELECT substr(said.key, 6), said.value, own.value FROM sums said "
        "JOIN sums own ON own.key = 'self.' || substr(said.key, 6) "
        "WHERE said.key >= 'said.' AND said.key < 'said/' AND said.value > 0"
    )
    return {speaker: Voice(units, first) for speaker, units, first in rows}


_AT_ONCE = 500
"""Terms; SQLite has a limit on the columns of a result."""
_K1, _B = 1.2, 0.75


def scoped_totals(db: apsw.Connection, scope: Scope) -> Totals:
    """Sums over a scope's units."""
    row = db.execute(
        "SELECT count(DISTINCT file), count(*), total(kind <> ?), total(length), total(characters) FROM units "
        "WHERE scope = ?",
        (Kind.NOTE, scope),
    ).fetchone()
    return Totals(*map(int, row or ()))


def scoped_languages(db: apsw.Connection, scope: Scope) -> tuple[str, ...]:
    """The languages of a scope's units, commonest first."""
    rows = db.execute(
        "SELECT language, count(*) AS n FROM units WHERE scope = ? AND language <> '' GROUP BY 1 ORDER BY n DESC, 1",
        (scope,),
    )
    return tuple(code for code, _ in rows)


def scoped_voices(db: apsw.Connection, scope: Scope) -> dict[str, Voice]:
    """The speakers of a scope's units."""
    rows = db.execute(
        "SELECT speaker, count(*), total(marks & ? > 0) FROM units WHERE scope = ? AND speaker <> '' GROUP BY 1",
        (int(TextFlags.FIRST_PERSON), scope),
    )
    return {speaker: Voice(units, int(first)) for speaker, units, first in rows}


def scoped_frequencies(db: apsw.Connection, terms: Sequence[str], scope: Scope) -> dict[str, int]:
    """How many of a scope's units hold each term."""
    whole = [term for term in terms if term and not term.endswith("*")]
    counts = _holding(db, [_needle(term) for term in whole], scope)
    return {term: count for term, count in zip(whole, counts, strict=True) if count}


def scoped_match(
    db: apsw.Connection, words: Words, *, scope: Scope, where: Filter, limit: int, among: Words
) -> list[int]:
    """The best of a scope's units by BM25 as FTS5 computes it, with the scope's own statistics."""
    wanted = expression(words, among)
    if not wanted:
        return []
    conditions, values = narrowed(where)
    found = db.execute(
        "SELECT u.id, u.length, t.terms FROM fts CROSS JOIN units u ON u.id = fts.rowid AND u.scope = ? "
        f"{conditions} CROSS JOIN terms t ON t.unit = u.id WHERE fts MATCH ?",
        (scope, *values, wanted),
    )
    rows = [(unit, length, held) for unit, length, held in found]
    if not rows:
        return []
    sums = scoped_totals(db, scope)
    mean = sums.terms / sums.units
    needles = [_needle(term) for word in (*among, *words) for term in word]
    rarities = (math.log((sums.units - held + 0.5) / (held + 0.5)) for held in _holding(db, needles, scope))
    weights = [(needle, max(1e-6, rarity)) for needle, rarity in zip(needles, rarities, strict=True)]

    def score(length: int, held: str) -> float:
        damp = _K1 * (1 - _B + _B * length / mean)
        counts = ((weight, held.count(needle)) for needle, weight in weights)
        return sum(weight * (_K1 + 1) * count / (count + damp) for weight, count in counts if count)

    best = sorted((-score(length, held), unit) for unit, length, held in rows)
    return [unit for _, unit in best[:limit]]


def _holding(db: apsw.Connection, needles: Sequence[str], scope: Scope) -> list[int]:
    """How many of a scope's units have each of these in their terms."""
    found: list[int] = []
    for start in range(0, len(needles), _AT_ONCE):
        some = needles[start : start + _AT_ONCE]
        counts = ", ".join(["total(instr(t.terms, ?) > 0)"] * len(some))
        row = db.execute(
            f"SELECT {counts} FROM units u CROSS JOIN terms t ON t.unit = u.id WHERE u.scope = ?", (*some, scope)
        ).fetchone()
        found += map(int, row or ())
    return found


def _needle(term: str) -> str:
    """What stands for a term in `terms`: itself with a space on both sides, or what begins like it."""
    return f" {term[:-1]}" if term.endswith("*") else f" {term} "
