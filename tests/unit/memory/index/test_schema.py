from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from memory.index import schema


@pytest.fixture
def db(tmp_path: Path) -> apsw.Connection:
    db = schema.connect(tmp_path / "index.sqlite")
    schema.create(db)
    return db


def test_every_pragma_takes_effect(db: apsw.Connection) -> None:
    values = {name: db.execute(f"PRAGMA {name}").get for name in ("journal_mode", "synchronous", "busy_timeout")}
    assert values == {"journal_mode": "wal", "synchronous": 1, "busy_timeout": 5000}
    assert db.execute("PRAGMA mmap_size").get == 0


def test_a_new_file_says_what_it_was_made_by(db: apsw.Connection) -> None:
    assert schema.identity(db) == dict(schema.IDENTITY)
    assert schema.check(db) == ""


def test_a_file_without_tables_says_nothing(tmp_path: Path) -> None:
    assert schema.identity(schema.connect(tmp_path / "empty.sqlite")) == {}


@pytest.mark.parametrize("term", ["postgres_url", "v2.3.0", "#4711", "c++", "a@b.org", "字", "💪", "src/app.py"])
def test_terms_are_not_split_again(db: apsw.Connection, term: str) -> None:
    db.execute("INSERT INTO fts(rowid, t) VALUES (1, ?)", (f" before  {term}  after ",))
    assert db.execute("SELECT doc FROM vocabulary WHERE term = ?", (term,)).get == 1


def test_merging_is_left_to_idle_moments(db: apsw.Connection) -> None:
    assert db.execute("SELECT v FROM fts_config WHERE k = 'automerge'").get == 0


def test_a_reader_cannot_write(db: apsw.Connection, tmp_path: Path) -> None:
    reader = schema.connect(tmp_path / "index.sqlite", read_only=True)
    assert schema.identity(reader) == dict(schema.IDENTITY)
    with pytest.raises(apsw.ReadOnlyError):
        reader.execute("DELETE FROM meta")
