from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.files.digest import digest
from memory.files.edits import (
    Edit,
    decoded,
    edit_of,
    encoded,
    fact_lines,
    find_lines,
    inverse,
    line_number,
    line_start,
    moved,
)
from memory.files.lines import clean
from memory.files.record import Action
from tests.unit.memory.files.conftest import make_record


@given(st.binary())
def test_any_bytes_can_be_kept_as_text(data: bytes) -> None:
    assert encoded(decoded(data)) == data


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
    assert [line_number(content, at) for at in (0, 1, 2, 5, 6)] == [1, 1, 2, 3, 4]


def test_the_lines_of_a_fact_in_an_addition_begin_with_the_one_that_ends_in_its_id() -> None:
    assert fact_lines(b"\n## Retain\n- S: x ^a1\n", "a1") == b"- S: x ^a1"
    assert fact_lines(b"\n## Retain\n- S: x ^a1\n  y\n\n  z\n", "a1") == b"- S: x ^a1\n  y\n\n  z"
    assert fact_lines(b"- S: x", "a1") == b"- S: x"


def taken_back(
    action: Action, content: bytes, *, before: str | None = None, after: str, offset: int = 0
) -> bytes | None:
    record = replace(make_record(1), action=action, before=before, after=after, offset=offset).sealed(1, "")
    edit = inverse(record, content)
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
    before, after = decoded(edit.before), decoded(edit.after)
    record = replace(make_record(1), target="a1", offset=edit.offset, before=before, after=after)
    found = moved(record, content)
    assert (found and found.apply(content)) == expected


def test_a_blanked_record_cannot_be_taken_back() -> None:
    record = replace(make_record(1), after="x\n").sealed(1, "").blanked()
    assert inverse(record, b"x\n") is None
    assert edit_of(record) == Edit(0, b"", b"")
    assert digest("x\n") == record.after_hash
