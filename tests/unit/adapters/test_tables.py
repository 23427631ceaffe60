from __future__ import annotations

import doctest

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters import tables
from adapters.tables import as_code


def test_the_example_is_true() -> None:
    assert doctest.testmod(tables).failed == 0


def test_a_table_becomes_a_block_and_the_text_around_it_stays() -> None:
    text = "Before:\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\nafter, with a | b."

    assert as_code(text) == "Before:\n\n```\na  b\n-  -\n1  2\n```\n\nafter, with a | b."


def test_wide_characters_are_counted_as_they_are_seen() -> None:
    drawn = as_code("| 种子 | n |\n|---|---|\n| ab | 1 |").split("\n")

    assert drawn[1:-1] == ["种子  n", "----  -", "ab    1"]


def test_marks_links_and_code_in_cells_are_shown_as_what_they_say() -> None:
    drawn = as_code("| **bold** | [seed](https://example.org) |\n|---|---|\n| `a b` | x |")

    assert "bold  seed" in drawn
    assert "a b   x" in drawn


def test_a_fence_is_longer_than_what_looks_like_one_in_a_cell() -> None:
    drawn = as_code("| a |\n|---|\n| \\`\\`\\`\\` |").split("\n")

    assert drawn[0] == drawn[-1] == "`````"


@pytest.mark.parametrize(
    "text",
    ["no table", "a | b", "```\n| a |\n|---|\n```", "> | a |\n> |---|\n> | 1 |", "- | a |\n  |---|\n  | 1 |"],
)
def test_what_is_no_table_of_its_own_stays_as_it_is(text: str) -> None:
    assert as_code(text) == text


@given(st.lists(st.lists(st.text("ab `*|\\é种", max_size=6), min_size=1, max_size=4), min_size=1, max_size=4))
def test_no_table_is_left_and_no_letter_is_lost(rows: list[list[str]]) -> None:
    width = len(rows[0])
    cells = [[cell.replace("|", "").replace("\\", "") or "x" for cell in (row + [""] * width)[:width]] for row in rows]
    table = ["|".join(["", *row, ""]) for row in cells]
    text = "\n".join([table[0], "|" + "---|" * width, *table[1:]])

    drawn = as_code(text)

    assert as_code(drawn) == drawn
    for letter in "abé种":
        assert drawn.count(letter) == text.count(letter)


def test_in_a_long_text_tables_stay_as_they_are() -> None:
    text = "| a | b |\n|---|---|\n" + "| 1 | 2 |\n" * 2500
    assert as_code(text) == text
    assert as_code(text[:200]) != text[:200]
