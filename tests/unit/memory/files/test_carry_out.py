from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from memory import Line
from memory.files.applied import NAMES
from memory.files.atomic import TEMPORARY
from memory.files.digest import digest, state
from memory.files.record import Operation
from memory.files.verify import verify
from memory.model import OWNER, Origin, Part
from tests.unit.memory.files.conftest import Desk, month_file

LOG = "memory/2026-11-21.md"


class Killed(BaseException):
    """What a test throws in the place of a signal: nothing may catch it."""


class Fuse:
    """Syncs of which one, counted from 0, kills the process before or after it."""

    def __init__(self) -> None:
        self.left = -1
        self.after = False

    def fsync(self, handle: int) -> None:
        burns = self.left == 0
        self.left -= 1
        if burns and not self.after:
            raise Killed
        os.fsync(handle)
        if burns:
            raise Killed


def act(desk: Desk, what: str) -> None:
    """One operation, always with the same id."""
    if what == "remember":
        desk.remember("the new fact", "op")
    elif what == "forget":
        desk.scribe.forget([Line("h1", LOG, 4, "- mine")], op_id="op", scope=OWNER, actor="owner")
    elif what == "append":
        desk.scribe.append(LOG, "the new lines\nare two", Operation("op", "a", Origin.AGENT, OWNER))
    elif what == "replace":
        expected = digest("# mine\n\n## Retain\n- mine\n")
        desk.scribe.replace(LOG, "the new page\n", Operation("op", "a", Origin.AGENT, OWNER), expected=expected)
    elif what == "append others' words":
        parts = [Part("Mine.\n", Origin.OWNER), Part("Theirs.", Origin.UNTRUSTED)]
        desk.scribe.append("new.md", parts, Operation("op", "a", Origin.UNTRUSTED, OWNER))
    elif what == "create":
        desk.scribe.replace("new.md", "the new page\n", Operation("op", "a", Origin.AGENT, OWNER), expected=state(None))
    else:
        desk.scribe.undo(op_id="op", scope=OWNER, actor="owner")


def prepared(desk: Desk, what: str) -> None:
    desk.write("# mine\n\n## Retain\n- mine\n")
    desk.remember("some fact", "p0")
    if what == "undo forget":
        fact = desk.remember("forgotten", "p1")
        line = Line(fact.fact.id or "", fact.at.path, fact.at.start, fact.text)
        desk.scribe.forget([line], op_id="p2", scope=OWNER, actor="owner")
    elif what == "undo replace":
        expected = digest(desk.text())
        desk.scribe.replace(LOG, "# another\n", Operation("p1", "a", Origin.AGENT, OWNER), expected=expected)
    elif what == "undo create":
        desk.scribe.append("new.md", "x", Operation("p1", "a", Origin.AGENT, OWNER))
    elif what == "undo new":
        desk.scribe.replace("new.md", "x\n", Operation("p1", "a", Origin.AGENT, OWNER), expected=state(None))
    elif what == "replace":
        desk.scribe.undo(op_id="p3", scope=OWNER, actor="owner")


def everything(desk: Desk) -> dict[str, str]:
    """All notes, with the random ids taken out."""
    known = {fact: f"id{n}" for n, fact in enumerate(desk.journal.ledger.provenance)}
    texts = {}
    for path in sorted(desk.root.rglob("*.md")):
        text = path.read_text()
        for fact, name in known.items():
            text = text.replace(fact, name)
        texts[path.name] = text
    return texts


ACTIONS = [
    *("remember", "forget", "append", "append others' words", "replace", "create"),
    *("undo", "undo forget", "undo replace", "undo create", "undo new"),
]


