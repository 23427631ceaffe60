from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory.errors import JournalBroken, NotFound, PathRefused, WriteFailed
from memory.files.workspace import Workspace, digest
from memory.journal.journal import FOLDER, Journal, Months
from memory.journal.maintenance import verify
from memory.journal.records import Action, Operation, Record, read_record
from memory.journal.state import JournalState, Provenance
from memory.ports import instant
from memory.types import OWNER, Origin, chat_scope
from tests.unit.memory.conftest import make_record as record
from tests.unit.memory.conftest import month_file as file

AT = datetime(2026, 11, 21, 9, 30, tzinfo=UTC)
TEXTS = st.none() | st.text(st.characters(codec=None))


def begun(op_id: str = "t:1") -> Record:
    return Operation(op_id, "owner", Origin.OWNER, OWNER).record(Action.REMEMBER, AT)


@given(TEXTS, TEXTS, st.text())
def test_a_record_is_read_back_as_it_was_written(before: str | None, after: str | None, op_id: str) -> None:
    record = replace(begun(op_id), before=before, after=after).sealed(7, "prev")
    line = record.line()
    assert line.count(b"\n") == 1
    assert read_record(line) == record
    assert record.is_intact


def test_a_record_begins_with_its_number_and_time_for_a_person_who_reads_along() -> None:
    assert begun().sealed(1, "").line().startswith(b'{"v":1,"seq":1,"at":"2026-11-21T09:30:00.000Z","op_id":"t:1"')


def test_texts_are_hashed_and_a_changed_one_is_noticed() -> None:
    record = replace(begun(), after="text").sealed(1, "")
    assert record.after_hash == digest("text")
    assert record.before_hash == ""
    assert not replace(record, after="another").is_intact
    assert not replace(record, before="another").is_intact


def test_blanking_the_texts_leaves_the_chain_alone() -> None:
    record = replace(begun(), before="", after="text").sealed(1, "")
    assert record.blanked().chain_hash() == record.chain_hash()
    assert record.blanked().is_intact
    assert record.blanked().is_blanked
    assert not record.is_blanked
    assert not begun().sealed(1, "").is_blanked


@pytest.mark.parametrize("field", ["op_id", "actor", "action", "target", "path", "base", "after_hash", "prev"])
def test_any_other_change_breaks_the_chain(field: str) -> None:
    record = replace(begun(), after="text").sealed(1, "")
    changes: dict[str, str] = {field: "x"}
    changed = read_record(record.line().replace(f'"{field}":"'.encode(), f'"{field}":"x'.encode()))
    assert getattr(changed, field).startswith(changes[field])
    assert changed.chain_hash() != record.chain_hash()


@pytest.mark.parametrize(
    "line",
    [
        *[b"", b"{}", b"[]", b"null", b"3", b'{"origin":"owner"}', b'{"origin":"x"}', b"\xff", b"{"],
        *[b"[" * 100_000, b'{"a":' * 100_000, b"9" * 10_000],
    ],
    ids=lambda line: line[:12].decode(errors="replace"),
)
def test_what_is_no_record_is_a_value_error(line: bytes) -> None:
    with pytest.raises(ValueError):
        read_record(line)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b'"seq":1', b'"seq":"1"'),
        (b'"seq":1', b'"seq":0'),
        (b'"seq":1', b'"seq":true'),
        (b'"seq":1', b'"seq":99999999999999999999999'),
        (b'"offset":0', b'"offset":-1'),
        (b'"undoes":0', b'"undoes":null'),
        (b'"op_id":"t:1"', b'"op_id":[]'),
        (b'"target":""', b'"target":{}'),
        (b'"scope":"owner"', b'"scope":"\\ud800"'),
        (b'"before":null', b'"before":1'),
        (b'"at":"2026', b'"at":"x2026'),
        (b".000Z", b".000"),
    ],
)
def test_a_field_that_is_not_what_it_should_be_makes_it_no_record(old: bytes, new: bytes) -> None:
    line = begun().sealed(1, "").line()
    assert line.count(old) == 1
    with pytest.raises(ValueError):
        read_record(line.replace(old, new))


def test_what_a_newer_version_adds_is_kept_in_its_place_and_counts_in_the_chain() -> None:
    line = begun().sealed(1, "").line()
    newer = line.replace(b'"v":1', b'"v":2').replace(b'"base":', b'"why":{"a":[1,null]},"base":')
    newer = newer.replace(b"}\n", b',"last":"one"}\n')
    record = read_record(newer)
    assert record.line() == newer
    assert record.blanked().line() == newer
    assert read_record(newer.replace(b"[1,null]", b"[2,null]")).chain_hash() != record.chain_hash()


