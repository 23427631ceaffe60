from __future__ import annotations

import errno
import os
import re
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

import memory
from memory import Line
from memory.errors import Busy, Conflict, NotFound, NotUndoable, PathRefused, TooLarge, Unparsable, WriteFailed
from memory.files.markdown import blocks
from memory.files.notation import MAX_FACT_CHARS, parse_fact
from memory.files.workspace import digest, state
from memory.journal.drafts import append_record, bare_id, find_shown, forget_record, replace_record
from memory.journal.maintenance import verify
from memory.journal.records import Action, Operation, Record
from memory.journal.write_ahead import WriteAhead
from memory.journal.writer import Undone, random_id
from memory.types import OWNER, Citation, Fact, Kind, Origin, Scope, Written, chat_scope
from tests.unit.memory.conftest import Desk, agents, make_record

LOG = "memory/2026-11-21.md"


def operation(op_id: str) -> Operation:
    return Operation(op_id, "agent", Origin.AGENT, OWNER)


def shown(desk: Desk, number: int, id: str, path: str = LOG) -> Line:
    return Line(id, path, number, desk.text(path).split("\n")[number - 1])


# --- remember


def test_a_fact_stands_where_the_receipt_says(desk: Desk) -> None:
    desk.write("# Day\n\nslept well\n")
    fact = Fact("The key is under the pot", Kind.WORLD, ("Ann B",), "fact", attributes=(("c", "0.9"),))
    written = desk.remember(fact, "t:1")
    assert written.text == f"- W(c=0.9) @Ann-B: The key is under the pot #fact ^{written.fact.id}"
    assert written.at == Citation(LOG, 6, 6)
    assert desk.text().split("\n")[5] == written.text
    assert parse_fact(written.text) == written.fact
    assert not written.repeated
    assert [block.text for block in blocks(desk.text()) if block.retain] == [written.text]


def test_a_known_operation_writes_nothing_and_returns_the_first_receipt(desk: Desk) -> None:
    first = desk.remember("x", "t:1")
    desk.remember("y", "t:2")
    again = desk.remember("something else", "t:1")
    assert again == replace(first, repeated=True)
    assert desk.text().count("^") == 2


def test_a_repeated_receipt_finds_the_line_where_it_is_now(desk: Desk) -> None:
    first = desk.remember("x", "t:1")
    desk.write("new first line\n" + desk.text())
    assert desk.remember("x", "t:1").at == Citation(LOG, first.at.start + 1, first.at.start + 1)
    desk.write("gone\n")
    assert desk.remember("x", "t:1").text == first.text


def test_an_operation_is_not_another_one(desk: Desk) -> None:
    desk.remember("x", "t:1")
    with pytest.raises(Conflict, match="t:1"):
        desk.writer.append("notes.md", agents("x"), operation("t:1"))


def test_provenance_is_kept_in_the_journal_and_not_in_the_text(desk: Desk) -> None:
    scope = chat_scope("telegram.1:-100")
    written, _ = desk.writer.remember(Fact("x"), Operation("t:1", "Eve", Origin.GUEST, scope))
    known = desk.journal.state.provenance.get(written.fact.id or "")
    assert known is not None
    assert (known.origin, known.scope, known.actor, known.at) == (
        Origin.GUEST,
        scope,
        "Eve",
        "2026-11-21T09:30:00.000Z",
    )
    assert written.at.path == "memory/guests/2026-11-21.md"
    assert "Eve" not in desk.text(written.at.path)


def test_the_day_changes_at_the_owners_midnight(desk: Desk) -> None:
    desk.clock.advance(hours=13, minutes=29)  # 22:59 UTC, 23:59 in Berlin
    assert desk.remember("x", "1").at.path == LOG
    desk.clock.advance(minutes=1)
    assert desk.remember("y", "2").at.path == "memory/2026-11-22.md"


def test_ids_are_eight_plain_characters_that_never_begin_like_a_hash() -> None:
    ids = {random_id() for _ in range(2000)}
    assert len(ids) == 2000
    assert all(len(one) == 8 and not set(one) & set("ilou") and one.isalnum() and one[0] != "h" for one in ids)


