"""The tables of the index file, its pragmas, its notes, how a row is read as a unit, and how rows are narrowed."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple
from functools import partial
from pathlib import Path
from typing import Any

import apsw

from memory.index import terms, units
from memory.index.port import Stored
from memory.index.terms import entity_key
from memory.index.units import LASTING, Unit
from memory.sqlite import Statements, immediate, to_read
from memory.types import Evidence, FactSource, Filter, Kind, Origin

SCHEMA = 8
"""Raised with every change of the tables below: a file of another version cannot be read and is begun anew."""

IDENTITY: Mapping[str, str] = {"schema": str(SCHEMA), "units": str(units.VERSION), "terms": str(terms.VERSION)}
"""What the code makes. An index whose units or terms are of another version still serves while it is rebuilt."""

_PRAGMAS = (
    "busy_timeout = 5000",
    "journal_mode = wal",
    "synchronous = normal",
    "mmap_size = 0",  # a mapped file that somebody truncates ends the process with a bus error
    "secure_delete = on",  # what is forgotten leaves the pages of the file, too
    "cache_size = -4096",  # KiB; what is more, the system keeps at hand for all who read the file
    "temp_store = memory",
    "journal_size_limit = 16777216",
)
_READING = frozenset(
    {"journal_mode = wal", "synchronous = normal", "secure_delete = on", "journal_size_limit = 16777216"}
)

# Terms come with spaces between them and are not to be split again: every visible ASCII character is part of one.
_FTS = r"""
CREATE VIRTUAL TABLE fts USING fts5(
    t, content='', contentless_delete=1, tokenize="ascii tokenchars '!#$%&()*+,-./:;<=>?@[\]^_`{|}~'"
)"""

_TABLES = (
    "CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
    "CREATE TABLE sums(key TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID",
    """
    CREATE TABLE files(
        id INTEGER PRIMARY KEY,
        path TEXT NOT NULL UNIQUE,
        size INTEGER NOT NULL,
        mtime_ns INTEGER NOT NULL,
        digest TEXT NOT NULL
    )""",
    """
    CREATE TABLE units(
        id INTEGER PRIMARY KEY AUTOINCREMENT,  -- never given twice, so that a copy outside can be kept up by `gone`
        file INTEGER NOT NULL,
        "order" INTEGER NOT NULL,
        turn INTEGER NOT NULL,
        scope TEXT NOT NULL,
        kind TEXT NOT NULL,
        first TEXT,
        last TEXT,
        speaker TEXT NOT NULL,
        characters INTEGER NOT NULL,
        length INTEGER NOT NULL,
        marks INTEGER NOT NULL,
        start INTEGER NOT NULL,
        "end" INTEGER NOT NULL,
        name TEXT NOT NULL,
        origin TEXT NOT NULL,
        language TEXT NOT NULL,
        category TEXT,
        time TEXT,                -- null where it is the first day
        digest BLOB NOT NULL,
        entities TEXT NOT NULL,   -- one a line
        title TEXT NOT NULL,
        lead TEXT NOT NULL,
        body TEXT,                -- null where it is the text
        text TEXT NOT NULL,
        since TEXT,
        until TEXT,
        source TEXT,
        known TEXT,
        named TEXT,
        evidence TEXT,            -- as JSON, as the next
        details TEXT,             -- lead-in, tags, attributes; null where there are none
        speed REAL                -- days that pass for it in a day; null where it does not age
    )""",
    "CREATE INDEX units_guiding ON units(scope) WHERE marks & 3",  # `TextFlags.STANDING | TextFlags.PREFERENCE`
    'CREATE INDEX units_file ON units(file, "order")',
    "CREATE INDEX units_name ON units(name)",
    "CREATE INDEX units_scope ON units(scope, first)",
    "CREATE INDEX units_named ON units(scope, named) WHERE named IS NOT NULL",
    # facts as lists: all that filters and orders them
    """
    CREATE INDEX units_facts ON units(scope, first, kind, category, source, known, speed, name)
        WHERE kind <> 'note' AND instr(name, '/') = 0""",
    "CREATE TABLE terms(unit INTEGER PRIMARY KEY, terms TEXT NOT NULL)",
    "CREATE TABLE mentions(entity TEXT NOT NULL, unit INTEGER NOT NULL, PRIMARY KEY(entity, unit)) WITHOUT ROWID",
    "CREATE INDEX mentions_unit ON mentions(unit)",
    "CREATE TABLE aliases(alias TEXT, entity TEXT, file INTEGER, PRIMARY KEY(alias, entity, file)) WITHOUT ROWID",
    "CREATE TABLE problems(file INTEGER NOT NULL, line INTEGER, message TEXT NOT NULL, hint TEXT NOT NULL)",
    "CREATE INDEX problems_file ON problems(file)",
    # `seq` grows with every row, so that a copy in memory can take in what is new.
    "CREATE TABLE vectors(seq INTEGER PRIMARY KEY AUTOINCREMENT, unit INTEGER NOT NULL UNIQUE, v BLOB NOT NULL)",
    "CREATE TABLE waiting(unit INTEGER PRIMARY KEY)",  # units that nobody has tried to embed
    "CREATE TABLE gone(seq INTEGER PRIMARY KEY AUTOINCREMENT, id INTEGER NOT NULL)",
    """
    CREATE TABLE lives(
        name TEXT PRIMARY KEY,    -- of a fact, whether or not there are units of it
        stability REAL,
        difficulty REAL,
        reviewed TEXT,
        uses INTEGER NOT NULL,
        used_days INTEGER NOT NULL,
        restated INTEGER NOT NULL,
        pinned INTEGER NOT NULL,
        merged_into TEXT NOT NULL
    ) WITHOUT ROWID""",
    "CREATE TABLE links(a TEXT NOT NULL, b TEXT NOT NULL, weight REAL NOT NULL, PRIMARY KEY(a, b)) WITHOUT ROWID",
    "CREATE INDEX links_b ON links(b, weight DESC)",
    _FTS,
    "CREATE VIRTUAL TABLE vocabulary USING fts5vocab(fts, 'row')",
    # Segments are merged when there is time (`SqliteIndex.merge_segments`), not inside somebody's write.
    "INSERT INTO fts(fts, rank) VALUES ('automerge', 0)",
    "INSERT INTO fts(fts, rank) VALUES ('hashsize', 67108864)",
)
_CHECKED_TABLES = ("meta", "sums", "files", "units", "terms", "fts_data")

STORED = (
    'SELECT u.id, u.file, u."order", f.path, u.name, u.kind, u.start, u."end", u.text, coalesce(u.body, u.text), '
    "u.origin, u.scope, u.lead, u.title, u.speaker, u.entities, u.category, coalesce(u.time, u.first), u.first, "
    "u.last, u.language, u.turn, u.details, u.since, u.until, u.evidence, u.source, u.known, u.named FROM"
)
"""The beginning of a query whose rows `read_stored` takes."""


def connect(path: Path, *, read_only: bool = False) -> apsw.Connection:
    """Open an index file (made if it is not there, unless only for reading) with the pragmas set."""
    if read_only:
        db = to_read(path, partial(apsw.Connection, flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI))
    else:
        db = apsw.Connection(str(path))
    # One execute each: what follows a statement that returns a row runs only when its rows are fetched.
    for pragma in _PRAGMAS:
        if not (read_only and pragma in _READING):
            db.execute(f"PRAGMA {pragma}").fetchall()
    return db


def create(db: apsw.Connection) -> None:
    """Make the tables in an empty file, and write down what they are made for; one that has tables is left alone."""
    with immediate(db):
        if identity(db):  # another process has met the same empty file
            return
        for statement in _TABLES:
            db.execute(statement)
        db.executemany("INSERT INTO meta VALUES (?, ?)", IDENTITY.items())
        db.execute("INSERT INTO meta VALUES ('born', lower(hex(randomblob(8))))")


def identity(db: apsw.Connection) -> dict[str, str]:
    """Return the versions that a file was made by; empty for a file without tables."""
    if not db.execute("SELECT 1 FROM sqlite_schema WHERE name = 'meta'").fetchone():
        return {}
    return {key: value for key, value in db.execute("SELECT key, value FROM meta") if key in IDENTITY}


def staleness(made_by: Mapping[str, str]) -> str:
    """Return why an index should be rebuilt that was made by these versions; empty if it need not."""
    changed = [part for part in IDENTITY if made_by.get(part) != IDENTITY[part]]
    return f"made by another version of Scrubjay (other {' and '.join(changed)})" if changed else ""


def check(db: apsw.Connection, *, whole: bool = False) -> str:
    """Return what is wrong with the file, in SQLite's words; empty if nothing is. Takes milliseconds."""
    for part in ("1",) if whole else _CHECKED_TABLES:
        for (found,) in db.execute(f"PRAGMA quick_check({part})"):
            if found != "ok":
                return " ".join(str(found).split())[:200]
    return ""


