"""Whether what a model writes follows from what a person said."""

from __future__ import annotations

from datetime import date

import pytest

from memory.knowledge.composing import follows_in_context

WEDNESDAY = date(2026, 11, 4)


@pytest.mark.parametrize(
    ("said", "fact"),
    [
        ("The plumber comes Tuesday week", "The plumber comes on 17 November 2026"),
        ("the exam is on the twelfth of December", "The exam is on 12 December 2026"),
        ("Prüfung am zwölften Dezember", "Die Prüfung ist am 12. Dezember 2026"),
        ("el doce de diciembre tengo examen", "Tengo examen el 12 de diciembre de 2026"),
        ("we visit my parents at Christmas", "We visit my parents on 25 December 2026"),
        ("Wir fahren an Silvester nach Wien", "Wir fahren am 31. Dezember 2026 nach Wien"),
        ("I stopped drinking alcohol last week", "I no longer drink alcohol"),
        ("Ich habe aufgehört zu rauchen", "Ich rauche nicht mehr"),
        ("Я бросил курить", "Я больше не курю"),
    ],
)
def test_days_and_ends_may_be_told_in_other_words(said: str, fact: str) -> None:
    assert follows_in_context(fact, said, WEDNESDAY, "")


@pytest.mark.parametrize(
    ("said", "fact"),
    [
        ("The plumber comes Tuesday week", "The plumber comes on 12 November 2026"),
        ("the exam is on the twelfth of December", "The exam is on 13 December 2026"),
        ("we visit my parents at Christmas", "We visit my parents on 26 December 2026"),
        ("we visit my parents at Christmas", "We visit my parents on 25 December 2027"),
        ("the Christmas market is near us", "The Christmas market is near us on 25 December 2026"),
        ("Valentina visits us", "Valentina visits us on 14 February 2027"),
        ("my second exam is in December", "My second exam is on 2 December 2026"),
        ("I stopped drinking alcohol", "I drink alcohol"),
        ("I started drinking alcohol", "I no longer drink alcohol"),
    ],
)
def test_other_days_and_the_contrary_do_not_follow(said: str, fact: str) -> None:
    assert not follows_in_context(fact, said, WEDNESDAY, "")
