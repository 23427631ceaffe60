"""Questions about the memory itself: what is in it, of which day, what is newest, where an answer comes from."""

from __future__ import annotations

from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from tests.support.conversation import Conversation, conversation
from tests.support.texts import ENGLISH


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        ("What time is it?", "It is Sat 21 Nov 2026 at 13:00."),
        ("what's today's date", "It is Sat 21 Nov 2026 at 13:00."),
        ("Wie spät ist es?", "Es ist Sa, 21. November 2026 um 13:00."),
        ("今天几号？", "现在是2026年11月21日（周六）13:00。"),
    ],
)
async def test_the_day_and_the_time_are_told_and_nothing_is_looked_up(
    here: Conversation, asked: str, answer: str
) -> None:
    await here.say("What time it is on Mars is a good question.")

    assert await here.say(asked) == answer


@pytest.mark.parametrize(
    "asked", ["What do you remember?", "show me everything", "Was hast du dir gemerkt?", "你记得什么？"]
)
async def test_whoever_asks_for_all_of_memory_is_shown_how_it_stands(here: Conversation, asked: str) -> None:
    await here.say("The spare key is in the shed.")

    assert "The spare key is in the shed" in await here.say(asked)


@pytest.mark.parametrize(
    "asked", ["What are my reminders?", "show me my reminders", "Welche Erinnerungen habe ich?", "我有什么提醒？"]
)
async def test_whoever_asks_for_the_reminders_is_shown_them(here: Conversation, asked: str) -> None:
    await here.say("Remind me tomorrow at 9 to call the plumber")

    assert "call the plumber" in await here.say(asked)


@pytest.mark.parametrize(
    ("asked", "instead"),
    [
        ("Please list all decisions", "/decisions"),
        ("what did we decide?", "/decisions"),
        ("liste alle Entscheidungen auf", "/decisions"),
        ("list my preferences", "/opinions"),
        ("Was sind meine Vorlieben?", "/opinions"),
    ],
)
async def test_who_asks_for_decisions_or_preferences_is_shown_them(
    here: Conversation, asked: str, instead: str
) -> None:
    await here.say("We decided to buy the blue sofa")
    await here.say("I prefer tea to coffee")

    assert await here.say(asked) == await here.say(instead)


async def test_the_newest_is_what_was_noted_last_and_not_what_is_due_last(here: Conversation) -> None:
    await here.say("Remind me on 5 May 2027 to renew the passport")
    await here.say("The bins are green.")

    assert "The bins are green." in await here.say("scratch that")
    assert (await here.say("/memory")).split("Newest:\n")[1].startswith("- The bins are green.")


async def test_what_is_noted_last_is_the_newest_where_it_is_another_day_in_utc(tmp_path: Path) -> None:
    async with conversation(tmp_path, zone=ZoneInfo("America/Los_Angeles")) as here:
        here.clock.advance(hours=15)  # 19:00 there, and the next day in UTC
        await here.say("Remind me on 5 May 2027 to renew the passport")
        await here.say("The bins are green.")

        assert "1. > The bins are green." in await here.say("What did I just say?")
        assert "The bins are green." in await here.say("scratch that")


@pytest.mark.parametrize(
    "asked",
    [
        "What did I just say?",
        "what was the last thing I told you",
        "Was habe ich dir gerade gesagt?",
        "我刚才说了什么？",
    ],
)
async def test_what_was_just_told_is_quoted(here: Conversation, asked: str) -> None:
    await here.say("The bins are green.")
    await here.say("The shed is red.")

    answer = await here.say(asked)
    assert "1. > The shed is red.\n" in answer
    assert "bins" not in answer


@pytest.mark.parametrize("said", ["what changed?", "What's new?", "Was hat sich geändert?", "¿qué ha cambiado?"])
async def test_whoever_asks_what_has_changed_is_shown_the_journal(here: Conversation, said: str) -> None:
    await here.say("The spare key is in the shed.")

    assert "+ - W: The spare key is in the shed." in await here.say(said)


