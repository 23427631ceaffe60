from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.files.lines import block_id
from memory.index.unit import Unit, distinct_names, line_name
from memory.model import OWNER, Kind, Origin, chat_scope

UNIT = Unit(
    name="k1",
    kind=Kind.WORLD,
    start=3,
    end=3,
    text="- W @Peter: Lives in Rome. ^k1",
    body="Lives in Rome.",
    origin=Origin.OWNER,
    scope=OWNER,
    entities=("Peter",),
)


def test_place_and_owner_do_not_change_the_digest() -> None:
    moved = replace(UNIT, start=9, end=9, turn=4, origin=Origin.GUEST, scope=chat_scope("1"))
    assert moved.digest() == UNIT.digest()


@pytest.mark.parametrize(
    "other",
    [
        replace(UNIT, body="x"),
        replace(UNIT, text="x"),
        replace(UNIT, name="x"),
        replace(UNIT, kind=Kind.OPINION),
        replace(UNIT, title="x"),
        replace(UNIT, lead="x"),
        replace(UNIT, time="x"),
        replace(UNIT, entities=("Peter", "Rome")),
        replace(UNIT, speaker="x"),
        replace(UNIT, category="goal"),
        replace(UNIT, language="de"),
    ],
)
def test_anything_else_does(other: Unit) -> None:
    assert other.digest() != UNIT.digest()


def test_names_that_the_text_leaves_out_are_searched_with_it() -> None:
    assert UNIT.searched() == ("en", "live in rome peter")
    assert replace(UNIT, body="Peter lives in Rome.").searched() == ("en", "peter live in rome")


def test_titles_are_searched_with_the_first_unit_under_them() -> None:
    assert replace(UNIT, lead="Address").searched()[1].split()[0] == "address"


def test_a_short_unit_is_taken_for_the_language_of_its_file() -> None:
    assert replace(UNIT, body="Termine", entities=(), language="de").searched() == ("de", "termin")


@pytest.mark.parametrize(
    ("text", "expected"), [("a line ^k3f9", "k3f9"), ("^k3", "k3"), ("a ^k b", None), ("a^k", None), ("a", None)]
)
def test_a_block_id_ends_the_text(text: str, expected: str | None) -> None:
    assert block_id(text) == expected


def test_a_name_by_words_ignores_spacing_and_nothing_else() -> None:
    assert line_name("a.md", "two  words\n") == line_name("a.md", "two words")
    assert line_name("a.md", "two words") != line_name("a.md", "Two words")
    assert line_name("a.md", "two words") != line_name("b.md", "two words")
    assert line_name("a.md", "\ud800").startswith("h")


@given(st.lists(st.sampled_from(["a", "b", "a-2", "a-3", "a-2-2"])))
def test_names_become_distinct_and_the_first_of_each_keeps_its_own(names: list[str]) -> None:
    found = distinct_names(names)
    assert len(set(found)) == len(found) == len(names)
    if names:
        assert found[0] == names[0]


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("# Anna and Ben, 2026-11-20 16:04\n\nAnna: Hello.", "Anna: Hello."),
        ("# 2026-11-20\n\n## Evening of 2026-11-20\nRain.", "## Evening of 2026-11-20\nRain."),
        ("# The harbour\n\nIt is old.", "# The harbour\n\nIt is old."),
        ("# Anna, 2026-11-20", "# Anna, 2026-11-20"),
        ("It was on\n# 2026-11-20", "It was on\n# 2026-11-20"),
    ],
)
def test_the_dated_title_of_a_log_is_not_part_of_what_its_first_paragraph_means(text: str, meant: str) -> None:
    unit = Unit(name="h1", kind=Kind.NOTE, start=1, end=3, text=text, body=text, origin=Origin.OWNER, scope=OWNER)
    assert unit.meant == meant
