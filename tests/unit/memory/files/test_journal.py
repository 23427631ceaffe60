from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory.errors import JournalBroken, WriteFailed
from memory.files.journal import Journal
from memory.files.verify import verify
from memory.files.workspace import Workspace
from tests.unit.memory.files.conftest import make_record as record
from tests.unit.memory.files.conftest import month_file as file


def test_records_are_numbered_chained_and_found_again(workspace: Workspace) -> None:
    journal = Journal(workspace)
    first, second = journal.append(record(1)), journal.append(record(2))
    assert (first.seq, second.seq) == (1, 2)
    assert second.prev == first.chain_hash()
    assert journal.known("t:1") == first
    assert journal.known("t:3") is None
    assert journal.record(2) == journal.last == second
    assert journal.provenance("id1") is not None
    assert journal.provenance("id3") is None
    assert verify(workspace) == []


def test_a_long_lived_reader_sees_what_another_wrote(workspace: Workspace) -> None:
    reader = Journal(workspace)
    reader.refresh()
    assert reader.last is None
    writer = Journal(workspace)
    for n in range(1, 4):
        writer.append(record(n))
        reader.refresh()
        assert reader.last == writer.last
    assert reader.known("t:2") == writer.record(2)


def test_each_month_has_its_file_and_the_clock_going_back_does_not_reorder_them(workspace: Workspace) -> None:
    journal = Journal(workspace)
    for n, month in enumerate((11, 12, 11), 1):
        journal.append(record(n, month))
    assert file(workspace, 11).read_bytes().count(b"\n") == 1
    assert file(workspace, 12).read_bytes().count(b"\n") == 2
    fresh = Journal(workspace)
    fresh.refresh()
    assert fresh.last == journal.last
    assert verify(workspace) == []


def test_records_of_one_operation_come_in_their_order(workspace: Workspace) -> None:
    journal = Journal(workspace)
    both = [journal.append(replace(record(1), target=target)) for target in ("a", "b")]
    assert journal.operation("t:1") == tuple(both)
    assert journal.known("t:1") == both[0]


def test_a_torn_last_line_is_never_known_and_set_aside_by_the_next_writer(workspace: Workspace) -> None:
    journal = Journal(workspace)
    journal.append(record(1))
    line = replace(record(2), seq=2).line()
    whole = file(workspace).read_bytes()
    for cut in range(1, len(line), 9):
        file(workspace).write_bytes(whole + line[:cut])
        fresh = Journal(workspace)
        fresh.refresh()
        assert fresh.known("t:2") is None
        fresh.mend()
        assert file(workspace).read_bytes() == whole
    journal.refresh()
    second = journal.append(record(2))
    assert second.seq == 2
    assert verify(workspace) == []
    assert file(workspace).with_suffix(".torn").read_bytes().count(b"\n") == len(range(1, len(line), 9))


def test_a_torn_first_line_is_set_aside_too(workspace: Workspace) -> None:
    file(workspace).parent.mkdir(parents=True)
    file(workspace).write_bytes(b'{"v":1,"se')
    journal = Journal(workspace)
    journal.mend()
    journal.append(record(1))
    assert verify(workspace) == []


def test_a_retracted_record_was_never_there(workspace: Workspace) -> None:
    journal, reader = Journal(workspace), Journal(workspace)
    journal.append(record(1))
    gone = journal.append(record(2))
    reader.refresh()
    journal.retract(gone)
    assert journal.known("t:2") is None
    journal.append(record(3))
    reader.refresh()
    assert reader.known("t:2") is None
    assert reader.known("t:3") == journal.last
    assert verify(workspace) == []


def test_a_reader_notices_that_a_longer_record_took_the_place_of_a_retracted_one(workspace: Workspace) -> None:
    journal, reader = Journal(workspace), Journal(workspace)
    journal.append(record(1))
    gone = journal.append(record(2))
    reader.refresh()
    journal.retract(gone)
    journal.append(record(3, after="a much longer text than the one before"))
    journal.append(record(4))
    reader.refresh()
    assert [reader.known(f"t:{n}") is not None for n in range(1, 5)] == [True, False, True, True]


def test_a_journal_that_was_replaced_is_read_anew(workspace: Workspace) -> None:
    journal, reader = Journal(workspace), Journal(workspace)
    for n in (1, 2):
        journal.append(record(n))
    reader.refresh()
    data = file(workspace).read_bytes()
    file(workspace).unlink()
    file(workspace).write_bytes(data.splitlines(keepends=True)[0])
    reader.refresh()
    assert reader.known("t:2") is None
    file(workspace).unlink()
    reader.refresh()
    assert reader.last is None


