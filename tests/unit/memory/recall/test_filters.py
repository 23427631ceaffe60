from __future__ import annotations

from contextlib import suppress
from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.errors import FilterRefused
from memory.recall.filters import FilterOptions, format_filter, read_question, split_options
from memory.types import EVERYWHERE, Filter, Kind

TODAY = date(2026, 6, 10)


def test_options_are_read_wherever_they_stand() -> None:
    text = (
        '--entity "Mary Ann" what does she —kind opinion --category decision,goal prefer --since 30d '
        "--until=2026-06-01 --as-of 2025-11 --believed 2026-03-31 --entity @Bo --tag #Kitchen,garden -k 25"
    )
    assert split_options(text, TODAY) == (
        "what does she prefer",
        Filter(
            since="2026-05-11",
            until="2026-06-01",
            kinds=(Kind.OPINION,),
            entities=("Mary Ann", "Bo"),
            categories=("decision", "goal"),
            tags=("Kitchen", "garden"),
            valid=("2025-11-01", "2025-11-30"),
            known="2026-03-31",
        ),
        25,
    )


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ("--in handbook", "what is in handbook"),
        ("--in ./bank/ --in=MEMORY.md", "what is in bank or MEMORY.md"),
        ("--in extra/handbook", "what is in extra/handbook"),
        ('--in "memory/2026-01-20.md#L12-L14" --in memory/2026-01-20.md', "what is in memory/2026-01-20.md"),
        ("--in ././memory/../bank//", "what is in bank"),
        ("--in ./ --in . --in /", ""),
    ],
)
def test_a_place_is_a_file_a_folder_or_an_extra_folder(typed: str, told: str) -> None:
    text, where, _ = split_options(f"spare key {typed}", TODAY)
    assert (text, format_filter(where)) == ("spare key", told)


@pytest.mark.parametrize(
    ("typed", "since"),
    [
        ("2w", "2026-05-27"),
        ("1y", "2025-06-09"),
        ('"last week"', "2026-06-01"),
        ('"letzten Montag"', "2026-06-08"),
        ("上周", "2026-06-01"),
        ("2025-11", "2025-11-01"),
    ],
)
def test_days_are_given_as_days_as_times_back_or_in_words(typed: str, since: str) -> None:
    assert split_options(f"x --since {typed}", TODAY)[1].since == since


@pytest.mark.parametrize("typed", ['"last week"', "last week\n", "\t‘last week’", "\u3000“ last week ”\u3000"])
def test_words_for_a_day_may_stand_in_quotes_where_no_shell_takes_them_away(typed: str) -> None:
    assert FilterOptions(since=typed).resolve(TODAY).since == "2026-06-01"


@pytest.mark.parametrize(
    "text",
    ["what does --force do", "what does --min do", "tent OR -cellar; -- tent", "a - b", "e-mail --", "-5 degrees"],
)
def test_what_is_no_option_is_part_of_the_question(text: str) -> None:
    assert split_options(text, TODAY) == (text, EVERYWHERE, None)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("x --kind guess", "opinion"),
        ("x --kinds world", "--kind"),
        ("x --category thing", "decision"),
        ("x --since 2026-02-30", "30d"),
        ("x --kind --since 1d", "--kind opinion"),
        ("x --since 1d --until 3w", "after"),
        ("x -k 0", "1 to 50"),
        ("x --limit many", "-k 25"),
    ],
)
def test_a_wrong_option_says_what_was_typed_and_what_is_allowed(text: str, told: str) -> None:
    with pytest.raises(FilterRefused) as refused:
        split_options(text, TODAY)
    assert told in str(refused.value)


@pytest.mark.parametrize(
    "given",
    [{"since": "nonsense"}, {"until": "3rd"}, {"as_of": "x"}, {"kinds": ["guess"]}, {"categories": ["thing"]},
     {"since": "1d", "until": "3w"}],
)  # fmt: skip
def test_what_was_given_without_options_is_refused_without_naming_any(given: dict[str, Any]) -> None:
    with pytest.raises(FilterRefused) as refused:
        FilterOptions(**given).resolve(TODAY)
    assert "--" not in str(refused.value)


@pytest.mark.parametrize(
    ("text", "rest", "where"),
    [
        ("What held in November?", "?", Filter(valid=("2025-11-01", "2025-11-30"))),
        ("What was true about Peter in November?", "about Peter ?", Filter(valid=("2025-11-01", "2025-11-30"))),
        ("What is true now?", "?", Filter(valid=("2026-06-10", "2026-06-10"))),
        ("Was war im November gültig?", "?", Filter(valid=("2025-11-01", "2025-11-30"))),
        ("Was gilt derzeit bei uns?", "bei uns?", Filter(valid=("2026-06-10", "2026-06-10"))),
        ("11月有什么是有效的？", "？", Filter(valid=("2025-11-01", "2025-11-30"))),
        ("What did we believe in March?", "?", Filter(known="2026-03-31")),
        ("Was wussten wir im März über Peter?", "über Peter?", Filter(known="2026-03-31")),
        ("三月时我们认为安娜住在哪里？", "安娜住在哪里？", Filter(known="2026-03-31")),
        ("What did we know about Peter?", "What did we know about Peter?", EVERYWHERE),
        ("What happened in November?", "What happened in November?", EVERYWHERE),
    ],
)
def test_a_plain_question_can_ask_what_held_or_what_was_known(text: str, rest: str, where: Filter) -> None:
    left, found = read_question(text, TODAY)
    assert (" ".join(left.split()), found) == (rest, where)


def test_a_filter_is_told_in_words() -> None:
    where = FilterOptions(
        ["Bo"], ["O"], ["goal"], ["cello", "#band"], "2026-01-01", "2026-02-01", "2026-01-05", "2026-03-01"
    ).resolve(TODAY)
    assert format_filter(where) == (
        "kind opinion, about Bo, category goal, #cello or #band, from 2026-01-01 to 2026-02-01, "
        "what held on 2026-01-05, what had been written down by 2026-03-01"
    )
    assert format_filter(EVERYWHERE) == ""


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("Where is the key how sure are you?", "Where is the key  ?"),
        ("Where is my ticket, and how sure are you about that?", "Where is my ticket ?"),
        ("Wo liegt der Schlüssel und wie sicher bist du dir?", "Wo liegt der Schlüssel ?"),
        ("¿Dónde está la llave y qué tan seguro estás?", "¿Dónde está la llave ?"),
        ("钥匙在哪里；你有多确定？", "钥匙在哪里 ？"),
        ("How sure are you?", "How sure are you?"),
    ],
)
def test_how_sure_the_answer_is_is_asked_beside_a_question_and_not_looked_for(text: str, left: str) -> None:
    assert read_question(text, TODAY)[0].split() == left.split()


@given(st.text() | st.from_regex(r"(--(kind|since|entity|as-of) ?\w{0,6} ?\"?){1,3}"))
def test_any_text_is_read_or_refused(text: str) -> None:
    read_question(text, TODAY)
    with suppress(FilterRefused):
        assert len(split_options(text, TODAY)[0]) <= len(text)
