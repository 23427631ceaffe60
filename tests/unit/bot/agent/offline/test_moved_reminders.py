"""A time by itself moves the reminder that was just set, and nothing else."""

from __future__ import annotations

from datetime import timedelta

import pytest

from adapters.port import Button
from bot.reminders import SNOOZE
from bot.turn import Reply
from tests.support.conversation import Conversation


@pytest.mark.parametrize(
    ("first", "said", "when"),
    [
        ("Remind me tomorrow at 3 to call Ana", "remind me at 4 instead", "Sun 22 Nov 2026 at 16:00: call Ana."),
        ("Remind me today at 3 to call Ana", "Actually, remind me at 4", "Sat 21 Nov 2026 at 16:00: call Ana."),
        ("Remind me at 3 to call Ana", "no, remind me tomorrow at 9", "Sun 22 Nov 2026 at 09:00: call Ana."),
        ("Remind me tomorrow to call Ana", "instead remind me in 2 hours", "Sat 21 Nov 2026 at 15:00: call Ana."),
        ("Erinnere mich morgen um 15 Uhr an den Tee", "Erinnere mich lieber um 16 Uhr", "um 16:00: den Tee."),
        ("Remind me tomorrow at 3 to call Ana", "remind me at 4 instead of 3", "Sun 22 Nov 2026 at 16:00: call Ana."),
        ("Remind me today at 3 to call Ana", "remind me tomorrow at 9, not today", "Sun 22 Nov 2026 at 09:00: call"),
        ("Erinnere mich morgen um 15 Uhr an den Tee", "Erinnere mich um 16 Uhr statt um 15 Uhr", "um 16:00: den Tee."),
        ("明天下午3点提醒我浇花", "改成下午4点提醒我", "2026年11月22日（周日）16:00提醒你：浇花。"),
        ("Remind me tomorrow at 3 to call Ana", "No, at 4", "Sun 22 Nov 2026 at 16:00: call Ana."),
        ("Remind me tomorrow to call Ana", "at 8", "Sun 22 Nov 2026 at 08:00: call Ana."),
        ("Remind me today at 3 to call Ana", "sorry, tomorrow", "Sun 22 Nov 2026 at 15:00: call Ana."),
        ("Remind me tomorrow at 3 to call Ana", "make it 4", "Sun 22 Nov 2026 at 16:00: call Ana."),
        ("Remind me tomorrow at 3 to call Ana", "I meant 4:30", "Sun 22 Nov 2026 at 16:30: call Ana."),
        ("Remind me tomorrow at 3 to call Ana", "change the reminder to 11", "Sun 22 Nov 2026 at 11:00: call Ana."),
        ("Erinnere mich morgen um 15 Uhr an den Tee", "Nein, um 16 Uhr", "um 16:00: den Tee."),
        (
            "Erinnere mich morgen um 15 Uhr an den Tee",
            "ich meinte übermorgen",
            "Mo, 23. November 2026 um 15:00: den Tee.",
        ),
        ("Erinnere mich morgen um 15 Uhr an den Tee", "Verschieben Sie das bitte auf Montag", "um 15:00: den Tee."),
        ("Erinnere mich morgen um 15 Uhr an den Tee", "Legen Sie es auf 16 Uhr", "um 16:00: den Tee."),
        ("recuérdame mañana a las 15 llamar a Ana", "Mejor muévela al lunes", "lun 23 nov 2026 a las 15:00: llamar"),
        ("recuérdame mañana a las 15 llamar a Ana", "cámbielo a las 16", "dom 22 nov 2026 a las 16:00: llamar a Ana."),
        ("rappelle-moi demain à 15h d'appeler Ana", "déplacez-le à lundi", "lun. 23 nov. 2026 à 15:00 : appeler Ana."),
        ("напомни мне завтра в 15 позвонить Ане", "перенесите на 16", "Sun 22 Nov 2026 at 16:00: позвонить Ане."),
        ("明天下午3点提醒我浇花", "不，下午4点", "2026年11月22日（周日）16:00提醒你：浇花。"),
        ("明天晚上8点提醒我浇花", "改成9点", "2026年11月22日（周日）21:00提醒你：浇花。"),
        ("Remind me tomorrow at 8 pm to call Ana", "move it to 9", "Sun 22 Nov 2026 at 21:00: call Ana."),
        ("Remind me tomorrow at 13:00 to call Ana", "make it 11", "Sun 22 Nov 2026 at 11:00: call Ana."),
        ("Remind me tomorrow at 9 to call Ana", "make it 4", "Sun 22 Nov 2026 at 16:00: call Ana."),
        ("Remind me tomorrow at 6 to call Ana", "make it 5:30", "Sun 22 Nov 2026 at 05:30: call Ana."),
    ],
)
async def test_a_reminder_that_was_just_set_is_moved_by_another_time(
    here: Conversation, first: str, said: str, when: str
) -> None:
    await here.say(first)

    assert when in await here.say(said)
    listed = await here.say("/reminders")
    assert listed.count("`^") == 1
    assert len(here.jobs) == 1
    await here.say("/undo")
    assert await here.say("/reminders") != listed


