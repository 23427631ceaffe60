"""The tables of the index file, its pragmas, and how it says what it was made by."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import apsw

from memory.index import terms, units
from memory.sqlite import immediate

SCHEMA = 2
"""Raised with every change of the tables below: a file of another version cannot be read and is begun anew."""

IDENTITY: Mapping[str, str] = {"schema": str(SCHEMA), "units": str(units.VERSION), "terms": str(terms.VERSION)}
"""What the code makes. An index whose units or terms are of another version still serves while it is rebuilt."""

_PRAGMAS = (
    "busy_timeout = 5000",
    "journal_mode = wal",
    "synchronous = normal",
    "mmap_size = 0",  # a mapped file that somebody truncates ends the process with a bus error
    "secure_delete = on",  # what is forgotten leaves the pages of the file, too
    "cache_size = -16384",
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
        time TEXT,
        digest BLOB NOT NULL,
        entities TEXT NOT NULL,   -- one a line
        title TEXT NOT NULL,
        lead TEXT NOT NULL,
        body TEXT,                -- null where it is the text
        text TEXT NOT NULL
    )""",
    "CREATE INDEX units_guiding ON units(scope) WHERE marks & 3",  # `Marks.STANDING | Marks.PREFERENCE`
    'CREATE INDEX units_file ON units(file, "order")',
    "CREATE INDEX units_name ON units(name)",
    "CREATE INDEX units_scope ON units(scope, first)",
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
    _FTS,
    "CREATE VIRTUAL TABLE vocabulary USING fts5vocab(fts, 'row')",
    # Merging happens when there is time (`tidy`), not inside somebody's write.
    "INSERT INTO fts(fts, rank) VALUES ('automerge', 0)",
    "INSERT INTO fts(fts, rank) VALUES ('hashsize', 67108864)",
)
_CHECKED = ("meta", "sums", "files", "units", "terms", "fts_data")


def connect(path: Path, *, read_only: bool = False) -> apsw.Connection:
    """Open an index file (made if it is not there, unless only for reading) with the pragmas set."""
    flags = apsw.SQLITE_OPEN_READONLY if read_only else apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE
    db = apsw.Connection(str(path), flags=flags)
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
    """What a file says that it was made by; empty for a file without tables."""
    if not db.execute("SELECT 1 FROM sqlite_schema WHERE name = 'meta'").fetchone():
        return {}
    return {key: value for key, value in db.execute("SELECT key, value FROM meta") if key in IDENTITY}


def check(db: apsw.Connection, *, whole: bool = False) -> str:
    """What is wrong with the file, in SQLite's words; empty if nothing is. A few milliseconds for 10,000 units."""
    for part in ("1",) if whole else _CHECKED:
        for (found,) in db.execute(f"PRAGMA quick_check({part})"):
            if found != "ok":
                return " ".join(str(found).split())[:200]
    return ""
