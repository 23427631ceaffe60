from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memory.files.sources import Sources
from memory.files.workspace import Workspace
from memory.index.sqlite import SqliteIndex
from memory.index.sync import _ALONE, _LARGE, _Reader, inspect, reattribute, sync
from memory.index.types import Changed, FileChange
from memory.journal.journal import Journal
from memory.types import OWNER, ChunkSize, Origin, chat_scope
from tests.unit.memory.index.conftest import LATER, Desk

GUESTS = chat_scope("telegram.1:-5")


def test_files_are_found_and_their_units_can_be_searched(desk: Desk) -> None:
    desk.write("memory/2026-03-02.md", "The spare key.\n\nAnother line.\n")
    desk.write("bank/world.md", "- Rome is in Italy.\n")
    assert desk.sync() == Changed(added=3)
    assert desk.found("spare") == ["The spare key."]


def test_nothing_is_written_when_nothing_has_changed(desk: Desk) -> None:
    desk.write("a.md", "one\n")
    desk.sync()
    before = desk.commits
    assert desk.sync() == Changed()
    assert desk.commits == before


def test_one_memory_of_a_process_at_a_time_takes_in_a_large_file(desk: Desk) -> None:
    desk.write("large.md", "x " * _LARGE)
    desk.write("small.md", "The spare key.\n")
    alone: dict[str, bool] = {}

    def write(changes: Sequence[FileChange]) -> Changed:
        alone[changes[0].path] = _ALONE.locked()
        return Changed()

    entries = sorted(desk.sources.scan(lambda _: None), key=lambda entry: entry.path)
    counts = [count for count, _ in _Reader(desk.sources, desk.journal, {}, None).portions(entries, 0.0, write)]
    assert (counts, alone) == ([1, 1], {"large.md": True, "small.md": False})
    assert not _ALONE.locked()


def test_a_journal_that_the_index_knows_is_not_read_again(desk: Desk) -> None:
    desk.record("g1", Origin.GUEST, GUESTS)
    desk.write("memory/guests/2026-03-02.md", "## Retain\n- W: tea ^g1\n")
    desk.sync()

    again = Journal(desk.workspace)
    list(sync(desk.index, desk.sources, journal=again, now=LATER))
    assert again.seen == 0
    assert again.state.last == desk.journal.state.last

    desk.record("g2", Origin.GUEST, GUESTS)
    desk.write("memory/guests/2026-03-02.md", "## Retain\n- W: tea ^g1\n- W: milk ^g2\n")
    later = Journal(desk.workspace)
    list(sync(desk.index, desk.sources, journal=later, now=LATER))
    assert later.seen == desk.journal.state.last
    assert desk.found("milk", GUESTS)


def test_a_journal_that_is_lost_or_cannot_be_read_is_never_taken_for_known(desk: Desk) -> None:
    desk.write("a.md", "## Retain\n- W: tea ^g1\n")
    desk.record("g1", Origin.GUEST, GUESTS)
    [file] = (desk.workspace.root / ".memory/journal").iterdir()
    with file.open("ab") as end:
        end.write(b"junk\n")
    desk.sync()
    again = Journal(desk.workspace)
    list(sync(desk.index, desk.sources, journal=again, now=LATER))
    assert again.unreadable == 1

    file.unlink()
    list(sync(desk.index, desk.sources, journal=Journal(desk.workspace), now=LATER))
    assert desk.found("tea") == ["- W: tea ^g1"]


def test_what_was_just_written_is_taken_in_with_one_transaction(desk: Desk) -> None:
    desk.write("b.md", "two\n")
    desk.sync()
    desk.record("g1", Origin.GUEST, GUESTS)
    desk.write("memory/guests/2026-03-02.md", "## Retain\n- W: tea ^g1\n")
    before = desk.commits
    assert desk.refresh("memory/guests/2026-03-02.md") == Changed(added=1)
    assert desk.commits == before + 1
    assert desk.found("tea", GUESTS)
    desk.sync()
    assert reattribute(desk.index, desk.sources, desk.journal) == Changed()


