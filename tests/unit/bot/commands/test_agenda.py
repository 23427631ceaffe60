from tests.support.conversation import Conversation


async def test_the_agenda_has_reminders_with_numbers_and_what_is_to_come(here: Conversation) -> None:
    await here.say("remind me on Friday at 9 to pay the rent")
    await here.say("The plumber comes tomorrow at 5 pm.")
    await here.say("I have to buy milk")

    reply = await here.reply("/agenda")

    reminders, _, ahead = reply.shown.partition("\n\n")
    assert reminders.startswith("1. Fri 27 Nov 2026 at 09:00: pay the rent")
    assert [line.split(" (`")[0] for line in ahead.splitlines()] == [
        "- The plumber comes tomorrow at 5 pm.",
        "- I have to buy milk",
    ]
    assert await here.say("agenda") == reply.shown
    assert (await here.say("/reminders cancel 1")).startswith("Cancelled: Fri 27 Nov")


async def test_what_somebody_thinks_of_a_weekday_is_no_appointment(here: Conversation) -> None:
    for said in ("I hate Mondays", "Swimming is on Mondays"):
        await here.say(said)

    assert [line.split(" (`")[0] for line in (await here.say("/agenda")).splitlines()] == ["- Swimming is on Mondays"]
    assert "hate" not in await here.say("what do I have on Monday?")


async def test_an_agenda_without_reminders_is_what_is_to_come_and_an_empty_one_says_so(here: Conversation) -> None:
    assert (await here.say("/agenda")).startswith("There is nothing to remind you of.")

    await here.say("The plumber comes tomorrow at 5 pm.")

    assert (await here.say("/agenda")).startswith("- The plumber")
