"""What has been computed stays, whatever becomes of the index, and nothing else depends on the file."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import apsw
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.embed.cache import VectorCache, cache_key, damage_of
from memory.errors import WriteFailed
from memory.ports import FrozenClock, Purpose

ROW = bytes(range(256)) * 6


def key(number: int) -> bytes:
    return cache_key("model", Purpose.PASSAGE, str(number))


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock(datetime(2026, 11, 21, 12, tzinfo=UTC))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "vectors.sqlite"


@pytest.fixture
def cache(path: Path, clock: FrozenClock) -> Iterator[VectorCache]:
    opened = VectorCache(path, clock=clock)
    yield opened
    opened.close()


texts = st.text(alphabet=st.characters())


@given(st.tuples(texts, st.sampled_from(Purpose), texts), st.tuples(texts, st.sampled_from(Purpose), texts))
def test_different_parts_have_different_keys(one: tuple[str, Purpose, str], other: tuple[str, Purpose, str]) -> None:
    assert len(cache_key(*one)) == 16
    assert (cache_key(*one) == cache_key(*other)) == (one == other)


def test_text_cannot_slip_from_one_part_into_the_next() -> None:
    assert cache_key("a", Purpose.QUERY, "b") != cache_key("aquery", Purpose.QUERY, "b")
    assert cache_key("a", Purpose.QUERY, "queryb") != cache_key("aquery", Purpose.QUERY, "b")


def test_rows_are_there_after_opening_again(cache: VectorCache, path: Path, clock: FrozenClock) -> None:
    cache.put({key(1): ROW, key(2): b"two"})

    again = VectorCache(path, clock=clock)

    assert again.get([key(2), key(1), key(3)]) == {key(1): ROW, key(2): b"two"}
    assert len(again) == 2
    again.close()


def test_a_known_key_gets_the_new_row(cache: VectorCache) -> None:
    cache.put({key(1): b"old"})
    cache.put({key(1): b"new"})

    assert cache.get([key(1)]) == {key(1): b"new"}


def test_thousands_of_keys_are_one_question(cache: VectorCache) -> None:
    rows = {key(number): ROW for number in range(3000)}
    cache.put(rows)

    assert cache.get(rows) == rows


def test_what_is_used_stays_and_the_rest_goes(cache: VectorCache, clock: FrozenClock) -> None:
    cache.put({key(1): ROW, key(2): ROW})
    clock.advance(days=60)
    cache.touch([key(1), key(9)])
    clock.advance(days=31)

    assert cache.prune() == 1
    assert cache.get([key(1), key(2)]).keys() == {key(1)}


def test_touching_twice_a_day_writes_once(cache: VectorCache, path: Path, clock: FrozenClock) -> None:
    cache.put({key(1): ROW})
    clock.advance(days=1)
    cache.touch([key(1)])
    reader = apsw.Connection(str(path))
    version = reader.data_version()

    cache.touch([key(1)])

    assert reader.data_version() == version
    reader.close()


def test_the_longest_unused_go_first_when_the_file_is_too_large(
    cache: VectorCache, path: Path, clock: FrozenClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    for day in range(10):
        cache.put({key(100 * day + number): ROW for number in range(100)})
        clock.advance(days=1)
    most = 500_000
    monkeypatch.setattr("memory.embed.cache.MAX_BYTES", most)

    gone = cache.prune()

    assert 0 < gone < 1000
    assert len(cache) == 1000 - gone
    assert not cache.get([key(0)])
    assert cache.get([key(999)])
    cache.close()
    assert path.stat().st_size < most * 1.2


def test_pruning_what_fits_changes_nothing(cache: VectorCache) -> None:
    cache.put({key(1): ROW})

    assert cache.prune() == 0


@pytest.mark.parametrize("damage", [b"not a database at all" * 300, b"SQLite format 3\0" + bytes(4000)])
def test_a_damaged_file_is_set_aside_and_begun_anew(path: Path, clock: FrozenClock, damage: bytes) -> None:
    path.write_bytes(damage)

    cache = VectorCache(path, clock=clock)
    cache.put({key(1): ROW})

    assert cache.get([key(1)]) == {key(1): ROW}
    assert path.with_name("vectors.sqlite.broken").read_bytes() == damage
    cache.close()


def test_damage_that_comes_while_it_is_open_loses_rows_and_nothing_more(path: Path, clock: FrozenClock) -> None:
    cache = VectorCache(path, clock=clock)
    cache.put({key(number): ROW for number in range(2000)})
    cache.close()
    cache = VectorCache(path, clock=clock)
    with path.open("r+b") as file:
        for page in range(1, path.stat().st_size // 4096):
            file.seek(4096 * page)
            file.write(b"\xff" * 64)

    assert cache.get([key(number) for number in range(2000)]) == {}
    cache.put({key(1): ROW})
    assert cache.get([key(1)]) == {key(1): ROW}
    cache.close()


def test_a_file_of_a_later_version_is_set_aside(path: Path, clock: FrozenClock) -> None:
    later = apsw.Connection(str(path))
    later.execute("PRAGMA user_version = 99")
    later.close()

    cache = VectorCache(path, clock=clock)

    assert len(cache) == 0
    assert path.with_name("vectors.sqlite.broken").exists()
    cache.close()


def test_a_reader_beside_the_service_sees_what_is_written(cache: VectorCache, path: Path, clock: FrozenClock) -> None:
    reader = VectorCache(path, clock=clock, read_only=True)

    cache.put({key(1): ROW})

    assert reader.get([key(1)]) == {key(1): ROW}
    with pytest.raises(WriteFailed):
        reader.put({key(2): ROW})
    reader.close()


def test_a_reader_makes_no_file_and_mends_none(path: Path, clock: FrozenClock) -> None:
    missing = VectorCache(path, clock=clock, read_only=True)
    assert missing.get([key(1)]) == {}
    assert not path.exists()
    missing.close()

    path.write_bytes(b"broken" * 1000)
    broken = VectorCache(path, clock=clock, read_only=True)
    assert len(broken) == 0
    assert path.read_bytes() == b"broken" * 1000
    broken.close()


def test_a_folder_that_is_not_there_is_a_reason(tmp_path: Path, clock: FrozenClock) -> None:
    with pytest.raises(WriteFailed, match="cannot be used") as caught:
        VectorCache(tmp_path / "missing" / "vectors.sqlite", clock=clock)
    assert caught.value.hint


def test_processes_write_at_once_and_nothing_is_lost(path: Path, clock: FrozenClock) -> None:
    script = (
        "import sys; from pathlib import Path; from memory.embed.cache import *; from memory.ports import *;"
        "c = VectorCache(Path(sys.argv[1]), clock=SystemClock());"
        "[c.put({cache_key(sys.argv[2], Purpose.QUERY, str(n)): b'x'}) for n in range(200)]; c.close()"
    )

    writers = [subprocess.Popen([sys.executable, "-c", script, str(path), name]) for name in "abc"]

    assert [writer.wait(timeout=60) for writer in writers] == [0, 0, 0]
    cache = VectorCache(path, clock=clock)
    assert len(cache) == 600
    cache.close()


def test_rows_that_are_dropped_leave_nothing_in_the_file(cache: VectorCache, path: Path) -> None:
    cache.put({key(number): f"row {number} ".encode() * 100 for number in range(20)})

    cache.drop([key(3), key(99)])

    assert len(cache) == 19
    assert not any(b"row 3 " in file.read_bytes() for file in path.parent.iterdir())
    cache.drop([key(4)], compact=True)
    assert cache.get([key(4), key(5)]).keys() == {key(5)}


def test_looking_for_damage_leaves_an_open_cache_what_it_has_mapped(path: Path, cache: VectorCache) -> None:
    """Another copy of SQLite in this process would remove these files, and the next write ends it with a bus error."""
    cache.put({key(1): ROW})
    beside = {one.name for one in path.parent.iterdir()}

    assert damage_of(path) == ""

    assert {one.name for one in path.parent.iterdir()} == beside >= {"vectors.sqlite-wal", "vectors.sqlite-shm"}
    cache.put({key(2): ROW})
    assert cache.get([key(2)]) == {key(2): ROW}


def test_damage_is_told_and_a_file_that_is_not_there_has_none(path: Path) -> None:
    assert damage_of(path) == ""
    assert not path.exists()
    path.write_bytes(b"no database at all" * 1000)
    assert "not a database" in damage_of(path)
