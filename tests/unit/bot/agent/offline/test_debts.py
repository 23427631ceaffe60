"""What is owed or lent, and where one learns, found by a question that names neither whom nor where."""

from __future__ import annotations

import pytest

from tests.support.conversation import Conversation


@pytest.mark.parametrize(
    ("told", "asked"),
    [
        ("I owe Tom 50 euros", "Do I still owe anybody money?"),
        ("I borrowed 20 pounds from Ben", "Do I owe anyone anything?"),
        ("I lent Ana my drill", "What have I lent to people?"),
        ("Ich schulde Klaus 20 Euro", "Wem schulde ich Geld?"),
        ("Ich habe Klaus 20 Euro geliehen", "Wem habe ich noch Geld geliehen?"),
        ("Le debo 30 euros a Pedro", "¿A quién le debo dinero?"),
        ("Je dois 40 euros à Luc", "À qui est-ce que je dois de l'argent ?"),
        ("Я должен Игорю 500 рублей", "Кому я должен денег?"),
        ("我欠小李三百块钱", "我还欠谁钱？"),
        ("I study at Leeds", "Where do I study?"),
        ("I go to Hilltop School", "Which school do I go to?"),
        ("Ich studiere in Jena", "Wo studiere ich?"),
        ("我在北大读书", "我在哪里上学？"),
    ],
)
async def test_what_is_told_is_found_by_what_it_states(here: Conversation, told: str, asked: str) -> None:
    await here.say("I took the bus to the baker and bought 2 rolls.")
    await here.say(told)

    assert (await here.say(asked)).splitlines()[1] == f"1. > {told}"


@pytest.mark.parametrize("asked", ["Do I owe Ben money?", "Who borrowed the ladder?", "Habe ich Ben Geld geliehen?"])
async def test_a_question_for_one_debt_is_not_answered_by_all(here: Conversation, asked: str) -> None:
    await here.say("I owe Tom 50 euros")
    await here.say("Ich habe Klaus 20 Euro geliehen")

    assert (await here.say(asked)).splitlines()[0] not in {"From memory:", "Aus dem Gedächtnis:"}