def note(db: Statements, key: str, value: str) -> None:
    """Keep a text; keys have a prefix of their own, so that none is taken for the file's identity."""
    db.execute(
        "INSERT INTO meta VALUES (?, ?) ON CONFLICT(key) DO UPDATE SET value = excluded.value", (f"note.{key}", value)
    )


def noted(db: Statements, key: str) -> str:
    """Return a text that was kept; empty if there is none."""
    return next((value for (value,) in db.execute("SELECT value FROM meta WHERE key = ?", (f"note.{key}",))), "")


def packed_details(unit: Unit) -> str | None:
    """Return what a fact carries besides its words, as it is kept; None if that is nothing."""
    found = (unit.lead_in, unit.tags, unit.attributes)
    return json.dumps(found, ensure_ascii=False) if any(found) else None


def packed_evidence(unit: Unit) -> str | None:
    """Return a unit's evidence as it is kept; None for none."""
    return json.dumps([astuple(one) for one in unit.evidence], ensure_ascii=False) if unit.evidence else None


def read_stored(rows: Iterable[tuple[Any, ...]]) -> list[Stored]:
    """Read the rows of a query that begins with `STORED`."""
    found = []
    for number, file, order, path, name, kind, start, end, text, body, origin, scope, lead, title, *rest in rows:
        speaker, entities, category, time, first, last, language, turn, details, *more = rest
        since, until, evidence, source, known, named = more
        lead_in, tags, attributes = json.loads(details) if details else ("", (), ())
        unit = Unit(
            name,
            Kind(kind),
            start,
            end,
            text,
            body,
            Origin(origin),
            scope,
            lead,
            title,
            speaker,
            tuple(entities.split("\n")) if entities else (),
            category,
            time,
            first,
            last,
            language,
            turn,
            lead_in,
            tuple(tags),
            tuple((name, value) for name, value in attributes) if attributes else (),
            since,
            until,
            tuple(Evidence(*one) for one in json.loads(evidence)) if evidence else (),
            FactSource(source) if source else None,
            known,
            named,
        )
        found.append(Stored(number, file, order, path, unit))
    return found