def test_a_seal_outlives_another_name_of_the_file_and_nothing_else() -> None:
    record = replace(begun(), path="a.md", after="text").sealed(2, "before")
    assert replace(record, path="b.md", prev="other").blanked().seal() == record.seal()
    assert replace(record, op_id="run:b.md", path="b.md").seal() == replace(record, op_id="run:a.md").seal()
    assert replace(record, scope=chat_scope("telegram:1")).seal() != record.seal()


def test_instants_are_in_utc_with_milliseconds() -> None:
    assert instant(datetime(2026, 11, 21, 10, 30, tzinfo=ZoneInfo("Europe/Berlin"))) == "2026-11-21T09:30:00.000Z"


def test_records_are_numbered_chained_and_found_again(workspace: Workspace) -> None:
    journal = Journal(workspace)
    first, second = journal.append(record(1)), journal.append(record(2))
    assert (first.seq, second.seq) == (1, 2)
    assert second.prev == first.chain_hash()
    assert journal.first_record("t:1") == first
    assert journal.first_record("t:3") is None
    assert journal.record(2) == journal.last == second
    assert journal.state.provenance.get("id1") is not None
    assert journal.state.provenance.get("id3") is None
    assert verify(workspace) == []


@pytest.mark.parametrize(
    "ask",
    [
        lambda journal: journal.record(1).target,
        lambda journal: journal.last.target,
        lambda journal: journal.operation("t:1")[0].target,
        lambda journal: "id1" if journal.state.provenance.get("id1") else "",
        lambda journal: next(iter(journal.state.provenance)),
    ],
    ids=["record", "last", "operation", "provenance", "state"],
)
def test_a_journal_is_read_when_it_is_first_asked_for_something(
    workspace: Workspace, ask: Callable[[Journal], str]
) -> None:
    Journal(workspace).append(record(1))
    journal = Journal(workspace)
    before = journal.mark()
    assert journal.seen == 0
    assert ask(journal) == "id1"
    assert journal.seen == 1
    assert journal.mark() == before
    journal.append(record(2))
    assert journal.mark() != before


def test_a_long_lived_reader_sees_what_another_wrote(workspace: Workspace) -> None:
    reader = Journal(workspace)
    reader.refresh()
    assert reader.last is None
    writer = Journal(workspace)
    for n in range(1, 4):
        writer.append(record(n))
        reader.refresh()
        assert reader.last == writer.last
    assert reader.first_record("t:2") == writer.record(2)


def test_a_reader_does_not_begin_anew_for_a_line_that_another_is_still_writing(workspace: Workspace) -> None:
    reader, writer = Journal(workspace), Journal(workspace)
    writer.append(record(1))
    reader.refresh()
    state, line = reader.state, record(2).sealed(2, writer.chain).line()
    for part in (line[:9], line[9:]):
        with file(workspace).open("ab") as end:
            end.write(part)
        reader.refresh()
    assert reader.state is state
    assert reader.last == record(2).sealed(2, writer.chain)


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
    assert journal.first_record("t:1") == both[0]


def test_a_torn_last_line_is_never_known_and_set_aside_by_the_next_writer(workspace: Workspace) -> None:
    journal = Journal(workspace)
    journal.append(record(1))
    line = replace(record(2), seq=2).line()
    whole = file(workspace).read_bytes()
    for cut in range(1, len(line), 9):
        file(workspace).write_bytes(whole + line[:cut])
        fresh = Journal(workspace)
        fresh.refresh()
        assert fresh.first_record("t:2") is None
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
    assert journal.first_record("t:2") is None
    journal.append(record(3))
    reader.refresh()
    assert reader.first_record("t:2") is None
    assert reader.first_record("t:3") == journal.last
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
    assert [reader.first_record(f"t:{n}") is not None for n in range(1, 5)] == [True, False, True, True]


def test_a_journal_that_was_replaced_is_read_anew(workspace: Workspace) -> None:
    journal, reader = Journal(workspace), Journal(workspace)
    for n in (1, 2):
        journal.append(record(n))
    reader.refresh()
    data = file(workspace).read_bytes()
    file(workspace).unlink()
    file(workspace).write_bytes(data.splitlines(keepends=True)[0])
    reader.refresh()
    assert reader.first_record("t:2") is None
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
    assert fresh.first_record("t:3") is not None
    assert fresh.first_record("t:2") is None
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
    assert (fresh.unreadable, fresh.first_record("t:3")) == (1, None)
    fourth = fresh.append(record(4))

    assert fourth.seq == 4
    assert fresh.first_record("t:4") == fresh.last == fourth
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
        journal.first_record("t:1")


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
            assert cramped.first_record("t:2") is None
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
            assert journal.state.operations == writer.state.operations
            assert journal.state.provenance == writer.state.provenance
        assert verify(workspace) == []


GUEST = chat_scope("telegram.1:-100")