def test_a_file_that_was_only_touched_is_not_cut_again(desk: Desk) -> None:
    file = desk.write("a.md", "one\n")
    desk.sync()
    os.utime(file, ns=(1, 1))
    assert desk.sync() == Changed()
    assert desk.index.files()["a.md"].mtime_ns == 1


def test_a_changed_line_costs_one_unit(desk: Desk) -> None:
    lines = [f"line number {n}" for n in range(50)]
    desk.write("a.md", "\n\n".join(lines))
    desk.sync()
    lines[20] = "something else"
    desk.write("a.md", "\n\n".join(lines))
    assert desk.sync() == Changed(added=1, removed=1, kept=49)
    assert desk.found("something") == ["something else"]


def test_a_removed_file_is_let_go_of(desk: Desk) -> None:
    file = desk.write("a.md", "one\n")
    desk.write("b.md", "two\n")
    desk.sync()
    file.unlink()
    assert desk.sync() == Changed(removed=1)
    assert desk.index.files().keys() == {"b.md"}


def test_a_renamed_file_moves_its_units(desk: Desk) -> None:
    file = desk.write("a.md", "one ^x1\n")
    desk.sync()
    file.rename(file.with_name("b.md"))
    desk.sync()
    stored = desk.index.find("x1", scope=OWNER)
    assert stored is not None
    assert stored.path == "b.md"


def test_a_change_within_the_same_tick_of_the_clock_is_seen(desk: Desk) -> None:
    file = desk.write("a.md", "one\n")
    written = file.stat().st_mtime_ns
    soon = datetime.fromtimestamp(written / 1e9, UTC)
    desk.sync(now=soon)
    desk.write("a.md", "two\n")
    os.utime(file, ns=(written, written))
    desk.sync(now=soon)
    assert desk.found("two") == ["two"]
    desk.sync(now=LATER)
    assert desk.index.files()["a.md"].mtime_ns == written


def test_work_comes_in_small_commits_and_can_be_gone_on_with(desk: Desk) -> None:
    for n in range(20):
        desk.write(f"{n:02}.md", f"note {n}\n\n" + "many words here. " * 8000)
    steps = sync(desk.index, desk.sources, journal=desk.journal, now=LATER, budget_s=0)
    first = next(steps)
    assert 0 < first.done < first.total == 20
    assert len(desk.index.files()) == first.done
    steps.close()
    rest = desk.steps()
    assert rest[-1].total == 20 - first.done
    assert rest[-1].done == rest[-1].total
    assert len(desk.found("note")) == 20


def test_the_newest_files_come_first(desk: Desk) -> None:
    for n in range(3):
        os.utime(desk.write(f"{n}.md", "many words here. " * 20000), ns=(n, n))
    next(sync(desk.index, desk.sources, journal=desk.journal, now=LATER, budget_s=0))
    assert desk.index.files().keys() == {"2.md"}


def test_the_same_files_give_the_same_index_however_they_came(desk: Desk, tmp_path: Path) -> None:
    for n in range(5):
        desk.write(f"{n}.md", f"note {n}\n\nsame\n\n- bullet {n}\n")
        desk.sync()
    desk.write("2.md", "note changed\n\nsame\n")
    desk.sync()
    fresh = SqliteIndex.open(tmp_path / "fresh.sqlite")
    list(sync(fresh, desk.sources, journal=desk.journal, now=LATER))
    assert described(fresh) == described(desk.index)


def described(index: SqliteIndex) -> list[object]:
    units = [(one.path, one.order, one.unit) for one in index.stored(range(1, 1000), scope=OWNER)]
    return [sorted(units, key=lambda one: one[:2]), index.totals(), index.stats(scope=OWNER), index.files()]


def test_what_is_not_utf8_is_indexed_as_far_as_it_goes_and_reported(desk: Desk) -> None:
    desk.write("a.md", b"good line\n\nbad \xff byte\n\nlast line\n")
    desk.sync()
    assert desk.found("last") == ["last line"]
    (problem,) = desk.problems()
    assert (problem.path, problem.line) == ("a.md", 3)
    desk.write("a.md", "good line\n")
    desk.sync()
    assert desk.problems() == ()