# SQLite knows small letters of ASCII only: "Übung" and "ÜBUNG" are met in three spellings.
_TAGGED = (
    "EXISTS (SELECT 1 FROM json_each(u.details, '$[1]') t"
    " WHERE lower(t.value) IN (SELECT lower(value) FROM json_each(?)))"
)


def files_under(under: Sequence[str]) -> tuple[str, list[str]]:
    """Return the query for number and path of these files and of those in these folders, and its values."""
    each = " OR ".join(["path = ? OR substr(path, 1, length(?)) = ?"] * len(under))
    values = [value for path in under for value in (path, *[f"{path.rstrip('/')}/"] * 2)]
    return f"SELECT id, path FROM files WHERE {each}", values


def filter_conditions(where: Filter) -> tuple[str, list[str]]:
    """Return a filter's SQL conditions, each beginning with AND, and their values."""
    conditions: list[str] = []
    values: list[str] = []
    if where.since and where.until:
        conditions.append("AND (u.last >= ? AND u.first <= ? OR u.named BETWEEN ? AND ?)")
        values += [where.since, where.until] * 2
    elif where.since:
        conditions.append("AND (u.last >= ? OR u.named >= ?)")
        values += [where.since] * 2
    elif where.until:
        conditions.append("AND (u.first <= ? OR u.named <= ?)")
        values += [where.until] * 2
    for wanted, condition in (
        (where.kinds, "u.kind IN (SELECT value FROM json_each(?))"),
        (where.categories, "u.category IN (SELECT value FROM json_each(?))"),
        ([case(tag) for tag in where.tags for case in (str.lower, str.upper, str.capitalize)], _TAGGED),
    ):
        if wanted:
            conditions.append(f"AND {condition}")
            values.append(json.dumps(wanted))
    if where.under:
        files, paths = files_under(where.under)
        conditions.append(f"AND u.file IN (SELECT id FROM ({files}) f)")
        values += paths
    if where.entities:
        conditions.append("AND u.id IN (SELECT unit FROM mentions WHERE entity IN (SELECT value FROM json_each(?)))")
        values.append(json.dumps([entity_key(name) for name in where.entities]))
    if where.valid:
        # Without a day, what lasts holds always, and what is of one day never.
        conditions.append(
            "AND coalesce(u.since, '') <= ? AND coalesce(u.until, '9') >= ? "
            "AND (u.since IS NOT NULL OR u.until IS NOT NULL OR u.kind IN (SELECT value FROM json_each(?)))"
        )
        values += [where.valid[1], where.valid[0], json.dumps(sorted(LASTING))]
    if where.known:
        conditions.append("AND u.known < ?")
        values.append(f"{where.known}~")  # behind all instants of the day
    return " ".join(conditions), values
