"""Reminders in words: set, asked back, called off."""

from __future__ import annotations

import pytest

from tests.support.conversation import Conversation
from tests.support.texts import ENGLISH


async def test_a_reminder_is_noted_and_its_minute_is_told(here: Conversation) -> None:
    answer = await here.say("Remind me to call Ana tomorrow at 9")

    assert answer == "I will remind you on Sun 22 Nov 2026 at 09:00: call Ana. (memory/2026-11-21.md#L4)"


async def test_a_reminder_without_a_time_is_asked_back_and_not_noted(here: Conversation) -> None:
    assert (await here.say("Remind me to call Ana")).startswith("When shall I remind you?")
    assert await here.say("Ricordami di portare fuori la spazzatura domani alle 20") == ENGLISH.reminder
    assert "Nothing has been written" in await here.say("/today")


@pytest.mark.parametrize(
    ("wish", "when", "answer"),
    [
        ("Remind me to call Ana", "tomorrow at 9", "I will remind you on Sun 22 Nov 2026 at 09:00: call Ana."),
        ("Remind me yesterday at 5 to swim", "Tomorrow at 8!", "I will remind you on Sun 22 Nov 2026 at 08:00: swim."),
        ("Erinnere mich daran, Ana anzurufen", "morgen um 9", "um 09:00: Ana anzurufen."),
        ("提醒我给安娜打电话", "明天早上9点", "09:00提醒你：给安娜打电话。"),
    ],
)
async def test_a_time_by_itself_answers_when_to_remind(here: Conversation, wish: str, when: str, answer: str) -> None:
    await here.say(wish)
    assert answer in await here.say(when)


async def test_a_time_is_no_answer_hours_later_after_another_message_or_with_more_words(here: Conversation) -> None:
    await here.say("Remind me to call Ana")
    assert "I will remind" not in await here.say("Tomorrow at 9 the plumber comes.")
    assert "I will remind" not in await here.say("tomorrow at 9")
    await here.say("Remind me to call Ana")
    here.clock.advance(hours=2)
    assert "I will remind" not in await here.say("tomorrow at 9")


@pytest.mark.parametrize(
    "said",
    [
        "Remind me in 20 minutes to turn the oven off, and tomorrow at 7 to pay the rent",
        "Erinnere mich um 17 Uhr an den Tee und um 20 Uhr an die Nachrichten",
        "十分钟后提醒我关火，明天七点提醒我交房租",
        "Remind me tomorrow at 9 to call Ana and at 10 to call Bob",
        "Remind me to call the bank on Wednesday and to pay the rent on Friday",
        "Recuérdame llamar al banco el miércoles y pagar el alquiler el viernes",
        "Напомни в 9 позвонить Ане, а в 10 позвонить Тому",
        "提醒我明天早上8点吃药，晚上9点再吃一次",
    ],
)
async def test_two_reminders_in_one_sentence_are_asked_back_and_none_is_lost(here: Conversation, said: str) -> None:
    assert await here.say(said) == await here.say("tomorrow at 9")
    assert not here.jobs


@pytest.mark.parametrize(
    "what",
    [
        "buy bread and Friday's paper",
        "book the table for Friday at 7",
        "tell Bob I am away on Monday and Tuesday",
        "tell Bob that I am away on Monday, on Tuesday at home",
    ],
)
async def test_a_day_in_what_to_be_reminded_of_is_no_second_reminder(here: Conversation, what: str) -> None:
    assert f"at 09:00: {what}." in await here.say(f"Remind me tomorrow to {what}")


async def test_what_is_asked_to_be_reminded_of_is_repeated_without_a_question_mark(here: Conversation) -> None:
    answer = await here.say("kannst du mich morgen um sechs wecken?")
    assert "um 06:00: kannst du mich morgen um sechs wecken. (" in answer


@pytest.mark.parametrize(
    ("order", "instead", "then"),
    [
        ("Remind me every day at 8 to stretch", "make it 9", "Sun 22 Nov 2026 at 09:00: stretch."),
        ("Remind me every day at 8 to stretch", "no, at 10", "Sun 22 Nov 2026 at 10:00: stretch."),
        ("Remind me every day at 13:00 to stretch", "make it 11", "Sun 22 Nov 2026 at 11:00: stretch."),
        ("Remind me every Saturday at 13:00 to stretch", "no, at 11", "Sat 28 Nov 2026 at 11:00: stretch."),
        ("Remind me every Monday at 8 to stretch", "no, on Tuesday", "Tue 24 Nov 2026 at 08:00: stretch."),
        ("Remind me every Monday at 8 to stretch", "make it every Tuesday at 9", "Tue 24 Nov 2026 at 09:00: stretch."),
        ("Erinnere mich jeden Tag um 8 an die Pillen", "nein, um 9", "um 09:00: die Pillen."),
        ("每天早上8点提醒我吃药", "改成9点", "09:00"),
    ],
)
async def test_what_repeats_is_moved_as_a_single_one_is(
    here: Conversation, order: str, instead: str, then: str
) -> None:
    await here.say(order)

    assert then in await here.say(instead)
    assert (await here.say("/reminders")).count("^") == 1