def test_what_is_no_note_is_reported_until_it_is_gone(desk: Desk) -> None:
    target = desk.write("real.md", "real\n")
    link = target.with_name("link.md")
    link.symlink_to(target)
    desk.sync()
    assert [problem.path for problem in desk.problems()] == ["link.md"]
    link.unlink()
    desk.sync()
    assert desk.problems() == ()


def test_a_file_above_the_limit_is_passed_over_and_reported(desk: Desk) -> None:
    desk.write("large.md", "x" * 2000)
    desk.write("small.md", "tiny\n")
    with Workspace(desk.root / "workspace", limit=1000) as workspace:
        list(sync(desk.index, Sources(workspace), journal=desk.journal, now=LATER))
        (problem,) = inspect(desk.index, Sources(workspace), desk.journal)
    assert desk.found("tiny") == ["tiny"]
    assert problem.path == "large.md"


def test_an_unreadable_file_keeps_nothing_and_is_tried_again(desk: Desk) -> None:
    if os.geteuid() == 0:
        pytest.skip("root reads everything")
    file = desk.write("a.md", "secret\n")
    file.chmod(0)
    desk.sync()
    assert [problem.path for problem in desk.problems()] == ["a.md"]
    file.chmod(0o600)
    desk.sync()
    assert desk.found("secret") == ["secret"]


def test_a_bullet_that_does_not_parse_is_reported_with_its_line(desk: Desk) -> None:
    desk.write("bank/world.md", "- fine\n- O(c=7): wrong\n")
    desk.sync()
    assert [(problem.path, problem.line) for problem in desk.problems()] == [("bank/world.md", 2)]
    assert desk.found("wrong") == ["- O(c=7): wrong"]


def test_nul_bytes_and_odd_characters_do_no_harm(desk: Desk) -> None:
    desk.write("a.md", "before\x00after \x1b[31m\u202ered\n\nplain\n".encode())
    desk.sync()
    assert desk.found("plain") == ["plain"]
    assert desk.found("after")


def test_a_known_change_is_taken_in_without_a_look_at_the_rest(desk: Desk) -> None:
    desk.write("a.md", "one\n")
    desk.write("b.md", "two\n")
    assert desk.refresh("a.md") == Changed(added=1)
    assert desk.index.files().keys() == {"a.md"}
    desk.write("a.md", "one\n\nmore\n")
    assert desk.refresh("a.md") == Changed(added=1, kept=1)
    (desk.root / "workspace" / "a.md").unlink()
    assert desk.refresh("a.md", "never.md") == Changed(removed=2)
    assert desk.sync() == Changed(added=1)


def test_a_fact_belongs_to_whom_the_journal_says(desk: Desk) -> None:
    desk.record("g1", Origin.GUEST, GUESTS)
    desk.write("memory/guests/2026-03-02.md", "## Retain\n- W: I like tea. ^g1\n- by hand tea\n")
    desk.sync()
    assert desk.found("tea", GUESTS) == ["- W: I like tea. ^g1"]
    assert desk.found("tea") == []


def test_a_record_that_comes_after_its_file_was_indexed_still_counts(desk: Desk) -> None:
    desk.write("memory/guests/2026-03-02.md", "## Retain\n- W: I like tea. ^g1\n")
    desk.sync()
    assert desk.found("tea", GUESTS) == []
    assert len(desk.problems()) == 1
    desk.record("g1", Origin.GUEST, GUESTS)
    desk.sync()
    assert desk.found("tea", GUESTS) == ["- W: I like tea. ^g1"]
    assert desk.problems() == ()
    assert reattribute(desk.index, desk.sources, desk.journal) == Changed()


def test_only_files_that_a_new_record_is_about_are_cut_again(desk: Desk) -> None:
    for n in range(3):
        desk.write(f"{n}.md", f"note ^n{n}\n")
    desk.sync()
    desk.record("n1", Origin.UNTRUSTED, OWNER, "1.md")
    desk.journal.refresh()
    assert reattribute(desk.index, desk.sources, desk.journal) == Changed(kept=1)


