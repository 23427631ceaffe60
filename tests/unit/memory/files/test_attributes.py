from __future__ import annotations

import pytest

from memory.errors import Unparsable
from memory.files.attributes import format_attributes, parse_attributes


def test_all_attributes_are_read_as_written() -> None:
    text = "c=0.95, v=-1, a=1., i=.7, due=2026-12-01T09:00:30+01:00, since=2025-11-27, until=2025-12-01, from=import"
    pairs = parse_attributes(text, 1)
    assert dict(pairs)["due"] == "2026-12-01T09:00:30+01:00"
    assert format_attributes(pairs) == f"({text})"


@pytest.mark.parametrize("due", ["2026-12-01", "2026-12-01T09:00", "2026-12-01T09:00:00", "2026-12-01T09:00Z"])
def test_due_is_a_day_or_an_instant(due: str) -> None:
    assert parse_attributes(f"due={due}", 1) == (("due", due),)


def test_the_column_is_that_of_the_offending_pair() -> None:
    with pytest.raises(Unparsable) as refused:
        parse_attributes("c=1,  v=9", 10)
    assert refused.value.column == 16


def test_no_attributes_make_no_parenthesis() -> None:
    assert parse_attributes("  ", 1) == ()
    assert format_attributes(()) == ""
