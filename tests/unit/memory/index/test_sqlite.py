from __future__ import annotations

import subprocess
import sys
from contextlib import closing
from pathlib import Path

import apsw
import pytest

from memory.errors import Busy, IndexBroken, WriteFailed
from memory.index import schema
from memory.index.sqlite import SqliteIndex
from memory.index.types import FileChange, FileState
from memory.index.units import chunk
from memory.types import OWNER, Filter
from tests.unit.memory.index.conftest import NOBODY


def change(path: str, text: str) -> FileChange:
    return FileChange(path, FileState(1, 1, text), chunk(path, text, owners=NOBODY))


@pytest.fixture
def index(tmp_path: Path) -> SqliteIndex:
    index = SqliteIndex.open(tmp_path / "index.sqlite")
    index.write([change("a.md", "The spare key.\n\nAnother line.\n")])
    return index


def test_what_was_written_is_there_after_opening_again(index: SqliteIndex) -> None:
    index.close()
    again = SqliteIndex.open(index.path)
    assert again.match([["spare"]], scope=OWNER, limit=5)
    assert again.damage() == ""


def test_a_failing_write_leaves_nothing_behind(index: SqliteIndex) -> None:
    before = index.totals()
    broken = FileChange("b.md", FileState(1, 1, "\ud800"), chunk("b.md", "good\n", owners=NOBODY))
    with pytest.raises(UnicodeEncodeError):
        index.write([change("c.md", "new\n"), broken], ["a.md"])
    assert index.totals() == before
    assert index.match([["spare"]], scope=OWNER, limit=5)


def test_deleted_units_are_listed_for_copies_elsewhere(index: SqliteIndex) -> None:
    (gone,) = index.match([["spare"]], scope=OWNER, limit=5)
    index.write([change("a.md", "Another line.\n")])
    db = apsw.Connection(str(index.path))
    assert [number for (number,) in db.execute("SELECT id FROM gone")] == [gone]


def test_a_read_is_not_planned_anew_for_other_values(tmp_path: Path) -> None:
    planned: list[object] = []

    def note(*column: object) -> int:
        planned.append(column)
        return apsw.SQLITE_OK

    db = schema.connect(tmp_path / "index.sqlite")
    schema.create(db)
    with closing(SqliteIndex(db, tmp_path / "index.sqlite")) as index:
        index.write([change("a.md", "The spare key.\n\nAnother line.\n")])
        ids = index.match([["spare"], ["line"]], scope=OWNER, limit=5)
        db.authorizer = note  # asked while a statement is planned
        for some in (ids, ids[:1]):
            planned.clear()
            index.keys_of(map(str, some), scope=OWNER)
            index.entries(some, scope=OWNER)
            index.neighbours(some, scope=OWNER)
            index.surroundings(some, scope=OWNER, notes=1, pieces=1)
            index.stored(some, scope=OWNER)
    assert planned == []


def segments(path: Path) -> int:
    """How many segments the search index of a file has."""
    db = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    return int(db.execute("SELECT count(DISTINCT segid) FROM fts_idx").get)


def test_the_files_of_one_write_are_one_segment(index: SqliteIndex) -> None:
    before = segments(index.path)

    index.write([change(f"{number}.md", f"Note {number}.\n") for number in range(20)])

    assert segments(index.path) == before + 1


def test_many_small_writes_are_merged_when_there_is_time_and_not_by_a_write(index: SqliteIndex) -> None:
    for number in range(40):
        before = segments(index.path)
        index.write([change(f"{number}.md", f"note {number} " + "filler words " * 50)])
        assert segments(index.path) == before + 1
        if number % 8 == 7:
            steps = 0
            while index.merge_segments():
                steps += 1
                assert steps < 100
            assert segments(index.path) < 8
    assert len(index.match([["note"]], scope=OWNER, limit=100)) == 40


