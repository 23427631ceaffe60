from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.files.lines import SPECIAL, BlockKind, heading, interrupts, is_retain, line_kind, split_lines


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("# a", BlockKind.HEADING),
        ("######", BlockKind.HEADING),
        ("####### a", BlockKind.PARAGRAPH),
        ("#tag", BlockKind.PARAGRAPH),
        ("- a", BlockKind.BULLET),
        ("*", BlockKind.BULLET),
        ("1) a", BlockKind.BULLET),
        ("12. a", BlockKind.BULLET),
        ("1234567890. a", BlockKind.PARAGRAPH),
        ("2025-11-27", BlockKind.PARAGRAPH),
        ("-5 degrees", BlockKind.PARAGRAPH),
        ("**Ann:** hi", BlockKind.PARAGRAPH),
        ("_emphasis_", BlockKind.PARAGRAPH),
        ("> quoted", BlockKind.PARAGRAPH),
        ("```py", BlockKind.FENCE),
        ("~~~", BlockKind.FENCE),
        ("``", BlockKind.PARAGRAPH),
        ("```a``` b", BlockKind.PARAGRAPH),
        ("~~gone~~", BlockKind.PARAGRAPH),
        ("| a | b |", BlockKind.TABLE),
        ("<!-- a -->", BlockKind.COMMENT),
        ("<!-- a", BlockKind.COMMENT),
        ("<!-->", BlockKind.COMMENT),
        ("<!-- a --> b", BlockKind.PARAGRAPH),
        ("<b>", BlockKind.PARAGRAPH),
        ("---", None),
        ("* * *", None),
        ("___", None),
        ("- -", BlockKind.BULLET),
        ("", None),
    ],
)
def test_a_line_begins(line: str, kind: BlockKind | None) -> None:
    assert line_kind(line) is kind


@given(st.text(min_size=1).map(str.strip).filter(bool))
def test_only_special_characters_begin_anything_but_a_paragraph(line: str) -> None:
    assert line_kind(line) is BlockKind.PARAGRAPH or line[0] in SPECIAL


def test_a_year_does_not_end_a_paragraph_but_a_list_does() -> None:
    assert not interrupts("1986. What a year")
    assert interrupts("1. First")
    assert interrupts("- First")
    assert not interrupts("prose")


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("## Retain", (2, "Retain")),
        ("  ### Retain ###  ", (3, "Retain")),
        ("# C#", (1, "C#")),
        ("##", (2, "")),
        ("## ##", (2, "")),
        ("#x", None),
    ],
)
def test_a_heading_has_a_level_and_a_title(line: str, expected: tuple[int, str] | None) -> None:
    assert heading(line) == expected


def test_retain_is_recognised_in_any_case() -> None:
    assert is_retain("retain")
    assert is_retain("Retain")
    assert not is_retain("Retained")


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", []),
        ("a", ["a"]),
        ("a\n", ["a"]),
        ("a\r\nb\r\n", ["a", "b"]),
        ("\ufeffa\n\n", ["a", ""]),
        ("a\x0cb\u2028c\rd", ["a\x0cb\u2028c\rd"]),
    ],
)
def test_lines_end_at_newlines_only(text: str, lines: list[str]) -> None:
    assert split_lines(text) == lines
