"""sqlite-vec gets in where the Python allows it, and leaves nothing behind where it does not."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from memory.errors import LinkUnavailable
from memory.index.extension import connect
from memory.model import Link


@pytest.mark.parametrize("link", [Link.VEC_APSW, Link.VEC_CTYPES])
def test_the_extension_answers(tmp_path: Path, link: Link) -> None:
    db = connect(tmp_path / "vectors.sqlite", link)

    assert [str(version)[:1] for (version,) in db.execute("SELECT vec_version()")] == ["v"]
    db.close()


def test_a_python_without_extensions_says_so_and_another_loads_it(tmp_path: Path) -> None:
    if hasattr(sqlite3.Connection, "enable_load_extension"):
        db = connect(tmp_path / "vectors.sqlite", Link.VEC_SQLITE3)
        assert list(db.execute("SELECT vec_length('[1, 2]')")) == [(2,)]
        db.close()
    else:
        with pytest.raises(LinkUnavailable, match="sqlite3 cannot load") as caught:
            connect(tmp_path / "vectors.sqlite", Link.VEC_SQLITE3)
        assert caught.value.hint


def test_other_connections_are_left_without_it(tmp_path: Path) -> None:
    connect(tmp_path / "vectors.sqlite", Link.VEC_CTYPES).close()

    other = sqlite3.connect(":memory:")

    with pytest.raises(sqlite3.OperationalError, match="no such function"):
        other.execute("SELECT vec_version()")
    other.close()
