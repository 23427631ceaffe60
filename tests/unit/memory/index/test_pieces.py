from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.index.pieces import TOKENS, cut, size, split_line

LIMIT = TOKENS * 4


def test_what_fits_stays_whole() -> None:
    lines = ["one", "", "two"]
    assert cut(lines, first=1, last=3) == [(1, 3, "one\n\ntwo")]


def test_what_is_too_long_is_cut_at_blank_lines() -> None:
    paragraph = "word " * (LIMIT // 10)
    lines = [paragraph, "", paragraph, "", paragraph]
    assert [(first, last) for first, last, _ in cut(lines, first=1, last=5)] == [(1, 1), (3, 3), (5, 5)]


def test_small_paragraphs_are_put_together() -> None:
    lines = ["x" * (LIMIT // 4), ""] * 8
    pieces = cut(lines, first=1, last=16)
    assert [(first, last) for first, last, _ in pieces] == [(1, 5), (7, 11), (13, 15)]


def test_a_paragraph_too_long_is_cut_at_lines() -> None:
    lines = ["x" * (LIMIT // 2)] * 4
    assert [(first, last) for first, last, _ in cut(lines, first=1, last=4)] == [(1, 1), (2, 2), (3, 3), (4, 4)]


def test_a_line_too_long_is_cut_at_sentences_and_shares_its_number() -> None:
    sentence = f"{'word ' * 40}end. "
    lines = ["before", sentence * 6, "after"]
    pieces = cut(lines, first=1, last=3)
    assert {(first, last) for first, last, text in pieces if "end" in text} == {(2, 2)}
    assert "".join(text for first, _, text in pieces if first == 2) == lines[1]
    assert all(text.rstrip().endswith("end.") for first, _, text in pieces if first == 2)


@pytest.mark.parametrize("line", ["x" * 5000, "字" * 5000, "word " * 2000, "一句话。" * 900, "\ud800" * 3000])
def test_a_line_without_end_is_cut_anyway(line: str) -> None:
    parts = split_line(line)
    assert "".join(parts) == line
    assert max(map(size, parts)) <= LIMIT


@given(st.lists(st.text(alphabet="ab .!字\U0001f4aa", max_size=400), max_size=20))
def test_no_piece_is_too_long_and_nothing_is_lost_or_moved(lines: list[str]) -> None:
    if not any(line.strip() for line in lines):
        return
    pieces = cut(lines, first=1, last=len(lines))
    assert all(size(text) <= LIMIT for _, _, text in pieces)
    assert [first for first, _, _ in pieces] == sorted(first for first, _, _ in pieces)
    whole = "".join(text for _, _, text in pieces)
    assert [c for c in whole if not c.isspace()] == [c for line in lines for c in line if not c.isspace()]
