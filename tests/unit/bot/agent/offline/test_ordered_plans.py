"""Plans that are called off or put off by typing, and what somebody else wrote, kept by typing."""

from __future__ import annotations

import pytest

from tests.support.conversation import Conversation


@pytest.mark.parametrize(
    ("plan", "order"),
    [
        ("I have a dentist appointment on Tuesday at 10", "Could you please cancel the dentist?"),
        ("The plumber comes on Thursday at 8", "delete the plumber"),
        ("The plumber comes on Thursday at 8", "cancel the plumber on Thursday"),
        ("The plumber comes on Thursday at 8", "cancel the plumber at 8"),
        ("The plumber comes on Thursday at 8", "cancel the plumber on Thursday at 8"),
        ("Ich habe am Dienstag um 10 einen Zahnarzttermin", "Sag den Zahnarzt ab"),
        ("Dîner avec Ana vendredi à 19h", "annule le dîner"),
        ("周二上午10点看牙医", "取消牙医"),
    ],
)
async def test_a_plan_that_is_called_off_is_found_by_its_words_and_forgotten_after_a_yes(
    here: Conversation, plan: str, order: str
) -> None:
    await here.say(plan)
    here.clock.advance(days=1)

    asked = await here.reply(order)

    assert plan in asked.shown
    assert [button.data.split()[:2] for button in asked.buttons] == [["/forget", "yes"], ["/forget", "no"]]
    await here.say("yes")
    assert plan not in await here.say(f"/recall {plan}")


@pytest.mark.parametrize("said", ["ok", "ok thanks", "fine", "Passt", "好吧"])
async def test_an_ok_to_what_would_be_forgotten_forgets_nothing(here: Conversation, said: str) -> None:
    await here.say("The plumber comes on Thursday at 8")
    assert (await here.reply("cancel the plumber")).buttons

    await here.say(said)

    assert "plumber" in await here.say("/agenda")


@pytest.mark.parametrize(("minutes", "code"), [(9, "4712"), (11, "4711")])
async def test_an_ok_answers_what_was_offered_just_now(here: Conversation, minutes: int, code: str) -> None:
    await here.say("The gate code is 4711")
    await here.say("Actually it is 4712")
    here.clock.advance(minutes=minutes)

    await here.say("ok")

    assert f"> The gate code is {code}" in await here.say("/recall gate code")


@pytest.mark.parametrize(
    "said",
    [
        "delete the old photos",
        "cancel the plumber on Friday",
        "delete the plumber today",
        "delete the plumber of Ana",
        "cancel the pills tomorrow",
        "my boss cancelled the plumber",
        "I have to cancel the plumber",
        "Bitte nicht plumber absagen",
        "Storniere plumber nicht",
        "Nimm plumber mit",
        "put the plumber in for an hour",
        "会议取消了",
    ],
)
async def test_what_calls_off_no_plan_that_is_known_offers_nothing(here: Conversation, said: str) -> None:
    await here.say("The plumber comes on Thursday at 8")
    await here.say("Remind me every day at 9 to take the pills")

    assert not (await here.reply(said)).buttons


async def test_of_several_plans_it_is_asked_which_is_called_off(here: Conversation) -> None:
    await here.say("The dentist is on Tuesday at 10")
    await here.say("The dentist is on 15 December at 9")

    assert len((await here.reply("cancel the dentist")).buttons) == 3


@pytest.mark.parametrize(
    ("plan", "order", "new"),
    [
        ("The dentist is on Tuesday at 10", "push the dentist by a week", "The dentist is on 2026-12-01 at 10"),
        ("The dentist is on Tuesday at 10", "move it back two days", "The dentist is on 2026-11-26 at 10"),
        ("Am Dienstag um 10 ist Zahnarzt", "Verschieb den Zahnarzt um eine Woche", "Am 2026-12-01 um 10 ist Zahnarzt"),
        ("周二上午10点看牙医", "把牙医推迟一周", "2026-12-01上午10点看牙医"),
    ],
)
async def test_a_plan_is_put_off_by_some_time(here: Conversation, plan: str, order: str, new: str) -> None:
    await here.say(plan)

    assert f"> {new}\n" in f"{await here.say(order)}\n"


async def test_a_plan_that_is_put_off_by_hours_is_shown_with_the_command_that_changes_it(here: Conversation) -> None:
    await here.say("The dentist is on Tuesday at 10")

    shown = await here.say("push the dentist by an hour")

    assert "> The dentist is on Tuesday at 10" in shown
    assert "`/replace ^" in shown


@pytest.mark.parametrize(
    ("order", "when"), [("push the dentist by a week", "29 Nov"), ("postpone it by an hour", "18:00")]
)
async def test_a_reminder_is_put_off_by_some_time(here: Conversation, order: str, when: str) -> None:
    await here.say("Remind me tomorrow at 5 to call the dentist")

    assert when in await here.say(order)
    assert (await here.say("/reminders")).count("`^") == 1


@pytest.mark.parametrize(
    "said",
    [
        "remember that",
        "Merk dir das bitte",
        "recuerda eso",
        "retiens ça",
        "запомни это",
        "记住这个",
        "覚えておいて",
        "yes",
    ],
)
async def test_what_a_message_only_forwards_is_kept_by_a_later_order_with_whom_it_is_from(
    here: Conversation, said: str
) -> None:
    forwarded = await here.reply("", quote=("The boiler makes a noise", "Tom"))

    assert [button.data.split()[:2] for button in forwarded.buttons] == [["/captured", "keep"], ["/captured", "drop"]]
    await here.say(said)
    assert "Tom said: The boiler makes a noise" in await here.say("/recall boiler")


async def test_what_a_message_forwards_is_not_kept_unasked_or_where_that_is_declined(here: Conversation) -> None:
    await here.reply("", quote=("The boiler makes a noise", "Tom"))
    assert await here.say("no") == "Nothing was noted."
    await here.say("remember that")

    assert "noise" not in await here.say("/recall boiler")


async def test_a_forwarded_secret_is_asked_about_before_it_is_kept(here: Conversation) -> None:
    await here.reply("", quote=("my password is hunter2sun88", "Tom"))

    assert "looks like it holds a password" in await here.say("remember that")