def test_a_line_that_is_no_record_does_not_hide_the_others(workspace: Workspace) -> None:
    journal = Journal(workspace)
    for n in (1, 2, 3):
        journal.append(record(n))
    lines = file(workspace).read_bytes().splitlines(keepends=True)
    file(workspace).write_bytes(lines[0] + b"<<<<<<< HEAD\n[]\n" + lines[2])
    fresh = Journal(workspace)
    fresh.refresh()
    assert fresh.known("t:3") is not None
    assert fresh.known("t:2") is None
    with pytest.raises(JournalBroken) as broken:
        fresh.record(2)
    assert broken.value.hint


DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "a key": lambda line: line.replace(b'"undoes"', b'"unroes"'),
    "a type": lambda line: line.replace(b'"seq":3', b'"seq":"3"'),
    "a byte": lambda line: line[:40] + b"\x00" + line[41:],
    "too deep": lambda _: b"[" * 100_000 + b"\n",
    "hardly anything": lambda _: b'{"v":1}\n',
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_writing_goes_on_behind_a_last_record_that_cannot_be_read_and_the_break_stays_to_be_seen(
    workspace: Workspace, damage: str
) -> None:
    journal = Journal(workspace)
    for n in (1, 2, 3):
        journal.append(record(n))
    *lines, last = file(workspace).read_bytes().splitlines(keepends=True)
    damaged = DAMAGES[damage](last)
    file(workspace).write_bytes(b"".join([*lines, damaged]))

    fresh = Journal(workspace)
    fresh.mend()
    assert (fresh.unreadable, fresh.known("t:3")) == (1, None)
    fourth = fresh.append(record(4))

    assert fourth.seq == 4
    assert fresh.known("t:4") == fresh.last == fourth
    assert file(workspace).read_bytes().splitlines(keepends=True)[2] == damaged
    assert [problem.line for problem in verify(workspace)] == [3]


def test_the_head_tells_whether_the_last_record_was_changed_or_cut_off(workspace: Workspace) -> None:
    journal = Journal(workspace)
    assert (journal.head(), journal.holds("")) == ("", True)
    for n in (1, 2):
        journal.append(record(n))
    head, whole = journal.head(), file(workspace).read_bytes()

    journal.append(record(3))
    assert journal.holds(head)
    for data in (whole.splitlines(keepends=True)[0], whole.replace(b'"actor":"owner"', b'"actor":"eve"'), b""):
        file(workspace).write_bytes(data)
        assert not Journal(workspace).holds(head)
    assert not journal.holds("junk")


def test_a_record_that_was_damaged_under_our_hands_is_an_error(workspace: Workspace) -> None:
    journal = Journal(workspace)
    journal.append(record(1))
    with file(workspace).open("r+b") as opened:
        opened.write(b"garbage")
    with pytest.raises(JournalBroken):
        journal.known("t:1")


def test_a_record_that_could_not_be_synced_is_not_there(tmp_path: Path) -> None:
    def fail(_: int) -> None:
        raise OSError(28, "No space left on device")

    with Workspace(tmp_path) as workspace:
        journal = Journal(workspace)
        journal.append(record(1))
        with Workspace(tmp_path, fsync=fail) as full:
            cramped = Journal(full)
            cramped.refresh()
            with pytest.raises(WriteFailed):
                cramped.append(record(2))
            assert cramped.known("t:2") is None
        journal.append(record(3))
        assert verify(workspace) == []


@given(st.lists(st.tuples(st.sampled_from([10, 11, 12]), st.text(max_size=20)), max_size=8), st.data())
@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_reading_in_steps_and_reading_at_once_add_up_to_the_same(
    tmp_path_factory: pytest.TempPathFactory, records: list[tuple[int, str]], data: st.DataObject
) -> None:
    with Workspace(tmp_path_factory.mktemp("w")) as workspace:
        writer, reader = Journal(workspace), Journal(workspace)
        for n, (month, text) in enumerate(records, 1):
            writer.append(record(n, month, text))
            if data.draw(st.booleans()):
                reader.refresh()
        fresh = Journal(workspace)
        fresh.refresh()
        reader.refresh()
        for journal in (reader, fresh):
            assert journal.last == writer.last
            assert journal.ledger.operations == writer.ledger.operations
            assert journal.ledger.provenance == writer.ledger.provenance
        assert verify(workspace) == []
