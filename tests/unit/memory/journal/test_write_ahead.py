from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory import Line
from memory.files.atomic import TEMPORARY
from memory.files.markdown import BlockKind, blocks, clean
from memory.files.origins import Part
from memory.files.workspace import Workspace, digest, state
from memory.journal.checkpoint import NAMES, SIZE, Checkpoint
from memory.journal.edits import (
    Edit,
    decode,
    edit_of,
    encode,
    fact_lines,
    find_lines,
    inverse_edit,
    line_start,
    moved_edit,
)
from memory.journal.journal import Journal
from memory.journal.maintenance import verify
from memory.journal.placement import format_log_entry
from memory.journal.records import Action, Operation, Record
from memory.types import OWNER, Origin
from tests.unit.memory.conftest import Desk, Fuse, agents, is_killed, make_record
from tests.unit.memory.conftest import make_record as record
from tests.unit.memory.conftest import month_file as file

LOG = "memory/2026-11-21.md"


def act(desk: Desk, what: str) -> None:
    """One operation, always with the same id."""
    if what == "remember":
        desk.remember("the new fact", "op")
    elif what == "forget":
        desk.writer.forget([Line("h1", LOG, 4, "- mine")], Operation("op", "owner", Origin.OWNER, OWNER))
    elif what == "append":
        desk.writer.append(LOG, agents("the new lines\nare two"), Operation("op", "a", Origin.AGENT, OWNER))
    elif what == "replace":
        expected = digest("# mine\n\n## Retain\n- mine\n")
        desk.writer.replace(LOG, "the new page\n", Operation("op", "a", Origin.AGENT, OWNER), expected=expected)
    elif what == "append others' words":
        parts = [Part("Mine.\n", Origin.OWNER), Part("Theirs.", Origin.UNTRUSTED)]
        desk.writer.append("new.md", parts, Operation("op", "a", Origin.UNTRUSTED, OWNER))
    elif what == "create":
        desk.writer.replace("new.md", "the new page\n", Operation("op", "a", Origin.AGENT, OWNER), expected=state(None))
    else:
        desk.writer.undo(Operation("op", "owner", Origin.SYSTEM, OWNER))


def prepared(desk: Desk, what: str) -> None:
    desk.write("# mine\n\n## Retain\n- mine\n")
    desk.remember("some fact", "p0")
    if what == "undo forget":
        fact = desk.remember("forgotten", "p1")
        line = Line(fact.fact.id or "", fact.at.path, fact.at.start, fact.text)
        desk.writer.forget([line], Operation("p2", "owner", Origin.OWNER, OWNER))
    elif what == "undo two":
        one, two = desk.remember("one", "p1"), desk.remember("two", "p2")
        lines = [Line(fact.fact.id or "", fact.at.path, fact.at.start, fact.text) for fact in (one, two)]
        desk.writer.forget(lines, Operation("p3", "owner", Origin.OWNER, OWNER))
    elif what == "undo replace":
        expected = digest(desk.text())
        desk.writer.replace(LOG, "# another\n", Operation("p1", "a", Origin.AGENT, OWNER), expected=expected)
    elif what == "undo create":
        desk.writer.append("new.md", agents("x"), Operation("p1", "a", Origin.AGENT, OWNER))
    elif what == "undo new":
        desk.writer.replace("new.md", "x\n", Operation("p1", "a", Origin.AGENT, OWNER), expected=state(None))
    elif what == "replace":
        desk.writer.undo(Operation("p3", "owner", Origin.SYSTEM, OWNER))


def everything(desk: Desk) -> dict[str, str]:
    """All notes, with the random ids taken out."""
    known = {fact: f"id{n}" for n, fact in enumerate(desk.journal.state.provenance)}
    texts = {}
    for path in sorted(desk.root.rglob("*.md")):
        text = path.read_text()
        for fact, name in known.items():
            text = text.replace(fact, name)
        texts[path.name] = text
    return texts


ACTIONS = [
    *("remember", "forget", "append", "append others' words", "replace", "create"),
    *("undo", "undo forget", "undo two", "undo replace", "undo create", "undo new"),
]


