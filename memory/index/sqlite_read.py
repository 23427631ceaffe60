"""What reads the tables; one function per operation."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

import apsw

from memory.index.entities import entity_key
from memory.index.port import Entry, FileState, Stored, Totals, Words
from memory.index.unit import Unit
from memory.model import Kind, Origin, Problem, Scope, Stats, Where

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


def match(db: apsw.Connection, expression: str, *, scope: Scope, where: Where, limit: int) -> list[int]:
    """The best units for an FTS5 expression."""
    narrowed, values = _narrowed(where)
    # `ORDER BY rank` would be half as fast as the alias. CROSS keeps the planner from walking through all units first.
    rows = db.execute(
        "SELECT fts.rowid, bm25(fts) AS score FROM fts CROSS JOIN units u ON u.id = fts.rowid AND u.scope = ? "
        f"{narrowed} WHERE fts MATCH ? ORDER BY score, fts.rowid LIMIT ?",
        (scope, *values, expression, limit),
    )
    return [unit for unit, _ in rows]


def dated(db: apsw.Connection, first: str, last: str, *, scope: Scope, where: Where, limit: int) -> list[int]:
    """Units about days in a range, newest first."""
    narrowed, values = _narrowed(where)
    rows = db.execute(
        "SELECT u.id FROM units u JOIN files f ON f.id = u.file "
        f"WHERE u.scope = ? {narrowed} AND u.first <= ? AND u.last >= ? "
        'ORDER BY u.first DESC, f.path, u."order" LIMIT ?',
        (scope, *values, last, first, limit),
    )
    return [unit for (unit,) in rows]


def listed(db: apsw.Connection, *, scope: Scope, where: Where, limit: int) -> list[int]:
    """Units, newest first."""
    narrowed, values = _narrowed(where)
    rows = db.execute(
        f"SELECT u.id FROM units u JOIN files f ON f.id = u.file WHERE u.scope = ? {narrowed} "
        'ORDER BY u.first IS NULL, u.first DESC, f.path, u."order" DESC LIMIT ?',
        (scope, *values, limit),
    )
    return [unit for (unit,) in rows]


def about(db: apsw.Connection, entities: Iterable[str], *, scope: Scope, where: Where, limit: int) -> list[int]:
    """Units about entities, newest first."""
    narrowed, values = _narrowed(where)
    rows = db.execute(
        "SELECT DISTINCT u.id FROM json_each(?) e CROSS JOIN mentions m ON m.entity = e.value "
        "CROSS JOIN units u ON u.id = m.unit "
        f'JOIN files f ON f.id = u.file WHERE u.scope = ? {narrowed} ORDER BY u.first DESC, f.path, u."order" LIMIT ?',
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


def _quoted(term: str) -> str:
    bare = term.replace("\x00", "").replace('"', '""')
    return f'"{bare[:-1]}"*' if bare.endswith("*") else f'"{bare}"'


def _narrowed(where: Where) -> tuple[str, list[str]]:
    """SQL conditions, each beginning with AND, and their values."""
    conditions, values = [], []
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
