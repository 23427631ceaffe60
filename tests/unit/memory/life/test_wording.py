from __future__ import annotations

import pytest

from memory.life.wording import overlap, say_the_same


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("I'm allergic to peanuts.", "Remember that I am allergic to peanuts!"),
        ("On Monday I go to yoga.", "I go to yoga on Monday"),
        ("Am Montag habe ich ein MRT.", "Ich habe am Montag ein MRT."),
        ("星期三我要去看牙医。", "我星期三要去看牙医"),
        ("I don't eat meat.", "I do not eat meat, please."),
        ("现在我住在格拉茨。", "我住在格拉茨"),
    ],
)
def test_case_empty_words_and_the_place_of_a_day_do_not_make_another_statement(one: str, other: str) -> None:
    assert say_the_same(one, other)
    assert say_the_same(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("I moved to Graz.", "I moved to Linz."),
        ("I like tea.", "I do not like tea."),
        ("The train from Graz to Linz is late.", "The train from Linz to Graz is late."),
        ("Den Hund beißt der Mann.", "Der Hund beißt den Mann."),
        ("妈妈给爸爸打电话。", "爸爸给妈妈打电话。"),
        ("On Monday yoga, on Friday chess.", "On Friday yoga, on Monday chess."),
        ("He lives in Graz.", "He lived in Graz."),
        ("I have few friends.", "I have a few friends."),
        ("Take two pills.", "Take ten pills."),
        ("It costs 30 euros a month.", "It costs 30 euros a week."),
        ("Ich esse nur Fisch.", "Ich esse Fisch."),
        ("", "the"),
    ],
)
def test_a_number_name_direction_negation_or_tense_makes_another_statement(one: str, other: str) -> None:
    assert not say_the_same(one, other)


def test_overlap_is_the_share_of_common_words_and_takes_any_text() -> None:
    assert overlap("The spare key is under the blue pot.", "The spare key is under the blue pot!") == 1
    assert overlap("The spare key is under the blue pot.", "Under the blue pot there is a spare key.") > 0.8
    assert overlap("我对花生过敏。", "我一吃花生就过敏。") > 0.5
    assert overlap("The spare key is under the blue pot.", "Our cat sleeps all day.") == 0
    assert overlap("", "!") == 0
    assert overlap("word " * 100_000, "word") > 0
