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


@pytest.mark.parametrize(
    ("mine", "theirs", "asked"),
    [
        ("I owe Ben 20 euros", "Ana owes me 50 euros", ("what do I owe?", "who owes me money?")),
        ("Ben lent me 20 euros", "I lent Ana 50 euros", ("what do I owe?", "who owes me money?")),
        ("Ich schulde Ben 20 Euro", "Ana schuldet mir 50 Euro", ("Wem schulde ich Geld?", "Wer schuldet mir Geld?")),
        ("我欠小李200块", "小王欠我100块", ("我欠谁钱？", "谁欠我钱？")),
        ("я должен Пете 500 рублей", "Оля должна мне 300 рублей", ("кому я должен?", "кто мне должен?")),
    ],
)
async def test_debts_are_listed_in_the_direction_that_is_asked_for(
    here: Conversation, mine: str, theirs: str, asked: tuple[str, str]
) -> None:
    await here.say(mine)
    await here.say(theirs)

    answers = [await here.say(question) for question in asked]
    assert [(mine in answer, theirs in answer) for answer in answers] == [(True, False), (False, True)]


async def test_who_owes_nobody_is_told_of_no_debt_of_others(here: Conversation) -> None:
    await here.say("Ana owes me 50 euros")

    assert "Ana" not in await here.say("what do I owe?")


@pytest.mark.parametrize(
    ("lent", "back", "asked"),
    [
        ("I lent Ana 30 euros", "Ana has given me back the 30 euros", "who owes me money?"),
        ("I lent Ana my drill", "Ana brought the drill back", "what have I lent to people?"),
        (
            "Ich hab dem Nachbarn 50 Euro geliehen",
            "Der Nachbar hat die 50 Euro zurückgezahlt",
            "Wer schuldet mir Geld?",
        ),
        ("Le presté 30 euros a Marta", "Marta ya me ha devuelto los 30 euros", "¿Quién me debe dinero?"),
        ("J'ai prêté 20 euros à Luc", "Luc m'a rendu les 20 euros", "Qui me doit de l'argent ?"),
        ("I lent my drill to Ben", "Ben asked for a saw and gave the drill back", "what have I lent"),
        ("Presté el taladro a Ben", "Ben devolvió el taladro, ya no lo necesita", "qué he prestado"),
    ],
)
async def test_asked_for_all_that_is_lent_what_is_back_is_told_as_that(
    here: Conversation, lent: str, back: str, asked: str
) -> None:
    await here.say(lent)
    here.clock.advance(hours=1)
    await here.say(back)

    assert (await here.say(asked)).splitlines()[1] == f"1. > {back}"


@pytest.mark.parametrize(
    ("lent", "wanted", "asked"),
    [
        (
            "Tom lent me the cargo bike; the lock opens with 2290",
            "Tom wants the cargo bike back",
            "what opens the bike lock?",
        ),
        ("I borrowed Ben's drill, it is in the shed", "I have to give Ben's drill back", "which drill is in the shed?"),
        (
            "Klaus hat mir die Leiter geliehen, sie steht im Keller",
            "Klaus möchte die Leiter zurück",
            "wo steht die Leiter?",
        ),
    ],
)
async def test_what_is_wanted_back_is_not_back(here: Conversation, lent: str, wanted: str, asked: str) -> None:
    await here.say(lent)
    here.clock.advance(hours=1)
    await here.say(wanted)

    assert (await here.say(asked)).splitlines()[1] == f"1. > {lent}"


async def test_what_is_back_of_another_thing_ends_no_debt(here: Conversation) -> None:
    await here.say("I lent Ana my drill")
    here.clock.advance(hours=1)
    await here.say("Ana brought the ladder back")
    await here.say("Ana is back")

    assert (await here.say("what have I lent to people?")).splitlines()[1] == "1. > I lent Ana my drill"
