from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.files.frontmatter import frontmatter_end, properties


def test_flat_properties_are_strings_and_lists() -> None:
    text = (
        "---\naliases: [Pete, \"P. Smith\", 'x, y']\ntags:\n  - person\n  -\n- friend # close\n"
        'kind: entity # a comment\ncreated: 2025-11-27\nurl: https://x.org\nempty:\nquoted: "a # b"\n---\n'
    )
    assert properties(text) == {
        "aliases": ["Pete", "P. Smith", "x, y"],
        "tags": ["person", "friend"],
        "kind": "entity",
        "created": "2025-11-27",
        "url": "https://x.org",
        "empty": "",
        "quoted": "a # b",
    }


def test_a_list_after_a_value_keeps_both() -> None:
    assert properties("a: x\n- y") == {"a": ["x", "y"]}


def test_what_is_not_flat_is_left_out() -> None:
    assert properties("- stray\n{a: 1}\n# comment\nk: v") == {"k": "v"}


@pytest.mark.parametrize(
    ("lines", "count"),
    [
        (["---", "a: b", "---", "text"], 3),
        (["--- ", "", "a:", "  - x", "- y", "..."], 6),
        (["---", "- a", "---"], 0),
        (["---", "a: b", "## Retain", "- W: x", "---"], 0),
        (["---", "---"], 2),
        (["---", "Some prose", "---"], 0),
        (["---", "a: b"], 0),
        (["text"], 0),
        ([], 0),
    ],
)
def test_frontmatter_ends(lines: list[str], count: int) -> None:
    assert frontmatter_end(lines) == count


@given(st.text() | st.lists(st.sampled_from(["a: ", "- x", "[", "]", '"', "'", "\n", ",", "---", "#"])).map("".join))
def test_no_text_makes_the_reader_raise(text: str) -> None:
    for value in properties(text).values():
        assert isinstance(value, (str, list))


def test_a_key_of_a_megabyte_of_blanks_is_read_at_once() -> None:
    line = f"a{' ' * 1_000_000}x"
    assert frontmatter_end(["---", line, "---"]) == 0
    assert properties(line) == {}