@pytest.mark.parametrize(
    ("order", "instead"),
    [
        ("Remind me every 2 hours to stretch", "make it 9"),
        ("Remind me at 8 and 20 every day to stretch", "no, at 9"),
        ("Remind me every day at 8 to stretch", "no, on Tuesday"),
    ],
)
async def test_what_repeats_stays_where_it_is_not_clear_how_it_would_move(
    here: Conversation, order: str, instead: str
) -> None:
    await here.say(order)
    listed = await here.say("/reminders")
    await here.say(order)

    assert (await here.say(instead)).startswith("When exactly?")
    assert await here.say("/reminders") == listed


@pytest.mark.parametrize(
    "said",
    [
        "remind me in half an hour",
        "remind me in half an hour or so",
        "set a reminder for half an hour",
        "Set a reminder for 30 minutes!",
        "Can you remind me in half an hour?",
        "erinnere mich in einer halben Stunde",
        "半小时后提醒我",
    ],
)
async def test_a_reminder_of_nothing_in_particular_is_set(here: Conversation, said: str) -> None:
    await here.say(said)

    assert f"13:30: {said} " in await here.say("/reminders")


@pytest.mark.parametrize(
    "said",
    [
        "cancel the trash reminder",
        "stop reminding me about the trash",
        "don't remind me about the trash",
        "stop the trash reminder",
        "can you turn off the trash reminder?",
        "no more trash reminders please",
        "I don't need the trash reminder anymore",
        "stop the reminder to take out the trash",
        "delete all my reminders about the trash",
    ],
)
async def test_a_reminder_is_called_off_in_words(here: Conversation, said: str) -> None:
    await here.say("Remind me every Tuesday at 19:00 to take out the trash")
    await here.say("Remind me tomorrow at 9 to call Ana")

    assert "take out the trash" in await here.say(said)
    await here.say("yes")
    left = await here.say("my reminders")
    assert "trash" not in left
    assert "call Ana" in left


@pytest.mark.parametrize(
    ("reminder", "said"),
    [
        ("Erinnere mich morgen um 9 an die Blumen", "Erinnere mich nicht mehr an die Blumen"),
        ("明天早上9点提醒我浇花", "取消浇花的提醒"),
        ("明天早上9点提醒我浇花", "别再提醒我浇花"),
        ("Erinnere mich jeden Tag um 8 an die Tabletten", "keine Erinnerungen mehr an die Tabletten bitte"),
        ("Erinnere mich jeden Tag um 8 an die Tabletten", "Die Erinnerung an die Tabletten brauche ich nicht mehr"),
        ("Erinnere mich jeden Tag um 8 an die Tabletten", "Stell die Tablettenerinnerung ab"),
        ("Erinnere mich jeden Tag um 8 ans Trinken", "Ich möchte nicht mehr ans Trinken erinnert werden"),
        ("每天早上7点半叫我起床", "别再叫我起床了"),
        ("每天早上7点半叫我起床", "取消起床闹钟"),
    ],
)
async def test_a_reminder_is_called_off_in_other_languages(here: Conversation, reminder: str, said: str) -> None:
    await here.say(reminder)

    assert "`memory/2026-11-21.md:4`" in await here.say(said)


@pytest.mark.parametrize(
    "said",
    [
        "cancel the milk reminder",
        "delete the reminder to call Bob",
        "don't remind me about the dentist",
        "lösch die Erinnerung an die Milch",
        "Erinnere mich nicht mehr an die Milch",
        "streiche die Zahnarzt-Erinnerung",
        "cancela el recordatorio de la leche",
        "annule le rappel du lait",
        "删除牛奶的提醒",
        "别再提醒我买牛奶",
    ],
)
async def test_a_reminder_that_is_not_there_is_not_called_off_for_another(here: Conversation, said: str) -> None:
    await here.say("We have no milk left, the dentist has Milch and leche, Bob has lait, 牛奶.")
    await here.say("Remind me tomorrow at 9 to call Ana")

    answer = await here.reply(said)

    assert answer.text.startswith("1. ")
    assert "call Ana" in answer.text
    assert "“" in answer.told[-1]


