from __future__ import annotations

import errno
import os
from dataclasses import replace
from pathlib import Path

import pytest

from memory import Line
from memory.errors import Busy, Conflict, NotFound, PathRefused, TooLarge, Unparsable, WriteFailed
from memory.files.digest import digest, state
from memory.files.lock import WorkspaceLock
from memory.files.markdown import blocks
from memory.files.notation import LONGEST_FACT, parse_fact
from memory.files.record import Operation
from memory.files.scribe import random_id
from memory.files.verify import verify
from memory.model import OWNER, Citation, Fact, Kind, Origin, chat_scope
from tests.unit.memory.files.conftest import Desk

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
        desk.scribe.append("notes.md", "x", operation("t:1"))


def test_provenance_is_kept_in_the_journal_and_not_in_the_text(desk: Desk) -> None:
    scope = chat_scope("telegram.1:-100")
    written = desk.scribe.remember(Fact("x"), origin=Origin.GUEST, scope=scope, op_id="t:1", actor="Eve")
    known = desk.journal.provenance(written.fact.id or "")
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
    desk.scribe._new_id = lambda: next(ids)
    assert [desk.remember("x", op_id).fact.id for op_id in ("1", "2")] == ["aaaaaaaa", "bbbbbbbb"]


@pytest.mark.parametrize(
    ("fact", "error"),
    [
        (Fact("x" * (LONGEST_FACT + 1)), TooLarge),
        (Fact("x" * 1_000_000), TooLarge),
        (Fact("x", entities=("y" * LONGEST_FACT,)), TooLarge),
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
    desk.scribe.undo(op_id="2", scope=OWNER, actor="owner")
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
    assert desk.journal.known("1") is None
    assert not (tmp_path / "elsewhere").exists()


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EIO, errno.EROFS, errno.EDQUOT])
@pytest.mark.parametrize("at", range(5))
def test_a_disk_that_fails_at_any_sync_acknowledges_nothing_and_the_next_try_works(
    quick_path: Path, number: int, at: int
) -> None:
    countdown = [at]

    def fsync(handle: int) -> None:
        countdown[0] -= 1
        if countdown[0] == -1:
            raise OSError(number, os.strerror(number))
        os.fsync(handle)

    desk = Desk(quick_path / "w", fsync)
    desk.workspace.fsync = os.fsync
    desk.remember("before", "0")
    before = desk.text()
    desk.clock.advance(hours=24)
    desk.workspace.fsync = fsync
    try:
        desk.remember("x", "1")
    except WriteFailed:
        assert desk.journal.known("1") is None or countdown[0] > -1
        assert not (desk.root / "memory/2026-11-22.md").exists()
    written = desk.remember("x", "1")
    assert desk.text("memory/2026-11-22.md").count(written.text) == 1
    assert desk.text() == before
    assert verify(desk.workspace) == []
    desk.workspace.close()


def test_a_busy_workspace_says_so(desk: Desk) -> None:
    desk.scribe._ahead._lock = WorkspaceLock(desk.workspace, timeout_s=0.02)
    with desk.lock.hold(), pytest.raises(Busy):
        desk.remember("x", "1")
    assert not (desk.root / "memory").exists()


# --- forget


def test_a_forgotten_line_becomes_a_mark_and_the_others_keep_their_numbers(desk: Desk) -> None:
    facts = [desk.remember(f"fact {n}", str(n)) for n in range(3)]
    lines = [shown(desk, fact.at.start, fact.fact.id or "") for fact in facts]
    assert desk.scribe.forget([lines[1]], op_id="f", scope=OWNER, actor="owner") == (lines[1],)
    after = desk.text().split("\n")
    assert after[facts[1].at.start - 1] == f"<!-- scrubjay:forgotten ^{facts[1].fact.id} -->"
    assert after[facts[2].at.start - 1] == facts[2].text
    assert verify(desk.workspace) == []