def test_another_index_can_take_its_place_while_readers_go_on(index: SqliteIndex, tmp_path: Path) -> None:
    reader = SqliteIndex.open(index.path, read_only=True)
    other = SqliteIndex.open(tmp_path / "other.sqlite")
    other.write([change("b.md", "The blue pot.\n")])
    index.become(other)
    for each in (index, reader):
        assert each.match([["spare"]], scope=OWNER, limit=5) == []
        assert each.match([["blue"]], scope=OWNER, limit=5)
    index.write([change("c.md", "The blue door.\n")])
    assert len(reader.match([["blue"]], scope=OWNER, limit=5)) == 2


def test_a_reader_beside_a_writer_sees_what_is_committed_and_writes_nothing(index: SqliteIndex) -> None:
    reader = SqliteIndex.open(index.path, read_only=True)
    index.write([change("b.md", "The blue pot.\n")])
    assert reader.match([["blue"]], scope=OWNER, limit=5)
    with pytest.raises(WriteFailed):
        reader.write([change("c.md", "x\n")])


def test_a_reader_can_open_what_nobody_has_open(index: SqliteIndex) -> None:
    index.close()
    assert SqliteIndex.open(index.path, read_only=True).match([["spare"]], scope=OWNER, limit=5)


def test_two_writers_wait_for_each_other(index: SqliteIndex) -> None:
    other = SqliteIndex.open(index.path)
    for number in range(20):
        (index if number % 2 else other).write([change(f"{number}.md", f"word{number}\n")])
    assert index.totals().files == other.totals().files == 21


def test_a_writer_that_is_kept_out_says_so(index: SqliteIndex) -> None:
    other = apsw.Connection(str(index.path))
    other.execute("BEGIN IMMEDIATE")
    index._db.set_busy_timeout(10)
    with pytest.raises(Busy):
        index.write([change("b.md", "x\n")])
    other.execute("ROLLBACK")


def test_garbage_in_the_middle_of_the_file_is_noticed(index: SqliteIndex) -> None:
    for number in range(30):
        index.write([change(f"{number}.md", f"note {number} " + "filler words " * 200)])
    index.close()
    data = bytearray(index.path.read_bytes())
    data[4096 * 3 : -4096] = b"\xa5" * len(data[4096 * 3 : -4096])
    index.path.write_bytes(data)
    assert damage(index.path)


def damage(path: Path) -> str:
    try:
        return SqliteIndex.open(path).damage()
    except IndexBroken as error:
        return error.message


def test_a_killed_writer_leaves_a_whole_index(tmp_path: Path) -> None:
    code = """
import os, sys
from pathlib import Path
from memory.journal.journal import JournalState
from memory.index.units import chunk
from memory.index.owners import Owners
from memory.index.types import FileChange, FileState
from memory.index.sqlite import SqliteIndex
NOBODY = Owners(JournalState())
index = SqliteIndex.open(Path(sys.argv[1]))
for n in range(1000):
    text = f"note {n} " + "words and more " * 40
    index.write([FileChange(f"{n}.md", FileState(1, 1, text), chunk(f"{n}.md", text, owners=NOBODY))])
    if n == int(sys.argv[2]):
        os.kill(os.getpid(), 9)
"""
    path = tmp_path / "index.sqlite"
    for last in (3, 17, 40):
        subprocess.run([sys.executable, "-c", code, str(path), str(last)], check=False)
        index = SqliteIndex.open(path)
        assert index.damage() == ""
        assert len(index.match([["note"]], scope=OWNER, limit=1000)) == index.totals().units == last + 1
        index.close()


@pytest.mark.parametrize("limit", [1, 3, 10])
def test_what_is_narrowed_to_a_few_of_many_is_found_behind_all_others(tmp_path: Path, limit: int) -> None:
    with closing(SqliteIndex.open(tmp_path / "index.sqlite")) as index:
        short = "\n\n".join(f"spare key {number}" for number in range(50))
        long = "\n\n".join(f"the spare key of the garden gate and of the blue shed {number}" for number in range(5))
        index.write([change("a.md", short), change("b.md", long)])
        found = index.match([["spare"], ["key"]], scope=OWNER, where=Filter(under=("b.md",)), limit=limit)
        assert len(found) == min(limit, 5)
        assert {stored.path for stored in index.stored(found, scope=OWNER)} == {"b.md"}
        assert found == index.match([["spare"], ["key"]], scope=OWNER, limit=99)[50:][:limit]
