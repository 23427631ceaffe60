"""What is said of somebody else than a question asks about is quoted as what comes closest, not as an answer."""

from __future__ import annotations

import pytest

from bot.agent.offline.closest import heading
from memory import OWNER, Recall
from tests.support.conversation import Conversation


@pytest.mark.parametrize(
    ("told", "asked", "who"),
    [
        ("Mum's birthday is on 3 May", "When is dad's birthday?", "dad"),
        ("I owe Tom 50 euros", "How much do I owe Ben?", "Ben"),
        ("Albany is on 3 May", "When is Ben on?", "Ben"),
        ("Omas Geburtstag ist am 8. Juli", "Wann hat Opa Geburtstag?", "Opa"),
        ("El cumpleaños de Marta es el 4 de abril", "¿Cuándo es el cumpleaños de Pedro?", "Pedro"),
        ("L'anniversaire de Claire est le 9 mars", "C'est quand l'anniversaire de Luc ?", "Luc"),
        ("День рождения Кати 7 октября", "Когда день рождения Игоря?", "Игоря"),
        ("Η Μαρία μένει στην Πάτρα", "Πού μένει ο Γιώργος;", "Γιώργος"),
        ("妈妈的生日是五月三日", "爸爸的生日是哪天？", "爸爸"),
        ("妈妈住在北京", "姨妈住在哪里？", "姨妈"),
        ("Leo likes football", "Does Kim like football?", "Kim"),
        ("小王的电话是13800001234", "小李的电话是多少？", "小李"),
        ("刘医生每周三出诊", "王医生什么时候出诊？", "王医生"),
    ],
)
async def test_what_is_known_of_another_comes_closest(here: Conversation, told: str, asked: str, who: str) -> None:
    assert await heading_of(here, [told], asked) == f"I know nothing like that about {who}. What comes closest:"


@pytest.mark.parametrize(
    ("told", "asked"),
    [
        (["Mum's birthday is on 3 May"], "When is my mother's birthday?"),
        (["mums blood pressure was 152/94"], "what was mum's blood pressure"),
        (["室友叫Kelvin，马来西亚人"], "Kelvin是哪里人"),
        (["Gran's birthday is on 3 May"], "When is grandma's birthday?"),
        (["My parents live in Leeds"], "Where does mum live?"),
        (["Die Kinder sind in der Kita"], "Wo ist meine Tochter?"),
        (["My mum is called Ruth", "Ruth's birthday is on 3 May"], "When is mum's birthday?"),
        (["My sister Ellie works in Hull", "Ellie's key is under the pot"], "Where is my sister's key?"),
        (["My brother Tim lives in Leeds", "My brother is allergic to penicillin"], "What is Tim allergic to?"),
        (["Моя сестра Аня живёт в Казани", "Аня любит чай"], "Что любит моя сестра?"),
        (["Mr Achebe comes on Monday"], "When does Winston Achebe come?"),
        (["Lucía vive en Gijón"], "¿Dónde vive Lucia?"),
        (["Le chargeur de mon iPhone est là"], "Où est le chargeur de l'iPhone ?"),
        (["Маша живёт в Риге"], "Где живёт моя подруга Маша?"),
        (["Оле подарили велосипед"], "Что любит Оля?"),
        (["Omas Geburtstag ist am 8. Juli"], "Wann hat Oma Geburtstag?"),
        (["我妹妹在深圳工作"], "妹妹在哪里工作？"),
        (["晓雯的生日是五月一号"], "林晓雯的生日是哪天？"),
        (["王大夫每周三出诊"], "王医生什么时候出诊？"),
        (["My shoe size is 42"], "What is my shoe size?"),
    ],
)
async def test_what_was_asked_is_answered(here: Conversation, told: list[str], asked: str) -> None:
    assert await heading_of(here, told, asked) == "From memory:"


@pytest.mark.parametrize(
    "asked",
    [
        "Hi Jay, where is the key?",
        "Where is the key, Jay?",
        "What's my NHS number?",
        "Wann ist meine OP?",
        "Wie heißt der Zahnarzt?",
        "¡Dime dónde está la llave!",
        "¿Desde cuándo trabajo aquí?",
        "Где Ваш офис?",
        "Где синяя тетрадь?",
        "Где брать билеты?",
        "Где материалы?",
    ],
)
async def test_a_question_about_nobody_is_answered(here: Conversation, asked: str) -> None:
    assert await heading_of(here, ["My shoe size is 42"], asked) == "From memory:"


async def test_who_is_asked_about_is_told_as_it_was_typed_and_once(here: Conversation) -> None:
    await here.say("My shoe size is 42")

    assert " about Hermana. " in await heading_of(here, [], "¿Qué le gusta a mi Hermana?")
    assert " about Lena. " in await heading_of(here, [], "Wann hat die Oma von Lena Geburtstag?")


async def heading_of(here: Conversation, told: list[str], asked: str) -> str:
    """Return what the answer begins with that quotes what was told last."""
    for one in told:
        await here.say(one)
    hits = await here.agents["personal"].memory.recent(1, scope=OWNER)
    return await heading(here.turn(asked), asked, Recall(asked, "words", "", 0.0, hits), hits)


async def test_the_passage_is_quoted_below(here: Conversation) -> None:
    await here.say("I owe Tom 50 euros")

    assert (await here.say("Do I owe Ben euros?")).splitlines()[:2] == [
        "I know nothing like that about Ben. What comes closest:",
        "1. > I owe Tom 50 euros",
    ]


async def test_whom_another_sentence_names_is_not_asked_about(here: Conversation) -> None:
    await here.say("The spare key is in the blue drawer")

    assert (await here.say("It was good to see Ben again! Where is the spare key?")).startswith("From memory:")