def test_a_file_that_vanishes_while_it_is_read_is_no_error(desk: Desk) -> None:
    file = desk.write("a.md", "one\n")
    desk.write("b.md", "two\n")
    desk.sync()
    file.unlink()
    assert desk.refresh("a.md") == Changed(removed=1)


class Stumbling(Sources):
    """Folders that fail, in a way that nobody foresaw, over one file."""

    def is_foreign(self, path: str) -> bool:
        if path == "bad.md":
            raise RecursionError("the text of the file")
        return super().is_foreign(path)


class Choosy(SqliteIndex):
    """An index that fails in such a way over one file."""

    def write(
        self, changes: Sequence[FileChange], removed: Sequence[str] = (), *, notes: Mapping[str, str] | None = None
    ) -> Changed:
        if any(change.path == "bad.md" and change.chunked and change.chunked.units for change in changes):
            raise KeyError("the text of the file")
        return super().write(changes, removed, notes=notes)


def test_a_file_that_cannot_be_cut_is_left_out_with_a_problem_and_the_others_are_taken_in(desk: Desk) -> None:
    desk.sources = Stumbling(desk.workspace)
    desk.write("bad.md", "a secret\n")
    desk.write("good.md", "The spare key.\n")

    desk.sync()

    assert desk.found("spare") == ["The spare key."]
    (problem,) = desk.problems()
    assert (problem.path, "RecursionError in test_sync.py" in problem.message) == ("bad.md", True)
    assert "the text" not in problem.message
    assert desk.refresh("bad.md", "good.md") == Changed()
    assert inspect(desk.index, desk.sources, desk.journal) == (problem,)


def test_a_file_that_cannot_be_written_is_left_out_with_a_problem_and_the_others_are_taken_in(desk: Desk) -> None:
    desk.index.close()
    desk.index = Choosy.open(desk.root / "index.sqlite")
    desk.write("bad.md", "something\n")
    desk.write("good.md", "The spare key.\n")
    desk.write("other.md", "The other key.\n")

    assert desk.sync() == Changed(added=2)
    assert [problem.path for problem in desk.problems()] == ["bad.md"]
    assert desk.sync() == Changed()


PARAGRAPHS = "the first\n\nthe second\n\nthe third\n"


def test_an_index_that_was_cut_otherwise_is_cut_anew(desk: Desk) -> None:
    desk.write("a.md", PARAGRAPHS)
    desk.sync()
    assert len(desk.found("the")) == 3

    desk.sources = Sources(desk.workspace, chunks=ChunkSize(100, 20))
    assert desk.sync() == Changed(added=1, removed=3)
    assert desk.found("second") == [PARAGRAPHS.strip()]
    assert desk.sync() == Changed()
    desk.write("b.md", PARAGRAPHS)
    assert desk.refresh("b.md") == Changed(added=1)

    desk.sources = Sources(desk.workspace)
    desk.sync()
    assert sorted(desk.found("the")) == sorted(PARAGRAPHS.strip().split("\n\n") * 2)


def test_an_index_that_was_half_cut_anew_is_not_taken_for_the_old_one(desk: Desk) -> None:
    for name in "abc":
        desk.write(f"{name}.md", PARAGRAPHS + "x" * 300_000)
    desk.sync()
    before = sorted(desk.found("the"))

    other = Sources(desk.workspace, chunks=ChunkSize(100, 20))
    steps = sync(desk.index, other, journal=desk.journal, now=LATER, budget_s=0)
    assert next(steps).done < next(steps).total
    steps.close()
    assert sorted(desk.found("the")) != before
    desk.sync()
    assert sorted(desk.found("the")) == before


def test_what_was_taken_in_with_another_size_is_cut_anew_by_the_next_sync(desk: Desk) -> None:
    plain, chunks = desk.sources, Sources(desk.workspace, chunks=ChunkSize(100, 20))
    desk.sources = chunks
    desk.sync()

    desk.sources = plain  # as of a process that had the index open before, and stayed
    desk.write("a.md", PARAGRAPHS)
    assert desk.refresh("a.md") == Changed(added=3)

    desk.sources = chunks
    assert desk.sync() == Changed(added=1, removed=3)
    assert desk.found("second") == [PARAGRAPHS.strip()]
    assert desk.sync() == Changed()
