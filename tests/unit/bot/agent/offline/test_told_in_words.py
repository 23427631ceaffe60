"""What people say in words of their own, over some days: what ended since, who is meant, what comes again."""

from __future__ import annotations

import pytest

from tests.support.conversation import Conversation


@pytest.mark.parametrize(
    ("job", "ended", "question"),
    [
        ("I work at Siemens", "I quit at Siemens", "Where do I work?"),
        ("I work at Siemens in Munich", "I left Siemens last week", "Where do I work?"),
        ("I work at Siemens", "I quit my job", "Where do I work?"),
        ("I work as a nurse at St James", "I handed in my notice at St James", "Where do I work?"),
        ("I work for Siemens", "I don't work for Siemens any more", "Where do I work?"),
        ("My sister Ana works at Siemens", "Ana left Siemens", "Where does Ana work?"),
        ("Ich arbeite bei Siemens", "Ich habe bei Siemens gekündigt", "Wo arbeite ich?"),
        ("Ich arbeite bei Siemens", "Ich arbeite nicht mehr bei Siemens", "Wo arbeite ich?"),
        ("我在西门子工作", "我从西门子辞职了", "我在哪里工作？"),
        ("Trabajo en Siemens", "Dejé Siemens", "¿Dónde trabajo?"),
        ("Je travaille chez Siemens", "J'ai quitté Siemens", "Où est-ce que je travaille ?"),
        ("Я работаю в Сименсе", "Я уволился", "Где я работаю?"),
    ],
)
async def test_who_has_left_a_job_works_there_no_longer(
    here: Conversation, job: str, ended: str, question: str
) -> None:
    await here.say(job)
    here.clock.advance(minutes=1)

    assert f"> {job}" in await here.say(ended)
    answer = await here.say(question)
    assert f"1. > {ended}" in answer
    assert f"2. > {job}" in answer


@pytest.mark.parametrize(
    ("other", "job", "question"),
    [
        ("My sister Ana works at Bosch", "I work as a nurse at Siemens", "Where do I work?"),
        ("我妹妹小雨在阿里巴巴工作", "我在网易上班", "我在哪里工作？"),
    ],
)
async def test_who_asks_where_they_work_is_told_no_job_of_others(
    here: Conversation, other: str, job: str, question: str
) -> None:
    await here.say(job)
    here.clock.advance(minutes=1)
    await here.say(other)

    answer = await here.say(question)

    assert f"1. > {job}" in answer
    assert other not in answer


@pytest.mark.parametrize("question", ["Where does Ana go in summer?", "Wohin fährt Ana im Sommer?"])
async def test_a_question_that_names_a_season_is_answered(here: Conversation, question: str) -> None:
    await here.say("Ana goes to Porto in July")
    here.clock.advance(minutes=1)

    assert "I could not answer" not in await here.say(question)


@pytest.mark.parametrize(
    "said",
    [
        "Ana left Siemens",
        "I quit smoking",
        "I left my keys at Siemens",
        "I left Siemens at five",
        "I might quit my job",
        "I quit at 5",
    ],
)
async def test_what_ends_something_else_ends_no_job(here: Conversation, said: str) -> None:
    await here.say("I work at Siemens")
    here.clock.advance(minutes=1)

    assert "/forget" not in await here.say(said)
    assert "1. > I work at Siemens" in await here.say("Where do I work?")


@pytest.mark.parametrize(
    ("job", "said"),
    [
        ("Ich arbeite bei Siemens", "Ich habe aufgehört zu rauchen"),
        ("Ich arbeite bei Siemens", "Ich arbeite in Teilzeit"),
        ("我在西门子工作", "我辞掉了保姆"),
        ("我在西门子工作", "我离职前在网易工作"),
        ("Trabajo en Siemens", "Me he despedido"),
        ("Trabajo en Siemens", "Trabajo en casa los viernes"),
        ("Je travaille chez Siemens", "Je travaille à la maison le vendredi"),
        ("Я работаю в Сименсе", "Я ушёл"),
        ("Я работаю в Сименсе", "Я ушёл с работы в 6"),
        ("Я работаю в Сименсе", "Я работаю в Москве"),
    ],
)
async def test_what_only_sounds_like_the_end_of_a_job_contradicts_none(here: Conversation, job: str, said: str) -> None:
    await here.say(job)
    here.clock.advance(minutes=1)

    assert "/forget" not in await here.say(said)


@pytest.mark.parametrize("other", ["I work at the bar on weekends", "I work for two hours every evening"])
async def test_one_may_work_for_several(here: Conversation, other: str) -> None:
    await here.say("I work at Siemens")
    here.clock.advance(minutes=1)

    assert "/forget" not in await here.say(other)
    assert "> I work at Siemens" in await here.say("Where do I work?")