@pytest.mark.parametrize("moment", ["before", "after"])
@pytest.mark.parametrize("at", range(5))
@pytest.mark.parametrize("what", ACTIONS)
def test_an_operation_that_is_killed_at_any_sync_is_done_once_when_it_is_asked_for_again(
    quick_path: Path, what: str, at: int, moment: str
) -> None:
    whole = Desk(quick_path / "whole")
    prepared(whole, what)
    act(whole, what)

    fuse = Fuse()
    desk = Desk(quick_path / "killed", fuse.fsync)
    prepared(desk, what)
    fuse.left, fuse.after = at, moment == "after"
    try:
        act(desk, what)
    except Killed:
        assert fuse.left == -1
    fuse.left = -1

    again = Desk(quick_path / "killed")
    again.scribe.settle()
    once = again.journal.known("op") is not None
    recovered = everything(again)
    act(again, what)
    assert everything(again) == everything(whole)
    assert not once or everything(again) == recovered
    assert verify(again.workspace) == []
    assert [path.name for path in again.root.rglob(f"{TEMPORARY}*")] == []
    for one in (whole, desk, again):
        one.workspace.close()


def unfinish(desk: Desk, records: int = 1) -> None:
    """Set the mark back, as if the process had been killed before it was written."""
    mark = desk.root.joinpath(*NAMES)
    seq, file = desk.journal.ledger.last - records, month_file(desk.workspace)
    mark.write_text(f'{{"seq": {seq}, "file": "{file.name}", "inode": {file.stat().st_ino}}}')


@pytest.mark.parametrize("base", [None, "# mine\n", "# mine", "## Retain\n- mine\n"])
def test_an_append_that_was_torn_at_any_byte_is_completed(desk: Desk, base: str | None) -> None:
    if base is not None:
        desk.write(base)
    written = desk.remember("the new fäct", "op")
    whole = (desk.root / LOG).read_bytes()
    for cut in range(len((base or "").encode()), len(whole) + 1):
        (desk.root / LOG).write_bytes(whole[:cut])
        unfinish(desk)
        desk.scribe.settle()
        assert (desk.root / LOG).read_bytes().rstrip(b"\n") == whole.rstrip(b"\n")
        desk.scribe.settle()
    assert desk.remember("again", "op").text == written.text


def test_a_log_that_was_never_made_is_made(desk: Desk) -> None:
    desk.remember("the new fact", "op")
    whole = desk.text()
    (desk.root / LOG).unlink()
    unfinish(desk)
    desk.scribe.settle()
    assert desk.text() == whole


def test_a_log_that_was_removed_before_the_repair_is_begun_anew(desk: Desk) -> None:
    desk.write("## Retain\n- mine\n")
    written = desk.remember("the new fact", "op")
    (desk.root / LOG).unlink()
    unfinish(desk)
    desk.scribe.settle()
    assert desk.text() == f"# 2026-11-21\n\n## Retain\n{written.text}\n"


def test_what_the_owner_deletes_after_a_completed_write_does_not_come_back(desk: Desk) -> None:
    desk.write("# mine\n\n## Retain\n")
    desk.remember("the new fact", "op")
    desk.write("# mine\n\n## Retain\n")
    for again in (desk, Desk(desk.root)):
        again.scribe.settle()
        again.remember("another", "next")
    assert "the new fact" not in desk.text()


def test_what_was_deleted_elsewhere_does_not_come_back_in_a_clone(desk: Desk) -> None:
    desk.write("# mine\n\n## Retain\n")
    desk.remember("the new fact", "op")
    desk.write("# mine\n\n## Retain\n")
    desk.root.joinpath(*NAMES).unlink()
    Desk(desk.root).scribe.settle()
    assert "the new fact" not in desk.text()


def test_people_may_edit_between_the_kill_and_the_repair(desk: Desk) -> None:
    desk.write("# mine\n")
    written = desk.remember("the new fact", "op")
    desk.write("# mine\n\nan edit\n")
    unfinish(desk)
    desk.scribe.settle()
    assert desk.text() == f"# mine\n\nan edit\n\n## Retain\n{written.text}\n"
    desk.write(f"{written.text}\nmoved up\n")
    unfinish(desk)
    desk.scribe.settle()
    assert desk.text() == f"{written.text}\nmoved up\n"


