"""The index file: its tables, its pragmas, the versions that it was made by, and the short texts kept in it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path

import apsw

from memory.index import terms, units
from memory.sqlite import Statements, immediate, to_read

SCHEMA = 8
"""Raised with every change of the tables below: a file of another version cannot be read and is begun anew."""
IDENTITY: Mapping[str, str] = {"schema": str(SCHEMA), "units": str(units.VERSION), "terms": str(terms.VERSION)}
"""What the code makes. An index whose units or terms are of another version still serves while it is rebuilt."""

_PRAGMAS = (
    "busy_timeout = 5000",
    "mmap_size = 0",  # a mapped file that somebody truncates ends the process with a bus error
    "cache_size = -4096",  # KiB; what is more, the system keeps at hand for all who read the file
    "temp_store = memory",
)
_WRITING = (
    "journal_mode = wal",
    "synchronous = normal",
    "secure_delete = on",  # what is forgotten leaves the pages of the file, too
    "journal_size_limit = 16777216",
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


def connect(path: Path, *, read_only: bool = False) -> apsw.Connection:
    """Open an index file (made if it is not there, unless only for reading) with the pragmas set."""
    if read_only:
        db = to_read(path, partial(apsw.Connection, flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI))
    else:
        db = apsw.Connection(str(path))
    # Else whatever is bound anew makes SQLite plan the statement anew, as it might choose an index by the value.
    db.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, 1)
    # One execute each: what follows a statement that returns a row runs only when its rows are fetched.
    for pragma in (*_PRAGMAS, *(() if read_only else _WRITING)):
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


def note(db: Statements, texts: Mapping[str, str]) -> None:
    """Keep texts; keys have a prefix of their own, so that none is taken for the file's identity."""
    db.executemany(
        "INSERT INTO meta VALUES (?, ?) ON CONFLICT(key) DO UPDATE SET value = excluded.value",
        [(f"note.{key}", text) for key, text in texts.items()],
    )


def read_note(db: Statements, key: str) -> str:
    """Return a text that was kept; empty if there is none."""
    return next((value for (value,) in db.execute("SELECT value FROM meta WHERE key = ?", (f"note.{key}",))), "")
