"""The index of a workspace is kept up to date without making a write wait."""

from __future__ import annotations

import os
import resource
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import apsw
import pytest

from memory import OWNER, FrozenClock, Memory, Origin
from memory.errors import IndexBroken, NotFound
from memory.files.sources import Sources
from memory.files.workspace import Workspace
from memory.index.sql import Index
from memory.index_manager import MERGE_EVERY, IndexManager
from memory.journal.journal import Journal
from tests.support.factories import NOON

MAX_SEGMENTS = 12
"""Of a merged index with some dozens of writes: FTS5 leaves up to three on a level."""


def segments(path: Path) -> int:
    """How many segments the search index of a file has."""
    db = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    return int(db.execute("SELECT count(DISTINCT segid) FROM fts_idx").get)


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    with Workspace(tmp_path / "workspace") as opened:
        yield opened


@pytest.fixture
def manager(workspace: Workspace, tmp_path: Path) -> Iterator[IndexManager]:
    made = IndexManager(
        tmp_path / "index.sqlite", Sources(workspace), Journal(workspace), clock=FrozenClock(NOON), read_only=False
    )
    list(made.sync_files())
    yield made
    made.close()


def write(workspace: Workspace, number: int) -> str:
    path = f"note-{number}.md"
    (workspace.root / path).write_text(f"Note {number}. " + "Filler words. " * 30, encoding="utf-8")
    return path


def test_a_write_merges_nothing_and_is_merged_later(
    manager: IndexManager, workspace: Workspace, tmp_path: Path
) -> None:
    for number in range(60):
        before = segments(tmp_path / "index.sqlite")
        manager.refresh([write(workspace, number)])
        assert segments(tmp_path / "index.sqlite") == before + 1
        assert manager.is_merge_due is (number % MERGE_EVERY == MERGE_EVERY - 1)
        list(manager.merge_segments())

    assert segments(tmp_path / "index.sqlite") <= MAX_SEGMENTS
    assert manager.ask(lambda index: len(index.match([["note"]], scope=OWNER, limit=100))) == 60


def test_a_look_merges_what_it_has_taken_in(manager: IndexManager, workspace: Workspace, tmp_path: Path) -> None:
    for number in range(MERGE_EVERY - 1):
        manager.refresh([write(workspace, number)])
    write(workspace, 100)
    list(manager.sync_files())

    assert segments(tmp_path / "index.sqlite") < MERGE_EVERY


def test_who_only_reads_goes_on_without_a_damaged_index(
    manager: IndexManager, workspace: Workspace, tmp_path: Path
) -> None:
    def look(index: Index) -> int:
        found = len(index.match([["note"]], scope=OWNER, limit=100))
        if found:
            raise IndexBroken("The memory index is damaged.")
        return found

    manager.refresh([write(workspace, 1)])
    reader = IndexManager(
        tmp_path / "index.sqlite", Sources(workspace), Journal(workspace), clock=FrozenClock(NOON), read_only=True
    )
    with closing(reader):
        assert reader.ask(lambda _: reader.ask(look)) == 0
        assert reader.state == "broken"
        assert "is damaged" in reader.reason()

    with pytest.raises(IndexBroken):
        manager.ask(lambda _: manager.ask(look))
    list(manager.sync_files())
    assert manager.state == "ready"
    assert len(manager.index.match([["note"]], scope=OWNER, limit=100)) == 1


async def test_many_facts_leave_few_segments(tmp_path: Path) -> None:
    index = tmp_path / "index.sqlite"
    async with await Memory.open(tmp_path / "workspace", index=index, clock=FrozenClock(NOON)) as memory:
        for number in range(50):
            await memory.remember(
                f"The pot of plant {number} is blue.", origin=Origin.OWNER, scope=OWNER, op_id=f"{number}", actor="me"
            )
        await memory.sync()
        assert segments(index) <= MAX_SEGMENTS
        assert (await memory.status()).facts == 50


async def test_what_is_taken_in_late_takes_nothing_out_that_another_process_has_taken_in(tmp_path: Path) -> None:
    where = tmp_path / "workspace", tmp_path / "index.sqlite"
    async with (
        await Memory.open(where[0], index=where[1], clock=FrozenClock(NOON)) as one,
        await Memory.open(where[0], index=where[1], clock=FrozenClock(NOON)) as other,
    ):
        await one.remember("The kettle leaks.", origin=Origin.OWNER, scope=OWNER, op_id="1", actor="one")
        await other.remember("The lamp flickers.", origin=Origin.OWNER, scope=OWNER, op_id="2", actor="other")
        assert (await other.stats(scope=OWNER)).facts == 2
        assert (await one.stats(scope=OWNER)).facts == 2  # only now what it has written before is taken in
        assert (await other.stats(scope=OWNER)).facts == 2


async def test_what_a_full_disk_keeps_out_of_the_index_is_not_said_to_be_nowhere(tmp_path: Path) -> None:
    log, limits = tmp_path / "notes/memory/2026-01-20.md", resource.getrlimit(resource.RLIMIT_FSIZE)
    log.parent.mkdir(parents=True)
    async with await Memory.open(tmp_path / "notes", index=tmp_path / "index.sqlite") as memory:
        log.write_text("## Retain\n- The bees are in the orchard.\n", encoding="utf-8")
        largest = max(one.stat().st_size for one in tmp_path.glob("index.sqlite*"))
        resource.setrlimit(resource.RLIMIT_FSIZE, (largest, limits[1]))
        try:
            with pytest.raises(NotFound, match="is not in the index yet"):
                await memory.preview_forget("bees", scope=OWNER, actor="owner")
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        assert (await memory.preview_forget("bees", scope=OWNER, actor="owner")).lines


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
async def test_what_is_not_found_may_stand_in_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    logs = [tmp_path / f"notes/memory/2026-01-{day}.md" for day in (20, 21)]
    logs[0].parent.mkdir(parents=True)
    for log, thing in zip(logs, ("bees", "boat"), strict=True):
        log.write_text(f"## Retain\n- The {thing} is in the orchard.\n", encoding="utf-8")
    async with await Memory.open(tmp_path / "notes", index=tmp_path / "index.sqlite") as memory:
        assert (await memory.recall("kayak", scope=OWNER)).notice == ""
        assert not (await memory.preview_forget("kayak", scope=OWNER, actor="owner")).lines
        logs[1].chmod(0)
        await memory.sync()
        assert "cannot be read" in (await memory.recall("boat", scope=OWNER)).notice
        assert (await memory.recall("bees", scope=OWNER)).notice == ""
        with pytest.raises(NotFound, match="cannot be read"):
            await memory.preview_forget("boat", scope=OWNER, actor="owner")
