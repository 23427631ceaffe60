"""Two machines wrote to clones of one workspace, and git has put what each added one behind the other."""

from __future__ import annotations

import json
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from memory import Line
from memory.files.atomic import TEMPORARY
from memory.files.workspace import state
from memory.journal.checkpoint import NAMES
from memory.journal.journal import Journal
from memory.journal.maintenance import verify
from memory.journal.records import Operation
from memory.types import OWNER, Origin, Written
from tests.unit.memory.conftest import Desk, Fuse, agents, is_killed, month_file

LOG = "memory/2026-11-21.md"
Machines = tuple[Desk, Desk, dict[Path, int]]
"""Two that began with the same, and how long the files were then."""


def forget(desk: Desk, op_id: str, written: Written) -> None:
    line = Line(written.fact.id or "", written.at.path, written.at.start, written.text)
    desk.writer.forget([line], Operation(op_id, "owner", Origin.OWNER, OWNER))


def note(desk: Desk, text: str) -> None:
    desk.writer.append("notes.md", agents(text), Operation(text, "owner", Origin.OWNER, OWNER))


def journal_lines(desk: Desk) -> list[bytes]:
    return month_file(desk.workspace).read_bytes().splitlines(keepends=True)


def undone(desk: Desk, op_id: str) -> str:
    (one,) = desk.writer.undo(Operation(op_id, "owner", Origin.SYSTEM, OWNER))
    return one.restored or one.removed


def tell_two(desk: Desk, where: str) -> None:
    """Note two facts on a machine that is `here` or `there`."""
    for number, name in enumerate(("one", "two"), 1):
        desk.remember(f"{where} {name}", f"{where[0]}{number}")


def clone(desk: Desk, folder: Path) -> Desk:
    """One on another machine: git leaves alone what belongs to this one."""
    shutil.copytree(desk.root, folder, ignore=shutil.ignore_patterns("applied"))
    return Desk(folder)


def merge(desk: Desk, other: Desk, common: dict[Path, int]) -> None:
    """Put what the other has added since behind what was added here, as git does with `merge=union`."""
    for path, length in common.items():
        if not (other.root / path).exists():
            continue
        added = (other.root / path).read_bytes()[length:]
        with (desk.root / path).open("ab") as file:
            file.write(added)


@pytest.fixture
def machines(tmp_path: Path) -> Machines:
    desk = Desk(tmp_path / "workspace")
    desk.remember("common", "0")
    paths = (Path(LOG), month_file(desk.workspace).relative_to(desk.root))
    return desk, clone(desk, tmp_path / "clone"), {path: (desk.root / path).stat().st_size for path in paths}


def test_what_both_have_written_is_taken_back_each_once_and_the_newest_line_first(machines: Machines) -> None:
    here, there, common = machines
    tell_two(here, "here")
    tell_two(there, "there")
    merge(here, there, common)

    here.remember("later", "l")
    taken = [undone(here, f"u{number}") for number in range(6)]

    words = ["later", "there two", "there one", "here two", "here one", "common"]
    assert [word in text for word, text in zip(words, taken, strict=True)] == [True] * 6
    assert verify(here.workspace) == []
    assert [record.undoes for record in map(here.journal.record, range(7, 13))] == [6, 5, 4, 3, 2, 1]


def test_what_one_has_forgotten_comes_back_there_and_nothing_of_the_others(machines: Machines) -> None:
    here, there, common = machines
    forget(here, "h2", here.remember("the safe opens with 4711", "h1"))
    for number in range(3):
        there.remember(f"there {number}", f"t{number}")
    merge(here, there, common)
    for number in (2, 1, 0):
        assert f"there {number}" in undone(here, f"u{number}")
    assert "the safe opens with 4711" in undone(here, "u")
    assert "the safe opens with 4711" in here.text()


@pytest.mark.parametrize("is_first", [True, False])
def test_what_one_has_forgotten_is_blanked_and_no_text_of_the_other(machines: Machines, *, is_first: bool) -> None:
    here, there, common = machines
    first, second = (here, there) if is_first else (there, here)
    forget(first, "f2", first.remember("the safe opens with 4711", "f1"))
    kept = [second.remember(f"kept {number}", f"k{number}").text for number in range(4)]
    merge(here, there, common)
    here.clock.advance(days=2)

    assert here.writer.purge() == 1
    journal = month_file(here.workspace).read_text()
    assert "opens with 4711" not in journal
    assert all(text in journal for text in kept)
    assert here.writer.purge() == 0
    assert verify(here.workspace) == []