@pytest.mark.parametrize("said", ["who told you that?", "Are you sure?", "Woher wissen Sie das?", "why?", "Warum?"])
async def test_whoever_doubts_an_answer_is_told_where_it_comes_from(here: Conversation, said: str) -> None:
    await here.say("The spare key is in the shed.")
    await here.say("Where is the spare key?")

    answer = await here.say(said)

    assert answer.startswith("`memory/2026-11-21.md#L4`: The spare key is in the shed.")
    assert "terminal:owner" in answer


async def test_why_of_anything_but_an_answer_asks_for_no_source(here: Conversation) -> None:
    await here.say("The spare key is in the shed.")
    await here.say("Where is the spare key?")
    await here.say("Mum was late because of the rain")

    assert "spare key" not in await here.say("why?")


async def test_numbers_and_doubts_mean_what_an_answer_shows(here: Conversation) -> None:
    for town in ("Linz", "Graz"):
        await here.say(f"The office is in {town}.")

    assert "1. > The office is in Graz." in await here.say("Where is the office?")
    assert "The office is in Graz." in await here.say("are you sure?")
    assert "The office is in Graz." in await here.say("/forget 1")
    assert "The office is in Linz." in await here.say("/forget 2")


async def test_whoever_doubts_an_answer_after_correcting_it_is_told_how_it_came_about(here: Conversation) -> None:
    await here.say("The spare key is in the shed.")
    await here.say("Where is the spare key?")
    await here.say("Actually it is in the garage.")
    await here.say("y")

    assert (await here.say("Are you sure?")).startswith('"Where is the spare key?": ')


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What do I have tomorrow?", "Dentist tomorrow at 9"),
        ("What do I have on Tuesday?", "Meeting with Sarah on Tuesday"),
        ("What did I do yesterday?", "I had lunch with Peter yesterday"),
        ("What happened on 3 October?", "On 3 October I had surgery"),
        ("What did I do today?", "I painted the fence"),
    ],
)
async def test_what_is_told_of_another_day_is_found_by_that_day(here: Conversation, question: str, answer: str) -> None:
    told = (
        "Dentist tomorrow at 9",
        "Meeting with Sarah on Tuesday",
        "I had lunch with Peter yesterday",
        "On 3 October I had surgery",
        "I painted the fence",
    )
    for statement in told:
        await here.say(statement)

    found = await here.say(question)

    assert [statement for statement in told if statement in found] == [answer]


@pytest.mark.parametrize(
    "asked",
    [
        "What did I tell you on Sunday?",
        "what did I say to you 3 days ago",
        "what did I tell you on 22 November?",
        "Was habe ich dir am Sonntag erzählt?",
        "¿Qué te dije el domingo?",
        "Qu'est-ce que je t'ai dit dimanche ?",
        "我星期天告诉过你什么？",
    ],
)
async def test_what_was_told_on_a_day_is_told_apart_from_what_is_of_that_day(here: Conversation, asked: str) -> None:
    await here.say("The plumber comes on 22 November.")
    here.clock.advance(days=1)
    await here.say("I met Ana on 3 May.")
    await here.say("Remind me on 27 November at 9 to call Bob")
    here.clock.advance(days=3)

    answer = await here.reply(asked)

    assert "**2026-11-22**\n- I met Ana on 3 May. (" in answer.text
    assert "- call Bob (" in answer.text
    assert "plumber" not in answer.text
    assert "**2026-11-21**\n- The plumber comes on 22 November. (" in answer.told[-1]


async def test_what_is_of_a_day_was_not_told_on_it(here: Conversation) -> None:
    await here.say("The plumber comes on 25 November.")
    here.clock.advance(days=5)

    answer = await here.reply("What did I tell you on Wednesday?")

    assert answer.text == ENGLISH.nothing
    assert "The plumber comes on 25 November." in answer.told[-1]


async def test_what_has_faded_since_was_told_on_its_day_all_the_same(here: Conversation) -> None:
    await here.say("The bus to the harbour was late.")
    here.clock.advance(days=900)

    answer = await here.reply("What did I tell you on 21 November 2026?")

    assert "The bus to the harbour was late. (`memory/2026-11-21.md#L4`)" in answer.text
    assert answer.told == ()
