"""What is to be done, and what the next days bring."""

from __future__ import annotations

from pathlib import Path

import pytest

from memory import Embedding
from tests.fakes.embedder import LetterEmbedder
from tests.support.conversation import Conversation, conversation


@pytest.mark.parametrize(
    "told",
    [
        "I have to renew my passport before January",
        "Ich muss bis Ende März die Steuer machen",
        "I have to return the book by 25 November",
    ],
)
async def test_what_has_a_term_is_to_be_done_before_it_and_behind_it(here: Conversation, told: str) -> None:
    await here.say(told)
    before = await ahead(here)
    here.clock.advance(days=8)

    assert before == await ahead(here) == [told]


@pytest.mark.parametrize("asked", ["What do I have to do?", "When's my next appointment?"])
async def test_an_agenda_without_reminders_is_the_list_of_what_is_to_be_done(here: Conversation, asked: str) -> None:
    await here.say("I need to buy milk")

    reply = await here.reply(asked)

    assert reply.shown.startswith("- I need to buy milk")


@pytest.mark.parametrize(
    ("task", "done", "is_open"),
    [
        ("I have to call the bank", "I called the bank", False),
        ("I have to buy milk", "Bought the milk", False),
        ("I need to call the plumber", "called the plumber", False),
        ("Ich muss die Bank anrufen", "Ich habe die Bank angerufen", False),
        ("Ich muss noch die Heizung entlüften", "Die Heizung ist entlüftet", False),
        ("I have to renew my passport before January", "I renewed my passport", False),
        ("Ich muss den Pass vor Januar verlängern", "Ich habe den Pass verlängert", False),
        ("I have to pay the rent in May", "I paid the rent in April", True),
        ("I have to call the bank", "I almost called the bank", True),
        ("I have to call the bank", "Tom called the bank", True),
        ("I have to call the bank", "The bank called me", True),
        ("I have to call the bank", "I called the bank but nobody answered", True),
        ("Ich muss die Bank anrufen", "Die Bank hat angerufen", True),
        ("I have to call the bank", "I did not call the bank", True),
        ("I have to call the bank", "The bank calls at nine if we ask", True),
        ("I have to call the bank", "I called Ana", True),
        ("I have to water the plants every week", "I watered the plants", True),
    ],
)
async def test_what_was_done_is_no_longer_to_be_done(
    here: Conversation, task: str, done: str, *, is_open: bool
) -> None:
    await here.say(task)
    await here.say(done)

    assert (task in await ahead(here)) == is_open

    await here.say("Nothing else happened.")
    here.clock.advance(hours=1)
    await here.say(f"{task} again")
    assert f"{task} again" in await ahead(here)


async def ahead(here: Conversation) -> list[str]:
    """Return what is listed to who asks what comes next, but for reminders."""
    lines = (await here.say("What's next?")).splitlines()
    return [line.split(" (`")[0][2:] for line in lines if line.startswith("- ")]


@pytest.mark.parametrize("told", ["I met Ben on Monday.", "I was ill this week.", "I saw the vet on the 9th."])
async def test_what_has_happened_is_no_plan(here: Conversation, told: str) -> None:
    await here.say(told)

    assert await ahead(here) == []


@pytest.mark.parametrize(
    ("told", "listed"),
    [
        (["The party is on Friday.", "Unfortunately the party is cancelled"], []),
        (["The party is on Friday.", "The party on Friday was called off"], []),
        (
            ["The party is on Friday.", "the party was postponed to Sunday"],
            ["the party was postponed to Sunday", "The party is on Friday."],
        ),
        (
            ["The meeting is on Monday at 9.", "The meeting was moved to 10 o'clock"],
            ["The meeting is on Monday at 9.", "The meeting was moved to 10 o'clock"],
        ),
        (
            ["The meeting is on Monday at 9.", "The meeting on Tuesday is cancelled"],
            ["The meeting is on Monday at 9.", "The meeting on Tuesday is cancelled"],
        ),
        (
            ["Yoga is on Monday.", "Yoga was cancelled last week"],
            ["Yoga is on Monday.", "Yoga was cancelled last week"],
        ),
        (
            ["The party is on Friday.", "The party might be cancelled"],
            ["The party is on Friday.", "The party might be cancelled"],
        ),
        (["Elternabend ist am 8.12. um 19:30", "Der Elternabend fällt aus"], []),
        (
            ["The party is on Friday.", "The party is cancelled", "The party is on after all"],
            ["The party is on Friday."],
        ),
        (
            ["The party is on Friday.", "The party is cancelled", "The party is not cancelled after all"],
            ["The party is on Friday."],
        ),
        (["The party is on Friday.", "There won't be a party on Friday"], []),
        (["The party is on Friday.", "The party is not at Ana's"], ["The party is on Friday."]),
        (["The party is on Friday.", "I don't like the party"], ["The party is on Friday."]),
        (["Dinner with Lena on Friday", "Lena is not here"], ["Dinner with Lena on Friday"]),
        (["Dinner with Lena on Friday", "I did not have dinner"], ["Dinner with Lena on Friday"]),
        (["Abendessen mit Lena am Freitag", "Lena ist nicht da"], ["Abendessen mit Lena am Freitag"]),
        (["Das Konzert ist am Freitag", "Das Konzert findet nicht statt"], []),
        (["We fly to Lisbon on 12 December.", "We won't fly to Lisbon after all"], []),
        (["Wir fliegen am 12. Dezember nach Lissabon.", "Wir fliegen doch nicht nach Lissabon"], []),
        (["Yoga on Thursday at 6", "No yoga on Wednesday"], ["Yoga on Thursday at 6", "No yoga on Wednesday"]),
        (["The party is on Friday.", "The party is cancelled", "It is on", "The party is called off"], []),
        (["The party is on Friday.", "The party is cancelled", "Ana's birthday is on after all"], []),
        (
            ["Elternabend ist am 8.12. um 19:30", "Der Elternabend fällt aus", "Der Elternabend findet doch statt"],
            ["Elternabend ist am 8.12. um 19:30"],
        ),
        (
            ["Max sees the dentist on Tuesday.", "Lily sees the dentist on Friday.", "The dentist is cancelled"],
            ["Max sees the dentist on Tuesday.", "The dentist is cancelled", "Lily sees the dentist on Friday."],
        ),
        (
            ["There is fish on Monday and pizza on Friday", "The pizza is cancelled"],
            ["There is fish on Monday and pizza on Friday", "The pizza is cancelled"],
        ),
    ],
)
async def test_a_plan_that_was_called_off_is_not_ahead(here: Conversation, told: list[str], listed: list[str]) -> None:
    for text in ("The plumber comes tomorrow at 8.", *told):
        await here.say(text)

    plumber, *others = sorted(await ahead(here), key=lambda text: "plumber" not in text)

    assert (plumber, others) == ("The plumber comes tomorrow at 8.", listed)


