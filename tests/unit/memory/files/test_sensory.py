from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memory import OWNER, FrozenClock, Origin, chat_scope
from memory.errors import TooLarge
from memory.files import sensory
from memory.files.sensory import SensoryEntry, SensoryStore
from memory.files.workspace import Workspace
from memory.ports import instant

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock(NOON)


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    with Workspace(tmp_path, create=True) as opened:
        yield opened


@pytest.fixture
def store(workspace: Workspace, clock: FrozenClock) -> SensoryStore:
    return SensoryStore(workspace, clock=clock)


def another(workspace: Workspace, clock: FrozenClock) -> SensoryStore:
    """The store of another process."""
    return SensoryStore(workspace, clock=clock)


def seen(text: str, op_id: str, clock: FrozenClock) -> SensoryEntry:
    return SensoryEntry(op_id, "owner", Origin.OWNER, OWNER, instant(clock.now()), text, 0.25, 0.5)


def test_entries_are_on_disk_and_other_processes_see_them(
    workspace: Workspace, store: SensoryStore, clock: FrozenClock
) -> None:
    entry = store.keep(seen("It rained.", "1", clock))
    other = another(workspace, clock)
    assert other.entries() == (entry,)
    late = other.keep(seen("It snowed.", "2", clock))
    assert store.entries() == (entry, late)
    assert store.find("2") == late
    assert store.entries(scope=chat_scope("1")) == ()


def test_the_same_text_or_operation_is_kept_once(store: SensoryStore, clock: FrozenClock) -> None:
    first = store.keep(seen("It rained.", "1", clock))
    clock.advance(hours=1)
    assert store.keep(seen("It rained.", "2", clock)) == first
    assert store.keep(seen("It poured.", "1", clock)) == first
    assert len(store.entries()) == 1
    guest = replace(seen("It rained.", "3", clock), scope=chat_scope("1"))
    assert store.keep(guest) == guest


def test_after_a_day_an_entry_is_gone_from_what_is_read_and_then_from_the_disk(
    workspace: Workspace, store: SensoryStore, clock: FrozenClock
) -> None:
    store.keep(seen("It rained.", "1", clock))
    clock.advance(hours=20)
    late = store.keep(seen("It snowed.", "2", clock))
    clock.advance(hours=5)
    assert store.entries() == (late,)
    assert store.find("1") is None
    assert store.expire() == 1
    assert store.expire() == 0
    assert b"rained" not in b"".join(path.read_bytes() for path in workspace.root.rglob("*") if path.is_file())
    assert another(workspace, clock).entries() == (late,)
    again = store.keep(seen("It rained.", "3", clock))
    assert store.entries() == (late, again)


def test_what_is_forgotten_leaves_no_byte(workspace: Workspace, store: SensoryStore, clock: FrozenClock) -> None:
    store.keep(seen("The cat is ill.", "1", clock))
    kept = store.keep(seen("It rained.", "2", clock))
    assert store.forget(lambda text: "cat" in text, scope=chat_scope("1")) == 0
    assert store.forget(lambda text: "cat" in text, scope=OWNER) == 1
    assert store.entries() == (kept,)
    assert b"cat" not in b"".join(path.read_bytes() for path in workspace.root.rglob("*") if path.is_file())


def test_a_line_that_was_never_finished_is_passed_over(
    workspace: Workspace, store: SensoryStore, clock: FrozenClock
) -> None:
    first = store.keep(seen("It rained.", "1", clock))
    path = workspace.root / ".memory/sensory/2026-11-21.jsonl"
    with path.open("ab") as file:
        file.write(b'{"op_id": "2", "text": "It sn')
    assert another(workspace, clock).entries() == (first,)
    second = store.keep(seen("It snowed.", "3", clock))
    assert store.entries() == (first, second)
    assert another(workspace, clock).entries() == (first, second)
    (path.parent / "notes.txt").write_text("mine", encoding="utf-8")
    path.with_name("2026-11-20.jsonl").write_text('[]\n{}\n{"op_id": 1}\n', encoding="utf-8")
    assert store.entries() == (first, second)


def test_there_is_an_end_to_what_is_held(
    store: SensoryStore, clock: FrozenClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sensory, "MAX_ENTRIES", 2)
    first = store.keep(seen("one", "1", clock))
    store.keep(seen("two", "2", clock))
    with pytest.raises(TooLarge, match="2 observations"):
        store.keep(seen("three", "3", clock))
    assert store.keep(seen("one", "4", clock)) == first
