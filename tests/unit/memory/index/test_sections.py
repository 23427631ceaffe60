from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.files.lines import BlockKind
from memory.files.markdown import Block
from memory.index.sections import Group, groups
from tests.steps import calls


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

    assert calls(lambda: shape(many)) < 4.4 * calls(lambda: shape(few))


def test_fences_inside_fences_are_each_looked_through_once() -> None:
    marks = ["`" * length for length in range(160, 2, -1)]
    text = "Ann: a\n\n" * 2 + "".join(f"Ann: a\n\n{mark}\n\n" for mark in marks) + "\n".join(reversed(marks))

    assert len(shape(text)) == len(marks) + 2
    assert calls(lambda: shape(text)) < 60 * text.count("\n")


@given(st.text(alphabet=st.sampled_from(list("Ab:#-*` \n<!>|1.")), max_size=200))
def test_groups_follow_one_another_without_overlap(text: str) -> None:
    found: list[Group] = list(groups(text, retained))
    assert all(group.start <= group.end for group in found)
    assert all(before.end < behind.start for before, behind in pairwise(found))
