"""The rules against a chat that was written before them and that they have not been fitted to."""

from __future__ import annotations

import pytest

from tests.acceptance.golden_chat import LANGUAGES, Line, act_score, of_language, read, table

ENOUGH = 0.9


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


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_chat_holds_enough_of_every_act_to_tell(lines: list[Line], lang: str) -> None:
    some = of_language(lines, lang)

    assert all(sum(line.wanted == act for line in some) >= 20 for act in ("note", "answer", "neither"))
