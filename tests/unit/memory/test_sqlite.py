from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

from memory.errors import Busy, Error, IndexBroken, WriteFailed
from memory.sqlite import immediate, sqlite_errors

PATIENCE_MS = 2000


def opened(path: Path) -> apsw.Connection:
    db = apsw.Connection(str(path))
    db.set_busy_timeout(PATIENCE_MS)
    return db


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "some.sqlite"


@pytest.fixture
def db(path: Path) -> Iterator[apsw.Connection]:
    db = opened(path)
    db.execute("CREATE TABLE t(x)")
    yield db
    db.close()


def numbers(db: apsw.Connection) -> list[object]:
    return [x for (x,) in db.execute("SELECT x FROM t")]


def test_what_was_done_within_is_there_afterwards(db: apsw.Connection, path: Path) -> None:
    with immediate(db):
        db.execute("INSERT INTO t VALUES(1)")

    assert numbers(opened(path)) == [1]


def test_nothing_is_left_of_what_failed(db: apsw.Connection) -> None:
    with pytest.raises(apsw.SQLError), immediate(db):
        db.executemany("INSERT INTO t VALUES(1); INSERT INTO nothing VALUES(?)", [(1,)])

    assert numbers(db) == []
    assert not db.in_transaction


def test_a_full_disk_is_told_as_such(db: apsw.Connection) -> None:
    db.execute("PRAGMA max_page_count = 3").fetchall()

    with pytest.raises(apsw.FullError), immediate(db):
        db.executemany("INSERT INTO t VALUES(zeroblob(?))", [(5000,)] * 10)

    assert numbers(db) == []


def test_who_waits_for_the_lock_lets_the_other_threads_go_on(db: apsw.Connection, path: Path) -> None:
    about_to, failures = threading.Event(), []

    def wait() -> None:
        other = opened(path)
        about_to.set()
        try:
            with immediate(other):
                other.execute("INSERT INTO t VALUES(2)")
        except apsw.BusyError as error:
            failures.append(error)
        other.close()

    waiting = threading.Thread(target=wait)
    with immediate(db):
        waiting.start()
        about_to.wait()
        db.execute("INSERT INTO t VALUES(1)")
    waiting.join()

    assert failures == []
    assert numbers(db) == [1, 2]


@pytest.mark.parametrize(
    ("raised", "expected"),
    [
        (apsw.CorruptError("malformed"), IndexBroken),
        (apsw.NotADBError("no"), IndexBroken),
        (apsw.SQLError("no such table"), IndexBroken),
        (apsw.FullError("full"), WriteFailed),
        (apsw.ReadOnlyError("read-only"), WriteFailed),
        (apsw.IOError("disk"), WriteFailed),
        (apsw.CantOpenError("open"), WriteFailed),
        (apsw.BusyError("busy"), Busy),
    ],
)
def test_what_sqlite_raises_becomes_ours(raised: apsw.Error, expected: type[Error]) -> None:
    with pytest.raises(expected, match=r"/some/index\.sqlite") as caught, sqlite_errors(Path("/some/index.sqlite")):
        raise raised
    assert caught.value.hint
    assert caught.value.__cause__ is raised


def test_mistakes_of_our_own_are_not_dressed_up() -> None:
    with pytest.raises(KeyError), sqlite_errors(Path("x")):
        raise KeyError
