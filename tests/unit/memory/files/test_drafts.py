from __future__ import annotations

from dataclasses import dataclass, replace

import pytest

from memory.errors import Conflict
from memory.files.digest import digest, state
from memory.files.drafts import appending, bare_id, find_shown, forgetting, replacing
from tests.unit.memory.files.conftest import make_record

BEGUN = replace(make_record(1), after=None)


@dataclass(frozen=True, slots=True)
class Shown:
    id: str
    path: str
    number: int
    text: str


LINE = Shown("^a1", "memory/a.md", 2, "- S: x ^a1")


def test_a_line_is_found_where_it_was_shown_or_where_it_has_moved() -> None:
    assert find_shown(LINE, b"a\n- S: x ^a1\n") == (2, 12)
    assert find_shown(LINE, b"a\nb\n- S: x ^a1\n") == (4, 14)
    assert find_shown(LINE, b"- S: x ^a1\n- S: x ^a1\n") == (11, 21)


@pytest.mark.parametrize("content", [None, b"", b"a\n- S: y ^a1\n", b"- S: x ^a1\n\n- S: x ^a1\n"])
def test_a_line_that_is_no_longer_what_was_shown_is_a_conflict(content: bytes | None) -> None:
    with pytest.raises(Conflict, match=r"memory/a\.md:2") as refused:
        find_shown(LINE, content)
    assert refused.value.hint


def test_forgetting_puts_a_mark_for_each_line_of_the_fact() -> None:
    record = forgetting(BEGUN, replace(LINE, text="- S: x\n  y ^a1"), b"a\r\n- S: x\r\n  y ^a1\r\nb")
    assert (record.target, record.path, record.offset) == ("a1", "memory/a.md", 3)
    assert record.before == "- S: x\r\n  y ^a1"
    assert record.after == "<!-- scrubjay:forgotten ^a1 -->\n<!-- scrubjay:forgotten ^a1 -->"
    assert bare_id(LINE) == "a1"


def test_an_appended_text_begins_on_a_line_of_its_own() -> None:
    assert appending(BEGUN, "a.md", "x\n", None).after == "x\n"
    assert appending(BEGUN, "a.md", "x\n", b"a\n").after == "x\n"
    torn = appending(BEGUN, "a.md", "x\n", b"a")
    assert (torn.after, torn.offset, torn.base) == ("\nx\n", 1, digest("a"))
    assert appending(BEGUN, "a.md", "\nx\n", b"a").after == "\nx\n"


def test_a_replacement_is_drafted_only_from_the_expected_state() -> None:
    assert replacing(BEGUN, "a.md", "new", state(None), None).before is None
    assert replacing(BEGUN, "a.md", "new", state(b"\xff"), b"\xff").before == "\udcff"
    with pytest.raises(Conflict):
        replacing(BEGUN, "a.md", "new", state(b"a"), b"b")
