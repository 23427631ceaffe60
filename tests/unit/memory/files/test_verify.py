from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from memory.files.journal import Journal
from memory.files.record import read_record
from memory.files.verify import verify
from memory.files.workspace import Workspace
from tests.unit.memory.files.conftest import make_record as record
from tests.unit.memory.files.conftest import month_file as file

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