async def test_a_reminder_is_called_off_by_its_day(here: Conversation) -> None:
    await here.say("Remind me on Friday at 8 to water the plants")

    assert "water the plants" in await here.say("cancel the Friday reminder")
    assert "`memory/2026-11-21.md:4`" in await here.say("cancel the plant reminder")


@pytest.mark.parametrize(
    ("reminder", "said"),
    [
        ("Remind me tomorrow at 9 to call Ana", "cancel the reminder for tomorrow at 9"),
        ("Remind me on Sunday at 8 to call the dentist", "cancel the reminder for the dentist on Sunday"),
    ],
)
async def test_a_reminder_is_called_off_by_its_time_and_by_a_word_with_a_time(
    here: Conversation, reminder: str, said: str
) -> None:
    await here.say(reminder)

    answer = await here.reply(said)

    assert "`memory/2026-11-21.md:4`" in answer.text
    assert not any("No reminder says" in told for told in answer.told)


async def test_what_is_cancelled_elsewhere_takes_no_reminder_away(here: Conversation) -> None:
    await here.say("Remind me tomorrow at 9 to call Ana")

    assert "/forget" not in await here.say("Please cancel my flight to Ana")
    assert "I will remind you" in await here.say("Don't let me forget the trash tomorrow at 9")


@pytest.mark.parametrize(
    "said",
    [
        "What reminders do I have tomorrow?",
        "明天有什么提醒",
        "cancel all reminders",
        "cancel all my reminders",
        "Cancel every reminder!",
        "please delete all of my reminders",
        "stop all reminders",
        "stop reminding me",
        "stop reminding me every day",
        "please don't remind me anymore",
        "no more reminders",
        "I don't want any more reminders",
        "forget all my reminders please",
        "lösche alle Erinnerungen",
        "Bitte lösch meine Erinnerungen",
        "Sag alle Erinnerungen ab",
        "alle Erinnerungen löschen",
        "取消这些提醒",
        "取消所有提醒",
        "把所有提醒都删掉",
        "别再提醒我了",
    ],
)
async def test_reminders_of_a_day_and_all_to_be_cancelled_are_listed(here: Conversation, said: str) -> None:
    await here.say("Remind me tomorrow at 9 to call Ana")

    assert (await here.say(said)).startswith("1. ")


@pytest.mark.parametrize(
    ("said", "lines"),
    [
        ("cancel the reminder at 21:00", [5]),
        ("cancel the pill reminder at 21:00", [5]),
        ("cancel the reminder to take the pill at 21:00", [5]),
        ("lösche die Erinnerung um 21 Uhr", [5]),
        ("cancel the reminder tomorrow at 10 pm", [6]),
        ("cancel the reminder about Ana", [6]),
    ],
)
async def test_of_reminders_in_the_same_words_the_one_of_the_time_that_was_said_is_called_off(
    here: Conversation, said: str, lines: list[int]
) -> None:
    for reminder in ("9 to take the pill", "21:00 to take the pill", "22:00 to call Ana"):
        await here.say(f"remind me tomorrow at {reminder}")

    answer = await here.say(said)

    assert [number for number in (4, 5, 6) if f"`memory/2026-11-21.md:{number}`" in answer] == lines


@pytest.mark.parametrize("said", ["cancel the pill reminder", "cancel the reminder at 9", "取消9点的提醒"])
async def test_which_of_reminders_in_the_same_words_is_to_be_called_off_is_asked(here: Conversation, said: str) -> None:
    await here.say("remind me tomorrow at 9 to take the pill")
    await here.say("remind me tomorrow at 21:00 to take the pill")

    assert [line[:3] for line in (await here.say(said)).splitlines()] == ["1. ", "2. "]
    await here.say("/reminders cancel 2")
    assert "09:00" in await here.say("/reminders")


@pytest.mark.parametrize("said", ["cancel the reminder at 9", "lösche die Erinnerung um 9 Uhr"])
async def test_of_several_reminders_at_the_time_that_was_said_the_list_is_shown(here: Conversation, said: str) -> None:
    await here.say("I parked at 9 Elm Street")
    await here.say("remind me tomorrow at 9 to take the pill")
    await here.say("remind me tomorrow at 9 to call Ana")

    assert [line[:3] for line in (await here.say(said)).splitlines()] == ["1. ", "2. "]