async def test_who_works_elsewhere_now_works_there_no_longer(here: Conversation) -> None:
    await here.say("I work at Siemens")
    here.clock.advance(minutes=1)

    assert "1. > I work at Siemens" in await here.say("I now work for Bosch")


@pytest.mark.parametrize(
    ("known", "said"),
    [
        ("My sister Ana likes olives", "Ana hates olives now"),
        ("Ana likes olives", "My sister Ana hates olives"),
        ("My sister Ana doesn't eat fish", "Ana eats fish now"),
        ("Meine Schwester Ana mag Oliven", "Ana hasst jetzt Oliven"),
        ("我姐姐安娜喜欢橄榄", "安娜现在讨厌橄榄"),
        ("I like tea", "I hate tea now"),
    ],
)
async def test_who_is_named_with_what_they_are_to_me_is_the_same_person(
    here: Conversation, known: str, said: str
) -> None:
    await here.say(known)
    here.clock.advance(minutes=1)

    assert f"1. > {known}" in await here.say(said)


@pytest.mark.parametrize(
    ("known", "said"),
    [
        ("My sister Ana likes olives", "My colleague Ana hates olives"),
        ("My sister Ana likes olives", "I hate olives"),
        ("My sister Ana likes olives", "Tom hates olives"),
        ("我妈妈喜欢喝茶", "我讨厌喝茶"),
    ],
)
async def test_somebody_else_contradicts_nobody(here: Conversation, known: str, said: str) -> None:
    await here.say(known)
    here.clock.advance(minutes=1)

    assert "/forget" not in await here.say(said)


@pytest.mark.parametrize(
    ("fact", "question"),
    [
        ("The bins are emptied every Tuesday", "what is on next week?"),
        ("The bins are emptied every other Tuesday", "what do I have on Tuesday?"),
        ("Die Biotonne wird jeden zweiten Dienstag geleert", "Was steht am Dienstag an?"),
        ("每隔一周的周二收垃圾", "下周二有什么安排？"),
    ],
)
async def test_what_comes_again_is_listed_for_its_weekday(here: Conversation, fact: str, question: str) -> None:
    await here.say(fact)
    here.clock.advance(days=40)

    assert f"> {fact}" in await here.say(question)


async def test_what_no_longer_comes_again_is_not_listed(here: Conversation) -> None:
    await here.say("I no longer go to yoga every Tuesday")
    here.clock.advance(days=40)

    assert "yoga" not in await here.say("what do I have on Tuesday?")


async def test_what_comes_again_is_not_listed_for_another_weekday(here: Conversation) -> None:
    await here.say("The bins are emptied every other Tuesday")

    assert "bins" not in await here.say("what do I have on Friday?")


@pytest.mark.parametrize(
    ("known", "told", "asked"),
    [
        ("The dentist is at 4 pm.", "We moved the meeting to Friday.", "When is the dentist?"),
        ("Der Zahnarzt ist um 16 Uhr.", "Wir haben das Treffen auf Freitag verlegt.", "Wann ist der Zahnarzt?"),
        ("牙医是下午四点。", "会议改到周五了。", "牙医是几点？"),
    ],
)
async def test_a_fact_on_a_line_before_a_question_is_noted_and_the_question_answered(
    here: Conversation, known: str, told: str, asked: str
) -> None:
    await here.say(known)
    here.clock.advance(minutes=1)

    answer = await here.say(f"{told}\n{asked}")

    assert f"1. > {known}" in answer
    assert told in await here.say("/today")


async def test_a_statement_that_leads_up_to_a_question_is_not_noted(here: Conversation) -> None:
    await here.say("The code of the shed is 4711.")

    assert "4711" in await here.say("I lost the code of the shed. What is it?")
    assert (await here.say("/today")).count("memory/") == 1


@pytest.mark.parametrize(
    "told",
    [
        "I wonder.",
        "I have a question.",
        "I want to know",
        "From: Ana <ana@example.com>",
        "> On Monday Ana wrote:",
        "# Notes of Monday",
        "12:30",
        "ValueError: invalid literal for int()",
        "Ich habe eine Frage.",
        "我有一个问题。",
        "У меня вопрос.",
    ],
)
async def test_a_line_before_a_question_that_tells_no_fact_is_not_noted(here: Conversation, told: str) -> None:
    await here.say("The pump is in the shed.")

    assert "1. > The pump is in the shed." in await here.say(f"{told}\nWhere is the pump?")
    assert (await here.say("/today")).count("memory/") == 1