@pytest.mark.parametrize("moment", ["before", "after"])
@pytest.mark.parametrize("at", range(5))
@pytest.mark.parametrize("what", ACTIONS)
def test_an_operation_that_is_killed_at_any_sync_is_done_once_when_it_is_asked_for_again(
    tmp_path: Path, what: str, at: int, moment: str
) -> None:
    whole = Desk(tmp_path / "whole")
    prepared(whole, what)
    act(whole, what)

    fuse = Fuse()
    desk = Desk(tmp_path / "killed", fuse.fsync)
    prepared(desk, what)
    fuse.left, fuse.after = at, moment == "after"
    is_killed(lambda: act(desk, what))

    again = Desk(tmp_path / "killed")
    again.writer.settle()
    once = again.journal.first_record("op") is not None
    recovered = everything(again)
    act(again, what)
    assert everything(again) == everything(whole)
    assert not once or what == "undo two" or everything(again) == recovered  # of several records each by itself
    assert verify(again.workspace) == []
    assert [path.name for path in again.root.rglob(f"{TEMPORARY}*")] == []
    for one in (whole, desk, again):
        one.workspace.close()


@pytest.mark.parametrize("is_behind", [True, False])
@pytest.mark.parametrize("at", range(3))
@pytest.mark.parametrize("what", ACTIONS)
def test_what_was_killed_before_a_merge_is_done_once_wherever_the_record_stands_then(
    tmp_path: Path, what: str, at: int, *, is_behind: bool
) -> None:
    whole = Desk(tmp_path / "whole")
    prepared(whole, what)
    act(whole, what)

    fuse = Fuse()
    desk = Desk(tmp_path / "killed", fuse.fsync)
    prepared(desk, what)
    shutil.copytree(desk.root, tmp_path / "clone", ignore=shutil.ignore_patterns("applied"))
    clone = Desk(tmp_path / "clone")
    common = file(desk.workspace).stat().st_size
    for number in range(3):
        clone.writer.append("theirs.md", agents(f"{number}"), Operation(f"c{number}", "a", Origin.AGENT, OWNER))
    fuse.left = at
    is_killed(lambda: act(desk, what))
    begun, ours, theirs = (one[part] for one, part in (
        (file(desk.workspace).read_bytes(), slice(common)), (file(desk.workspace).read_bytes(), slice(common, None)),
        (file(clone.workspace).read_bytes(), slice(common, None)),
    ))  # fmt: skip
    merged = file(desk.workspace).with_suffix(".merged")
    merged.write_bytes(b"".join([begun, ours, theirs] if is_behind else [begun, theirs, ours]))
    merged.rename(file(desk.workspace))

    again = Desk(tmp_path / "killed")
    again.writer.settle()
    act(again, what)
    assert everything(again) == everything(whole)
    again.writer.settle()
    assert everything(again) == everything(whole)
    assert verify(again.workspace) == []


def unfinish(desk: Desk) -> None:
    """Set the mark back, as if the process had been killed before it was written."""
    mark = desk.root.joinpath(*NAMES)
    fields = json.loads(mark.read_text())
    mark.write_text(json.dumps(fields | {"seq": fields["seq"] - 1, "size": 0}))


@pytest.mark.parametrize("base", [None, "# mine\n", "# mine", "## Retain\n- mine\n"])
def test_an_append_that_was_torn_at_any_byte_is_completed(desk: Desk, base: str | None) -> None:
    if base is not None:
        desk.write(base)
    written = desk.remember("the new fäct", "op")
    whole = (desk.root / LOG).read_bytes()
    for cut in range(len((base or "").encode()), len(whole) + 1):
        (desk.root / LOG).write_bytes(whole[:cut])
        unfinish(desk)
        desk.writer.settle()
        assert (desk.root / LOG).read_bytes().rstrip(b"\n") == whole.rstrip(b"\n")
        desk.writer.settle()
    assert desk.remember("again", "op").text == written.text


def test_a_log_that_was_never_made_is_made(desk: Desk) -> None:
    desk.remember("the new fact", "op")
    whole = desk.text()
    (desk.root / LOG).unlink()
    unfinish(desk)
    desk.writer.settle()
    assert desk.text() == whole


def test_a_log_that_was_removed_before_the_repair_is_begun_anew(desk: Desk) -> None:
    desk.write("## Retain\n- mine\n")
    written = desk.remember("the new fact", "op")
    (desk.root / LOG).unlink()
    unfinish(desk)
    desk.writer.settle()
    assert desk.text() == f"# 2026-11-21\n\n## Retain\n{written.text}\n"