@pytest.mark.parametrize("said", ["make it 4", "no, at 4", "at 4", "remind me at 4 instead"])
async def test_a_reminder_that_a_command_has_set_is_moved_as_others_are(here: Conversation, said: str) -> None:
    await here.say("Remind me to call Tom")
    await here.say("/remind tomorrow at 3 call Ana")

    assert "Sun 22 Nov 2026 at 16:00: call Ana." in await here.say(said)
    assert (await here.say("/reminders")).count("`^") == 1


async def test_a_number_moves_no_reminder_of_a_number_that_a_command_has_set(here: Conversation) -> None:
    await here.say("/remind tomorrow at 3 buy 2 cakes")
    await here.say("make it 4")

    assert "at 15:00: buy 2 cakes" in await here.say("/reminders")


async def test_a_time_long_after_a_command_has_set_a_reminder_moves_none(here: Conversation) -> None:
    await here.say("/remind tomorrow at 3 call Ana")
    here.clock.advance(hours=2)
    await here.say("make it 4")

    assert "at 15:00: call Ana" in await here.say("/reminders")


@pytest.mark.parametrize(
    ("first", "said", "when"),
    [
        ("Remind me on Tuesday at 5 to call Ana", "move the Ana reminder to 6", "Tue 24 Nov 2026 at 18:00: call Ana."),
        ("Remind me on Tuesday at 5 to call Ana", "push call Ana to Thursday", "Thu 26 Nov 2026 at 17:00: call Ana."),
        (
            "Remind me every day at 8 to take the pills",
            "change the pills reminder to 9",
            "Sun 22 Nov 2026 at 09:00: take the pills.",
        ),
        (
            "Erinnere mich am Dienstag um 17 Uhr an den Anruf",
            "verschieb die Erinnerung an den Anruf auf 18 Uhr",
            "24. November 2026 um 18:00: den Anruf.",
        ),
        ("周四下午5点提醒我浇花", "把浇花的提醒改到6点", "26日（周四）18:00提醒你：浇花。"),
        (
            "Напомни в четверг в 5 позвонить Ане",
            "перенеси напоминание позвонить Ане на 6",
            "26 Nov 2026 at 18:00: позвонить Ане.",
        ),
    ],
)
async def test_a_reminder_is_moved_by_its_name(here: Conversation, first: str, said: str, when: str) -> None:
    await here.say("Remind me tomorrow at 10 to water the plants")
    await here.say(first)
    await here.say("The plumber is called Otto.")

    assert when in await here.say(said)
    assert "10:00: water the plants" in await here.say("/reminders")
    assert len(here.jobs) == 2


@pytest.mark.parametrize("said", ["move the tea reminder to 6", "move Ana's reminder to 6"])
async def test_a_move_of_no_certain_reminder_lists_them(here: Conversation, said: str) -> None:
    await here.say("Remind me on Tuesday at 5 to call Ana")
    await here.say("Remind me on Thursday at 5 to write to Ana")
    await here.say("The plumber is called Otto.")

    assert (await here.say(said)).count("`^") == 2
    assert "at 18:00" not in await here.say("/reminders")


async def test_what_a_reminder_says_itself_moves_it_not(here: Conversation) -> None:
    await here.say("remind me tomorrow at 9 to do push ups")
    await here.say("The plumber is called Otto.")
    await here.say("Push ups to 20")

    assert "at 09:00: do push ups" in await here.say("/reminders")