def test_an_id_that_is_taken_is_not_given_again(desk: Desk) -> None:
    ids = iter(["aaaaaaaa", "aaaaaaaa", "bbbbbbbb"])
    desk.writer._new_id = lambda: next(ids)
    assert [desk.remember("x", op_id).fact.id for op_id in ("1", "2")] == ["aaaaaaaa", "bbbbbbbb"]


@pytest.mark.parametrize(
    ("fact", "error"),
    [
        (Fact("x" * (MAX_FACT_CHARS + 1)), TooLarge),
        (Fact("x" * 1_000_000), TooLarge),
        (Fact("x", entities=("y" * MAX_FACT_CHARS,)), TooLarge),
        (Fact(" \n"), Unparsable),
        (Fact("x", Kind.NOTE), Unparsable),
        (Fact("x", category="nonsense"), Unparsable),
    ],
)
def test_what_is_no_fact_is_refused_before_anything_is_written(desk: Desk, fact: Fact, error: type[Exception]) -> None:
    with pytest.raises(error):
        desk.remember(fact, "1")
    assert list(desk.root.iterdir()) == []


def test_a_log_that_is_not_utf8_is_appended_to_and_left_alone(desk: Desk) -> None:
    desk.write("")
    (desk.root / LOG).write_bytes(b"caf\xe9\n")
    written = desk.remember("x", "1")
    assert (desk.root / LOG).read_bytes() == b"caf\xe9\n\n## Retain\n" + written.text.encode() + b"\n"
    desk.writer.undo(Operation("2", "owner", Origin.SYSTEM, OWNER))
    assert (desk.root / LOG).read_bytes() == b"caf\xe9\n"


@pytest.mark.parametrize("kind", ["link", "folder", "file for a folder", "large"])
def test_a_log_that_cannot_be_written_is_an_error_and_leaves_no_trace(desk: Desk, tmp_path: Path, kind: str) -> None:
    (desk.root / "memory").mkdir()
    log = desk.root / LOG
    if kind == "link":
        log.symlink_to(tmp_path / "elsewhere")
    elif kind == "folder":
        log.mkdir()
    elif kind == "large":
        with log.open("wb") as file:
            file.truncate(100 * 1024 * 1024)
    else:
        log.parent.rmdir()
        log.parent.write_text("")
    for _ in range(2):
        with pytest.raises((PathRefused, TooLarge)) as refused:
            desk.remember("x", "1")
        assert refused.value.hint
    assert desk.journal.first_record("1") is None
    assert not (tmp_path / "elsewhere").exists()


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EIO, errno.EROFS, errno.EDQUOT])
@pytest.mark.parametrize("at", range(5))
def test_a_disk_that_fails_at_any_sync_acknowledges_nothing_and_the_next_try_works(
    tmp_path: Path, number: int, at: int
) -> None:
    countdown = [at]

    def fsync(handle: int) -> None:
        countdown[0] -= 1
        if countdown[0] == -1:
            raise OSError(number, os.strerror(number))
        os.fsync(handle)

    desk = Desk(tmp_path / "w", fsync)
    desk.workspace.fsync = os.fsync
    desk.remember("before", "0")
    before = desk.text()
    desk.clock.advance(hours=24)
    desk.workspace.fsync = fsync
    try:
        desk.remember("x", "1")
    except WriteFailed:
        assert desk.journal.first_record("1") is None or countdown[0] > -1
        assert not (desk.root / "memory/2026-11-22.md").exists()
    written = desk.remember("x", "1")
    assert desk.text("memory/2026-11-22.md").count(written.text) == 1
    assert desk.text() == before
    assert verify(desk.workspace) == []
    desk.workspace.close()


