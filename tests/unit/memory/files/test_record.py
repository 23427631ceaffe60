from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.files.digest import digest
from memory.files.record import Action, Operation, Record, instant, read_record
from memory.model import OWNER, Origin, chat_scope

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
    assert replace(record, scope=chat_scope("telegram:1")).seal() != record.seal()


def test_instants_are_in_utc_with_milliseconds() -> None:
    assert instant(datetime(2026, 11, 21, 10, 30, tzinfo=ZoneInfo("Europe/Berlin"))) == "2026-11-21T09:30:00.000Z"