def test_what_the_owner_deletes_after_a_completed_write_does_not_come_back(desk: Desk) -> None:
    desk.write("# mine\n\n## Retain\n")
    desk.remember("the new fact", "op")
    desk.write("# mine\n\n## Retain\n")
    for again in (desk, Desk(desk.root)):
        again.writer.settle()
        again.remember("another", "next")
    assert "the new fact" not in desk.text()


def test_what_was_deleted_elsewhere_does_not_come_back_in_a_clone(desk: Desk) -> None:
    desk.write("# mine\n\n## Retain\n")
    desk.remember("the new fact", "op")
    desk.write("# mine\n\n## Retain\n")
    desk.root.joinpath(*NAMES).unlink()
    Desk(desk.root).writer.settle()
    assert "the new fact" not in desk.text()


def test_people_may_edit_between_the_kill_and_the_repair(desk: Desk) -> None:
    desk.write("# mine\n")
    written = desk.remember("the new fact", "op")
    desk.write("# mine\n\nan edit\n")
    unfinish(desk)
    desk.writer.settle()
    assert desk.text() == f"# mine\n\nan edit\n\n## Retain\n{written.text}\n"
    desk.write(f"{written.text}\nmoved up\n")
    unfinish(desk)
    desk.writer.settle()
    assert desk.text() == f"{written.text}\nmoved up\n"


def test_an_append_into_an_edited_file_is_made_at_its_end(desk: Desk) -> None:
    desk.writer.append("a.md", agents("two\nlines"), Operation("op", "a", Origin.AGENT, OWNER))
    desk.write("an edit\n", "a.md")
    unfinish(desk)
    desk.writer.settle()
    assert desk.text("a.md") == "an edit\ntwo\nlines\n"
    unfinish(desk)
    desk.writer.settle()
    assert desk.text("a.md") == "an edit\ntwo\nlines\n"


def test_others_words_whose_page_was_never_made_are_not_put_under_a_page_of_the_owners(desk: Desk) -> None:
    desk.writer.append("a.md", [Part("Theirs.", Origin.UNTRUSTED)], Operation("op", "a", Origin.UNTRUSTED, OWNER))
    edited = desk.text("a.md") + "An edit.\n"
    desk.write(edited, "a.md")
    unfinish(desk)
    desk.writer.settle()
    assert desk.text("a.md") == edited
    assert desk.journal.first_record("op")
    desk.write("Mine.\n", "a.md")
    unfinish(desk)
    desk.writer.settle()
    assert desk.text("a.md") == "Mine.\n"
    assert desk.journal.first_record("op") is None


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
    desk.writer.forget([Line("h1", LOG, 2, "- mine")], Operation("op", "owner", Origin.OWNER, OWNER))
    edited = edit("# mine\n- mine\n")
    if edited is None:
        (desk.root / LOG).unlink()
    else:
        desk.write(edited)
    unfinish(desk)
    desk.writer.settle()
    assert (desk.text() if (desk.root / LOG).exists() else None) == expected


def test_a_replacement_that_was_overtaken_by_an_edit_is_retracted(desk: Desk) -> None:
    desk.write("one\n", "a.md")
    operation = Operation("op", "a", Origin.AGENT, OWNER)
    desk.writer.replace("a.md", "two\n", operation, expected=digest("one\n"))
    unfinish(desk)
    desk.writer.settle()
    assert desk.journal.first_record("op") is not None
    desk.write("edited\n", "a.md")
    unfinish(desk)
    desk.writer.settle()
    assert desk.text("a.md") == "edited\n"
    assert desk.journal.first_record("op") is None
    assert verify(desk.workspace) == []


def test_a_record_that_is_blanked_or_touches_no_file_needs_no_finishing(desk: Desk) -> None:
    fact = desk.remember("x", "op")
    line = Line(fact.fact.id or "", fact.at.path, fact.at.start, fact.text)
    desk.writer.forget([line], Operation("f", "owner", Origin.OWNER, OWNER))
    desk.clock.advance(days=2)
    desk.writer.purge()
    before = desk.text()
    unfinish(desk)
    desk.writer.settle()
    review = Operation("r", "a", Origin.SYSTEM, OWNER).record("review", desk.clock.now())
    desk.journal.append(review)
    unfinish(desk)
    desk.writer.settle()
    assert desk.text() == before