@pytest.mark.parametrize(
    ("said", "when"), [("change it at 5", "at 17:00: change it."), ("wait in 2 hours", "at 15:00: wait.")]
)
async def test_a_reminder_to_change_something_or_to_wait_moves_no_other_one(
    here: Conversation, said: str, when: str
) -> None:
    await here.say("Remind me tomorrow at 3 to call Ana")

    assert when in await here.say(f"remind me to {said}")
    assert (await here.say("/reminders")).count("`^") == 2


async def test_a_time_after_a_reminder_moves_it_and_corrects_nothing_else(here: Conversation) -> None:
    await here.say("The meeting is on Thursday at 2.")
    await here.say("Remind me tomorrow at 9 to call Ana")
    await here.say("no, at 10")

    assert "Sun 22 Nov 2026 at 11:00: call Ana." in await here.say("no, at 11")
    assert "on Thursday at 2." in await here.say("When is the meeting?")


@pytest.mark.parametrize(
    "said",
    [
        "tomorrow at 10?",
        "No, at 10 the plumber comes",
        "tomorrow at 10 I am in Linz",
        "also tomorrow at 21:00",
        "And at 10",
        "and on Friday",
        "and again at 10",
        "again at 10",
        "then at 10",
        "tomorrow at 10 also",
        "und um 10 Uhr",
        "auch um 10 Uhr",
        "noch um 10 Uhr",
        "wieder um 10 Uhr",
        "再下午4点",
        "还有下午4点",
        "和下午4点",
        "2",
        "no, 2",
        "wait 2",
        "4",
        f"no, at 10{'!' * 400}",
    ],
)
async def test_what_is_more_than_a_time_moves_no_reminder(here: Conversation, said: str) -> None:
    await here.say("Remind me tomorrow at 9 to call Ana")
    await here.say(said)

    assert "09:00: call Ana" in await here.say("/reminders")


FURTHER = ["also tomorrow at 21:00", "and on Friday", "again at 10"]


@pytest.mark.parametrize("said", [*FURTHER, "auch morgen um 21 Uhr", "um 20 uhr auch"])
async def test_a_further_time_is_noted_as_no_fact(here: Conversation, said: str) -> None:
    await here.say("Remind me tomorrow at 9 to call Ana")

    assert "Noted" not in await here.say(said)


@pytest.mark.parametrize("what", ["buy 2 cakes", "buy two cakes", "zwei Kuchen kaufen"])
@pytest.mark.parametrize("said", ["no, 3", "make it 3", "3"])
async def test_a_number_moves_no_reminder_of_a_number(here: Conversation, said: str, what: str) -> None:
    await here.say(f"Remind me tomorrow at 9 to {what}")
    await here.say(said)

    assert f"at 09:00: {what}" in await here.say("/reminders")


async def test_a_time_after_another_message_moves_no_reminder(here: Conversation) -> None:
    await here.say("Remind me tomorrow at 9 to call Ana")
    await here.say("The meeting is on Thursday at 2.")

    assert "on Thursday at 4." in await here.say("no, at 4")


async def test_an_order_not_to_remind_at_a_time_moves_no_reminder(here: Conversation) -> None:
    await here.say("明天下午3点提醒我浇花")
    listed = await here.say("/reminders")

    await here.say("不要下午4点提醒我")
    assert await here.say("/reminders") == listed


@pytest.mark.parametrize(
    "said", ["remind me at 4 instead", "move the Ana reminder to 6", "move the Ana reminder to Monday", "at 4"]
)
@pytest.mark.parametrize("first", ["Remind me tomorrow at 3 to call Ana", "Remind me every day at 3 to call Ana"])
async def test_a_move_of_a_reminder_that_is_repeated_after_a_crash_is_made_once(
    here: Conversation, first: str, said: str
) -> None:
    await here.say(first)
    talk = here.context.said
    replies, questions = {name: list(said) for name, said in talk.replies.items()}, dict(talk.questions)

    moved = await here.reply(said, turn="t9")
    talk.replies, talk.questions = replies, questions
    assert (await here.reply(said, turn="t9")).text == moved.text
    assert (await here.say("/reminders")).count("`^") == 1
    assert len(here.jobs) == 1


@pytest.mark.parametrize("between", ["The plumber is called Otto.", "/reminders"])
async def test_another_time_for_no_certain_reminder_is_asked_about(here: Conversation, between: str) -> None:
    await here.say("Remind me tomorrow at 3 to call Ana")
    await here.say("Remind me every day at 9 to drink")
    await here.say(between)

    assert "of what?" in await here.say("remind me at 4 instead")
    assert (await here.say("/reminders")).count("`^") == 2