def test_lines_by_hand_can_be_forgotten_in_any_file_and_line_ends_are_kept(desk: Desk) -> None:
    desk.write("")
    (desk.root / LOG).write_bytes(b"a\r\n- mine\r\nb\xff")
    line = Line("^h123", LOG, 2, "- mine")
    desk.scribe.forget([line], op_id="f", scope=OWNER, actor="owner")
    assert (desk.root / LOG).read_bytes() == b"a\r\n<!-- scrubjay:forgotten ^h123 -->\r\nb\xff"
    desk.scribe.undo(op_id="u", scope=OWNER, actor="owner")
    assert (desk.root / LOG).read_bytes() == b"a\r\n- mine\r\nb\xff"


def test_if_one_line_has_changed_none_is_forgotten(desk: Desk) -> None:
    facts = [desk.remember(f"fact {n}", str(n)) for n in range(2)]
    lines = [shown(desk, fact.at.start, fact.fact.id or "") for fact in facts]
    edited = desk.text().replace("fact 1", "fact one")
    desk.write(edited)
    with pytest.raises(Conflict):
        desk.scribe.forget(lines, op_id="f", scope=OWNER, actor="owner")
    assert desk.text() == edited
    with pytest.raises(Conflict):
        desk.scribe.forget([Line("a", "missing.md", 1, "x")], op_id="f2", scope=OWNER, actor="owner")


def test_a_known_forgetting_only_does_what_is_left_of_it(desk: Desk) -> None:
    facts = [desk.remember(f"fact {n}", str(n)) for n in range(2)]
    lines = [shown(desk, fact.at.start, fact.fact.id or "") for fact in facts]
    desk.scribe.forget(lines[:1], op_id="f", scope=OWNER, actor="owner")
    for _ in range(2):
        assert desk.scribe.forget(lines, op_id="f", scope=OWNER, actor="owner") == tuple(lines)
    assert [record.target for record in desk.journal.operation("f")] == [line.id for line in lines]


# --- append and replace


def test_text_is_appended_on_lines_of_its_own_and_cited(desk: Desk) -> None:
    desk.write("torn", "notes/a.md")
    assert desk.scribe.append("notes/a.md", "one\ntwo", operation("1")) == Citation("notes/a.md", 2, 3)
    assert desk.text("notes/a.md") == "torn\none\ntwo\n"
    assert desk.scribe.append("notes/a.md", "one\ntwo", operation("1")) == Citation("notes/a.md", 2, 3)
    assert desk.scribe.append("b.md", "new\ud800\n\n", operation("2")) == Citation("b.md", 1, 1)
    assert desk.text("b.md") == "new?\n"
    desk.scribe.undo(2, op_id="u", scope=OWNER, actor="owner")
    assert desk.text("notes/a.md") == "torn"
    assert not (desk.root / "b.md").exists()


def test_a_file_is_replaced_from_the_state_it_was_read_in(desk: Desk) -> None:
    desk.scribe.replace("a.md", "one", operation("1"), expected=state(None))
    with pytest.raises(Conflict):
        desk.scribe.replace("a.md", "two", operation("2"), expected=digest("other"))
    desk.scribe.replace("a.md", "two", operation("3"), expected=digest("one"))
    desk.scribe.replace("a.md", "two", operation("3"), expected=digest("one"))
    assert desk.text("a.md") == "two"
    desk.scribe.undo(op_id="u1", scope=OWNER, actor="owner")
    assert desk.text("a.md") == "one"
    desk.scribe.undo(op_id="u2", scope=OWNER, actor="owner")
    assert not (desk.root / "a.md").exists()
    assert verify(desk.workspace) == []


@pytest.mark.parametrize(
    "path", ["../a.md", ".memory/journal/2026-11.jsonl", "/etc/passwd", "a/../b.md", ".git/config"]
)
def test_nothing_is_written_outside_the_grammar(desk: Desk, path: str) -> None:
    with pytest.raises(PathRefused):
        desk.scribe.append(path, "x", operation("1"))
    with pytest.raises(PathRefused):
        desk.scribe.replace(path, "x", operation("1"), expected="")
    with pytest.raises(PathRefused):
        desk.scribe.forget([Line("a", path, 1, "x")], op_id="1", scope=OWNER, actor="owner")


def test_recovery_of_a_workspace_in_order_changes_nothing(desk: Desk) -> None:
    desk.remember("x", "1")
    before = desk.text()
    desk.scribe.settle()
    assert desk.text() == before
    with pytest.raises(NotFound):
        desk.workspace.read("missing.md")
