"""What changes the tables; every function here runs inside one transaction of `SqliteIndex`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import apsw

from memory.index.port import Changed, FileChange
from memory.index.terms import entity_key
from memory.index.units import Chunked, Unit
from memory.language.guidance import TextFlags
from memory.types import Kind

_INSERT = (
    'INSERT INTO units(id, file, "order", turn, scope, kind, first, last, speaker, characters, start, "end", name, '
    "origin, category, time, entities, title, lead, body, text, length, language, marks, digest) VALUES ("
    + ", ".join("?" * 25)
    + ")"
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


def _write_units(db: apsw.Connection, file: int, chunked: Chunked, sums: Counter[str], *, known: bool) -> Changed:
    """Write only what differs: a unit that is still there keeps its row, and at most changes its place."""
    new: dict[bytes, Placed] = {unit.digest(): (order, unit) for order, unit in enumerate(chunked.units)}
    old: dict[bytes, _Row] = {}
    if known:
        columns = 'digest, id, "order", turn, start, "end", origin, scope'
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
    """Write the places and owners of units that stay; return how many have another scope than before."""
    now = ((row, (order, unit.turn, unit.start, unit.end, unit.origin, unit.scope)) for row, (order, unit) in pairs)
    db.executemany(
        'UPDATE units SET "order" = ?, turn = ?, start = ?, "end" = ?, origin = ?, scope = ? WHERE id = ?',
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
            length, language, marks, digest,
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
