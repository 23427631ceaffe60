"""Writers at once: processes beside each other, killed processes, and people's editors in the middle of a write."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

import memory
from memory import Line
from memory.errors import Conflict, NotUndoable
from memory.files.record import Action, Operation, Record
from memory.files.verify import verify
from memory.files.write_ahead import WriteAhead
from memory.model import OWNER, Fact, Origin, Written
from tests.unit.memory.files.conftest import Desk, quick_folder

LOG = "memory/2026-11-21.md"

PROCESS = """
import os, signal, sys
from datetime import UTC, datetime
from pathlib import Path
from memory.files.journal import Journal
from memory.files.lock import WorkspaceLock
from memory.files.scribe import Scribe
from memory.files.workspace import Workspace
from memory.index.chunks import read_facts
from memory.model import OWNER, Fact, Origin
from memory.ports import FrozenClock

root, name, count, fuse = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
left = [fuse]

def fsync(handle):
    left[0] -= 1
    if left[0] == 0:
        os.kill(os.getpid(), signal.SIGKILL)
    os.fsync(handle)

workspace = Workspace(root, fsync=fsync)
clock = FrozenClock(datetime(2026, 11, 21, 9, 30, tzinfo=UTC))
lock = WorkspaceLock(workspace, timeout_s=60)
scribe = Scribe(workspace, Journal(workspace), lock, clock=clock, zone=UTC, read_facts=read_facts)
for number in range(count):
    op_id = f"{name}:{number}"
    scribe.remember(Fact(f"fact {op_id}."), origin=Origin.OWNER, scope=OWNER, op_id=op_id, actor=name)
    print(op_id, flush=True)
