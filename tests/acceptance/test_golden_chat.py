"""The rules against chats that were written before them."""

from __future__ import annotations

import pytest

from tests.acceptance.golden_chat import LANGUAGES, TWELVE, Line, act_score, of_language, read, table

ENOUGH = 0.9
ENOUGH_BLIND = 0.85
"""With sixteen lines of a kind, one that is missed weighs six hundredths."""


@pytest.fixture(scope="module")
def lines() -> list[Line]:
    read_lines = read()
    print(table(read_lines))
    return read_lines


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("act", ["note", "answer"])
def test_what_is_noted_and_what_is_answered_is_mostly_right_and_mostly_complete(
    lines: list[Line], lang: str, act: str
) -> None:
    score = act_score(of_language(lines, lang), act)

    assert score.precision >= ENOUGH
    assert score.recall >= ENOUGH


def test_in_twelve_languages_most_of_what_is_noted_and_answered_is_right_and_complete() -> None:
    lines = read(TWELVE)
    print(table(lines))
    scores = {
        (lang, act): act_score(of_language(lines, lang), act)
        for lang in dict.fromkeys(line.lang for line in lines)
        for act in ("note", "answer")
    }

    assert len(scores) == 24
    low = {which: str(score) for which, score in scores.items() if min(score.precision, score.recall) < ENOUGH_BLIND}
    assert low == {}


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_chat_holds_enough_of_every_act_to_tell(lines: list[Line], lang: str) -> None:
    some = of_language(lines, lang)

    assert all(sum(line.wanted == act for line in some) >= 20 for act in ("note", "answer", "neither"))
