"""sqlite-vec gets in where the Python allows it, and leaves nothing behind where it does not."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import numpy as np
import pytest

from memory.errors import IndexBroken, LinkUnavailable, WriteFailed
from memory.types import VectorBackend
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


@pytest.mark.parametrize("link", [VectorBackend.VEC_APSW, VectorBackend.VEC_CTYPES])
def test_the_extension_answers(tmp_path: Path, link: VectorBackend) -> None:
    db = connect(tmp_path / "vectors.sqlite", link)

    assert [str(version)[:1] for (version,) in db.execute("SELECT vec_version()")] == ["v"]
    db.close()


def test_a_python_without_extensions_says_so_and_another_loads_it(tmp_path: Path) -> None:
    if hasattr(sqlite3.Connection, "enable_load_extension"):
        db = connect(tmp_path / "vectors.sqlite", VectorBackend.VEC_SQLITE3)
        assert list(db.execute("SELECT vec_length('[1, 2]')")) == [(2,)]
        db.close()
    else:
        with pytest.raises(LinkUnavailable, match="sqlite3 cannot load") as caught:
            connect(tmp_path / "vectors.sqlite", VectorBackend.VEC_SQLITE3)
        assert caught.value.hint


def test_other_connections_are_left_without_it(tmp_path: Path) -> None:
    connect(tmp_path / "vectors.sqlite", VectorBackend.VEC_CTYPES).close()

    other = sqlite3.connect(":memory:")

    with pytest.raises(sqlite3.OperationalError, match="no such function"):
        other.execute("SELECT vec_version()")
    other.close()
