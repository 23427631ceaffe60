from datetime import datetime, timedelta
from pathlib import Path

from bot.llm.scripted import ScriptedModel, Step
from tests.support.conversation import TODAYS_LOG, Conversation
from tests.support.factories import ClockPause
from tests.support.service import ServiceOptions, running_service


async def test_a_reminder_is_written_down_and_put_on_the_schedule(here: Conversation) -> None:
    reply = await here.reply("/remind tomorrow at 9 call Ana")

    assert reply.text == f"I will remind you on Sun 22 Nov 2026 at 09:00: call Ana. ({TODAYS_LOG}#L4)"
    assert here.lines(TODAYS_LOG)[3].startswith("- T(due=2026-11-22T09:00): call Ana ^")
    [job] = here.jobs.values()
    assert job.due.isoformat() == "2026-11-22T09:00:00+01:00"
    assert job.envelope.inbound.address.chat


async def test_what_repeats_is_a_cron_expression(here: Conversation) -> None:
    answer = await here.say("/remind every weekday at 9 stand-up")

    assert "next on Mon 23 Nov 2026 at 09:00: stand-up" in answer
    assert [job.repeats for job in here.jobs.values()] == ["0 9 * * 1-5"]


async def test_what_cannot_be_set_is_asked_back_and_nothing_is_written(here: Conversation) -> None:
    for typed in ("call Ana", "yesterday call Ana", "every minute blink", "every other week call Ana", "on 31 June x"):
        assert "Nothing was noted." in await here.say(f"/remind {typed}")
    assert (await here.say("/remind tomorrow at 9")).startswith("Of what? For example")
    assert (await here.say("/remind")).startswith("When, and of what? For example")
    assert here.jobs == {}


async def test_a_turn_that_is_repeated_sets_one_reminder(here: Conversation) -> None:
    for _ in range(2):
        await here.reply("/remind in 20 minutes tea", turn="again")

    assert len(here.jobs) == 1
    assert sum("tea" in line for line in here.lines(TODAYS_LOG)) == 1


async def test_what_is_set_already_is_not_set_again(here: Conversation) -> None:
    first = await here.reply("/remind tomorrow at 9 call Ana")

    for said in ("/remind tomorrow at 9 call Ana", "Remind me tomorrow at 9 to call Ana"):
        assert (await here.reply(said)).text == first.text
    assert len(here.jobs) == 1
    assert sum("call Ana" in line for line in here.lines(TODAYS_LOG)) == 1

    await here.say("/remind every day at 9 call Ana")
    await here.say("/remind tomorrow at 10 call Ana")
    assert len(here.jobs) == 3

    await here.say(first.buttons[0].data)
    await here.say("/remind tomorrow at 9 call Ana")
    assert len(here.jobs) == 4


async def test_the_list_has_the_next_one_first_and_buttons_cancel(here: Conversation) -> None:
    await here.say("/remind next week book flights")
    await here.say("/remind tomorrow at 9 call Ana")

    listed = await here.reply("/reminders")
    assert [line[:2] + line.split(": ")[1].split(" · ")[0] for line in listed.text.split("\n")] == [
        "1.call Ana",
        "2.book flights",
    ]
    cancelled = await here.say(listed.buttons[0].data)
    assert cancelled.startswith("Cancelled: Sun 22 Nov 2026 at 09:00 (`memory/2026-11-21.md:5`). `/undo`")
    assert "call Ana" not in await here.say("/reminders")
    await here.say("/undo")
    assert "call Ana" in await here.say("/reminders")


async def test_a_number_of_the_list_that_was_shown_stays_the_same_reminders(here: Conversation) -> None:
    for what in ("9 one", "10 two", "11 three"):
        await here.say(f"/remind tomorrow at {what}")
    await here.say("/reminders")

    assert (await here.say("/reminders cancel 1")).startswith("Cancelled: Sun 22 Nov 2026 at 09:00 (")
    await here.say("/reminders cancel 2")
    left = await here.say("/reminders")

    assert left.count("Sun 22 Nov") == 1
    assert "three" in left
    assert "three" in await here.say("/reminders snooze 1 tomorrow")
    assert (await here.say("/reminders cancel 2")).startswith("There is no reminder `2`")
    await here.say("what do I have tomorrow?")
    await here.say("/reminders cancel 1")
    assert "nothing to remind you of" in await here.say("/reminders")


async def test_which_one_was_cancelled_is_said_though_its_words_are_masked(tmp_path: Path) -> None:
    setting = ClockPause()
    with ScriptedModel() as model:
        retrying = setting.retrying(model)
        options = ServiceOptions(clock=setting.clock, pause=setting, health=retrying.health, masks=True)
        async with running_service(tmp_path, retrying, options) as here:
            told = []
            for when in ("tomorrow at 9", "every day at 8"):
                await here.people.ask(f"/remind {when} call Ana about the boat")
                listed = await here.people.ask("/reminders")
                told.append(await here.people.ask(f"/reminders cancel {listed.rpartition('`^')[2].strip('`')}"))

    undo = " `/undo` brings it back."
    assert told == [
        "Cancelled: Sun 22 Nov 2026 at 09:00 (`memory/2026-11-21.md:4`)." + undo,
        "Cancelled: Sun 22 Nov 2026 at 08:00 · again and again (`0 8 * * *`) (`memory/2026-11-21.md:5`)." + undo,
    ]


