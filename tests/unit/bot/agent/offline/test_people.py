"""Where somebody lives, and what somebody is called."""

from __future__ import annotations

import pytest

from tests.support.conversation import Conversation
from tests.support.texts import ENGLISH


@pytest.mark.parametrize(
    ("address", "question"),
    [
        ("I live in Graz, Lime Street 4", "whats my address"),
        ("Ich wohne in Graz, Lindenweg 4", "Was ist meine Adresse?"),
        ("Our new address is Lime Street 4", "Where do we live?"),
        ("My address is Lime Street 4, not Elm Street 5", "where do I live now"),
        ("Unsere neue Adresse ist Lindenweg 4", "Wo wohnen wir?"),
        ("Nuestra nueva dirección es Calle Mayor 4", "¿Dónde vivimos?"),
        ("Notre nouvelle adresse est 4 rue des Lilas", "Où habitons-nous ?"),
        ("我们的新地址是人民路4号", "我们住在哪里？"),
    ],
)
async def test_where_somebody_lives_is_answered_with_their_address(
    here: Conversation, address: str, question: str
) -> None:
    await here.say("I live in Vienna")
    here.clock.advance(hours=1)
    await here.say("The new address of my aunt is Elm Road 3. She moved.")
    await here.say(address)

    assert f"1. > {address}" in await here.say(question)


@pytest.mark.parametrize(
    ("said", "question"),
    [
        ("Please never give my address to anyone", "Where do I live?"),
        ("Ana knows my address", "Where do I live?"),
        ("My address book is in the drawer", "Where do I live?"),
        ("My address was Elm Street 5 until 2019", "Where do I live?"),
        ("My address is no longer Elm Street 5", "Where do I live?"),
        ("Mon adresse mail est a@b.c", "Où j'habite ?"),
        ("Meine Adresse bei der Arbeit ist Ring 5", "Wo wohne ich?"),
        ("我的地址簿在抽屉里", "我住在哪里？"),
    ],
)
async def test_what_only_speaks_of_an_address_does_not_say_where_somebody_lives(
    here: Conversation, said: str, question: str
) -> None:
    await here.say("I live in Vienna")
    await here.say(f"/remember {said}")

    assert f"1. > {said}" not in await here.say(question)


async def test_an_address_of_somebody_else_or_an_older_one_does_not_say_where_somebody_lives(
    here: Conversation,
) -> None:
    await here.say("My aunt's new address is Elm Road 3")
    assert await here.say("Where do I live?") == ENGLISH.nothing

    await here.say("My address is Lime Street 4")
    here.clock.advance(hours=1)
    await here.say("I live in Vienna")
    assert "1. > I live in Vienna" in await here.say("Where do I live?")


@pytest.mark.parametrize(
    ("home", "moved", "question"),
    [
        ("I live in Vienna", "I moved to Salzburg yesterday", "Where do I live?"),
        ("Lena lives in Vienna", "Lena moved to Salzburg last week", "Where does Lena live?"),
        ("My sister Ana lives in Graz", "Ana no longer lives in Graz, she lives in Linz now", "Where does Ana live?"),
        ("我姐姐安娜住在成都", "安娜不住在成都了，她现在住在西安", "安娜住在哪里？"),
        ("Ma sœur Claire habite à Lyon", "Claire n'habite plus à Lyon, elle habite à Nantes", "Où habite Claire ?"),
        ("Ich wohne in Wien", "Ich bin gestern nach Salzburg gezogen", "Wo wohne ich?"),
        ("Mi hermano Javier vive en Sevilla", "Javier se ha mudado a Bilbao", "¿Dónde vive Javier?"),
        ("Ma sœur Élodie habite à Nantes", "Élodie a déménagé à Bordeaux", "Où habite Élodie ?"),
        ("Мой брат Дима живёт в Перми", "Дима переехал в Москву", "Где живёт Дима?"),
        ("我住在维也纳", "我昨天搬到了萨尔茨堡", "我住在哪里？"),
    ],
)
async def test_who_has_moved_lives_where_they_moved_to(
    here: Conversation, home: str, moved: str, question: str
) -> None:
    await here.say(home)

    assert f"> {home}" in await here.say(moved)
    answer = await here.say(question)
    assert f"1. > {moved}" in answer
    assert f"2. > {home}" in answer
    assert "/forget" in await here.say("/forget 1")


@pytest.mark.parametrize(
    "moved",
    [
        "She moved to Salzburg yesterday",
        "Lena moved to Salzburg",
        "I moved to Vienna last week",
        "I moved the desk",
        "I moved to Salzburg in 2003",
    ],
)
async def test_a_move_of_somebody_else_or_to_the_same_place_ends_no_home(here: Conversation, moved: str) -> None:
    await here.say("I live in Vienna")

    assert "/forget" not in await here.say(moved)
    assert "1. > I live in Vienna" in await here.say("Where do I live?")