@pytest.mark.parametrize(
    ("said", "minutes"),
    [
        ("snooze 10 minutes", 10),
        ("Snooze for an hour please", 60),
        ("again in 20 minutes", 20),
        ("Remind me again in 10 minutes", 10),
        ("in half an hour", 30),
        ("again at 3 pm", 100),
        ("postpone it by an hour", 60),
        ("push that back 2 hours", 120),
        ("nochmal in 10 Minuten", 10),
        ("Erinnere mich in einer Stunde nochmal", 60),
        ("de nuevo en 10 minutos", 10),
        ("encore dans 10 minutes", 10),
        ("напомни ещё раз через 10 минут", 10),
        ("10分钟后再提醒我", 10),
    ],
)
async def test_one_that_has_just_come_comes_again(here: Conversation, said: str, minutes: int) -> None:
    name = await come(here)

    assert "tea" in await here.say(said)
    assert here.jobs[f"{name} snoozed"].due == here.clock.now() + timedelta(minutes=minutes)
    assert [line for line in here.lines("memory/2026-11-21.md") if line.startswith("- ")] == [
        line for line in here.lines("memory/2026-11-21.md") if "tea" in line
    ]


@pytest.mark.parametrize(
    "said", ["I have to leave in 10 minutes", "every day at 9", "again", "remind me in 1 hour to go"]
)
async def test_what_says_more_than_a_time_puts_nothing_off(here: Conversation, said: str) -> None:
    name = await come(here)
    await here.say(said)

    assert f"{name} snoozed" not in here.jobs


async def test_a_time_long_after_the_reminder_was_answered_puts_nothing_off(here: Conversation) -> None:
    name = await come(here)
    await here.say("thanks")
    await here.say("again in 10 minutes")

    assert f"{name} snoozed" not in here.jobs


async def come(here: Conversation) -> str:
    """Have a reminder come, as the last that was said; return the name of its job."""
    await here.say("/remind in 20 minutes tea")
    [name] = here.jobs
    here.clock.advance(minutes=20)
    offered = Button("10 minutes", f"{SNOOZE} {name.split()[1]} 10m")
    here.context.said.replies[here.turn("").session].append(Reply("⏰ tea", buttons=(offered,)))
    return name


@pytest.mark.parametrize(
    ("ordered", "moved", "again", "when"),
    [
        ("每周一上午九点提醒我倒垃圾", "改成周二", "不对，八点", "2026年11月24日（周二）08:00"),
        ("明天晚上8点提醒我浇花", "改成9点", "说错了，10点", "2026年11月22日（周日）22:00"),
        ("明日9時に会議をリマインドして", "やっぱり10時", "違う、11時", "Sun 22 Nov 2026 at 11:00"),
        ("Remind me tomorrow at 3 to call Ana", "make it 4", "no, at 5", "Sun 22 Nov 2026 at 17:00"),
        ("Erinnere mich morgen um 15 Uhr an den Tee", "doch um 16 Uhr", "nein, um 17 Uhr", "um 17:00"),
    ],
)
async def test_what_was_moved_is_moved_again_by_a_correction(
    here: Conversation, ordered: str, moved: str, again: str, when: str
) -> None:
    await here.say("The dentist is on Monday at 3 pm")
    await here.say(ordered)
    await here.say(moved)

    assert when in await here.say(again)
    assert len(here.jobs) == 1


@pytest.mark.parametrize(
    ("first", "said", "when"),
    [
        ("Remind me tomorrow at 8 to take my pills", "and again at 9", "09:00: take my pills."),
        ("Erinnere mich morgen um 8 an die Tabletten", "und nochmal um 9", "um 09:00: die Tabletten."),
    ],
)
async def test_again_at_a_time_sets_the_same_reminder_once_more(
    here: Conversation, first: str, said: str, when: str
) -> None:
    await here.say(first)

    assert when in await here.say(said)
    assert (await here.say("/reminders")).count("`^") == 2


async def test_days_without_a_time_leave_open_when_to_remind(here: Conversation) -> None:
    asked = await here.say("remind me to call Ana")

    assert await here.say("this week") == asked
