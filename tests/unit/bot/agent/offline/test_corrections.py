"""A correction, a right spelling or another value replaces the fact that it means, and no other one."""

from __future__ import annotations

import pytest

from memory import OWNER, Origin
from tests.support.conversation import Conversation


async def test_a_correction_means_first_what_the_last_answer_quoted(here: Conversation) -> None:
    await here.say("The plumber's number is 030 1234567")
    await here.say("The vet's number is 030 1111111")
    await here.say("What is the plumber's number?")

    assert "> The plumber's number is 030 7654321" in await here.say("Actually it is 030 7654321")


async def test_a_correction_of_what_was_just_quoted_changes_nothing_that_is_not_spoken_of(here: Conversation) -> None:
    await here.say("The neighbour's name is Ben.")
    await here.say("The key hangs behind the door.")
    await here.say("Where does the key hang?")

    assert "neighbour" not in await here.say("No, on the board")


async def test_words_of_grammar_alone_do_not_make_a_fact_spoken_of(here: Conversation) -> None:
    await here.say("The dentist is at 9.")
    await here.say("The bins are in the yard.")
    await here.say("Where are the bins?")

    assert "dentist" not in await here.say("No, at 10")


async def test_a_correction_keeps_the_word_for_now(here: Conversation) -> None:
    await here.say("Der Schlüssel liegt jetzt in der Schublade.")
    await here.say("Wo liegt der Schlüssel?")

    assert "> Der Schlüssel liegt jetzt am Brett." in await here.say("Nein, doch am Brett")


async def test_a_correction_offers_to_replace_the_fact_that_it_corrects(here: Conversation) -> None:
    await here.say("The plumber's number is 030 1234567")
    await here.say("Dinner with Ada is at 7.")

    offer = await here.reply("Actually it is 030 7654321")

    assert "The plumber's number is 030 1234567" in offer.text
    assert "> The plumber's number is 030 7654321" in offer.text
    assert (await here.say("yes")).startswith("Noted in memory/2026-11-21.md:6")
    answer = await here.say("What is the plumber's number?")
    assert "7654321" in answer
    assert "1234567" not in answer


async def test_a_correction_that_was_killed_between_its_two_writes_takes_the_earlier_fact_away_when_it_is_repeated(
    here: Conversation,
) -> None:
    await here.say("The bins are green.")
    offer = await here.reply("No, the bins are blue.")
    assert offer.pending
    (write,) = offer.pending.operations
    await here.agents["personal"].memory.remember(
        offer.pending.text, origin=Origin.OWNER, scope=OWNER, op_id=write, actor="volatile:owner"
    )
    here.clock.advance(minutes=11)

    assert "It replaces `memory/2026-11-21.md:4`." in await here.say("y")
    assert "green" not in await here.say("/today")


async def test_a_correction_that_is_declined_changes_nothing(here: Conversation) -> None:
    await here.say("The plumber's number is 030 1234567")
    await here.say("Actually it is 030 7654321")

    assert await here.say("n") == "Nothing was changed."
    assert "1234567" in await here.say("What is the plumber's number?")


@pytest.mark.parametrize(
    "said", ["I moved the car to level 1", "We moved the party to Sunday", "I changed my number to 07700 900456"]
)
async def test_a_change_of_what_was_never_told_is_noted(here: Conversation, said: str) -> None:
    assert " memory/2026-11-21.md:4 — ^" in await here.say(said)
    assert said in await here.say("/today")


@pytest.mark.parametrize(
    ("known", "said", "right"),
    [
        ("My brother Olivr lives in Bonn", "no, Oliver", "My brother Oliver lives in Bonn"),
        ("Olivr is my brother", "no, it's Oliver", "Oliver is my brother"),
        ("My brother is Olivr", "no, Oliver", "My brother is Oliver"),
        ("Mein Bruder wohnt in Kölln", "nein, in Köln", "Mein Bruder wohnt in Köln"),
        ("Mi hermano se llama Olivr", "no, Oliver", "Mi hermano se llama Oliver"),
        ("Mon frère Olivr habite à Lyon", "non, Oliver", "Mon frère Oliver habite à Lyon"),
    ],
)
async def test_a_name_in_its_right_spelling_corrects_the_fact_that_has_it_misspelt(
    here: Conversation, known: str, said: str, right: str
) -> None:
    await here.say("My sister is Anna")
    await here.say(known)
    await here.say("My dog is Rex")

    offer = await here.say(said)

    assert f"> {known}" in offer
    assert f"   > {right}" in offer