@pytest.mark.parametrize(
    ("home", "new", "asked", "is_left"),
    [
        ("My friend Ben works at Acme and lives in Oslo", "Ben moved to Bergen", "Where does Ben live?", True),
        ("Ana is a nurse and lives in Rome", "Ana moved to Oslo", "Where does Ana live?", True),
        ("Meine Schwester heißt Petra und wohnt in Köln", "Petra ist nach Bonn gezogen", "Wo wohnt Petra?", True),
        ("Dora is a doctor and lives in Madrid", "Carl moved to Rome", "Where does Dora live?", False),
        ("Ana is a nurse and lives in Rome", "I moved to Oslo", "Where does Ana live?", False),
    ],
)
async def test_a_home_in_a_clause_is_of_who_is_named_before_it(
    here: Conversation, home: str, new: str, asked: str, *, is_left: bool
) -> None:
    await here.say(home)
    here.clock.advance(minutes=1)
    await here.say(new)

    answer = await here.say(asked)

    assert (f"1. > {new}" in answer) == is_left
    assert home in answer


async def test_a_home_comes_after_the_address_that_was_left(here: Conversation) -> None:
    await here.say("My address is Lime Street 4")
    here.clock.advance(minutes=1)
    await here.say("I moved to Bath")

    assert "1. > I moved to Bath" in await here.say("Where do I live?")


@pytest.mark.parametrize(
    ("home", "new", "question"),
    [
        ("My name is Oliver and I live in Vienna", "I moved to Salzburg last week", "Where do I live?"),
        ("Ich heiße Jana und wohne in Graz", "Ich bin nach Wien gezogen", "Wo wohne ich?"),
    ],
)
async def test_a_home_that_was_told_beside_something_else_is_ended_by_a_move(
    here: Conversation, home: str, new: str, question: str
) -> None:
    await here.say(home)
    await here.say(new)

    assert f"1. > {new}\n" in await here.say(question)


@pytest.mark.parametrize(
    ("told", "new", "question"),
    [
        ("My sister lives in Graz, and I live in Vienna", "I moved to Linz", "Where does my sister live?"),
        ("Ich mag Tee, ich wohne in Graz", "Ich bin nach Wien gezogen", "Was mag ich?"),
        ("My name is Oliver and I live in Vienna", "I moved to Graz", "Who is Oliver?"),
        ("I live in Vienna and my name is Oliver", "I moved to Graz", "Who is Oliver?"),
    ],
)
async def test_a_move_answers_no_question_for_what_was_told_beside_a_home(
    here: Conversation, told: str, new: str, question: str
) -> None:
    await here.say(told)
    assert "/forget" not in await here.say(new)  # with the home the rest would go

    assert f"1. > {told}\n" in await here.say(question)


async def test_a_move_of_this_year_ends_a_home(here: Conversation) -> None:
    await here.say("I live in Vienna")

    assert "/forget" in await here.say("I moved to Salzburg in 2026")
    assert "1. > I moved to Salzburg" in await here.say("Where do I live?")


async def test_somebody_whose_name_is_a_word_of_another_language_is_found(here: Conversation) -> None:
    await here.say("My brother Tom lives in Oslo")

    assert "lives in Oslo" in await here.say("Where does Tom live?")


@pytest.mark.parametrize(
    ("told", "asked"),
    [
        ("My name is Joanna, but everyone calls me Jo", "What's my name?"),
        ("I'm called Jo", "what am I called?"),
        ("Mein Name ist Matze", "Wie ist mein Name?"),
        ("Me llamo Rocío", "¿Cuál es mi nombre?"),
        ("Mon prénom est Zoé", "Quel est mon nom ?"),
        ("我叫林晓雯", "我的名字是什么？"),
    ],
)
async def test_the_own_name_is_known_and_nobody_elses_is_taken_for_it(
    here: Conversation, told: str, asked: str
) -> None:
    await here.say(told)
    here.clock.advance(minutes=1)
    await here.say("My dog's name is Rex")

    assert f"1. > {told}" in await here.say(asked)


@pytest.mark.parametrize(
    ("told", "other", "asked"),
    [
        ("My name is Joanna", "I'm called at night a lot", "What's my name?"),
        ("My name is jo", "My name is on the list", "What's my name?"),
        ("My name is Joanna", "People call me lazy", "What's my name?"),
        ("Ich heiße Johanna", "Ich heiße das gut", "Wie heiße ich?"),
        ("我叫小明", "我叫了外卖", "我叫什么名字？"),
        ("Меня зовут Аня", "Меня зовут в гости в субботу", "Как меня зовут?"),
    ],
)
async def test_what_begins_as_one_tells_ones_name_and_tells_none_is_not_taken_for_it(
    here: Conversation, told: str, other: str, asked: str
) -> None:
    await here.say(told)
    here.clock.advance(minutes=1)
    await here.say(other)

    assert f"1. > {told}" in await here.say(asked)


async def test_the_own_name_is_found_among_many_facts_with_such_words(here: Conversation) -> None:
    await here.say("我叫小明")
    for number in range(12):
        await here.say(f"My colleague {number} is called first, his name is on list {number}")

    assert "1. > 我叫小明" in await here.say("我叫什么名字？")


async def test_all_that_is_told_of_a_name_is_listed_also_where_it_was_not_taken_for_one(here: Conversation) -> None:
    told = ("I have a daughter called Lily.", "Lily has swimming on Tuesdays.", "Lily's exam is on 10 December.")
    for text in told:
        await here.say(text)

    answer = await here.say("Tell me about Lily")

    assert [text for text in told if text not in answer] == []