@pytest.mark.parametrize(
    ("said", "lines"),
    [
        ("cancel the pill reminder for tomorrow", [1, 2]),
        ("cancel the pill reminder tomorrow", [1, 2]),
        ("cancel the yoga reminder on Thursday", [7]),
        ("cancel the reminder next Monday at 18:00", [6]),
    ],
)
async def test_where_only_a_day_is_said_all_reminders_of_that_day_are_meant(
    here: Conversation, said: str, lines: list[int]
) -> None:
    for order in ("tomorrow at 9 to take the pill", "tomorrow at 21:00 to take the pill"):
        await here.say(f"remind me {order}")
    for day in ("Monday", "Thursday"):
        await here.say(f"remind me every {day} at 18:00 of yoga")

    answer = await here.say(said)

    listed = [number for number in (1, 2) if f"\n{number}. Sun 22 Nov" in f"\n{answer}"]
    assert listed + [number for number in (4, 5, 6, 7) if f"`memory/2026-11-21.md:{number}`" in answer] == lines


async def test_a_reminder_that_has_come_is_not_meant_by_the_one_in_the_same_words(here: Conversation) -> None:
    await here.say("remind me in 2 hours to take the pill")
    here.clock.advance(hours=3)
    await here.say("remind me tomorrow at 9 to take the pill")

    assert "`memory/2026-11-21.md:5`" in await here.say("cancel the pill reminder")


@pytest.mark.parametrize(
    ("ordered", "said"),
    [
        ("remind me tomorrow at 7 to leave", "don't remind me to leave, I'm sick and won't go"),
        ("remind me tomorrow at 7 to take out the trash", "no need to remind me about the trash any more"),
        ("erinnere mich morgen um 7 an den Müll", "erinnere mich nicht mehr an den Müll, hab ich schon"),
        ("erinnere mich morgen um 7 an den Müll", "du brauchst mich nicht mehr an den Müll zu erinnern"),
        ("提醒我明天7点半出门", "别提醒我出门了 生病不去了"),
        ("recuérdame mañana a las 7 sacar la basura", "no me recuerdes lo de la basura, ya lo hice"),
        ("rappelle-moi demain à 7h de sortir la poubelle", "ne me rappelle plus la poubelle, c'est fait"),
        ("напомни завтра в 7 вынести мусор", "не напоминай мне про мусор, уже вынес"),
        ("rappelle-moi tous les jours à 7h de nourrir le chat", "arrête de me rappeler le chat, Théo le fait"),
        ("erinnere mich jeden Tag um 8 an den Müll", "hör auf, mich an den Müll zu erinnern"),
        ("recuérdame todos los días a las 8 la basura", "deja de recordarme la basura"),
        ("напоминай мне каждый день в 8 про мусор", "перестань напоминать мне про мусор"),
        ("每天8点提醒我买菜", "停止提醒我买菜"),
    ],
)
async def test_what_nobody_wants_to_be_reminded_of_any_more_is_called_off_whatever_the_reason(
    here: Conversation, ordered: str, said: str
) -> None:
    await here.say(ordered)

    assert "`memory/2026-11-21.md:4`" in await here.say(said)
    await here.say("yes")
    assert "`^" not in await here.say("/reminders")


@pytest.mark.parametrize(
    ("ordered", "asked", "due"),
    [
        ("remind me every Monday at 8 to take out the trash", "when do I take out the trash?", "2026-11-23 08:00"),
        ("erinnere mich jeden Montag um 8 an den Müll", "wann ist der Müll?", "2026-11-23 08:00"),
        ("每个月1号提醒我交房租", "房租什么时候交", "2026-12-01 09:00"),
        ("erinnere mich am Montag um 8 an den Müll", "wann ist der Müll?", "2026-11-23 08:00"),
    ],
)
async def test_when_a_reminder_comes_answers_when(here: Conversation, ordered: str, asked: str, due: str) -> None:
    await here.say(ordered)

    assert f"· {due}" in await here.say(asked)


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ("La poubelle passe le mardi", "ne me rappelle plus la poubelle"),
        ("La basura pasa el martes", "deja de recordarme la basura"),
        ("Мусор вывозят во вторник", "хватит напоминать про мусор"),
        ("Der Müll wird am Dienstag abgeholt", "hör auf, mich an den Müll zu erinnern"),
        ("Der Müll wird am Dienstag abgeholt", "du brauchst mich nicht mehr an den Müll zu erinnern"),
    ],
)
async def test_no_fact_is_offered_for_forgetting_where_a_reminder_is_called_off(
    here: Conversation, told: str, said: str
) -> None:
    await here.say(told)

    assert told not in await here.say(said)