def test_the_next_writer_finishes_what_another_left_before_it_writes(desk: Desk) -> None:
    desk.write("# mine\n")
    first = desk.remember("first", "1")
    desk.write("# mine\n")
    unfinish(desk)
    second = Desk(desk.root).remember("second", "2")
    assert desk.text() == f"# mine\n\n## Retain\n{first.text}\n{second.text}\n"


@given(st.binary())
def test_any_bytes_can_be_kept_as_text(data: bytes) -> None:
    assert encode(decode(data)) == data


def test_text_that_cannot_be_written_is_made_writable() -> None:
    assert clean("a\ud800b") == "a?b"


@pytest.mark.parametrize(
    ("content", "text", "near", "span"),
    [
        (b"a\nb\nc\n", b"b", -1, (2, 3)),
        (b"a\r\nb\r\nc", b"b", -1, (3, 4)),
        (b"a\nb", b"b", -1, (2, 3)),
        (b"ab\nb c\n", b"b", -1, None),
        (b"b\nb\n", b"b", -1, None),
        (b"b\nb\n", b"b", 2, (2, 3)),
        (b"b\nb\n", b"b", 1, None),
        (b"x\na\r\nb\n", b"a\nb", -1, (2, 6)),
        (b"a\nb\n", b"a\r\nb\r", -1, (0, 3)),
        (b"a.c\nabc\n", b"a.c", -1, (0, 3)),
        (b"", b"a", -1, None),
    ],
)
def test_whole_lines_are_found_where_they_were_or_where_they_are_alone(
    content: bytes, text: bytes, near: int, span: tuple[int, int] | None
) -> None:
    assert find_lines(content, text, near) == span


def test_lines_are_counted_from_one() -> None:
    content = b"a\nbc\n\nd"
    assert [line_start(content, number) for number in range(1, 6)] == [0, 2, 5, 6, 7]


def test_the_lines_of_a_fact_in_an_addition_begin_with_the_one_that_ends_in_its_id() -> None:
    assert fact_lines(b"\n## Retain\n- S: x ^a1\n", "a1") == b"- S: x ^a1"
    assert fact_lines(b"\n## Retain\n- S: x ^a1\n  y\n\n  z\n", "a1") == b"- S: x ^a1\n  y\n\n  z"
    assert fact_lines(b"- S: x", "a1") == b"- S: x"


def taken_back(
    action: Action, content: bytes, *, before: str | None = None, after: str, offset: int = 0
) -> bytes | None:
    record = replace(make_record(1), action=action, before=before, after=after, offset=offset).sealed(1, "")
    edit = inverse_edit(record, content)
    if edit is None:
        return None
    assert content[edit.offset : edit.offset + len(edit.before)] == edit.before
    return edit.apply(content)


def test_an_addition_at_the_end_is_cut_off_to_the_byte() -> None:
    after = "\n\n## Retain\n- S: x ^a\n"
    assert taken_back(Action.REMEMBER, b"day" + after.encode(), after=after, offset=3) == b"day"


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"## Retain\n- S: x ^a\n- more\n", b"## Retain\n- more\n"),
        (b"- more\r\n- S: x ^a\r\n- more\r\n", b"- more\r\n- more\r\n"),
        (b"- more\n- S: x ^a", b"- more\n"),
        (b"- more\n- S: x, edited ^a\n", None),
        (b"", None),
    ],
)
def test_a_fact_further_up_is_taken_out_as_a_line(content: bytes, expected: bytes | None) -> None:
    assert taken_back(Action.REMEMBER, content, after="\n## Retain\n- S: x ^a\n", offset=0) == expected


def test_an_addition_of_lines_is_taken_out_if_it_stands_once() -> None:
    assert taken_back(Action.APPEND, b"a\none\ntwo\nb\n", after="one\ntwo\n") == b"a\nb\n"
    assert taken_back(Action.APPEND, b"one\none\nb\n", after="one\n") is None