def test_what_one_took_back_before_is_taken_back_in_its_own_records(machines: Machines) -> None:
    here, there, common = machines
    here.remember("here one", "h1")
    tell_two(there, "there")
    assert "there two" in undone(there, "t3")
    merge(here, there, common)
    journal = Journal(here.workspace)
    journal.refresh()
    assert [journal.record(seq).op_id for seq in journal.state.undone] == ["t2"]
    assert "there one" in undone(here, "u1")
    assert "here one" in undone(here, "u2")
    assert [problem.line for problem in verify(here.workspace)] == []


def test_what_was_taken_back_after_a_merge_stays_so_where_more_was_written_before_it(machines: Machines) -> None:
    here, there, common = machines
    tell_two(there, "there")
    here.remember("here", "h1")
    merge(here, there, common)
    assert "there two" in undone(here, "u1")
    there.remember("there three", "t3")
    ours, theirs = (month_file(desk.workspace).read_bytes().splitlines(keepends=True) for desk in (here, there))
    month_file(there.workspace).write_bytes(b"".join([*ours[:-1], theirs[-1], ours[-1]]))  # as git merges that

    journal = Journal(there.workspace)
    assert [journal.record(seq).op_id for seq in journal.state.undone] == ["t2"]
    assert list(journal.state.operations) == ["0", "h1", "t1", "t2", "t3", "u1"]
    assert verify(there.workspace) == []
    there.write(here.text() + "- there three\n")
    assert [record.op_id for record in map(journal.record, journal.state.undoable(OWNER))] == ["t3", "t1", "h1", "0"]


def test_reading_on_and_reading_anew_give_the_same_numbers(machines: Machines) -> None:
    here, there, common = machines
    here.remember("here", "h1")
    there.remember("there", "t1")
    merge(here, there, common)
    here.remember("later", "l")
    anew = Journal(here.workspace)
    anew.refresh()
    assert anew.state.operations == here.journal.state.operations
    assert list(anew.state.operations.values()) == [(1,), (2,), (3,), (4,)]
    assert anew.head() == here.journal.head()


@pytest.mark.parametrize("is_first", [True, False])
def test_a_merge_does_not_look_like_an_end_that_was_cut_off(machines: Machines, *, is_first: bool) -> None:
    here, there, common = machines
    here.remember("here", "h1")
    tell_two(there, "there")
    heads = [desk.journal.head() for desk in (here, there)]
    first, second = (here, there) if is_first else (there, here)
    merge(first, second, common)
    assert all(Journal(first.workspace).holds(head) for head in heads)
    month_file(first.workspace).write_bytes(month_file(first.workspace).read_bytes().replace(b'"owner"', b'"eve00"'))
    assert not any(Journal(first.workspace).holds(head) for head in heads)


def test_a_merge_over_the_end_of_a_month_takes_back_and_holds_what_each_had(machines: Machines) -> None:
    here, there, common = machines
    note(here, "here one")
    note(here, "here two")
    note(there, "there one")
    for desk in (here, there):
        desk.clock.advance(days=12)
    note(here, "here three")
    assert undone(there, "t2") == "there one\n"
    note(there, "there two")
    note(here, "here four")
    assert undone(here, "h5") == "here four\n"
    heads = [desk.journal.head() for desk in (here, there)]
    merge(here, there, common | {Path("notes.md"): 0, month_file(here.workspace, 12).relative_to(here.root): 0})

    assert all(here.journal.holds(head) for head in heads)
    assert verify(here.workspace) == []
    anew = Journal(here.workspace)
    assert anew.state.operations == here.journal.state.operations
    taken = [undone(here, f"u{number}").strip() for number in range(4)]
    assert taken == ["there two", "here three", "here two", "here one"]


def test_the_head_before_a_merge_is_held_where_its_number_is_no_records_any_more(machines: Machines) -> None:
    here, there, common = machines
    for number in range(4):
        note(here, f"here {number}")
    note(there, "there")
    here.clock.advance(days=12)
    note(here, "here later")
    note(here, "here last")
    head = here.journal.head()
    merge(here, there, common)
    assert here.journal.holds(head)
    assert Journal(here.workspace).holds(head)


