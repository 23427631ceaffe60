from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.files.digest import digest
from memory.files.record import Action, Operation, Record, instant, read_record
from memory.model import OWNER, Origin

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


@pytest.mark.parametrize("field", ["op_id", "actor", "action", "at", "target", "path", "base", "after_hash", "prev"])
def test_any_other_change_breaks_the_chain(field: str) -> None:
    record = replace(begun(), after="text").sealed(1, "")
    changes: dict[str, str] = {field: "x"}
    changed = read_record(record.line().replace(f'"{field}":"'.encode(), f'"{field}":"x'.encode()))
    assert getattr(changed, field).startswith(changes[field])
    assert changed.chain_hash() != record.chain_hash()


@pytest.mark.parametrize(
    "line", [b"", b"{}", b"[]", b"null", b"3", b'{"origin":"owner"}', b'{"origin":"x"}', b"\xff", b"{"]
)
def test_what_is_no_record_is_a_value_error(line: bytes) -> None:
    with pytest.raises(ValueError):
        read_record(line)


def test_instants_are_in_utc_with_milliseconds() -> None:
    assert instant(datetime(2026, 11, 21, 10, 30, tzinfo=ZoneInfo("Europe/Berlin"))) == "2026-11-21T09:30:00.000Z"
