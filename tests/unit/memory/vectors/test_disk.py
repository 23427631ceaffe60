"""Vectors in a file through sqlite-vec, which no other connection gets."""

from __future__ import annotations

from pathlib import Path

import apsw
import numpy as np
import pytest

from memory.errors import BackendUnavailable, IndexBroken, WriteFailed
from memory.vectors.disk import DiskVectors, connect
from memory.vectors.store import Packed
from tests.unit.memory.index.corpora import clustered, nearest

DIMS = 32
ROWS = Packed.of(clustered(3000, DIMS)).floats()  # as they are kept


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "vectors.sqlite"


def test_rows_are_there_after_opening_again(path: Path) -> None:
    store = DiskVectors(path, DIMS)
    store.add(range(100), Packed.of(ROWS[:100]))
    store.close()

    again = DiskVectors(path, DIMS)

    assert len(again) == 100
    assert [near.id for near in again.search(ROWS[5], 5)] == nearest(ROWS[:100], ROWS[5], 5)
    again.close()


def test_rows_of_another_size_give_way(path: Path) -> None:
    small = DiskVectors(path, 8)
    small.add([1], Packed.of(np.ones((1, 8), np.float32)))
    small.close()

    store = DiskVectors(path, DIMS)

    assert len(store) == 0
    store.add([1], Packed.of(ROWS[:1]))
    assert store.search(ROWS[0], 1)[0].id == 1
    store.close()


@pytest.mark.parametrize("damage", [b"no database" * 500, b"SQLite format 3\0" + bytes(5000)])
def test_a_damaged_file_is_begun_anew(path: Path, damage: bytes) -> None:
    path.write_bytes(damage)

    store = DiskVectors(path, DIMS)
    store.add([1], Packed.of(ROWS[:1]))

    assert len(store) == 1
    store.close()


def test_damage_while_it_is_open_is_told(path: Path) -> None:
    store = DiskVectors(path, DIMS)
    store.add(range(3000), Packed.of(ROWS))
    store.close()
    store = DiskVectors(path, DIMS)
    with path.open("r+b") as file:
        for page in range(2, path.stat().st_size // 4096):
            file.seek(page * 4096)
            file.write(b"\xff" * 4096)

    with pytest.raises(IndexBroken, match="cannot be searched") as caught:
        store.search(ROWS[0], 10)
    assert caught.value.hint
    store.close()


def test_a_write_that_the_disk_refuses_leaves_the_store_as_it_was(path: Path) -> None:
    store = DiskVectors(path, DIMS)
    store.add(range(10), Packed.of(ROWS[:10]))
    other = DiskVectors(path, DIMS)
    other._db.execute("BEGIN EXCLUSIVE")

    with pytest.raises(WriteFailed):
        store.add([11], Packed.of(ROWS[11:12]))

    other._db.execute("ROLLBACK")
    assert len(store) == 10
    store.add([11], Packed.of(ROWS[11:12]))
    assert store.search(ROWS[11], 1)[0].id == 11
    store.close()
    other.close()


def test_the_extension_answers(path: Path) -> None:
    db = connect(path)

    assert [str(version)[:1] for (version,) in db.execute("SELECT vec_version()")] == ["v"]
    db.close()


def test_other_connections_are_left_without_it(path: Path) -> None:
    connect(path).close()

    other = apsw.Connection(":memory:")

    with pytest.raises(apsw.SQLError, match="no such function"):
        other.execute("SELECT vec_version()")
    other.close()


def test_a_library_that_cannot_be_loaded_is_told(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path.with_name("vec0").write_bytes(b"no library")
    monkeypatch.setattr("sqlite_vec.loadable_path", lambda: str(path.with_name("vec0")))

    with pytest.raises(BackendUnavailable, match="apsw cannot load sqlite-vec") as caught:
        connect(path)

    assert caught.value.hint
