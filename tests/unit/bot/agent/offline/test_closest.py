"""What is said of somebody else than a question asks about is quoted as what comes closest, not as an answer."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.agent.offline.closest import heading
from memory import OWNER, Recall
from tests.support.conversation import Conversation


@pytest.mark.parametrize(
    ("told", "asked", "who"),
    [
        ("Mum's birthday is on 3 May", "When is dad's birthday?", "dad"),
        ("I owe Tom 50 euros", "How much do I owe Ben?", "Ben"),
        ("Omas Geburtstag ist am 8. Juli", "Wann hat Opa Geburtstag?", "Opa"),
        ("El cumpleaños de Marta es el 4 de abril", "¿Cuándo es el cumpleaños de Pedro?", "Pedro"),
        ("L'anniversaire de Claire est le 9 mars", "C'est quand l'anniversaire de Luc ?", "Luc"),
        ("День рождения Кати 7 октября", "Когда день рождения Игоря?", "Игоря"),
        ("妈妈的生日是五月三日", "爸爸的生日是哪天？", "爸"),
        ("小王的电话是13800001234", "小李的电话是多少？", "小李"),
    ],
)
async def test_what_is_known_of_another_comes_closest(here: Conversation, told: str, asked: str, who: str) -> None:
    assert await heading_of(here, [told], asked) == f"I know nothing like that about {who}. What comes closest:"


@pytest.mark.parametrize(
    ("told", "asked"),
    [
        (["Mum's birthday is on 3 May"], "When is my mother's birthday?"),
        (["My mum is called Ruth", "Ruth's birthday is on 3 May"], "When is mum's birthday?"),
        (["Маша живёт в Риге"], "Где живёт моя подруга Маша?"),
        (["Omas Geburtstag ist am 8. Juli"], "Wann hat Oma Geburtstag?"),
        (["我妹妹在深圳工作"], "妹妹在哪里工作？"),
        (["My shoe size is 42"], "What is my shoe size?"),
    ],
)
async def test_what_was_asked_is_answered(here: Conversation, told: list[str], asked: str) -> None:
    assert await heading_of(here, told, asked) == "From memory:"


async def heading_of(here: Conversation, told: list[str], asked: str) -> str:
    """Return what the answer begins with that quotes what was told last."""
    for one in told:
        await here.say(one)
    hits = await here.agents["personal"].memory.recent(scope=OWNER)
    return heading(Recall(asked, "words", "", 0.0, hits), hits[:1])


@pytest.mark.parametrize(("near", "held", "is_certain"), [(0.02, 0.5, False), (0.1, 0.5, True), (0.02, 0.9, True)])
async def test_what_is_far_in_meaning_and_in_words_is_not_certain(
    here: Conversation, near: float, held: float, *, is_certain: bool
) -> None:
    await here.say("My shoe size is 42")
    (hit,) = await here.agents["personal"].memory.recent(scope=OWNER)
    found = Recall("What's my jacket size?", "hybrid", "", 0.0, (replace(hit, grounds={"near": near, "held": held}),))

    assert (heading(found, found.hits) == "From memory:") == is_certain


async def test_the_passage_is_quoted_below(here: Conversation) -> None:
    await here.say("I owe Tom 50 euros")

    assert (await here.say("Do I owe Ben euros?")).splitlines()[:2] == [
        "I know nothing like that about Ben. What comes closest:",
        "1. > I owe Tom 50 euros",
    ]