def test_a_busy_workspace_says_so(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memory.files.workspace.PATIENCE_S", 0.02)
    with desk.workspace.lock(), pytest.raises(Busy):
        desk.remember("x", "1")
    assert not (desk.root / "memory").exists()


# --- forget


def test_a_forgotten_line_becomes_a_mark_and_the_others_keep_their_numbers(desk: Desk) -> None:
    facts = [desk.remember(f"fact {n}", str(n)) for n in range(3)]
    lines = [shown(desk, fact.at.start, fact.fact.id or "") for fact in facts]
    assert desk.writer.forget([lines[1]], Operation("f", "owner", Origin.OWNER, OWNER)) == (lines[1],)
    after = desk.text().split("\n")
    assert after[facts[1].at.start - 1] == f"<!-- scrubjay:forgotten ^{facts[1].fact.id} -->"
    assert after[facts[2].at.start - 1] == facts[2].text
    assert verify(desk.workspace) == []


def test_lines_by_hand_can_be_forgotten_in_any_file_and_line_ends_are_kept(desk: Desk) -> None:
    desk.write("")
    (desk.root / LOG).write_bytes(b"a\r\n- mine\r\nb\xff")
    line = Line("^h123", LOG, 2, "- mine")
    desk.writer.forget([line], Operation("f", "owner", Origin.OWNER, OWNER))
    assert (desk.root / LOG).read_bytes() == b"a\r\n<!-- scrubjay:forgotten ^h123 -->\r\nb\xff"
    desk.writer.undo(Operation("u", "owner", Origin.SYSTEM, OWNER))
    assert (desk.root / LOG).read_bytes() == b"a\r\n- mine\r\nb\xff"


def test_lines_that_are_not_utf8_are_forgotten_as_they_were_shown_and_come_back_byte_by_byte(desk: Desk) -> None:
    content = "- Käse für Oskar\r\n  aus der Mühle\r\n- b\r\n".encode("cp1252")
    desk.write("")
    (desk.root / LOG).write_bytes(content)
    line = Line("^h123", LOG, 1, "- Käse für Oskar\n  aus der Mühle")
    desk.writer.forget([line], Operation("f", "owner", Origin.OWNER, OWNER))
    assert "Oskar" not in desk.text()
    undone = desk.writer.undo(Operation("u", "owner", Origin.SYSTEM, OWNER))
    assert (desk.root / LOG).read_bytes() == content
    assert "Käse für Oskar" in str(undone)


def test_if_one_line_has_changed_none_is_forgotten(desk: Desk) -> None:
    facts = [desk.remember(f"fact {n}", str(n)) for n in range(2)]
    lines = [shown(desk, fact.at.start, fact.fact.id or "") for fact in facts]
    edited = desk.text().replace("fact 1", "fact one")
    desk.write(edited)
    with pytest.raises(Conflict):
        desk.writer.forget(lines, Operation("f", "owner", Origin.OWNER, OWNER))
    assert desk.text() == edited
    with pytest.raises(Conflict):
        desk.writer.forget([Line("a", "missing.md", 1, "x")], Operation("f2", "owner", Origin.OWNER, OWNER))


def test_a_known_forgetting_only_does_what_is_left_of_it(desk: Desk) -> None:
    facts = [desk.remember(f"fact {n}", str(n)) for n in range(2)]
    lines = [shown(desk, fact.at.start, fact.fact.id or "") for fact in facts]
    desk.writer.forget(lines[:1], Operation("f", "owner", Origin.OWNER, OWNER))
    for _ in range(2):
        assert desk.writer.forget(lines, Operation("f", "owner", Origin.OWNER, OWNER)) == tuple(lines)
    assert [record.target for record in desk.journal.operation("f")] == [line.id for line in lines]


# --- append and replace


def test_text_is_appended_on_lines_of_its_own_and_cited(desk: Desk) -> None:
    desk.write("torn", "notes/a.md")
    assert desk.writer.append("notes/a.md", agents("one\ntwo"), operation("1")) == Citation("notes/a.md", 2, 3)
    assert desk.text("notes/a.md") == "torn\none\ntwo\n"
    assert desk.writer.append("notes/a.md", agents("one\ntwo"), operation("1")) == Citation("notes/a.md", 2, 3)
    assert desk.writer.append("b.md", agents("new\ud800\n\n"), operation("2")) == Citation("b.md", 1, 1)
    assert desk.text("b.md") == "new?\n"
    desk.writer.undo(Operation("u", "owner", Origin.SYSTEM, OWNER), 2)
    assert desk.text("notes/a.md") == "torn"
    assert not (desk.root / "b.md").exists()


def test_a_file_is_replaced_from_the_state_it_was_read_in(desk: Desk) -> None:
    desk.writer.replace("a.md", "one", operation("1"), expected=state(None))
    with pytest.raises(Conflict):
        desk.writer.replace("a.md", "two", operation("2"), expected=digest("other"))
    desk.writer.replace("a.md", "two", operation("3"), expected=digest("one"))
    desk.writer.replace("a.md", "two", operation("3"), expected=digest("one"))
    assert desk.text("a.md") == "two"
    desk.writer.undo(Operation("u1", "owner", Origin.SYSTEM, OWNER))
    assert desk.text("a.md") == "one"
    desk.writer.undo(Operation("u2", "owner", Origin.SYSTEM, OWNER))
    assert not (desk.root / "a.md").exists()
    assert verify(desk.workspace) == []


@pytest.mark.parametrize(
    "path", ["../a.md", ".memory/journal/2026-11.jsonl", "/etc/passwd", "a/../b.md", ".git/config"]
)
def test_nothing_is_written_outside_the_grammar(desk: Desk, path: str) -> None:
    with pytest.raises(PathRefused):
        desk.writer.append(path, agents("x"), operation("1"))
    with pytest.raises(PathRefused):
        desk.writer.replace(path, "x", operation("1"), expected="")
    with pytest.raises(PathRefused):
        desk.writer.forget([Line("a", path, 1, "x")], Operation("1", "owner", Origin.OWNER, OWNER))


def test_recovery_of_a_workspace_in_order_changes_nothing(desk: Desk) -> None:
    desk.remember("x", "1")
    before = desk.text()
    desk.writer.settle()
    assert desk.text() == before
    with pytest.raises(NotFound):
        desk.workspace.read("missing.md")


BEGUN = replace(make_record(1), after=None)


LINE = Line("^a1", "memory/a.md", 2, "- S: x ^a1")


def test_a_line_is_found_where_it_was_shown_or_where_it_has_moved() -> None:
    assert find_shown(LINE, b"a\n- S: x ^a1\n") == (2, 12)
    assert find_shown(LINE, b"a\nb\n- S: x ^a1\n") == (4, 14)
    assert find_shown(LINE, b"- S: x ^a1\n- S: x ^a1\n") == (11, 21)


@pytest.mark.parametrize("content", [None, b"", b"a\n- S: y ^a1\n", b"- S: x ^a1\n\n- S: x ^a1\n"])
def test_a_line_that_is_no_longer_what_was_shown_is_a_conflict(content: bytes | None) -> None:
    with pytest.raises(Conflict, match=r"memory/a\.md:2") as refused:
        find_shown(LINE, content)
    assert refused.value.hint


def test_forgetting_puts_a_mark_for_each_line_of_the_fact() -> None:
    record = forget_record(BEGUN, replace(LINE, text="- S: x\n  y ^a1"), b"a\r\n- S: x\r\n  y ^a1\r\nb")
    assert (record.target, record.path, record.offset) == ("a1", "memory/a.md", 3)
    assert record.before == "- S: x\r\n  y ^a1"
    assert record.after == "<!-- scrubjay:forgotten ^a1 -->\n<!-- scrubjay:forgotten ^a1 -->"
    assert bare_id(LINE) == "a1"


def test_an_appended_text_begins_on_a_line_of_its_own() -> None:
    assert append_record(BEGUN, "a.md", "x\n", None).after == "x\n"
    assert append_record(BEGUN, "a.md", "x\n", b"a\n").after == "x\n"
    torn = append_record(BEGUN, "a.md", "x\n", b"a")
    assert (torn.after, torn.offset, torn.base) == ("\nx\n", 1, digest("a"))
    assert append_record(BEGUN, "a.md", "\nx\n", b"a").after == "\nx\n"


def test_a_replacement_is_drafted_only_from_the_expected_state() -> None:
    assert replace_record(BEGUN, "a.md", "new", state(None), None).before is None
    assert replace_record(BEGUN, "a.md", "new", state(b"\xff"), b"\xff").before == "\udcff"
    with pytest.raises(Conflict):
        replace_record(BEGUN, "a.md", "new", state(b"a"), b"b")


PROCESS = """
import os, signal, sys
from datetime import UTC, datetime
from pathlib import Path
from memory.journal.journal import Journal
from memory.journal.records import Operation
from memory.files import workspace as files
from memory.journal.writer import JournaledWriter
from memory.files.workspace import Workspace
from memory.index.units import read_facts
from memory.types import OWNER, Fact, Origin
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
files.PATIENCE_S = 60
writer = JournaledWriter(workspace, Journal(workspace), clock=clock, zone=UTC, read_facts=read_facts)
for number in range(count):
    op_id = f"{name}:{number}"
    writer.remember(Fact(f"fact {op_id}."), Operation(op_id, name, Origin.OWNER, OWNER))
    print(op_id, flush=True)
"""


def start(root: Path, name: str, count: int, fuse: int = 0) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", PROCESS, str(root), name, str(count), str(fuse)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=Path(memory.__file__).parents[1])


def test_four_processes_that_append_at_once_lose_nothing(desk: Desk) -> None:
    processes = [start(desk.root, f"p{n}", 100) for n in range(4)]
    said = [op_id for process in processes for op_id in process.communicate()[0].split()]

    facts = Counter(re.findall(r"fact (p\d:\d+)\.", desk.text()))
    assert facts == Counter(said)
    assert len(facts) == 400
    assert set(facts.values()) == {1}
    assert verify(desk.workspace) == []
    desk.journal.refresh()
    assert desk.journal.state.last == 400


@pytest.mark.parametrize("fuse", range(1, 9))
def test_a_process_that_is_killed_loses_nothing_that_it_had_said(tmp_path: Path, fuse: int) -> None:
    root = tmp_path / "workspace"
    killed = start(root, "p", 3, fuse)
    said = killed.communicate()[0].split()
    assert killed.returncode == -signal.SIGKILL
    desk = Desk(root)
    for number in range(3):
        desk.remember(f"fact p:{number}.", f"p:{number}")
    assert re.findall(r"fact (p:\d)\.", desk.text()) == ["p:0", "p:1", "p:2"]
    assert set(said) <= {"p:0", "p:1", "p:2"}
    assert verify(desk.workspace) == []


def test_a_file_that_never_holds_still_is_given_up_without_a_trace(desk: Desk) -> None:
    desk.write("0\n", "a.md")
    saves = iter(range(1, 1000))
    ahead = WriteAhead(desk.workspace, desk.journal)
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
        self.folder = TemporaryDirectory()
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
        self.desk.writer.forget([line], Operation(f"f{self.count}", "owner", Origin.OWNER, OWNER))
        self.forgotten[one] = self.bot.pop(one)

    @rule(saves=interference)
    def undo(self, saves: dict[int, tuple[Callable[[Path, str, str], None], bool]]) -> None:
        self.interfered(saves)
        self.count += 1
        try:
            (undone,) = self.desk.writer.undo(Operation(f"u{self.count}", "owner", Origin.SYSTEM, OWNER))
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
        self.desk.writer.settle()

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


GUEST = chat_scope("telegram.1:-100")


def undo(desk: Desk, op_id: str, count: int = 1, scope: Scope = OWNER) -> tuple[Undone, ...]:
    return desk.writer.undo(Operation(op_id, "owner", Origin.SYSTEM, scope), count)


def forget(desk: Desk, op_id: str, *written: Written) -> None:
    lines = [Line(one.fact.id or "", one.at.path, one.at.start, one.text) for one in written]
    desk.writer.forget(lines, Operation(op_id, "owner", Origin.OWNER, OWNER))


def test_a_file_that_was_made_vanishes_with_the_fact_it_was_made_for(desk: Desk) -> None:
    written = desk.remember("x", "1")
    (undone,) = undo(desk, "2")
    assert undone == Undone("remember", LOG, written.text, "", "2026-11-21T09:30:00.000Z", written.fact.id or "")
    assert not (desk.root / LOG).exists()
    assert verify(desk.workspace) == []


@pytest.mark.parametrize("page", ["# Day", "# Day\n\n## Retain\n- mine\n", "# Day\r\n- a\r\n", "torn ## Retain"])
def test_a_log_is_put_back_to_the_byte(desk: Desk, page: str) -> None:
    (desk.root / "memory").mkdir()
    (desk.root / LOG).write_bytes(page.encode())
    desk.remember("x", "1")
    undo(desk, "2")
    assert (desk.root / LOG).read_bytes() == page.encode()


def test_a_fact_with_something_after_it_is_taken_out_as_a_line(desk: Desk) -> None:
    desk.remember("x", "1")
    desk.write(desk.text() + "- by hand\n")
    undo(desk, "2")
    assert desk.text() == "# 2026-11-21\n\n## Retain\n- by hand\n"


def test_a_fact_that_was_edited_since_is_left_alone(desk: Desk) -> None:
    written = desk.remember("x", "1")
    edited = desk.text().replace(written.text, f"- S: better ^{written.fact.id}")
    desk.write(edited)
    with pytest.raises(NotUndoable, match="edited") as refused:
        undo(desk, "2")
    assert refused.value.hint
    assert desk.text() == edited
    assert desk.journal.state.last == 1


def test_a_log_that_was_removed_by_hand_cannot_be_undone(desk: Desk) -> None:
    desk.remember("x", "1")
    (desk.root / LOG).unlink()
    with pytest.raises(NotUndoable):
        undo(desk, "2")


def test_undoing_goes_back_one_operation_at_a_time_and_ends(desk: Desk) -> None:
    for n in range(3):
        desk.remember(f"fact {n}", str(n))
    assert [undone.removed.split(" ^")[0] for undone in undo(desk, "u1", 2)] == ["- S: fact 2", "- S: fact 1"]
    assert [undone.removed.split(" ^")[0] for undone in undo(desk, "u2", 5)] == ["- S: fact 0"]
    with pytest.raises(NotUndoable, match="nothing"):
        undo(desk, "u3")


def test_more_than_can_be_undone_is_undone_as_far_as_it_goes(desk: Desk) -> None:
    first = desk.remember("first", "1")
    desk.remember("second", "2")
    desk.write(desk.text().replace(first.text, "- edited"))
    assert len(undo(desk, "3", 2)) == 1


def test_a_known_undo_does_nothing_and_says_again_what_it_did(desk: Desk) -> None:
    for n in range(3):
        desk.remember(f"fact {n}", str(n))
    assert undo(desk, "u", 2) == undo(desk, "u", 2)
    assert "fact 0" in desk.text()


def test_an_undo_that_was_broken_off_takes_back_the_rest_and_nothing_newer(desk: Desk) -> None:
    for n in range(4):
        desk.remember(f"fact {n}", str(n))
    undo(desk, "u", 1)  # as far as it had come
    desk.remember("newer", "newer")
    assert [undone.removed.split(" ^")[0] for undone in undo(desk, "u", 3)] == [f"- S: fact {n}" for n in (3, 2, 1)]
    assert len(undo(desk, "u", 5)) == 4
    assert "newer" in desk.text()


def test_each_scope_undoes_its_own(desk: Desk) -> None:
    desk.remember("of the owner", "1")
    desk.remember("of a guest", "2", GUEST)
    assert undo(desk, "u1", scope=GUEST)[0].path == "memory/guests/2026-11-21.md"
    with pytest.raises(NotUndoable):
        undo(desk, "u2", scope=GUEST)
    with pytest.raises(NotUndoable):
        undo(desk, "u3", scope=chat_scope("other"))
    assert "of the owner" in desk.text()


def test_forgetting_several_lines_is_one_operation_that_is_undone_as_one(desk: Desk) -> None:
    facts = [desk.remember(f"fact {n}", str(n)) for n in range(3)]
    before = desk.text()
    forget(desk, "f", *facts)
    restored = undo(desk, "u")
    assert [undone.restored for undone in restored] == [fact.text for fact in reversed(facts)]
    assert {undone.removed for undone in restored} == {""}
    assert desk.text() == before


def test_a_line_is_put_back_within_a_day_and_not_after(desk: Desk) -> None:
    fact = desk.remember("x", "1")
    forget(desk, "2", fact)
    desk.clock.advance(hours=24)
    undo(desk, "3")
    assert fact.text in desk.text()
    forget(desk, "4", fact)
    desk.clock.advance(hours=24, seconds=1)
    with pytest.raises(NotUndoable):
        undo(desk, "5")
    assert fact.text not in desk.text()


def test_a_forgotten_fact_whose_mark_was_removed_by_hand_cannot_be_put_back(desk: Desk) -> None:
    fact = desk.remember("x", "1")
    forget(desk, "2", fact)
    desk.write("# mine\n")
    with pytest.raises(NotUndoable, match="edited"):
        undo(desk, "3")
    assert desk.text() == "# mine\n"
