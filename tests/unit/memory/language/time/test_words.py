"""The words for time: that every language has all of them, and what numbers they stand for."""

import pytest

from memory.language.time.words import EUROPE, PATTERNS, WORDS, number_of, numbered, weekdays_of
from memory.language.words import read_lists

COUNTS = {
    "months": range(1, 13), "weekdays": range(7), "seasons": range(4), "units": range(4), "steps": range(-1, 2),
    "bounds": range(5), "parts": range(3), "and_": range(2),
}  # fmt: skip


@pytest.mark.parametrize("language", EUROPE)
def test_every_language_of_europe_has_all_it_counts(language: str) -> None:
    counted = {name: {*EUROPE[language][name].values()} for name in COUNTS}

    assert counted == {name: {*numbers} for name, numbers in COUNTS.items()}


@pytest.mark.parametrize("language", sorted(WORDS.keys() - {"cjk"}))
def test_every_language_has_weekdays_numbers_and_the_days_around_today(language: str) -> None:
    assert {*weekdays_of(language).values()} == {*range(7)}
    assert {*WORDS[language]["numbers"].values()} >= {*range(1, 11)}
    assert {*WORDS[language]["days"].values()} >= {*range(-2, 3)}


@pytest.mark.parametrize("language", EUROPE)
def test_no_word_stands_for_two_months_or_weekdays(language: str) -> None:
    for name in ("months", "weekdays", "seasons", "units"):
        written = read_lists("memory.language", "lexicon", "dates.toml")[language][name]
        assert len([word for word in written.replace("|", " ").split() if not word.isdecimal()]) == len(
            EUROPE[language][name]
        )


@pytest.mark.parametrize("language", EUROPE)
def test_patterns_have_a_place_for_number_and_unit(language: str) -> None:
    assert all("{n}" in PATTERNS[language][name] and "{u}" in PATTERNS[language][name] for name in ("ago", "lately"))


def test_a_number_before_a_group_counts_on_from_there() -> None:
    assert numbered("-1 last_night|today now|20 twenty|more") == {
        "last night": -1, "today": 0, "now": 0, "twenty": 20, "more": 21,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("written", "number"), [("14", 14), ("fourteen", -1), ("十四", 14), ("二十", 20), ("两", 2), ("三十一", 31)]
)
def test_numbers_are_read_in_figures_and_chinese_digits(written: str, number: int) -> None:
    assert number_of(written, WORDS["zh"]["numbers"]) == number