async def test_a_price_corrects_what_was_just_told_and_no_code(here: Conversation) -> None:
    await here.say("门禁密码是4521")
    await here.say("今天花了300块买鞋")

    assert "   > 今天花了350块买鞋" in await here.say("不对，是350块")


@pytest.mark.parametrize(
    ("told", "said", "right"),
    [
        ("Bought a jacket for 5000 dollars", "no, for 5500 dollars", "Bought a jacket for 5500 dollars"),
        ("Hoy compré una chaqueta por 50 euros", "no, por 55 euros", "Hoy compré una chaqueta por 55 euros"),
        ("Купила сегодня куртку за 5000 рублей", "Нет, за 5500 рублей", "Купила сегодня куртку за 5500 рублей"),
    ],
)
async def test_a_price_after_its_preposition_corrects_the_fact(
    here: Conversation, told: str, said: str, right: str
) -> None:
    await here.say(told)

    assert f"   > {right}" in await here.say(said)


async def test_another_name_corrects_what_was_just_quoted(here: Conversation) -> None:
    await here.say("My brother is Olivr")
    await here.say("My dog is Rex")
    await here.say("Who is my dog?")

    assert "   > My dog is Oliver" in await here.say("no, Oliver")


async def test_a_correction_of_what_was_never_told_is_not_noted(here: Conversation) -> None:
    assert "nothing was noted" in await here.say("Actually it's Spain, not Portugal")


async def test_a_correction_that_tells_something_else_of_somebody_is_noted_beside(here: Conversation) -> None:
    await here.say("Siobhan's pregnant!! Due in September.")

    assert "Noted in" in await here.say("actually Siobhan's birthday is the 23rd of november")
    assert "pregnant" in await here.say("/today")


async def test_a_correction_of_nothing_known_that_tells_something_by_itself_is_noted(here: Conversation) -> None:
    await here.say("Theo's football practice is on Tuesdays and Thursdays at 17:00.")

    assert "Noted in" in await here.say("actually I live in Bonn")
    assert "Noted in" in await here.say("actually practice moved to wednesdays and fridays")
    assert "> I live in Bonn" in await here.say("Where do I live?")


@pytest.mark.parametrize(
    ("known", "said", "new"),
    [
        ("the code for the garage is 7788", "it changed to 9911", "the code for the garage is 9911"),
        ("the code for the garage is 7788", "it is now 9911", "the code for the garage is 9911"),
        ("der Code für das Tor ist 7788", "er ist jetzt 9911", "der Code für das Tor ist 9911"),
    ],
)
async def test_what_something_has_changed_to_corrects_it(here: Conversation, known: str, said: str, new: str) -> None:
    await here.say(known)

    answer = await here.say(said)

    assert answer.endswith(f"> {new}")


@pytest.mark.parametrize(
    "said",
    [
        "they changed to the new office",
        "it has changed to a better place",
        "it's now raining",
        "it's now 20:15",
        "it is now 10pm",
        "es ist jetzt dunkel",
        "sie ist jetzt 40",
    ],
)
async def test_what_only_sounds_like_a_change_of_a_value_is_noted(here: Conversation, said: str) -> None:
    await here.say("the code for the garage is 7788")

    assert "memory/2026-11-21.md:5" in await here.say(said)


async def test_a_number_after_a_reminder_corrects_what_was_told_before(here: Conversation) -> None:
    await here.say("I have 3 dogs.")
    await here.say("Remind me tomorrow at 9 to call Ana")

    assert "I have 4 dogs" in await here.say("no, 4")


