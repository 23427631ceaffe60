from __future__ import annotations

import pytest

from memory.index.speakers import label, speakers


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("Anna: hello", "Anna"),
        ("**Anna:** hello", "Anna"),
        ("**Anna**: hello", "Anna"),
        ("- Anna: hello", "Anna"),
        ("[09:30] Anna: hello", "Anna"),
        ("Dr. Anna Maria Lopez: hello", "Dr. Anna Maria Lopez"),
        ("小明：你好", "小明"),
        ("Anna:", "Anna"),
        ("Todo: buy milk", ""),
        ("https://example.org", ""),
        ("at 12:30 we met", ""),
        ("This sentence has a colon in it: see?", ""),
        ("hello", ""),
    ],
)
def test_a_label_is_what_a_turn_begins_with(line: str, name: str) -> None:
    assert label(line) == name


def test_labels_that_come_again_and_again_are_speakers() -> None:
    assert speakers(["Anna: a", "Bob: b", "Anna: c", "Bob: d", "Note: e"]) == {"Anna", "Bob"}


def test_labels_that_come_once_or_seldom_are_not() -> None:
    assert speakers(["Anna: a", "Bob: b", "Carl: c"]) == frozenset()
    assert speakers(["Anna: a"] * 2) == frozenset()
    assert "Bob" not in speakers(["Anna: a"] * 20 + ["Bob: b"] * 2)
