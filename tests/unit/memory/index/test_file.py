from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import apsw
import pytest

from memory.errors import IndexBroken, NotFound, WriteFailed
from memory.index.file import IndexFile
from memory.index.sqlite import SqliteIndex
from memory.index.types import FileChange, FileState
from memory.index.units import chunk
from memory.types import OWNER
from tests.unit.memory.index.conftest import NOBODY

NOW = datetime(2026, 11, 21, 9, 30, tzinfo=UTC)


def fill_with(*texts: str) -> Callable[[SqliteIndex], Iterator[int]]:
    def fill(index: SqliteIndex) -> Iterator[int]:
        for number, text in enumerate(texts):
            path = f"{number}.md"
            index.write([FileChange(path, FileState(1, 1, text), chunk(path, text, owners=NOBODY))])
            yield number

    return fill


def finds(store: IndexFile, term: str) -> bool:
    return bool(store.index.match([[term]], scope=OWNER, limit=5))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """An index that knows of a key."""
    path = tmp_path / "state" / "index.sqlite"
    store = IndexFile.open(path, now=NOW)
    list(fill_with("The spare key.")(store.index))
    store.index.close()
    return path


def test_a_new_index_is_made_with_its_folder(tmp_path: Path) -> None:
    store = IndexFile.open(tmp_path / "a" / "b" / "index.sqlite", now=NOW)
    assert (store.notice, store.stale, store.index.totals().units) == ("", "", 0)


def test_an_index_is_opened_as_it_was_left(path: Path) -> None:
    store = IndexFile.open(path, now=NOW)
    assert (store.notice, store.stale) == ("", "")
    assert finds(store, "spare")


@pytest.mark.parametrize("content", [b"not a database at all" * 100, b"SQLite format 3\x00" + b"\xff" * 5000])
def test_a_damaged_file_is_set_aside_and_begun_anew(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    store = IndexFile.open(path, now=NOW)
    assert "damaged" in store.notice
    assert "index.sqlite.broken-20261121T093000Z" in store.notice
    assert path.with_name("index.sqlite.broken-20261121T093000Z").read_bytes() == content
    assert store.index.totals().units == 0


def test_of_damaged_files_only_the_last_is_kept(path: Path) -> None:
    for hours in range(3):
        path.write_bytes(b"garbage" * 1000)
        IndexFile.open(path, now=NOW + timedelta(hours=hours)).index.close()
    assert [found.name for found in path.parent.glob("*.broken-*")] == ["index.sqlite.broken-20261121T113000Z"]


def test_an_empty_file_is_a_new_index(path: Path) -> None:
    path.write_bytes(b"")
    assert IndexFile.open(path, now=NOW).index.totals().units == 0


def test_an_index_of_another_schema_is_begun_anew(path: Path) -> None:
    edit(path, "UPDATE meta SET value = '0' WHERE key = 'schema'")
    store = IndexFile.open(path, now=NOW)
    assert "another version" in store.notice
    assert store.index.totals().units == 0


@pytest.mark.parametrize("part", ["units", "terms"])
def test_an_index_of_other_units_or_terms_serves_and_says_that_it_is_stale(path: Path, part: str) -> None:
    edit(path, f"UPDATE meta SET value = '0' WHERE key = '{part}'")
    store = IndexFile.open(path, now=NOW)
    assert part in store.stale
    assert finds(store, "spare")


def test_the_old_index_serves_until_the_new_one_is_whole(path: Path) -> None:
    edit(path, "UPDATE meta SET value = '0' WHERE key = 'terms'")
    store = IndexFile.open(path, now=NOW)
    steps = store.rebuild(fill_with("The blue pot.", "The red door."))
    for _ in range(3):
        next(steps)
        assert finds(store, "spare")
        assert not finds(store, "blue")
    assert list(steps) == [1]
    assert finds(store, "blue")
    assert not finds(store, "spare")
    assert store.stale == ""
    store.index.close()
    assert IndexFile.open(path, now=NOW).stale == ""
    assert sorted(found.name for found in path.parent.iterdir()) == ["index.sqlite", "index.sqlite.lock"]


def test_a_rebuild_that_was_left_can_be_gone_on_with(path: Path) -> None:
    store = IndexFile.open(path, now=NOW)
    steps = store.rebuild(fill_with("The blue pot.", "The red door."))
    next(steps)
    steps.close()
    found: list[int] = []

    def fill(index: SqliteIndex) -> Iterator[int]:
        found.append(index.totals().units)
        yield 0

    list(store.rebuild(fill, fresh=False))
    assert found == [1, 1]
    assert finds(store, "blue")


def test_a_fresh_rebuild_begins_with_nothing(path: Path) -> None:
    path.with_name("index.sqlite.new").write_bytes(b"left over")
    store = IndexFile.open(path, now=NOW)
    list(store.rebuild(fill_with("The blue pot.")))
    assert finds(store, "blue")


def test_what_is_left_of_another_version_is_not_gone_on_with(path: Path) -> None:
    store = IndexFile.open(path, now=NOW)
    path.with_name("index.sqlite.new").write_bytes(b"left over" * 1000)
    list(store.rebuild(fill_with("The blue pot."), fresh=False))
    assert finds(store, "blue")


def test_an_index_that_breaks_in_use_is_begun_anew(path: Path) -> None:
    store = IndexFile.open(path, now=NOW)
    store.restart(NOW, IndexBroken("The memory index is damaged."))
    assert store.index.totals().units == 0
    assert "set aside" in store.notice or "the old one is" in store.notice
    list(fill_with("The blue pot.")(store.index))
    assert finds(store, "blue")


def test_a_reader_opens_an_index_and_leaves_it_alone(path: Path) -> None:
    store = IndexFile.read(path)
    assert finds(store, "spare")
    with pytest.raises(WriteFailed):
        list(fill_with("x")(store.index))


def test_a_reader_is_told_when_there_is_nothing_to_read(path: Path, tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="no memory index"):
        IndexFile.read(tmp_path / "none.sqlite")
    edit(path, "UPDATE meta SET value = '0' WHERE key = 'schema'")
    with pytest.raises(IndexBroken, match="another version"):
        IndexFile.read(path)


def test_a_folder_that_cannot_be_made_is_an_error_with_a_hint(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(WriteFailed) as caught:
        IndexFile.open(tmp_path / "file" / "index.sqlite", now=NOW)
    assert caught.value.hint


def edit(path: Path, statement: str) -> None:
    db = apsw.Connection(str(path))
    db.execute(statement)
    db.close()


def test_an_index_that_could_not_be_begun_anew_says_so_each_time_until_it_can(path: Path) -> None:
    store = IndexFile.open(path, now=NOW)
    path.unlink()
    path.mkdir()
    with pytest.raises(WriteFailed):
        store.restart(NOW)

    with pytest.raises(WriteFailed, match=re.escape(str(path))):
        finds(store, "spare")

    path.rmdir()
    store.restart(NOW)
    assert not finds(store, "spare")