def test_an_append_into_an_edited_file_is_made_at_its_end(desk: Desk) -> None:
    desk.scribe.append("a.md", "two\nlines", Operation("op", "a", Origin.AGENT, OWNER))
    desk.write("an edit\n", "a.md")
    unfinish(desk)
    desk.scribe.settle()
    assert desk.text("a.md") == "an edit\ntwo\nlines\n"
    unfinish(desk)
    desk.scribe.settle()
    assert desk.text("a.md") == "an edit\ntwo\nlines\n"


def test_others_words_whose_page_was_never_made_are_not_put_under_a_page_of_the_owners(desk: Desk) -> None:
    desk.scribe.append("a.md", [Part("Theirs.", Origin.UNTRUSTED)], Operation("op", "a", Origin.UNTRUSTED, OWNER))
    edited = desk.text("a.md") + "An edit.\n"
    desk.write(edited, "a.md")
    unfinish(desk)
    desk.scribe.settle()
    assert desk.text("a.md") == edited
    assert desk.journal.known("op")
    desk.write("Mine.\n", "a.md")
    unfinish(desk)
    desk.scribe.settle()
    assert desk.text("a.md") == "Mine.\n"
    assert desk.journal.known("op") is None


@pytest.mark.parametrize(
    ("edit", "expected"),
    [
        (lambda text: f"new\n{text}", "new\n# mine\n<!-- scrubjay:forgotten ^h1 -->\n"),
        (lambda _: "# other\n", "# other\n"),
        (lambda _: None, None),
    ],
)
def test_a_forgetting_is_finished_where_the_line_is_now(
    desk: Desk, edit: Callable[[str], str | None], expected: str | None
) -> None:
    desk.write("# mine\n- mine\n")
    desk.scribe.forget([Line("h1", LOG, 2, "- mine")], op_id="op", scope=OWNER, actor="owner")
    edited = edit("# mine\n- mine\n")
    if edited is None:
        (desk.root / LOG).unlink()
    else:
        desk.write(edited)
    unfinish(desk)
    desk.scribe.settle()
    assert (desk.text() if (desk.root / LOG).exists() else None) == expected


def test_a_replacement_that_was_overtaken_by_an_edit_is_retracted(desk: Desk) -> None:
    desk.write("one\n", "a.md")
    operation = Operation("op", "a", Origin.AGENT, OWNER)
    desk.scribe.replace("a.md", "two\n", operation, expected=digest("one\n"))
    unfinish(desk)
    desk.scribe.settle()
    assert desk.journal.known("op") is not None
    desk.write("edited\n", "a.md")
    unfinish(desk)
    desk.scribe.settle()
    assert desk.text("a.md") == "edited\n"
    assert desk.journal.known("op") is None
    assert verify(desk.workspace) == []


def test_a_record_that_is_blanked_or_touches_no_file_needs_no_finishing(desk: Desk) -> None:
    fact = desk.remember("x", "op")
    line = Line(fact.fact.id or "", fact.at.path, fact.at.start, fact.text)
    desk.scribe.forget([line], op_id="f", scope=OWNER, actor="owner")
    desk.clock.advance(days=2)
    desk.scribe.purge()
    before = desk.text()
    unfinish(desk)
    desk.scribe.settle()
    review = Operation("r", "a", Origin.SYSTEM, OWNER).record("review", desk.clock.now())
    desk.journal.append(review)
    unfinish(desk)
    desk.scribe.settle()
    assert desk.text() == before


def test_the_next_writer_finishes_what_another_left_before_it_writes(desk: Desk) -> None:
    desk.write("# mine\n")
    first = desk.remember("first", "1")
    desk.write("# mine\n")
    unfinish(desk)
    second = Desk(desk.root).remember("second", "2")
    assert desk.text() == f"# mine\n\n## Retain\n{first.text}\n{second.text}\n"