def test_what_a_merge_has_put_in_another_order_is_read_anew_and_nothing_is_missing(machines: Machines) -> None:
    here, there, common = machines
    here.remember("here", "h1")
    there.remember("there one", "t1")
    merge(here, there, common)
    here.remember("later", "h2")
    there.remember("there two", "t2")
    first, ours, theirs, later = journal_lines(here)
    month_file(here.workspace).write_bytes(b"".join([first, theirs, ours, later, journal_lines(there)[-1]]))

    here.journal.refresh()
    anew = Journal(here.workspace)
    assert anew.state.operations == here.journal.state.operations
    month_file(here.workspace).write_bytes(b"".join([first, theirs, later, ours]))
    assert verify(here.workspace) == []


def test_a_third_clone_reads_what_two_have_merged_and_taken_back(machines: Machines, tmp_path: Path) -> None:
    here, there, common = machines
    common |= {Path("notes.md"): 0}
    third = clone(here, tmp_path / "third")
    note(third, "third")
    note(here, "here one")
    note(there, "there one")
    note(there, "there two")
    merge(here, there, common)
    note(here, "here two")
    assert [undone(here, "h3"), undone(here, "h4")] == ["here two\n", "there two\n"]
    for first, second in ((third, here), (here, third)):
        shutil.rmtree(tmp_path / "both", ignore_errors=True)
        both = clone(first, tmp_path / "both")
        merge(both, second, common)
        assert verify(both.workspace) == []
        taken = sorted(undone(both, f"u{number}").strip() for number in range(3))
        assert taken == ["here one", "there one", "third"]


def test_what_one_has_put_back_is_what_it_had_forgotten_itself(machines: Machines, tmp_path: Path) -> None:
    here, there, common = machines
    text = here.text()
    forget(there, "t1", there.remember("common", "0"))
    third = clone(there, tmp_path / "third")
    third.write(text)  # by hand
    forget(third, "h1", third.remember("common", "0"))
    common = {path: (there.root / path).stat().st_size for path in common if path != Path(LOG)}
    assert "common" in undone(there, "t2")
    merge(third, there, common)

    journal = Journal(third.workspace)
    assert [journal.record(seq).op_id for seq in journal.state.undone] == ["t1"]
    assert [journal.record(gone.seq).op_id for gone in journal.state.forgotten.values()] == ["h1"]
    assert "common" in undone(third, "u1")


def test_what_an_older_version_took_back_is_found_by_its_number_wherever_git_has_moved_that(machines: Machines) -> None:
    here, there, common = machines
    tell_two(here, "here")
    forget(there, "t1", there.remember("common", "0"))
    forget(there, "t3", there.remember("there", "t2"))
    note(there, "noted")
    for number in range(3):
        undone(there, f"u{number}")
        last = there.journal.last
        assert last is not None
        there.journal.retract(last)
        there.journal.append(replace(last, details={}))  # such a record did not name the operation
    merge(here, there, common)

    journal = Journal(here.workspace)
    assert {journal.record(seq).op_id for seq in journal.state.undone} == {"noted", "t3", "t2"}
    assert [journal.record(gone.seq).op_id for gone in journal.state.forgotten.values()] == ["t1"]
    assert verify(here.workspace) == []


def test_what_took_back_something_that_is_not_there_takes_nothing_else_back(machines: Machines) -> None:
    here, there, _ = machines
    there.remember("there", "t1")
    undone(there, "t2")
    here.remember("here", "h1")
    with month_file(here.workspace).open("ab") as end:
        end.write(journal_lines(there)[-1])  # what it takes back was not merged

    here.journal.refresh()

    assert here.journal.last == here.journal.record(3)
    assert here.journal.record(3).undoes == 0
    assert "here" in undone(here, "u1")


def test_what_both_began_with_is_taken_back_and_not_the_like_that_was_added_to_its_file(machines: Machines) -> None:
    here, there, common = machines
    note(here, "both")
    note(there, "both")
    month_file(there.workspace).write_bytes(b"".join(journal_lines(here)))
    common = {path: (here.root / path).stat().st_size for path in common}
    note(here, "here")
    assert undone(there, "t1") == "both\n"
    merge(here, there, common)
    here.write("here\n", "notes.md")
    assert undone(here, "u1") == "here\n"
    assert "common" in undone(here, "u2")


