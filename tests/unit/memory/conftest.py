"""A workspace in a temporary folder, and what is needed to write to it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from memory.files.origins import Part
from memory.files.workspace import Workspace
from memory.index.units import read_facts
from memory.journal.journal import Journal
from memory.journal.records import Action, Operation, Record
from memory.journal.writer import JournaledWriter
from memory.ports import FrozenClock
from memory.types import OWNER, Fact, Origin, Scope, Written

BERLIN = ZoneInfo("Europe/Berlin")


class Desk:
    """A writer with everything in reach of a test."""

    def __init__(self, root: Path, fsync: Callable[[int], None] | None = None) -> None:
        self.root = root
        self.workspace = Workspace(root, fsync=fsync) if fsync else Workspace(root)
        self.journal = Journal(self.workspace)
        self.clock = FrozenClock(datetime(2026, 11, 21, 9, 30, tzinfo=UTC))
        self.writer = JournaledWriter(
            self.workspace, self.journal, clock=self.clock, zone=BERLIN, read_facts=read_facts
        )

    def remember(self, text: str | Fact, op_id: str, scope: Scope = OWNER) -> Written:
        fact = Fact(text) if isinstance(text, str) else text
        return self.writer.remember(fact, Operation(op_id, "owner", Origin.OWNER, scope))[0]

    def text(self, path: str = "memory/2026-11-21.md") -> str:
        return (self.root / path).read_text()

    def write(self, text: str, path: str = "memory/2026-11-21.md") -> None:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)


KILLED = 9
"""The exit code of a process that a fuse has ended."""


class Fuse:
    """Syncs of which one, counted from 0, ends the process before or after it: no `finally` is carried out."""

    def __init__(self) -> None:
        self.left = -1
        self.after = False

    def fsync(self, handle: int) -> None:
        burns = self.left == 0
        self.left -= 1
        if burns and not self.after:
            os._exit(KILLED)
        os.fsync(handle)
        if burns:
            os._exit(KILLED)


def is_killed(work: Callable[[], object]) -> bool:
    """Do something in a process of its own, and return whether a fuse has ended it."""
    process = os.fork()
    if not process:
        code = 1
        try:
            work()
            code = 0
        finally:
            os._exit(code)
    code = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    assert code in {0, KILLED}
    return code == KILLED


def agents(text: str) -> list[Part]:
    """A text of the agent's, as it is appended."""
    return [Part(text, Origin.AGENT)]


def make_record(n: int, month: int = 11, after: str = "text") -> Record:
    at = datetime(2026, month, 21, tzinfo=UTC)
    begun = Operation(f"t:{n}", "owner", Origin.OWNER, OWNER).record(Action.REMEMBER, at)
    return replace(begun, target=f"id{n}", after=after)


def month_file(workspace: Workspace, month: int = 11) -> Path:
    return workspace.root / ".memory" / "journal" / f"2026-{month:02}.jsonl"


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    desk = Desk(tmp_path / "workspace")
    yield desk
    desk.workspace.close()


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    with Workspace(tmp_path / "workspace") as workspace:
        yield workspace