@pytest.mark.parametrize(
    "told",
    [
        "Parents' evening is in two weeks",
        "In zwei Wochen kommt der Wolfgang zu Besuch.",
        "Doctor Patel wants to see me on the 9th at quarter past 2",
        "the plumber comes Thursday at 8",
        "I need to review the offer by Tuesday",
        "Bis Freitag muss ich das Geld überweisen",
        "We need to write the migration for the invoices table",
        "Ich muss noch Milch und Brot einkaufen",
    ],
)
async def test_what_comes_in_some_weeks_and_what_is_to_be_done_is_ahead(here: Conversation, told: str) -> None:
    await here.say(told)

    assert await ahead(here) == [told]


@pytest.mark.parametrize(
    "told",
    [
        "I met Ben two weeks ago",
        "My insurance ends in 2026.",
        "Lily lives on the 3rd floor",
        "Mum takes pills since yesterday",
        "The gym closes in May",
    ],
)
async def test_what_is_over_or_has_no_day_soon_is_not_ahead(here: Conversation, told: str) -> None:
    await here.say(told)

    assert await ahead(here) == []


@pytest.mark.parametrize("told", ["Every Monday I play chess", "Jeden Dienstag gehe ich ins Yoga", "每周三我去游泳"])
async def test_what_comes_again_each_week_is_coming_up(here: Conversation, told: str) -> None:
    await here.say(told)

    assert told in await here.say("/agenda")


async def test_who_plays_no_more_may_still_watch_the_final(here: Conversation) -> None:
    await here.say("Football final on Friday")
    await here.say("I don't play football any more")

    assert "Football final on Friday" in await ahead(here)


async def test_what_has_changed_a_plan_since_stands_before_it(here: Conversation) -> None:
    await here.say("Mum's birthday is on 24 November")
    await here.say("Mum's birthday is on 28 November")
    listed = await here.say("what do I have on 24 November?")

    assert listed.index("28 November") < listed.index("24 November")


async def test_only_the_question_is_embedded_however_much_is_planned(tmp_path: Path) -> None:
    embedder = LetterEmbedder()
    async with conversation(tmp_path, embedding=Embedding(embedder, tmp_path / "vectors.sqlite")) as here:
        for told in ("Lunch with Ana on 22 November", "I have to call the bank", "remind me tomorrow at 9 to pay Ben"):
            await here.say(told)
        await here.agents["personal"].memory.embed()
        await here.say("Is there anything else?")
        embedder.questions.clear()

        listed = await here.say("what do I have tomorrow?")

    assert "Lunch with Ana" in listed
    assert embedder.questions == ["what do I have tomorrow?"]


@pytest.mark.parametrize(
    "asked",
    [
        "how does my week look",
        "my week",
        "this week",
        "Tuesday",
        "wie sieht meine Woche aus",
        "meine Woche",
        "am Dienstag",
    ],
)
async def test_ones_own_week_and_a_bare_day_ask_for_their_plans(here: Conversation, asked: str) -> None:
    here.clock.advance(days=2)
    await here.say("The dentist comes on Tuesday at 10")

    assert "dentist" in await here.say(asked)


async def test_the_weekend_asked_for_on_its_saturday_is_the_one_that_is_now(here: Conversation) -> None:
    await here.say("Party at Ana's this Saturday")
    await here.say("Lunch with Tom next Saturday")

    assert "Party" in (told := await here.say("what's on at the weekend"))
    assert "Lunch" not in told


@pytest.mark.parametrize(
    "said",
    [
        "I don't want to go on Friday",
        "Ich will am Freitag nicht zum Yoga gehen",
        "我周五不想去",
        "Я не хочу идти в пятницу",
    ],
)
async def test_what_somebody_does_not_want_is_no_plan(here: Conversation, said: str) -> None:
    await here.say(said)

    assert said not in await here.say("/agenda")
    assert said not in await here.say("what's on Friday")


@pytest.mark.parametrize(
    "said",
    [
        "I don't want to be late on Friday",
        "I don't want to drive on Friday, I take the train",
        "I don't want to oversleep on Friday",
        "Wir wollen am Freitag grillen, wenn es nicht regnet",
        "Ich will am Freitag nicht zu spät kommen",
        "The dentist is on Friday and I don't want to go",
        "我周五不想迟到",
    ],
)
async def test_what_somebody_does_not_want_to_happen_then_or_wants_besides_is_a_plan(
    here: Conversation, said: str
) -> None:
    await here.say(said)

    assert said in await here.say("/agenda")