def test_what_both_took_back_is_taken_back_once_and_nothing_else_with_it(machines: Machines) -> None:
    here, there, common = machines
    note(here, "both")
    there.write("both\n", "notes.md")
    month_file(there.workspace).write_bytes(b"".join(journal_lines(here)))
    common = {path: (here.root / path).stat().st_size for path in common}
    for desk in (here, there):
        assert undone(desk, f"{desk.root.name} undo") == "both\n"
        note(desk, f"{desk.root.name} later")
    merge(here, there, common | {Path("notes.md"): 0})
    taken = [undone(here, f"u{number}") for number in range(3)]
    assert taken[:2] == ["clone later\n", "workspace later\n"]
    assert "common" in taken[2]


def test_records_that_a_merge_of_merges_has_doubled_count_once_and_are_no_damage(machines: Machines) -> None:
    here, there, common = machines
    here.remember("here", "h1")
    there.remember("there", "t1")
    merge(here, there, common)
    month_file(here.workspace).write_bytes(b"".join([*(lines := journal_lines(here)), lines[1]]))  # each merged first

    here.remember("later", "l")
    words = ["later", "there", "here", "common"]
    assert [word in undone(here, f"u{number}") for number, word in enumerate(words)] == [True] * 4
    assert verify(here.workspace) == []


@pytest.mark.parametrize("is_first", [True, False])
def test_a_text_that_one_has_blanked_and_git_has_kept_of_the_other_is_blanked_again(
    machines: Machines, *, is_first: bool
) -> None:
    here, _, _ = machines
    written = here.remember("the safe opens with 4711", "h1")
    whole = journal_lines(here)
    forget(here, "h2", written)
    here.clock.advance(days=2)
    assert here.writer.purge() == 1
    blanked = journal_lines(here)
    assert b"opens with 4711" not in b"".join(blanked)
    merged = [whole[0], *((*blanked[1:], whole[1]) if is_first else (whole[1], *blanked[1:]))]
    month_file(here.workspace).write_bytes(b"".join(merged))

    assert here.writer.purge() == 1
    assert b"opens with 4711" not in b"".join(journal_lines(here))
    assert here.writer.purge() == 0


def test_what_the_other_wrote_last_is_not_done_again_here(machines: Machines) -> None:
    here, there, common = machines
    there.remember("there", "t")
    merge(here, there, common)
    here.write("")
    here.remember("last", "h")
    assert "there" not in here.text()


def test_what_was_written_last_is_not_done_again_when_more_has_come_before_it(machines: Machines) -> None:
    here, there, common = machines
    there.remember("there", "t")
    here.clock.advance(days=12)
    here.remember("later", "h1")
    merge(here, there, common)  # into the file of the month before
    here.write("", "memory/2026-12-03.md")

    here.remember("last", "h2")
    assert "later" not in here.text("memory/2026-12-03.md")


def test_what_syncthing_has_kept_in_another_version_of_the_journal_counts_and_is_finished(machines: Machines) -> None:
    here, there, _ = machines
    there.remember("there one", "t1")
    here.remember("here one", "h1")
    here.remember("here two", "h2")
    mark = here.root.joinpath(*NAMES)
    mark.write_text(json.dumps(json.loads(mark.read_text()) | {"seq": 2}))
    here.write(here.text().replace("- S: here two", "torn"))  # as if killed before it was written
    file = month_file(here.workspace)
    version = file.with_name("2026-11.sync-conflict-20261130-093000-ABCDEFG.jsonl")
    file.rename(version)
    file.write_bytes(month_file(there.workspace).read_bytes())

    again = Desk(here.root)
    again.writer.settle()

    assert list(again.journal.state.operations) == ["0", "t1", "h1", "h2"]
    assert [path.name for path in file.parent.iterdir()] == [file.name]
    assert verify(again.workspace) == []
    assert "- S: here two" in again.text()
    assert "here two" in undone(again, "u")


