"""Vectors are kept beside their units, go with them, and tell a copy what has changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from memory.index.sqlite import SqliteIndex
from memory.index.tables.vectors import Counts, VectorTable
from memory.index.types import FileChange, FileState
from memory.index.units import chunk
from memory.types import OWNER, Filter, Scope
from tests.unit.memory.index.conftest import NOBODY, owners


def change(path: str, text: str) -> FileChange:
    return FileChange(path, FileState(1, 1, text), chunk(path, text, owners=NOBODY))


@pytest.fixture
def index(tmp_path: Path) -> SqliteIndex:
    opened = SqliteIndex.open(tmp_path / "index.sqlite")
    opened.write([change("memory/2026-01-05.md", "Old.\n"), change("memory/2026-03-05.md", "New.\n\nNewer.\n")])
    opened.vectors.begin("letters")
    return opened


@pytest.fixture
def table(index: SqliteIndex) -> VectorTable:
    return index.vectors


def keep(table: VectorTable, rows: dict[int, bytes], refused: Sequence[int] = ()) -> None:
    table.keep(rows, refused=refused, born=table.mark().born)


def test_units_wait_newest_first(table: VectorTable) -> None:
    waiting = table.waiting(10)

    assert [stored.unit.text for stored in waiting] == ["Newer.", "New.", "Old."]
    assert table.waiting(1) == waiting[:1]
    assert table.counts() == Counts(0, 3)


def test_units_can_be_gone_through_in_the_order_of_their_numbers(table: VectorTable) -> None:
    newer, new, old = table.waiting(10)
    keep(table, {new.id: b"v"})

    assert [stored.id for stored in table.texts(0, 10)] == sorted((newer.id, new.id, old.id))
    assert [stored.id for stored in table.texts(0, 10, waiting=True)] == sorted((newer.id, old.id))
    assert [stored.id for stored in table.texts(old.id, 1)] == [min(newer.id, new.id)]


def test_a_unit_with_a_vector_waits_no_longer(table: VectorTable) -> None:
    newer, new, old = table.waiting(10)
    keep(table, {newer.id: b"1", old.id: b"2"})

    assert [stored.id for stored in table.waiting(10)] == [new.id]
    assert table.counts() == Counts(2, 1)
    assert [(row.vector, row.unit) for row in table.since(0, 10)] == [
        (b"1", (newer.id, OWNER, "note", "2026-03-05", "2026-03-05", None)),
        (b"2", (old.id, OWNER, "note", "2026-01-05", "2026-01-05", None)),
    ]


def test_a_unit_that_is_refused_waits_no_longer(table: VectorTable) -> None:
    newer, *_ = table.waiting(10)
    keep(table, {}, refused=[newer.id])

    assert table.counts() == Counts(0, 2)


def test_a_vector_for_a_unit_that_went_meanwhile_is_passed_over(index: SqliteIndex, table: VectorTable) -> None:
    waiting = table.waiting(10)
    index.write([], ["memory/2026-03-05.md"])

    keep(table, {stored.id: b"v" for stored in waiting})

    assert table.counts() == Counts(1, 0)


def test_a_vector_for_a_unit_of_another_file_is_passed_over(table: VectorTable) -> None:
    table.keep({stored.id: b"v" for stored in table.waiting(10)}, born="another")

    assert table.counts() == Counts(0, 3)


def test_vectors_go_with_their_units(index: SqliteIndex, table: VectorTable) -> None:
    newer, new, old = table.waiting(10)
    keep(table, dict.fromkeys((newer.id, new.id, old.id), b"v"))
    before = table.mark()
    index.write([change("memory/2026-03-05.md", "New.\n")], ["memory/2026-01-05.md"])

    assert sorted(table.gone(before.gone)) == sorted((newer.id, old.id))
    assert [row.unit.id for row in table.since(0, 10)] == [new.id]
    assert table.mark() == replace(before, gone=table.mark().gone)


def test_what_is_new_comes_after_the_mark(index: SqliteIndex, table: VectorTable) -> None:
    newer, new, _ = table.waiting(10)
    keep(table, {newer.id: b"v"})
    mark = table.mark()
    keep(table, {new.id: b"w"})

    assert [row.unit.id for row in table.since(mark.vectors, 10)] == [new.id]
    assert [row.unit.id for row in table.since(0, 1)] == [newer.id]


def test_another_embedder_begins_anew(table: VectorTable) -> None:
    newer, new, _ = table.waiting(10)
    keep(table, {newer.id: b"v"}, refused=[new.id])
    before = table.mark()

    table.begin("letters")
    assert table.mark() == before
    table.begin("other")

    assert table.counts() == Counts(0, 3)
    assert table.mark().by == "other"


def test_a_change_of_hands_is_told(index: SqliteIndex, table: VectorTable) -> None:
    path, text = "memory/guests/2026-03-05.md", "Newest. ^g1\n"
    index.write([change(path, text)])
    stored = table.waiting(1)[0]
    keep(table, {stored.id: b"v"})
    before = table.mark().rescoped

    said = chunk(path, text, owners=owners(path, {"g1": Scope("chat:1")}))
    index.write([FileChange(path, FileState(1, 1, text), said)])

    assert table.mark().rescoped > before
    assert table.scopes() == {stored.id: "chat:1"}


def test_every_file_has_a_birth_of_its_own(index: SqliteIndex, tmp_path: Path) -> None:
    other = SqliteIndex.open(tmp_path / "other.sqlite")
    born = index.vectors.mark().born

    assert born
    assert born != other.vectors.mark().born
    index.close()
    assert SqliteIndex.open(index.path).vectors.mark().born == born


def test_units_are_told_by_the_paths_and_folders_of_their_files(table: VectorTable) -> None:
    every, twice = (table.matching(Filter(under=under)) for under in (("memory",), ("memory/", "memory")))
    assert every == twice != []
    assert table.matching(Filter(under=("bank", "mem"))) == []


def test_the_day_on_which_the_cache_was_tended_is_kept(table: VectorTable) -> None:
    assert table.tended() == ""
    table.note_tended("2026-11-21")
    assert table.tended() == "2026-11-21"
