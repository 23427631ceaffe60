"""Regular expressions that are compiled when they are first looked for."""

from __future__ import annotations

import re

import pytest

from memory.language.patterns import NOTHING, Pattern


def test_nothing_is_found_nowhere() -> None:
    assert NOTHING.search("anything") is None


def test_a_pattern_is_compiled_when_it_is_first_looked_for() -> None:
    broken = Pattern("(")

    with pytest.raises(re.error):
        broken.search("anything")
    with pytest.raises(re.error):
        broken.compile()


def test_a_pattern_looks_between_two_places() -> None:
    pattern = Pattern("b+", re.IGNORECASE)

    assert pattern.fullmatch("aBBc", 1, 3)
    assert not pattern.fullmatch("aBBc", 1)
    assert [found[0] for found in pattern.finditer("abcBB")] == ["b", "BB"]


def test_a_pattern_that_is_compiled_ahead_is_found_as_ever() -> None:
    pattern = Pattern("forget|let go")

    pattern.compile()

    assert pattern.search("please let go")
    assert pattern.search("nothing of the kind") is None