def test_a_doubled_record_that_was_altered_is_named(machines: Machines) -> None:
    here, _, _ = machines
    here.remember("here", "h1")
    file = month_file(here.workspace)
    file.write_bytes(file.read_bytes() + file.read_bytes().splitlines(keepends=True)[1].replace(b"here", b"gone"))
    assert [problem.line for problem in verify(here.workspace)] == [3]


def test_a_replacement_that_a_merge_has_overtaken_is_retracted_and_nothing_of_the_others_with_it(
    machines: Machines,
) -> None:
    here, there, common = machines
    here.write("one\n", "a.md")
    here.writer.replace("a.md", "two\n", Operation("h1", "a", Origin.AGENT, OWNER), expected=state(b"one\n"))
    mark = here.root.joinpath(*NAMES)
    mark.write_text(json.dumps(json.loads(mark.read_text()) | {"seq": 1}))  # as before it was carried out
    here.write("theirs\n", "a.md")
    there.remember("there one", "t1")
    there.remember("there two", "t2")
    merge(here, there, common)

    again = Desk(here.root)
    again.writer.settle()

    assert list(again.journal.state.operations) == ["0", "t1", "t2"]
    assert again.text("a.md") == "theirs\n"
    assert verify(again.workspace) == []


@pytest.mark.parametrize("days", [0, 2])
def test_what_was_forgotten_stays_so_where_a_merge_has_kept_its_line_beside_the_mark(
    machines: Machines, days: int
) -> None:
    here, there, common = machines
    written = here.remember("the safe opens with 4711\n\nand a key", "h1")
    lines = written.text
    forget(here, "h2", written)
    here.clock.advance(days=days)
    here.writer.purge()
    there.remember("there", "t1")
    theirs = there.text().splitlines()[-1]
    marked = here.text()
    merge(here, there, common)
    month_file(here.workspace).with_suffix(".new").write_bytes(month_file(here.workspace).read_bytes())
    month_file(here.workspace).with_suffix(".new").rename(month_file(here.workspace))  # as git does
    kept = f"{marked}<<<<<<< HEAD\n{lines}\n=======\n{lines} \n{theirs}\n>>>>>>> t\n"
    here.write(kept)

    Desk(here.root).writer.settle()

    mark = f"<!-- scrubjay:forgotten ^{written.fact.id} -->\n" * 3
    assert here.text() == f"{marked}<<<<<<< HEAD\n{mark}=======\n{mark}{theirs}\n>>>>>>> t\n"
    here.write(kept)  # by hand
    Desk(here.root).writer.settle()
    here.remember("later", "h3")
    assert here.text().startswith(kept)


@pytest.mark.parametrize("is_after", [True, False])
def test_a_start_behind_a_merge_that_is_killed_at_any_sync_is_finished_by_the_next(
    machines: Machines, tmp_path: Path, *, is_after: bool
) -> None:
    here, there, common = machines
    written = here.remember("the safe opens with 4711", "h1")
    forget(here, "h2", written)
    tell_two(there, "there")
    marked, file, theirs = here.text(), month_file(here.workspace), month_file(there.workspace).read_bytes()
    merge(here, there, common)
    file.write_bytes(file.read_bytes()[: -len(journal_lines(there)[-1])] + b"torn")
    file.with_name("2026-11.sync-conflict-20261130-093000-ABCDEFG.jsonl").write_bytes(theirs)
    here.write(f"{marked}{written.text}\n")
    for path in (here.root / ".gitattributes", here.root / ".memory" / ".gitignore"):
        path.unlink()

    at, has_ended = 0, False
    while not has_ended:
        folder, fuse = tmp_path / f"killed at {at}", Fuse()
        shutil.copytree(here.root, folder)
        fuse.left, fuse.after = at, is_after
        has_ended = not is_killed(Desk(folder, fuse.fsync).writer.settle)
        again = Desk(folder)
        again.writer.settle()
        assert again.text() == f"{marked}<!-- scrubjay:forgotten ^{written.fact.id} -->\n", at
        assert list(again.journal.state.operations) == ["0", "h1", "h2", "t1", "t2"], at
        assert {path.name for path in (folder / ".memory" / "journal").iterdir()} == {file.name, "2026-11.torn"}, at
        assert {path.name for path in folder.iterdir()} == {".gitattributes", ".memory", "memory"}, at
        assert [*folder.rglob(f"{TEMPORARY}*")] == [], at
        at += 1
    assert at > 10


