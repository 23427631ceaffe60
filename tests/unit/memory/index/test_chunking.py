from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.files.markdown import Block, BlockKind
from memory.index.chunking import (
    TOKENS,
    Group,
    cut,
    day_in,
    day_of_file,
    day_of_section,
    groups,
    label,
    size,
    speakers,
    split_line,
)
from tests.support.measure import count_calls


def retained(block: Block) -> bool:
    return block.kind is BlockKind.BULLET and block.retain


def shape(text: str) -> list[tuple[int, int, str]]:
    return [(group.start, group.end, group.speaker) for group in groups(text, retained)]


def test_paragraphs_and_bullets_stand_alone() -> None:
    assert shape("one\ntwo\n\n- three\n- four\n") == [(1, 2, ""), (4, 4, ""), (5, 5, "")]


def test_a_heading_goes_with_what_follows_it() -> None:
    assert shape("# Title\n\n## Part\n\ntext\n\nmore\n") == [(1, 5, ""), (7, 7, "")]


def test_a_heading_that_nothing_follows_stands_alone() -> None:
    assert shape("# One\n\n# Two\n\ntext\n\n# Three\n") == [(1, 1, ""), (3, 5, ""), (7, 7, "")]


def test_a_turn_holds_all_up_to_the_next_label() -> None:
    text = "Ann: hi\n\nmore\n\n- list\n\n### deep\n\nBob: yes\n\nAnn: bye\n\nBob: bye\n"
    assert shape(text) == [(1, 7, "Ann"), (9, 9, "Bob"), (11, 11, "Ann"), (13, 13, "Bob")]


def test_two_speakers_take_turns() -> None:
    assert shape("Ann: a\n\nBob: b\n\nAnn: c\n\nBob: d\n") == [
        (1, 1, "Ann"),
        (3, 3, "Bob"),
        (5, 5, "Ann"),
        (7, 7, "Bob"),
    ]


def test_a_heading_of_a_section_ends_a_turn() -> None:
    found = shape("Ann: a\n\nBob: b\n\nAnn: c\n\nBob: d\n\n## Afterwards\n\nA note.\n")
    assert found[-1] == (9, 11, "")


def test_facts_stand_alone_and_carry_the_titles_above_the_first() -> None:
    text = "# Flat\n\n## Retain\n- one\n- two\n"
    found = list(groups(text, retained))
    assert [(group.start, group.lead, group.fact is not None) for group in found] == [(4, "Flat", True), (5, "", True)]


def test_bare_retain_and_dates_are_no_text() -> None:
    assert shape("## 2026-01-20\n\n## Retain\n- fact\n\n## Retain\n") == [(4, 4, "")]


def test_comments_and_properties_are_in_no_group() -> None:
    assert shape("---\na: b\n---\ntext\n<!-- secret -->\n\nmore\n") == [(4, 4, ""), (7, 7, "")]


@pytest.mark.parametrize("opening", ["```", "<!-- open"])
def test_what_is_never_closed_does_not_swallow_the_rest(opening: str) -> None:
    found = shape(f"{opening}\n\nAnn: a\n\nBob: b\n\nAnn: c\n\nBob: d\n")
    assert (3, 3, "Ann") in found
    assert (9, 9, "Bob") in found


def test_a_fence_left_open_in_one_turn_ends_where_the_next_begins() -> None:
    text = "Ann: see\n\n```\ncode\n\nBob: thanks\n\nAnn: again\n\n```\nmore\n```\n\nBob: ok\n\nAnn: bye\n\nBob: bye\n"
    found = [(group.start, group.speaker) for group in groups(text, retained)]
    assert found == [(1, "Ann"), (6, "Bob"), (8, "Ann"), (14, "Bob"), (16, "Ann"), (18, "Bob")]


def test_a_fence_without_turns_is_left_alone() -> None:
    text = "Ann: a\n\nBob: b\n\nAnn: c\n\nBob: d\n\n```\nkey: value\n\nother: value\n```\n"
    assert shape(text)[-1] == (7, 13, "Bob")


def test_after_what_is_never_closed_titles_are_those_above() -> None:
    text = "# One\n\n```\n\n# Two\n\ntext\n\n<!-- open\n\n## Three\n\nmore\n"
    assert [group.headings for group in groups(text, retained)][-2:] == [("Two",), ("Two", "Three")]


def test_a_fence_that_was_left_open_hides_no_later_one() -> None:
    turns = "Ann: hi\n\nBob: hi\n\nAnn: see\n\n```\ncode\n\nBob: thanks\n\n```\n# quoted\n```\n\nAnn: ok\n\nBob: bye\n"
    found = [(group.start, group.end, group.speaker) for group in groups(turns, retained)]
    assert found[2:] == [(5, 9, "Ann"), (10, 14, "Bob"), (16, 16, "Ann"), (18, 18, "Bob")]


@pytest.mark.parametrize(
    "unit",
    [
        "<!--\n",
        "<!-- note\ntext\n",
        "~~~\n```\n",
        "# Title\n<!--\n",
        "```\n\nAnn: a\n\nBob: b\n\n",
        "`````\n\nAnn: a\n\n````\n",
    ],
)
def test_whatever_is_left_open_the_work_grows_with_the_lines(unit: str) -> None:
    few, many = unit * 500, unit * 2000

    assert count_calls(lambda: shape(many)) < 4.4 * count_calls(lambda: shape(few))


def test_fences_inside_fences_are_each_looked_through_once() -> None:
    marks = ["`" * length for length in range(160, 2, -1)]
    text = "Ann: a\n\n" * 2 + "".join(f"Ann: a\n\n{mark}\n\n" for mark in marks) + "\n".join(reversed(marks))

    assert len(shape(text)) == len(marks) + 2
    assert count_calls(lambda: shape(text)) < 60 * text.count("\n")


@given(st.text(alphabet=st.sampled_from(list("Ab:#-*` \n<!>|1.")), max_size=200))
def test_groups_follow_one_another_without_overlap(text: str) -> None:
    found: list[Group] = list(groups(text, retained))
    assert all(group.start <= group.end for group in found)
    assert all(before.end < behind.start for before, behind in pairwise(found))


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


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("2026-01-20", "2026-01-20"),
        ("Jon and Gina, 2023-01-20 16:04", "2023-01-20"),
        ("20.1.2026", "2026-01-20"),
        ("Sitzung vom 03.11.2025, 9 Uhr", "2025-11-03"),
        ("2026年1月20日的会议", "2026-01-20"),
        ("2026-13-40 or 2026-02-03", "2026-02-03"),
        ("12026-01-20", None),
        ("version 1.2.3", None),
        ("", None),
    ],
)
def test_a_calendar_day_in_a_title_is_found(text: str, day: str | None) -> None:
    assert day_in(text) == day


@pytest.mark.parametrize(
    ("path", "day"),
    [
        ("memory/2026-01-20.md", "2026-01-20"),
        ("memory/2026-01-20-dentist.md", "2026-01-20"),
        ("2026-01-20/notes.md", None),
        ("bank/world.md", None),
    ],
)
def test_a_file_is_dated_by_its_name(path: str, day: str | None) -> None:
    assert day_of_file(path) == day


def test_the_innermost_dated_heading_counts() -> None:
    assert day_of_section(("2026-01-01", "Week of 2026-01-05", "Monday")) == "2026-01-05"
    assert day_of_section(("Notes",)) is None