"""


def start(root: Path, name: str, count: int, fuse: int = 0) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", PROCESS, str(root), name, str(count), str(fuse)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=Path(memory.__file__).parents[1])


def test_eight_processes_that_append_at_once_lose_nothing() -> None:
    with quick_folder() as folder:
        root = Path(folder) / "workspace"
        processes = [start(root, f"p{n}", 100) for n in range(8)]
        said = [op_id for process in processes for op_id in process.communicate()[0].split()]
        desk = Desk(root)
        facts = Counter(re.findall(r"fact (p\d:\d+)\.", desk.text()))
        assert facts == Counter(said)
        assert len(facts) == 800
        assert set(facts.values()) == {1}
        assert verify(desk.workspace) == []
        desk.journal.refresh()
        assert desk.journal.ledger.last == 800
        desk.workspace.close()


@pytest.mark.parametrize("fuse", range(1, 9))
def test_a_process_that_is_killed_loses_nothing_that_it_had_said(tmp_path: Path, fuse: int) -> None:
    root = tmp_path / "workspace"
    killed = start(root, "p", 3, fuse)
    said = killed.communicate()[0].split()
    assert killed.returncode == -signal.SIGKILL
    assert start(root, "p", 3).communicate()[0].split() == ["p:0", "p:1", "p:2"]
    desk = Desk(root)
    assert re.findall(r"fact (p:\d)\.", desk.text()) == ["p:0", "p:1", "p:2"]
    assert set(said) <= {"p:0", "p:1", "p:2"}
    assert verify(desk.workspace) == []


def test_a_file_that_never_holds_still_is_given_up_without_a_trace(desk: Desk) -> None:
    desk.write("0\n", "a.md")
    saves = iter(range(1, 1000))
    ahead = WriteAhead(desk.workspace, desk.journal, desk.lock)
    begun = Operation("op", "a", Origin.AGENT, OWNER).record(Action.REPLACE, datetime(2026, 11, 21, tzinfo=UTC))

    def draft(content: bytes | None) -> Record:
        desk.write(f"{next(saves)}\n", "a.md")
        return begun.__class__(**{**{n: getattr(begun, n) for n in begun.__slots__}, "path": "a.md", "base": "0" * 40})

    with ahead.hold(), pytest.raises(Conflict, match="all the time") as refused:
        ahead.write("a.md", draft)
    assert refused.value.hint
    assert desk.journal.last is None


def in_place(file: Path, old: str, new: str) -> None:
    """As an editor does that keeps the file open: cut to the length, write over it."""
    with file.open("r+") as opened:
        opened.write(new)
        opened.truncate()


def by_truncating(file: Path, old: str, new: str) -> None:
    file.write_text(new)


def by_renaming(file: Path, old: str, new: str) -> None:
    (file.parent / "#save#").write_text(new)
    (file.parent / "#save#").replace(file)


STYLES: list[Callable[[Path, str, str], None]] = [in_place, by_truncating, by_renaming]


class Editing(RuleBasedStateMachine):
    """The bot writes while a person edits the same log, before, between and during the bot's syncs.

    The person's editor may have read the file at the sync before the one in which it saves, so it knows nothing of
    what was written between the two.
    """

    @initialize()
    def begin(self) -> None:
        self.folder = quick_folder()
        self.desk = Desk(Path(self.folder.name) / "workspace", self.fsync)
        self.file = self.desk.root / LOG
        self.human: list[str] = []
        self.bot: dict[str, Written] = {}
        self.forgotten: dict[str, Written] = {}
        self.count = 0
        self.saves: dict[int, tuple[Callable[[Path, str, str], None], bool]] = {}
        self.syncs = 0
        self.stale: str | None = None
        self.desk.write("# Mine\n")
        self.remember({})

    def fsync(self, handle: int) -> None:
        os.fsync(handle)
        if not self.file.exists():
            return
        save = self.saves.pop(self.syncs, None)
        self.syncs += 1
        if save:
            style, from_stale = save
            self.save(style, self.stale if from_stale and self.stale is not None else self.file.read_text())
        self.stale = self.file.read_text() if self.file.exists() else None

    def save(self, style: Callable[[Path, str, str], None], text: str) -> None:
        self.count += 1
        line = f"- by hand {self.count}"
        lines = text.split("\n")
        at = (self.count * 7) % len(lines)
        style(self.file, text, "\n".join([*lines[:at], line, *lines[at:]]))
        self.human.append(line)

    def interfered(self, saves: dict[int, tuple[Callable[[Path, str, str], None], bool]]) -> None:
        self.saves, self.syncs, self.stale = dict(saves), 0, None

    interference = st.dictionaries(st.integers(0, 3), st.tuples(st.sampled_from(STYLES), st.booleans()), max_size=2)

    @rule(style=st.sampled_from(STYLES))
    def edit(self, style: Callable[[Path, str, str], None]) -> None:
        if self.file.exists():
            self.save(style, self.file.read_text())

    @rule(saves=interference)
    def remember(self, saves: dict[int, tuple[Callable[[Path, str, str], None], bool]]) -> None:
        self.interfered(saves)
        self.count += 1
        written = self.desk.remember(Fact(f"fact {self.count}"), f"r{self.count}")
        self.bot[written.fact.id or ""] = written

    @precondition(lambda self: self.bot)
    @rule(saves=interference, data=st.data())
    def forget(self, saves: dict[int, tuple[Callable[[Path, str, str], None], bool]], data: st.DataObject) -> None:
        one = data.draw(st.sampled_from(sorted(self.bot)))
        lines = self.file.read_text().split("\n")
        line = Line(one, LOG, lines.index(self.bot[one].text) + 1, self.bot[one].text)
        self.interfered(saves)
        self.count += 1
        self.desk.scribe.forget([line], op_id=f"f{self.count}", scope=OWNER, actor="owner")
        self.forgotten[one] = self.bot.pop(one)

    @rule(saves=interference)
    def undo(self, saves: dict[int, tuple[Callable[[Path, str, str], None], bool]]) -> None:
        self.interfered(saves)
        self.count += 1
        try:
            (undone,) = self.desk.scribe.undo(op_id=f"u{self.count}", scope=OWNER, actor="owner")
        except NotUndoable:
            assert not self.bot
            assert not self.forgotten
            return
        if undone.action == Action.FORGET:
            one = next(key for key, written in self.forgotten.items() if written.text == undone.restored)
            self.bot[one] = self.forgotten.pop(one)
        else:
            one = next(key for key, written in self.bot.items() if written.text == undone.removed)
            del self.bot[one]

    @rule()
    def reopen(self) -> None:
        self.desk.workspace.close()
        self.desk = Desk(self.desk.root, self.fsync)
        self.interfered({})
        self.desk.scribe.settle()

    @invariant()
    def nothing_is_lost_and_nothing_doubled(self) -> None:
        lines = Counter(self.file.read_text().split("\n")) if self.file.exists() else Counter[str]()
        assert [line for line in self.human if lines[line] != 1] == []
        assert [one.text for one in self.bot.values() if lines[one.text] != 1] == []
        assert [one.text for one in self.forgotten.values() if lines[one.text] != 0] == []
        assert verify(self.desk.workspace) == []

    def teardown(self) -> None:
        if hasattr(self, "desk"):
            self.desk.workspace.close()
            self.folder.cleanup()


Editing.TestCase.settings = settings(max_examples=60, stateful_step_count=12)
test_editors_and_the_bot_lose_nothing_of_each_other = Editing.TestCase