def test_git_is_told_what_belongs_to_one_machine_and_what_people_say_of_it_counts(desk: Desk) -> None:
    own = desk.root / ".memory" / ".gitattributes"
    own.parent.mkdir()
    own.write_text("mine\n")
    desk.remember("here", "1")
    assert own.read_text() == "mine\n"
    own.unlink()
    own.symlink_to("elsewhere")
    desk.clock.advance(days=30)
    desk.remember("in another month", "2")
    assert own.is_symlink()
    ignored = (desk.root / ".memory" / ".gitignore").read_text().split()
    assert {name.strip("/") for name in ignored} >= {path.name for path in own.parent.iterdir()} - {
        "journal", ".gitignore", ".gitattributes",
    }  # fmt: skip


def git(folder: Path, *words: str) -> None:
    who = ("-c", "user.name=a", "-c", "user.email=a@b.c")
    subprocess.run(["git", *who, *words], cwd=folder, check=True, capture_output=True, timeout=60)


@pytest.mark.skipif(not shutil.which("git"), reason="needs git")
def test_git_merges_journals_and_logs_of_two_clones_by_itself(desk: Desk, tmp_path: Path) -> None:
    desk.remember("common", "0")
    git(desk.root, "init")
    git(desk.root, "add", "--all")
    git(desk.root, "commit", "--message=common")
    git(tmp_path, "clone", str(desk.root), "clone")
    other = Desk(tmp_path / "clone")
    desk.remember("here", "1")
    other.remember("there", "2")
    other.writer.append("notes.md", agents("there"), Operation("3", "owner", Origin.OWNER, OWNER))
    for one in (desk, other):
        one.clock.advance(days=30)
        one.remember(f"later in {one.root.name}", f"later in {one.root.name}")
        with month_file(one.workspace, 12).open("ab") as end:
            end.write(b"torn in " + one.root.name.encode())
        one.writer.settle()
        git(one.root, "add", "--all")
        git(one.root, "commit", "--message=more")
    git(desk.root, "pull", "--no-rebase", "--no-edit", str(other.root), "HEAD")
    later = [f"later in {one.root.name}" for one in (desk, other)]
    assert list(Journal(desk.workspace).state.operations) == ["0", "1", "2", "3", *later]
    assert verify(desk.workspace) == []
    assert [word in desk.text() for word in ("common", "here", "there", "<<<")] == [True, True, True, False]
    assert [text in desk.text("memory/2026-12-21.md") for text in later] == [True, True]
    assert [undone(desk, f"u{number}").split()[-1] for number in range(3)][2] == "there"


def test_git_is_told_where_a_workspace_is_older_than_that(desk: Desk) -> None:
    desk.remember("here", "1")
    (desk.root / ".gitattributes").unlink()
    desk.writer.settle()
    assert "/memory/**/*.md merge=union" in (desk.root / ".gitattributes").read_text().split("\n")


def behind(desk: Desk, seq: int) -> None:
    """Let the mark say that what came after this record may not have been carried out, as if killed before it did."""
    mark = desk.root.joinpath(*NAMES)
    mark.write_text(json.dumps(json.loads(mark.read_text()) | {"seq": seq}))


def pull(desk: Desk, other: Desk) -> None:
    """Give a machine the journal and the notes of another, to which it has added nothing, in files that are new."""
    for file in [*other.root.glob("**/*.md"), *other.root.glob(".memory/journal/*.jsonl")]:
        new = desk.root / file.relative_to(other.root)
        new.unlink(missing_ok=True)
        new.parent.mkdir(exist_ok=True)
        new.write_bytes(file.read_bytes())