def test_a_forgotten_line_is_put_back_where_its_mark_is() -> None:
    assert (
        taken_back(Action.FORGET, b"new\n<!-- a -->\nb\n", before="- S: x", after="<!-- a -->") == b"new\n- S: x\nb\n"
    )
    assert taken_back(Action.FORGET, b"new\n", before="- S: x", after="<!-- a -->") is None


def test_a_replacement_is_taken_back_only_as_a_whole() -> None:
    assert taken_back(Action.REPLACE, b"new", before="old\udcff", after="new") == b"old\xff"
    assert taken_back(Action.REPLACE, b"new, edited", before="old", after="new") is None
    assert taken_back(Action.REPLACE, b"new", before=None, after="new") == b""


@pytest.mark.parametrize(
    ("edit", "content", "expected"),
    [
        (Edit(0, b"- a", b"<!-- x -->"), b"new\r\n- a\r\nb", b"new\r\n<!-- x -->\r\nb"),
        (Edit(0, b"- a\n  b", b"<!-- x -->"), b"- a\r\n  b\r\n", b"<!-- x -->\r\n"),
        (Edit(9, b"\n## Retain\n- a\n", b""), b"c\n\n## Retain\n- a\nd", b"c\nd"),
        (Edit(9, b"\n## Retain\n- a\n", b""), b"c\r\n## Facts\r\n- a\r\nd", b"c\r\n## Facts\r\nd"),
        (Edit(9, b"- a\n", b""), b"c\n- a", b"c\n"),
        (Edit(9, b"## Retain\n- a ^a1\n  b\n", b""), b"c\n- a ^a1\n  b\nd", b"c\nd"),
        (Edit(0, b"- a", b"<!-- x -->"), b"- b\n", None),
        (Edit(0, b"- a\n", b""), b"", None),
    ],
)
def test_an_edit_of_lines_is_made_where_they_stand_now(edit: Edit, content: bytes, expected: bytes | None) -> None:
    before, after = decode(edit.before), decode(edit.after)
    record = replace(make_record(1), target="a1", offset=edit.offset, before=before, after=after)
    found = moved_edit(record, content)
    assert (found and found.apply(content)) == expected


def test_a_blanked_record_cannot_be_taken_back() -> None:
    record = replace(make_record(1), after="x\n").sealed(1, "").blanked()
    assert inverse_edit(record, b"x\n") is None
    assert edit_of(record) == Edit(0, b"", b"")
    assert digest("x\n") == record.after_hash


def opened(workspace: Workspace) -> Checkpoint:
    journal = Journal(workspace)
    journal.refresh()
    return Checkpoint(workspace, journal)


def mark(workspace: Workspace) -> Path:
    return workspace.root.joinpath(*NAMES)


def append(journal: Journal, checkpoint: Checkpoint, n: int, month: int = 11) -> Record:
    """A record of this machine."""
    return journal.append(replace(record(n, month), machine=checkpoint.machine))


def test_a_record_is_pending_until_it_is_marked(workspace: Workspace) -> None:
    journal = Journal(workspace)
    applied = Checkpoint(workspace, journal)
    assert applied.pending() is None
    for n in (1, 2):
        written = append(journal, applied, n)
        assert applied.pending() == written
        assert opened(workspace).pending() == written
        applied.save()
        assert applied.pending() is None
        assert opened(workspace).pending() is None


def test_nothing_is_pending_where_there_is_no_mark(workspace: Workspace) -> None:
    written = Journal(workspace).append(record(1))
    assert opened(workspace).pending() is None
    assert json.loads(mark(workspace).read_text())["seq"] == written.seq


@pytest.mark.parametrize("month", [11, 12])
def test_nothing_is_pending_that_came_from_another_machine(workspace: Workspace, month: int) -> None:
    journal = Journal(workspace)
    applied = Checkpoint(workspace, journal)
    append(journal, applied, 1)
    applied.save()
    theirs = journal.append(replace(record(2, month), machine="another"))
    assert opened(workspace).pending() is None
    assert json.loads(mark(workspace).read_text())["seq"] == theirs.seq
    assert append(journal, applied, 3, month) == opened(workspace).pending()


