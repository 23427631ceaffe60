"""Courtesies, errands and the words for help are answered, and not noted."""

from __future__ import annotations

import pytest

from tests.support.conversation import Conversation
from tests.support.texts import CHINESE, ENGLISH, GERMAN


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        ("hello", ENGLISH.greeting),
        ("Danke!", GERMAN.welcome),
        ("ok thanks", ENGLISH.welcome),
        ("好的谢谢啦", CHINESE.welcome),
        ("Gute Nacht und besten Dank für Ihre Geduld.", GERMAN.welcome),
        ("thanks a lot", ENGLISH.welcome),
        ("谢谢", CHINESE.welcome),
        ("ok", ENGLISH.not_noted),
        ("Who are you?", ENGLISH.presence.format(agent="personal")),
        ("who are you", ENGLISH.presence.format(agent="personal")),
        ("wer bist du", GERMAN.presence.format(agent="personal")),
        ("you are great", ENGLISH.not_noted),
        ("你是谁？", CHINESE.presence.format(agent="personal")),
        ("你是谁", CHINESE.presence.format(agent="personal")),
        ("Write me a poem about rain.", ENGLISH.request),
        ("ta ra", ENGLISH.farewell),
        ("Ich bin hundemüde", GERMAN.not_noted),
        ("on the 3rd", ENGLISH.not_noted),
        ("1号", CHINESE.not_noted),
        ("5月3号。", CHINESE.not_noted),
        ("Ich bin neu hier!", GERMAN.not_noted),
        ("can you remember things?", ENGLISH.presence.format(agent="personal")),
        ("Das stimmt nicht.", GERMAN.not_noted),
        ("that's wrong", ENGLISH.not_noted),
        ("这不对", CHINESE.not_noted),
    ],
)
async def test_courtesies_and_errands_are_answered_and_not_noted(here: Conversation, said: str, answer: str) -> None:
    assert await here.say(said) == answer
    assert "memory/" not in await here.say("/today")


@pytest.mark.parametrize("word", ["undo", "Today", "today!", " memory "])
async def test_a_command_without_its_slash_is_not_noted(here: Conversation, word: str) -> None:
    answer = await here.say(word)

    assert f"`/{word.strip(' !').lower()}`" in answer
    assert "Nothing was noted." in answer
    assert "Nothing has been written" in await here.say("/today")


async def test_help_without_its_slash_is_help(here: Conversation) -> None:
    assert await here.say("Help") == await here.say("/help")


@pytest.mark.parametrize("said", ["why, thank you", "Why, thank you!"])
async def test_thanks_that_begin_like_a_command_are_thanks(here: Conversation, said: str) -> None:
    assert "`/why`" not in await here.say(said)


async def test_a_goodbye_is_no_hello(here: Conversation) -> None:
    assert await here.say("bye") == ENGLISH.farewell
    assert await here.say("Tschüss!") == GERMAN.farewell


@pytest.mark.parametrize(
    "said", ["help me", "I need help", "How does this work?", "commands", "Hilfe!", "帮助", "怎么用？"]
)
async def test_help_in_other_words_is_help(here: Conversation, said: str) -> None:
    await here.say("I work at Siemens.")

    assert await here.say(said) == await here.say("/help")


@pytest.mark.parametrize(
    "said", ["How do I set a reminder?", "how can I delete a note", "Can you delete things?", "怎么设置提醒"]
)
async def test_how_something_is_done_points_to_the_help(here: Conversation, said: str) -> None:
    assert "`/help`" in await here.say(said)


@pytest.mark.parametrize("said", ["?", "??", "😀?", "؟"])
async def test_a_bare_question_mark_is_told_who_is_there(here: Conversation, said: str) -> None:
    assert await here.say(said) == ENGLISH.presence.format(agent="personal")


@pytest.mark.parametrize(
    "said",
    [
        "please show me my notes",
        "Can you show me my notes?",
        "hey, what do you remember?",
        "show everything please",
        "bitte zeig mir meine Notizen",
    ],
)
async def test_an_order_is_understood_with_courtesies_around_it(here: Conversation, said: str) -> None:
    await here.say("The spare key is in the shed.")

    assert (await here.say(said)).startswith(("1 fact", "1 Tatsache"))