@pytest.mark.parametrize("change", ["remembered", "forgotten", "replaced"])
def test_what_another_has_gone_on_from_was_carried_out_and_is_not_done_again(machines: Machines, change: str) -> None:
    here, there, _ = machines
    here.write("one\n", "a.md")
    written = here.remember("the safe opens with 4711", "h1")
    if change == "replaced":
        here.writer.replace("a.md", "two\n", Operation("h2", "a", Origin.AGENT, OWNER), expected=state(b"one\n"))
    elif change == "forgotten":
        forget(here, "h2", written)
    behind(here, len(journal_lines(here)) - 1)
    pull(there, here)
    if change == "remembered":
        forget(there, "t1", written)
    elif change == "replaced":
        there.writer.replace("a.md", "three\n", Operation("t1", "a", Origin.AGENT, OWNER), expected=state(b"two\n"))
    else:
        assert "4711" in undone(there, "t1")
    pull(here, there)

    again = Desk(here.root)
    again.writer.settle()

    assert (again.text(), again.text("a.md")) == (there.text(), there.text("a.md"))
    assert again.journal.state.operations == there.journal.state.operations
    assert verify(again.workspace) == []


def test_what_another_has_taken_back_is_not_written_again(machines: Machines) -> None:
    here, there, _ = machines
    here.remember("here", "h1")
    behind(here, 1)
    pull(there, here)
    assert "here" in undone(there, "t1")
    pull(here, there)
    Desk(here.root).writer.settle()
    assert here.text() == there.text()


def test_what_two_have_forgotten_is_forgotten_where_one_was_killed_before_it_was_done(machines: Machines) -> None:
    here, there, common = machines
    written, text = here.remember("common", "0"), here.text()
    forget(here, "h1", written)
    behind(here, 1)
    here.write(text)
    forget(there, "t1", written)
    merge(here, there, {path: length for path, length in common.items() if path != Path(LOG)})
    Desk(here.root).writer.settle()
    assert here.text() == there.text()


def test_what_only_speaks_of_a_forgotten_line_stays_where_a_merge_puts_its_mark_in_order(machines: Machines) -> None:
    here, there, common = machines
    written = here.remember("the safe opens with 4711", "h1")
    forget(here, "h2", written)
    name = written.fact.id
    prose = f"\nSee ^{name}\n\n```\n- S: code ^{name}\n```\n> - S: quoted ^{name}\n\n# Plans\n\n- see ^{name}\n"
    here.write(here.text() + prose)
    marked = here.text()
    here.write(marked.replace("## Retain\n", f"## Retain\n{written.text}\n"))
    there.remember("there", "t1")
    merge(here, there, {path: length for path, length in common.items() if path != Path(LOG)})
    Desk(here.root).writer.settle()
    assert here.text() == marked.replace("## Retain\n", f"## Retain\n<!-- scrubjay:forgotten ^{name} -->\n")


def test_a_place_outside_in_what_a_merge_has_brought_stops_no_write(machines: Machines) -> None:
    here, there, common = machines
    forget(there, "t2", there.remember("there", "t1"))
    file = month_file(there.workspace)
    file.write_bytes(file.read_bytes().replace(LOG.encode(), b"../mem/2026-11-21.md"))
    merge(here, there, common)
    here.remember("later", "h1")
    assert "later" in here.text()


@pytest.mark.parametrize("kind", ["folder", "link"])
def test_what_is_called_like_another_version_and_is_no_file_stops_no_write(desk: Desk, kind: str) -> None:
    desk.remember("one", "1")
    other = month_file(desk.workspace).with_name("2026-11.sync-conflict-20261130-093000-ABCDEFG.jsonl")
    if kind == "folder":
        other.mkdir()
    else:
        other.symlink_to(desk.root / LOG)
    desk.remember("two", "2")
    assert "two" in desk.text()
    assert other.exists()


@pytest.mark.parametrize("is_begun", [True, False])
def test_all_processes_of_a_machine_go_by_one_name_also_where_git_has_replaced_the_journal(
    tmp_path: Path, *, is_begun: bool
) -> None:
    first = Desk(tmp_path / "workspace")
    if is_begun:
        first.remember("one", "1")
        pull(first, clone(first, tmp_path / "clone"))
    else:
        first.writer.settle()
    second = Desk(first.root)
    second.writer.settle()
    first.remember("two", "2")
    second.remember("three", "3")
    first.remember("four", "4")
    mark = first.root.joinpath(*NAMES).read_bytes()
    second.remember("five", "5")
    first.root.joinpath(*NAMES).write_bytes(mark)  # as if killed before it was written
    first.write(first.text().replace("- S: five", "torn"))
    Desk(first.root).writer.settle()
    assert "- S: five" in first.text()