async def test_a_number_that_is_no_hour_corrects_no_appointment(here: Conversation) -> None:
    await here.say("I'm 42.")
    await here.say("I have a dentist appointment on Tuesday at 10.")

    assert "> I'm 43." in await here.say("actually 43")
    assert "Tuesday at 11." in await here.say("actually 11")


async def test_a_clause_of_a_fact_is_corrected_before_all_of_another(here: Conversation) -> None:
    for told in (
        "Sabine hat zwei Kinder, Leni ist 7 und Jonas ist 4",
        "Leni hat am 14. Dezember Geburtstag",
        "Jonas mag keine Erbsen und Leni isst kein Fleisch",
    ):
        await here.say(told)

    assert "> Sabine hat zwei Kinder, Leni ist 8 und Jonas ist 4" in await here.say("nein, Leni ist 8")


async def test_a_correction_that_nobody_has_answered_is_offered_again_with_what_it_corrects(here: Conversation) -> None:
    await here.say("My locker is 114.")
    await here.say("no, it is 115")
    await here.say("The bins are green.")

    told = await here.reply("what is my locker")

    assert "From memory:\n1. > My locker is 114." in told.text
    assert told.shown.count("My locker is 114.") == 1
    assert [button.data.split()[:2] for button in told.buttons] == [["/replace", "yes"], ["/replace", "no"]]
    assert (await here.say("yes")).startswith("Noted")
    assert "115" in (said := await here.say("what is my locker"))
    assert "114" not in said


async def test_a_correction_that_was_declined_is_not_offered_again(here: Conversation) -> None:
    await here.say("My locker is 114.")
    await here.say("no, it is 115")
    await here.say("what is my locker")
    await here.say("no")

    assert "115" not in await here.say("what is my locker")


async def test_an_offer_that_was_declined_late_or_in_an_older_message_is_not_made_again(here: Conversation) -> None:
    await here.say("My locker is 114.")
    offer = await here.reply("no, it is 115")
    await here.say("what is my locker")
    here.clock.advance(minutes=11)

    assert await here.say(offer.buttons[1].data) == "Nothing was changed."
    assert "115" not in await here.say("what is my locker")


async def test_what_was_told_another_way_meanwhile_is_not_offered_again(here: Conversation) -> None:
    await here.say("My locker is 114.")
    await here.say("no, it is 115")
    await here.say("my locker is 116 now")

    assert not (await here.reply("what is my locker")).buttons


@pytest.mark.parametrize(
    ("known", "said", "new"),
    [
        ("Dinner with Ana on Friday at 7", "Could you move that to 8?", "Dinner with Ana on Friday at 8"),
        ("Dinner with Ana on Friday at 7", "move it to Saturday", "Dinner with Ana on Saturday at 7"),
        ("Essen mit Ana am Freitag um 19 Uhr", "Kannst du das auf 20 Uhr verschieben?", "am Freitag um 20 Uhr"),
        ("Essen mit Ana am Freitag um 19 Uhr", "Verschieb es auf Samstag", "Essen mit Ana am Samstag um 19 Uhr"),
        ("Dîner avec Ana vendredi à 19h", "déplace-le à 20h", "Dîner avec Ana vendredi à 20h"),
        ("Cena con Ana el viernes a las 19", "muévela al sábado", "Cena con Ana el sábado a las 19"),
        ("Ужин с Аней в пятницу в 19:00", "перенеси на субботу", "Ужин с Аней в субботу в 19:00"),
        ("周五晚上7点和Ana吃饭", "改到8点", "周五晚上8点和Ana吃饭"),
        ("周五晚上7点和Ana吃饭", "把它改到周六", "周六晚上7点和Ana吃饭"),
    ],
)
async def test_an_order_to_move_what_was_just_told_is_a_correction(
    here: Conversation, known: str, said: str, new: str
) -> None:
    await here.say(known)

    assert new in await here.say(said)
    assert (await here.say("ok")).count("2026-11-21.md:5") == 1