@pytest.mark.parametrize("is_done", [True, False])
def test_a_mark_of_an_older_version_tells_by_its_number_what_was_carried_out(desk: Desk, *, is_done: bool) -> None:
    """Neither it nor its records name a machine; a newer one has more in it."""
    begun = Operation("t:1", "owner", Origin.OWNER, OWNER).record(Action.REMEMBER, desk.clock.now())
    line = f"{BULLET}\n"
    last = desk.journal.append(replace(begun, target="k3f9a2mq", path=LOG, after=line, base=""))
    inode = file(desk.workspace).stat().st_ino
    fields = {"seq": last.seq - (not is_done), "file": file(desk.workspace).name, "inode": inode, "size": 0, "newer": 1}
    mark(desk.workspace).write_text(json.dumps(fields))
    desk.write("")  # by hand

    desk.remember("later", "t:2")

    assert (BULLET in desk.text()) is not is_done
    known = json.loads(mark(desk.workspace).read_text())
    assert known["seq"] == 2  # by which an older version knows it, too


def test_what_an_older_backup_of_the_journal_ends_with_is_not_done_again(desk: Desk) -> None:
    desk.remember("first", "t:1")
    kept = file(desk.workspace).read_bytes()
    desk.remember("second", "t:2")
    file(desk.workspace).write_bytes(kept)
    desk.write("")

    desk.remember("third", "t:3")

    assert "first" not in desk.text()


@pytest.mark.parametrize("is_begun", [True, False])
def test_a_copy_of_a_home_is_another_machine_that_finishes_what_was_left_in_it(
    tmp_path: Path, *, is_begun: bool
) -> None:
    one = Desk(tmp_path / "one")
    if is_begun:
        one.remember("first", "t:1")
    one.writer.settle()
    shutil.copytree(one.root, tmp_path / "other")
    other = Desk(tmp_path / "other")
    for desk in (one, other):
        desk.remember("second", "t:2")
    names = [desk.journal.record(1 + is_begun).machine for desk in (one, other)]
    assert len({*names}) == 2
    again = Desk(one.root)
    again.remember("third", "t:3")
    assert again.journal.record(2 + is_begun).machine == names[0]

    unfinish(again)
    again.write("")
    shutil.copytree(one.root, tmp_path / "third")
    third = Desk(tmp_path / "third")
    third.writer.settle()
    assert "third" in third.text()


@pytest.mark.parametrize("damaged", [b"", b"junk", b"[]", b"{}"])
def test_a_damaged_mark_makes_us_look_at_the_last_record_again(workspace: Workspace, damaged: bytes) -> None:
    journal = Journal(workspace)
    journal.append(record(1))
    journal.append(record(2))
    mark(workspace).write_bytes(damaged)
    assert opened(workspace).pending() == journal.last


def test_a_mark_that_cannot_be_written_is_one_that_is_behind(workspace: Workspace) -> None:
    journal = Journal(workspace)
    journal.append(record(1))
    mark(workspace).mkdir()
    Checkpoint(workspace, journal).save()
    assert mark(workspace).is_dir()


def test_a_journal_that_came_from_elsewhere_is_marked_as_ours_on_the_disk_itself(workspace: Workspace) -> None:
    Journal(workspace).append(record(1))
    synced: list[str] = []
    workspace.fsync = lambda handle: synced.append(Path(f"/proc/self/fd/{handle}").readlink().name)

    applied = opened(workspace)
    applied.pending()
    assert synced == ["applied", ".memory"]
    applied.pending()
    applied.save()
    assert synced == ["applied", ".memory"]


def test_a_journal_that_ends_as_the_mark_says_need_not_be_read(workspace: Workspace) -> None:
    unread = Journal(workspace)
    assert Checkpoint(workspace, unread).is_at_rest()

    journal = Journal(workspace)
    journal.append(record(1))
    assert not Checkpoint(workspace, unread).is_at_rest()
    Checkpoint(workspace, journal).save()
    assert Checkpoint(workspace, unread).is_at_rest()

    with file(workspace).open("ab") as end:
        end.write(b'{"v":1,')
    assert not Checkpoint(workspace, unread).is_at_rest()
    assert unread.seen == 0