async def test_when_a_reminder_comes_that_was_put_off_answers_when(here: Conversation) -> None:
    await here.say("remind me every Monday at 8 to take out the trash")
    name = here.lines("memory/2026-11-21.md")[3].rpartition("^")[2]
    job = f"reminder {name} snoozed"
    await here.say(f"/reminders snooze {name} 1h")

    assert job in here.jobs
    assert "· 2026-11-21 14:00" in await here.say("when do I take out the trash?")


async def test_when_something_is_comes_before_when_one_is_reminded_of_what_is_to_be_done_for_it(
    here: Conversation,
) -> None:
    await here.say("The party is on Friday at 8")
    await here.say("remind me tomorrow at 9 to buy balloons for the party")

    assert (await here.say("when is the party?")).splitlines()[1] == "1. > The party is on Friday at 8"


@pytest.mark.parametrize(
    ("said", "then"),
    [
        ("and at 11 to buy bread", "Sun 22 Nov 2026 at 11:00: buy bread."),
        ("and the dentist at 11", "Sun 22 Nov 2026 at 11:00: the dentist."),
        ("also on the 28th at 8 to call Tom", "Sat 28 Nov 2026 at 08:00: call Tom."),
        ("and to water the plants on Tuesday", "Tue 24 Nov 2026 at 09:00: water the plants."),
        ("und an die Blumen am Dienstag", "24. November 2026 um 09:00: die Blumen."),
    ],
)
@pytest.mark.parametrize("moved", [True, False])
async def test_a_further_order_behind_a_reminder_sets_another_one(
    here: Conversation, said: str, then: str, *, moved: bool
) -> None:
    here.clock.advance(hours=1)
    await here.say("/remind tomorrow at 9 call Ana")
    if moved:
        await here.say("make it 10")

    assert then in await here.say(said)
    assert len(here.jobs) == 2


@pytest.mark.parametrize(
    ("order", "said"),
    [
        ("Remind me tomorrow at 9 to call Ana", "don't remind me tomorrow to call Ana"),
        ("Remind me tomorrow at 9 to call Ana", "please do not remind me tomorrow at 9 to call Ana"),
        ("Erinnere mich morgen um 9 an den Anruf", "erinnere mich morgen nicht an den Anruf"),
        ("Rappelle-moi demain à 9h d'appeler Ana", "ne me rappelle pas demain d'appeler Ana"),
        ("Rappelle-moi demain à 9h d'appeler Ana", "ne me rappelle plus d'appeler Ana"),
        ("Recuérdame mañana a las 9 llamar a Ana", "no me recuerdes mañana llamar a Ana"),
        ("明天上午9点提醒我浇花", "明天不要提醒我浇花"),
        ("Напомни завтра в 9 позвонить Ане", "не напоминай мне завтра позвонить Ане"),
    ],
)
async def test_an_order_not_to_remind_at_some_time_shows_that_reminder(
    here: Conversation, order: str, said: str
) -> None:
    await here.say(order)
    name = next(iter(here.jobs)).split()[1]

    assert f"^{name}" in (answer := await here.say(said))
    assert "/forget yes" in answer


@pytest.mark.parametrize(
    "said", ["Snooze is the name of my dog", "Snooze Café opens at 8", "snooze 2 hours is what I do on Sundays"]
)
async def test_what_tells_of_snoozing_is_noted(here: Conversation, said: str) -> None:
    await here.say("Remind me tomorrow at 9 to call Ana")

    await here.say(said)

    assert said in "\n".join(here.lines("memory/2026-11-21.md"))


@pytest.mark.parametrize("said", ["cancel the reminder for tomorrow", "cancel the reminders for tomorrow"])
async def test_what_comes_again_and_again_is_found_by_a_day_on_which_it_comes(here: Conversation, said: str) -> None:
    await here.say("Remind me every day at 9 to take the pill")
    await here.say("Remind me on Monday at 9 to call Ana")

    answer = await here.say(said)

    assert "take the pill" in answer
    assert "call Ana" not in answer


@pytest.mark.parametrize(
    "said",
    [
        "cancel all reminders for tomorrow",
        "lösche alle Erinnerungen für morgen",
        "cancela los recordatorios de mañana",
        "supprime les rappels de demain",
        "snooze 1 hour",
    ],
)
async def test_what_names_no_reminder_lists_them_and_notes_nothing(here: Conversation, said: str) -> None:
    await here.say("Remind me tomorrow at 9 to call Ana")
    await here.say("Remind me tomorrow at 10 to call Tom")
    await here.say("thanks")

    answer = await here.say(said)
    assert "call Ana" in answer
    assert "call Tom" in answer