async def test_a_number_means_nothing_where_a_model_has_been_shown_other_facts_since(tmp_path: Path) -> None:
    setting = ClockPause()
    with ScriptedModel(Step(text="By ferry.")) as model:
        retrying = setting.retrying(model)
        options = ServiceOptions(clock=setting.clock, pause=setting, health=retrying.health)
        async with running_service(tmp_path, retrying, options) as here:
            await here.people.ask("/remind tomorrow at 9 take the pill")
            await here.people.ask("/remind tomorrow at 10 call Ana about the boat")
            listed = await here.people.ask("/reminders")
            await here.people.ask("How do I get to Ana and the boat?")
            answer = await here.people.ask("/reminders cancel 1")
            left = await here.people.ask("/reminders")

            assert answer.startswith("There is no reminder `1`")
            assert left == listed
            assert (await here.people.ask("/reminders cancel 1")).startswith("Cancelled: Sun 22 Nov 2026 at 09:00")


async def test_one_that_is_forgotten_or_undone_is_not_listed(here: Conversation) -> None:
    await here.say("/remind tomorrow at 9 call Ana")
    await here.say("/undo")

    assert (await here.say("/reminders")).startswith("There is nothing to remind you of.")


async def test_snoozed_it_comes_again_later(here: Conversation) -> None:
    await here.say("/remind in 20 minutes tea")
    [name] = here.jobs
    here.clock.advance(minutes=21)

    answer = await here.say(f"/reminders snooze {name.split()[1]} 1h")

    assert here.jobs[f"{name} snoozed"].due == here.clock.now() + timedelta(hours=1)
    assert "tea" in answer
    assert "tea" in await here.say("/reminders")
    await here.say(f"/reminders done {name.split()[1]}")
    assert f"{name} snoozed" not in here.jobs


async def test_one_that_was_snoozed_and_cancelled_is_snoozed_again_when_that_is_taken_back(here: Conversation) -> None:
    await here.say("/remind in 20 minutes tea")
    [name] = here.jobs
    here.clock.advance(minutes=21)
    await here.say(f"/reminders snooze {name.split()[1]} 1h")
    listed = await here.say("/reminders")

    await here.say(f"/reminders cancel {name.split()[1]}")
    assert "nothing to remind you of" in await here.say("/reminders")
    await here.say("/undo")

    assert await here.say("/reminders") == listed


async def test_snooze_until_tomorrow_is_the_next_morning(here: Conversation) -> None:
    await here.say("/remind in 20 minutes tea")
    [name] = here.jobs
    here.clock.advance(minutes=21)

    await here.say(f"/reminders snooze {name.split()[1]} tomorrow")

    at = here.jobs[f"{name} snoozed"].due
    assert at == datetime(2026, 11, 22, 9, tzinfo=at.tzinfo)


async def test_one_that_has_not_come_yet_is_put_off_and_comes_once_or_is_done_and_does_not_come(
    here: Conversation,
) -> None:
    await here.say("/remind in 20 minutes tea")
    await here.say("/reminders")

    moved = await here.say("/reminders snooze 1 tomorrow")

    assert moved.startswith("I will remind you on Sun 22 Nov 2026 at 09:00: tea.")
    assert [job.due.day for job in here.jobs.values()] == [22]
    assert (await here.say("/reminders")).startswith("1. Sun 22 Nov 2026 at 09:00: tea")
    assert (await here.say("/reminders done 1")).startswith("Cancelled: Sun 22 Nov 2026 at 09:00")
    assert "nothing to remind you of" in await here.say("/reminders")


async def test_one_that_has_not_come_yet_is_put_off_from_its_own_time(here: Conversation) -> None:
    await here.say("/remind in 80 minutes tea")
    [job] = here.jobs.values()
    due = job.due

    await here.say("/reminders")
    await here.say("/reminders snooze 1 1h")

    assert [job.due for job in here.jobs.values()] == [due + timedelta(hours=1)]


async def test_a_button_of_a_reminder_that_is_gone_says_so(here: Conversation) -> None:
    assert "There is no reminder `abc` any more." in await here.say("/reminders snooze abc 1h")


async def test_me_is_not_what_to_be_reminded_of(here: Conversation) -> None:
    assert "09:00: call mum." in await here.say("/remind me tomorrow at 9 to call mum")
    assert "09:00: call Ana." in await here.say("/remind me tomorrow at 9 call Ana")
    assert "09:00: me and Tom meet." in await here.say("/remind tomorrow at 9 me and Tom meet")