def test_nothing_is_at_rest_while_the_text_of_something_forgotten_waits_to_be_blanked(workspace: Workspace) -> None:
    journal = Journal(workspace)
    forgotten = replace(record(1), action=Action.FORGET, target="a1", before="- a ^a1", after="")
    written = journal.append(forgotten)
    Checkpoint(workspace, journal).save()
    assert not Checkpoint(workspace, Journal(workspace)).is_at_rest()

    file(workspace).write_bytes(written.blanked().line())
    rewritten = Journal(workspace)
    Checkpoint(workspace, rewritten).save()
    assert Checkpoint(workspace, Journal(workspace)).is_at_rest()


@pytest.mark.parametrize("before", [0, 1])
def test_a_power_cut_that_takes_marks_back_does_not_hide_what_was_not_carried_out(
    workspace: Workspace, before: int
) -> None:
    kept: list[bytes] = []

    def fsync(handle: int) -> None:
        if Path(f"/proc/self/fd/{handle}").readlink() == mark(workspace):
            kept.append(mark(workspace).read_bytes())

    workspace.fsync = fsync
    journal = Journal(workspace)
    applied = Checkpoint(workspace, journal)
    applied.pending()
    for n in range(before):
        append(journal, applied, n + 1)
        applied.save()
    for n in range(before, before + 3):
        append(journal, applied, n + 1, 12)
        applied.save()
    append(journal, applied, before + 4, 12)

    mark(workspace).write_bytes(kept[-1])

    assert opened(workspace).pending() == journal.last


def test_a_mark_is_written_over_the_last_one_without_emptying_the_file(workspace: Workspace) -> None:
    journal = Journal(workspace)
    journal.append(record(1))
    mark(workspace).write_bytes(b"x" * 1000)
    Checkpoint(workspace, journal).save()
    length = mark(workspace).stat().st_size
    journal.append(record(2))
    Checkpoint(workspace, journal).save()
    assert mark(workspace).stat().st_size == length == SIZE
    assert opened(workspace).pending() is None


BULLET = "- S: x ^k3f9a2mq"


@pytest.mark.parametrize(
    ("page", "addition"),
    [
        (None, f"# 2026-11-21\n\n## Retain\n{BULLET}\n"),
        ("", f"# 2026-11-21\n\n## Retain\n{BULLET}\n"),
        ("\n", f"\n## Retain\n{BULLET}\n"),
        ("# Day\n", f"\n## Retain\n{BULLET}\n"),
        ("# Day\n\n", f"## Retain\n{BULLET}\n"),
        ("# Day", f"\n\n## Retain\n{BULLET}\n"),
        ("## Retain\n", f"{BULLET}\n"),
        ("## Retain", f"\n{BULLET}\n"),
        ("## Retain\n- S: a\n", f"{BULLET}\n"),
        ("## Retain\n- S: a", f"\n{BULLET}\n"),
        ("## Retain\n- S: a\n\n", f"{BULLET}\n"),
        ("## Retain\n- S: a\n\nprose\n", f"{BULLET}\n"),
        ("## Retain\n### People\n- S: a\n", f"{BULLET}\n"),
        ("## Retain\n- S: a\n## Later\n", f"\n## Retain\n{BULLET}\n"),
        ("## Retain\n- S: a\n# Other\nprose\n\n", f"## Retain\n{BULLET}\n"),
        ("## Retain\n- S: a\n```py\ncode\n", f"```\n{BULLET}\n"),
        ("~~~~\ncode", f"\n~~~~\n\n## Retain\n{BULLET}\n"),
        ("## Retain\n<!-- draft\n", f"-->\n{BULLET}\n"),
        ("a\r\n", f"\n## Retain\n{BULLET}\n"),
    ],
)
def test_a_fact_goes_under_the_last_retain_or_a_new_one(page: str | None, addition: str) -> None:
    assert format_log_entry(BULLET, page, "2026-11-21") == addition


@given(
    st.lists(st.sampled_from("# a|## Retain|- b|  c|d|```|~~~|<!--|-->|---|| t ||<!-- scrubjay:begin x -->".split("|")))
    .map("\n".join)
    .flatmap(lambda page: st.sampled_from([page, page + "\n", page + "\n\n"]))
)
def test_wherever_a_page_ends_the_fact_is_a_retained_bullet_of_its_own(page: str) -> None:
    last = list(blocks(page + format_log_entry(BULLET, page, "2026-11-21")))[-1]
    assert (last.kind, last.text, last.retain, last.managed) == (BlockKind.BULLET, BULLET, True, "")
