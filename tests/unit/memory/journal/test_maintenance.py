from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from memory import Line
from memory.files.workspace import Workspace, digest
from memory.journal.journal import Journal
from memory.journal.maintenance import verify
from memory.journal.records import Operation, read_record
from memory.types import OWNER, Origin, Written
from tests.unit.memory.conftest import Desk, agents, month_file
from tests.unit.memory.conftest import make_record as record
from tests.unit.memory.conftest import month_file as file

Lines = list[bytes]


@pytest.fixture
def journalled(workspace: Workspace) -> Workspace:
    journal = Journal(workspace)
    for n in range(1, 5):
        journal.append(record(n))
    return workspace


def alter(path: Path, change: Callable[[Lines], Lines]) -> None:
    path.write_bytes(b"".join(change(path.read_bytes().splitlines(keepends=True))))


@pytest.mark.parametrize(
    ("change", "line", "message"),
    [
        (lambda lines: [lines[0], *lines[2:]], 2, "missing or out of order"),
        (lambda lines: [lines[1], lines[0], *lines[2:]], 1, "missing or out of order"),
        (lambda lines: [*lines[:2], b"junk\n", *lines[2:]], 3, "not a record"),
        (lambda lines: [lines[0].replace(b'"actor":"owner"', b'"actor":"eve"'), *lines[1:]], 2, "altered"),
        (lambda lines: [lines[0], lines[1].replace(b'"after":"text"', b'"after":"lie"'), *lines[2:]], 2, "text"),
        (lambda lines: [*lines, b'{"v":1'], 5, "never finished"),
    ],
)
def test_each_damage_is_named_with_its_line(
    journalled: Workspace, change: Callable[[Lines], Lines], line: int, message: str
) -> None:
    assert verify(journalled) == []
    alter(file(journalled), change)
    first = verify(journalled)[0]
    assert (first.path, first.line) == (".memory/journal/2026-11.jsonl", line)
    assert message in first.message
    assert first.hint


def test_a_blanked_text_is_in_order(journalled: Workspace) -> None:
    alter(file(journalled), lambda lines: [lines[0], read_record(lines[1]).blanked().line(), *lines[2:]])
    assert verify(journalled) == []


def test_a_text_that_was_slipped_in_is_not(journalled: Workspace) -> None:
    alter(file(journalled), lambda lines: [replace(read_record(lines[0]), before="slipped").line(), *lines[1:]])
    assert len(verify(journalled)) == 1


def test_a_workspace_without_a_journal_is_in_order(workspace: Workspace) -> None:
    assert verify(workspace) == []


SECRET = "the code of the safe is 4711"


def forget(desk: Desk, op_id: str, written: Written) -> None:
    line = Line(written.fact.id or "", written.at.path, written.at.start, written.text)
    desk.writer.forget([line], Operation(op_id, "owner", Origin.OWNER, OWNER))


def journal_text(desk: Desk) -> str:
    return "".join(file.read_text() for file in sorted((desk.root / ".memory" / "journal").iterdir()))


def test_what_was_forgotten_a_day_ago_is_in_no_record_any_more_and_the_chain_holds(desk: Desk) -> None:
    kept = desk.remember("kept", "1")
    secret = desk.remember(SECRET, "2")
    copy = Operation("3", "owner", Origin.OWNER, OWNER)
    desk.writer.append("notes.md", agents(f"a copy:\n  {secret.text}\n"), copy)
    moved = Operation("4", "owner", Origin.OWNER, OWNER)
    desk.writer.replace("notes.md", f"edited ^{secret.fact.id}\n", moved, expected=digest(desk.text("notes.md")))
    forget(desk, "5", secret)
    desk.clock.advance(days=20)
    desk.remember("later, in another month", "6")
    assert SECRET in journal_text(desk)
    assert desk.writer.purge() == 1
    assert SECRET not in journal_text(desk)
    assert f"edited ^{secret.fact.id}" not in journal_text(desk)
    assert kept.text in journal_text(desk)
    assert "later" in journal_text(desk)
    assert verify(desk.workspace) == []
    assert desk.writer.purge() == 0


def test_what_may_still_be_put_back_is_kept(desk: Desk) -> None:
    secret = desk.remember(SECRET, "1")
    forget(desk, "2", secret)
    desk.clock.advance(hours=23)
    assert desk.writer.purge() == 0
    desk.writer.undo(Operation("3", "owner", Origin.SYSTEM, OWNER))
    desk.clock.advance(days=3)
    assert desk.writer.purge() == 0
    assert SECRET in journal_text(desk)
    assert SECRET in desk.text()


def test_a_purged_operation_is_still_known_and_says_that_the_fact_is_forgotten(desk: Desk) -> None:
    secret = desk.remember(SECRET, "1")
    forget(desk, "2", secret)
    desk.clock.advance(days=2)
    desk.writer.purge()
    again = desk.remember(SECRET, "1")
    assert again.repeated
    assert again.text == f"<!-- scrubjay:forgotten ^{secret.fact.id} -->"
    assert again.at == secret.at
    assert SECRET not in again.fact.text


def test_writing_goes_on_after_a_purge_and_other_readers_follow(desk: Desk) -> None:
    reader = Journal(desk.workspace)
    forget(desk, "2", desk.remember(SECRET, "1"))
    reader.refresh()
    desk.clock.advance(days=2)
    desk.writer.purge()
    desk.remember("next", "3")
    reader.refresh()
    assert reader.first_record("3") is not None
    assert reader.record(1).is_blanked
    assert verify(desk.workspace) == []


def test_a_line_that_is_no_record_is_left_as_it_is(desk: Desk) -> None:
    forget(desk, "2", desk.remember(SECRET, "1"))
    file = month_file(desk.workspace)
    file.write_bytes(file.read_bytes() + b"<<<<<<< HEAD\n")
    desk.clock.advance(days=2)
    assert desk.writer.purge() == 1
    assert file.read_bytes().endswith(b"<<<<<<< HEAD\n")
    assert SECRET not in journal_text(desk)


def test_of_a_line_that_cannot_be_read_nothing_is_left_if_it_holds_what_was_forgotten(desk: Desk) -> None:
    secret = desk.remember(SECRET, "1")
    file = month_file(desk.workspace)
    damaged = file.read_bytes().replace(b'"undoes"', b'"unroes"')
    file.write_bytes(file.read_bytes() + damaged + b"<<<<<<<\n")
    forget(desk, "2", secret)
    desk.clock.advance(days=2)
    assert desk.writer.purge() == 1
    assert SECRET not in journal_text(desk)
    assert [problem.line for problem in verify(desk.workspace)] == [2, 3]