def fields(seq: int, action: str, target: str = "", **more: Any) -> dict[str, Any]:
    plain = {
        "op_id": f"t:{seq}",
        "actor": "owner",
        "origin": "owner",
        "scope": OWNER,
        "path": "",
        "at": f"2026-11-21T00:00:{seq:02}Z",
    }
    return {"seq": seq, "moved": 0, "action": action, "target": target, "before": "x", "undoes": 0, **plain, **more}


def ledger(*records: dict[str, Any]) -> JournalState:
    ledger = JournalState()
    for one in records:
        ledger.fold(one)
    return ledger


def test_a_fact_comes_from_the_record_that_wrote_it() -> None:
    taken = ledger(fields(1, "remember", "a"), fields(2, "remember", "b", origin="guest", scope=GUEST, actor="Eve"))
    assert taken.provenance["b"] == Provenance(Origin.GUEST, GUEST, "2026-11-21T00:00:02Z", "Eve", "t:2")
    assert taken.provenance["a"].scope == OWNER
    assert taken.last == 2


def test_records_of_one_operation_are_kept_together() -> None:
    taken = ledger(fields(1, "forget", "a", op_id="t"), fields(2, "forget", "b", op_id="t"), fields(3, "remember", "c"))
    assert taken.operations == {"t": (1, 2), "t:3": (3,)}


def test_only_what_has_not_been_undone_can_be_undone_newest_first_in_its_scope() -> None:
    taken = ledger(
        fields(1, "remember", "a"),
        fields(2, "remember", "b", scope=GUEST),
        fields(3, "append"),
        fields(4, "replace"),
        fields(5, "undo", undoes=4),
        fields(6, "review", "a"),
    )
    assert list(taken.undoable(OWNER)) == [3, 1]
    assert list(taken.undoable(GUEST)) == [2]
    assert list(taken.undoable(chat_scope("nobody"))) == []


def test_a_forgotten_fact_is_put_back_before_it_can_be_undone() -> None:
    records = [fields(1, "remember", "a"), fields(2, "forget", "a")]
    assert list(ledger(*records).undoable(OWNER)) == [2]
    restored = ledger(*records, fields(3, "undo", "a", undoes=2))
    assert list(restored.undoable(OWNER)) == [1]
    assert restored.forgotten == {}


def test_undoing_something_else_of_a_forgotten_fact_does_not_put_it_back() -> None:
    taken = ledger(fields(1, "remember", "a"), fields(2, "forget", "a"), fields(3, "undo", "a", undoes=1))
    assert taken.forgotten["a"].seq == 2
    assert not taken.forgotten["a"].blanked


@pytest.mark.parametrize("bad", [{}, {**fields(1, "remember", "a"), "origin": "nobody"}])
def test_what_is_no_record_is_refused(bad: dict[str, Any]) -> None:
    with pytest.raises((KeyError, ValueError)):
        ledger(bad)


@pytest.fixture
def months(workspace: Workspace) -> Months:
    return Months(workspace)


def test_files_are_listed_by_month_and_others_are_not(months: Months, workspace: Workspace) -> None:
    assert months.listing() == []
    for name in ("2026-12.jsonl", "2026-11.jsonl", "2026-11.torn", "x.jsonl"):
        months.append(name, b"{}\n")
    workspace.root.joinpath(*FOLDER, "2027-01.jsonl").symlink_to("/etc/hosts")
    assert [(file.name, file.size) for file in months.listing()] == [("2026-11.jsonl", 3), ("2026-12.jsonl", 3)]


def test_a_part_of_a_file_is_read(months: Months) -> None:
    months.append("2026-11.jsonl", b"0123456789\n")
    assert months.read("2026-11.jsonl", 2, 3) == b"234"
    assert months.read("2026-11.jsonl", 8) == b"89\n"
    with pytest.raises(NotFound, match="2026-12"):
        months.read("2026-12.jsonl")


def test_what_is_torn_is_set_aside_and_kept(months: Months) -> None:
    months.append("2026-11.jsonl", b"{}\n")
    for torn in (b'{"seq', b'{"s'):
        months.append("2026-11.jsonl", torn)
        months.set_aside("2026-11.jsonl", 3)
    assert months.read("2026-11.jsonl") == b"{}\n"
    assert months.read("2026-11.torn") == b'{"seq\n{"s\n'


def test_a_folder_that_is_a_link_is_refused(months: Months, workspace: Workspace) -> None:
    (workspace.root / ".memory").symlink_to("/tmp")
    with pytest.raises(PathRefused):
        months.listing()


def test_sources_stand_in_a_record_only_where_there_are_any_and_are_texts() -> None:
    plain = record(1).sealed(1, "")
    derived = replace(plain, sources=("t1", "memory/2026-11-20.md#L3"))
    assert b'"sources"' not in plain.line()
    assert read_record(derived.line()) == derived
    for wrong in (b"[1]", b"5", b"null"):
        with pytest.raises(ValueError, match="not a record"):
            read_record(plain.line().replace(b'{"v":1', b'{"sources":' + wrong + b',"v":1'))
