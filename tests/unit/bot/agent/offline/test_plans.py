"""The plans of some days, and what became of them."""

from __future__ import annotations

import pytest

from tests.support.conversation import Conversation


@pytest.mark.parametrize(
    "asked",
    [
        "What do I have coming up this week?",
        "anything tomorrow?",
        "am I doing anything tomorrow",
        "is there anything tomorrow",
        "how does tomorrow look",
        "what should I do tomorrow?",
        "habe ich morgen was?",
        "was steht morgen auf dem Plan",
        "wie sieht morgen aus?",
        "¿tengo algo mañana?",
        "j'ai quelque chose demain ?",
        "Что у меня завтра?",
        "есть что-нибудь завтра?",
        "我明天有什么事？",
        "我接下来有什么安排？",
        "明日の予定は？",
        "내일 뭐 있어?",
        "Cosa ho domani?",
    ],
)
async def test_what_is_coming_up_is_listed_in_every_language_of_the_lists(here: Conversation, asked: str) -> None:
    await here.say("/remind tomorrow at 9 call Ana")

    assert "call Ana" in await here.say(asked)


async def test_a_plan_is_looked_for_at_the_beginning_of_a_fact(here: Conversation) -> None:
    await here.say(f"The gala, {'with Ana and Bob, ' * 25}is on Friday at 7.")
    await here.say("The gala is cancelled.")

    assert (await here.say("When is the gala?")).startswith("From memory:\n1. > The gala, with")


@pytest.mark.parametrize(
    "asked",
    [
        "What do I have to do?",
        "what's next",
        "Was steht an?",
        "¿Qué tengo que hacer?",
        "J'ai quoi de prévu ?",
        "予定は？",
    ],
)
async def test_who_asks_what_is_to_be_done_is_shown_reminders_and_the_days_ahead(
    here: Conversation, asked: str
) -> None:
    await here.say("I met Ben on Monday.")
    await here.say("On 25 November we go to Rome.")
    await here.say("The plumber comes tomorrow at 8.")
    await here.say("My insurance ends in 2026.")
    await here.say("Remind me on Monday at 9 to call Tom")

    answer = await here.say(asked)

    assert [line.split(" (`")[0].split(" · ")[0] for line in answer.splitlines() if line] == [
        answer.splitlines()[0].split(" · ")[0],
        "- The plumber comes tomorrow at 8.",
        "- On 25 November we go to Rome.",
    ]
    assert "call Tom" in answer.splitlines()[0]


@pytest.mark.parametrize(
    ("plan", "over", "asked"),
    [
        ("El lunes tengo cita con el dentista", "El lunes fuimos al cine", "¿Qué tengo que hacer?"),
        ("J'ai rendez-vous lundi avec Paul", "J'ai vu Paul lundi", "Qu'est-ce que j'ai de prévu ?"),
        ("В понедельник иду к врачу", "В понедельник мы ходили в кино", "что у меня запланировано?"),
    ],
)
async def test_a_plan_for_a_weekday_is_one_of_the_days_ahead_in_other_languages(
    here: Conversation, plan: str, over: str, asked: str
) -> None:
    await here.say(plan)
    await here.say(over)

    answer = await here.say(asked)

    assert f"- {plan} (" in answer
    assert over not in answer


@pytest.mark.parametrize(
    ("asked", "listed"),
    [
        ("What do I have tomorrow?", ["call Tom", "The plumber comes tomorrow at 8."]),
        ("what's coming up on Wednesday", ["On 25 November we go to Rome."]),
        ("Was steht am Mittwoch an?", ["On 25 November we go to Rome."]),
        (
            "any plans for next week?",
            ["call Ana", "Lunch with Lee on Monday", "On 25 November we go to Rome.", "Choir on Friday"],
        ),
    ],
)
async def test_who_asks_for_the_plans_of_some_days_is_shown_all_of_them(
    here: Conversation, asked: str, listed: list[str]
) -> None:
    for text in (
        "I met Ben on Monday.",
        "On 25 November we go to Rome.",
        "The plumber comes tomorrow at 8.",
        "Remind me on Tuesday at 9 to call Ana",
        "Remind me tomorrow at 9 to call Tom",
        "Choir on Friday",
        "Lunch with Lee on Monday",
    ):
        await here.say(text)

    answer = await here.say(asked)

    assert [line.split("> ", 1)[1] for line in answer.splitlines() if "> " in line] == listed


@pytest.mark.parametrize(
    ("told", "asked"),
    [
        ("Am Wochenende kommen die Enkel.", "Was habe ich am Wochenende vor?"),
        ("Am Wochenende kommen die Enkel.", "Habe ich morgen etwas vor?"),
        ("This weekend we are in Kiel.", "what do I have on the weekend?"),
        ("This weekend we are in Kiel.", "was machen wir am Wochenende?"),
        ("We go to Lisbon from 24 to 28 November.", "Am I free on 26 November?"),
        ("We go to Lisbon from 24 to 28 November.", "what am I doing on Thursday?"),
        ("这个周末要和妈妈视频", "周末有什么安排？"),
        ("Next weekend we are at my mum's in Kiel.", "what are we doing next weekend"),
        ("I'm going to Munich Tuesday to Thursday", "Am I free on Wednesday?"),
        ("每天早上7点半叫我起床", "明天有什么安排"),
        ("下周三要去车站接周凯", "下周三我要干嘛"),
        ("I have to pay the rent by Friday", "what do I still have to do?"),
        ("I have to pay the rent by Friday", "whats on my list"),
    ],
)
async def test_a_plan_of_several_days_is_one_of_each(here: Conversation, told: str, asked: str) -> None:
    await here.say(told)

    assert told.removeprefix("每天早上7点半叫我") in await here.say(asked)


@pytest.mark.parametrize(
    ("asked", "shown"),
    [
        ("and on Tuesday?", "dentist"),
        ("what about Tuesday?", "dentist"),
        ("Und am Dienstag?", "dentist"),
        ("¿Y el martes?", "dentist"),
        ("Et mardi ?", "dentist"),
        ("А во вторник?", "dentist"),
        ("那周二呢？", "dentist"),
        ("and on Friday?", "nothing is planned"),
        ("und am Sonntag?", "nichts geplant"),
        ("and on Wednesday?", "Zumba"),
        ("what about Thursday?", "nothing is planned"),
        ("how about Friday?", "nothing is planned"),
        ("And today?", "nothing is planned"),
        ("und morgen?", "nothing is planned"),
        ("and tomorrow", "nothing is planned"),
        ("¿Y mañana?", "no hay nada planeado"),
        ("Et demain ?", "nothing is planned"),
        ("А завтра?", "ничего не запланировано"),
        ("今天呢？", "没有安排"),
    ],
)
async def test_after_the_plans_of_one_day_those_of_another_are_asked_for_in_short(
    here: Conversation, asked: str, shown: str
) -> None:
    await here.say("I see the dentist on Tuesday at 9.")
    await here.say("Zumba is on Monday and Wednesday")
    await here.say("what do I have on Monday?")

    assert shown in await here.say(asked)


async def test_what_calls_a_plan_off_is_shown_with_the_plans_of_its_day(here: Conversation) -> None:
    await here.say("I'm going to Lisbon from 24 to 28 November with Hannah")
    await here.say("The Lisbon trip is off, Hannah is ill")

    answer = await here.say("What am I doing on the 26th?")

    assert "The Lisbon trip is off" in answer


async def test_a_plan_that_moved_is_answered_with_where_it_is_now(here: Conversation) -> None:
    await here.say("Dentist on Monday at 10:20")
    here.clock.advance(minutes=1)
    await here.say("The dentist moved to Tuesday at 11")

    assert "1. > The dentist moved to Tuesday at 11" in await here.say("When is the dentist?")


async def test_a_plan_that_was_moved_to_a_day_with_a_full_stop_comes_second(here: Conversation) -> None:
    await here.say("Am 12. Dezember ist Weihnachtsfeier um 18 Uhr")
    await here.say("Die Weihnachtsfeier wurde auf den 13. Dezember verschoben")

    assert "1. > Die Weihnachtsfeier wurde auf den 13." in await here.say("Wann ist die Weihnachtsfeier?")


@pytest.mark.parametrize("asked", ["what do I have on the weekend?", "Am I free on Monday?", "any plans for Friday?"])
async def test_who_asks_for_plans_is_told_that_there_are_none(here: Conversation, asked: str) -> None:
    await here.say("My sister Ana lives in Graz")

    assert await here.say(asked) == "As far as I know, nothing is planned then."


async def test_who_asks_for_plans_where_there_are_none_is_told_nothing_else(here: Conversation) -> None:
    await here.say("My sister Ana lives in Graz")
    await here.say("Dentist on Thursday at 10")
    await here.say("The dentist is cancelled")

    answer = await here.say("What do I have this week?")

    assert "Graz" not in answer


@pytest.mark.parametrize(
    ("plan", "news", "question"),
    [
        (
            "I have a dentist appointment on Tuesday at 3pm",
            "The dentist appointment is cancelled",
            "When is the dentist?",
        ),
        ("The party is on Friday at 8", "the party was postponed to Sunday", "when is the party"),
        ("Ich habe morgen um 10 einen Termin beim Zahnarzt", "Der Zahnarzt hat abgesagt", "Wann ist der Zahnarzt?"),
        ("Der Zahnarzttermin ist am Montag um 9", "Der Termin ist verschoben", "Wann ist der Zahnarzttermin?"),
        ("Das Treffen ist am Montag um 9", "Das Treffen wurde auf Freitag verschoben", "Wann ist das Treffen?"),
        ("会议在明天上午九点", "会议取消了", "会议几点？"),
        ("The party is on Friday at 8.", "The party has been cancelled.", "when is the party"),
        ("The dentist is on Friday at 3pm", "The dentist appointment was cancelled", "when is the dentist?"),
        ("Der Zahnarzt ist am Freitag um 15 Uhr", "Der Zahnarzt Termin ist abgesagt", "Wann ist der Zahnarzt?"),
        ("The party is on Friday at 8", "Ana is ill, the party is cancelled", "Is the party on Friday?"),
        ("Meeting with Ana on Monday at 10", "The meeting with Ana is cancelled", "When is the meeting with Ana?"),
        ("The party is on Friday", "Unfortunately the party is cancelled", "when is the party?"),
        ("The party is on Friday", "Sadly, the party got cancelled because of the rain", "when is the party?"),
        ("The party is on Friday", "We had to cancel the party", "when is the party?"),
        ("Die Feier ist am Freitag", "Leider wurde die Feier abgesagt, weil Ana krank ist", "Wann ist die Feier?"),
        ("La fiesta es el viernes", "Por desgracia la fiesta está cancelada", "¿Cuándo es la fiesta?"),
        ("La fête est vendredi", "Malheureusement la fête est annulée", "Quand est la fête ?"),
    ],
)
async def test_what_was_called_off_is_told_before_the_plan(
    here: Conversation, plan: str, news: str, question: str
) -> None:
    await here.say(plan)
    await here.say(news)

    assert f"1. > {news}\n" in await here.say(question)


@pytest.mark.parametrize(
    ("plan", "news", "question"),
    [
        ("The party is on Friday at 8", "The football match is cancelled", "when is the party?"),
        ("The flight to Rome is on Friday at 8", "The flight to Oslo was cancelled", "When is the flight to Rome?"),
        ("The flight to Rome is on Friday at 8", "The flight to Oslo was cancelled", "When is the flight?"),
        ("I meet Ana for a meeting on Friday at 8", "The meeting with Bob is cancelled", "When is the meeting?"),
        ("My birthday is on 3 May", "Ana's birthday dinner was postponed", "When is my birthday?"),
        ("My mother was born on 3 May 1950", "My mother cancelled her visit", "When was my mother born?"),
        ("The gym is open from 8 to 20", "I cancelled the gym membership", "When is the gym open?"),
        ("The concert is on Friday at 8", "The concert was not cancelled", "When is the concert?"),
        ("Das Treffen ist am Montag um 9", "Das Treffen mit Bob wurde abgesagt", "Wann ist das Treffen?"),
        ("The dentist is on Friday", "Tom's dentist was cancelled", "When is the dentist?"),
    ],
)
async def test_what_else_was_called_off_is_not_told_first(
    here: Conversation, plan: str, news: str, question: str
) -> None:
    await here.say(plan)
    await here.say(news)

    assert f"1. > {plan}" in await here.say(question)


@pytest.mark.parametrize(
    ("plan", "end", "question"),
    [
        ("Yoga is every Tuesday", "There is no yoga any more", "what do I have on Tuesday?"),
        ("Yoga is every Tuesday", "no more yoga", "what do I have on Tuesday?"),
        ("Ida reitet samstags um 10 auf dem Hof Lindenau", "Ida reitet nicht mehr", "Was steht am Samstag an?"),
        ("Badminton every Thursday at 7 in the gym", "I don't play badminton any more", "what do I have on Thursday?"),
        ("Los martes a las 20 tengo pádel en el club", "Ya no juego al pádel", "¿Qué tengo el martes?"),
        ("周四晚上七点有羽毛球，在体育馆2号场", "我不打羽毛球了", "周四有什么安排？"),
        ("Mittwochs ist Skat", "Skat gibt es nicht mehr", "Was habe ich am Mittwoch vor?"),
        ("los jueves tengo natación", "ya no tengo natación", "¿qué tengo el jueves?"),
        ("Tous les lundis j'ai piano", "Je n'ai plus piano", "Qu'est-ce que j'ai lundi ?"),
        ("每周五有瑜伽课", "没有瑜伽课了", "周五有什么安排"),
        ("I play chess every Tuesday", "I no longer play chess", "what do I have on Tuesday?"),
    ],
)
async def test_what_comes_no_more_is_planned_on_none_of_its_days(
    here: Conversation, plan: str, end: str, question: str
) -> None:
    await here.say(plan)
    assert plan in await here.say(question)

    await here.say(end)

    assert plan not in await here.say(question)
    assert plan not in await here.say("What's coming up?")


@pytest.mark.parametrize("said", ["I used to play chess every Tuesday", "Früher war jeden Dienstag Skat"])
async def test_what_came_again_and_again_before_is_not_planned(here: Conversation, said: str) -> None:
    await here.say(said)

    assert said not in await here.say("what do I have on Tuesday?")
    assert said not in await here.say("What's coming up?")


@pytest.mark.parametrize(
    ("plan", "news", "question"),
    [
        ("这周末和苏晴去西湖,住在如家", "苏晴生病了,西湖不去了", "周末有什么安排"),
        ("Lena comes on Friday", "Lena doesn't come on Friday", "what do I have on Friday?"),
    ],
)
async def test_what_is_denied_of_its_day_is_not_planned(
    here: Conversation, plan: str, news: str, question: str
) -> None:
    await here.say(plan)
    assert plan in await here.say(question)

    await here.say(news)

    assert plan not in await here.say(question)


async def test_a_plan_is_told_once_though_it_was_carried_into_the_bank(here: Conversation) -> None:
    await here.say("The plumber comes on Friday.")
    bank = here.folder / "personal" / "bank" / "world.md"
    bank.parent.mkdir(exist_ok=True)
    bank.write_text("# World\n\n- W(since=2026-11-21): The plumber comes on Friday. #event\n", encoding="utf-8")
    await here.agents["personal"].memory.sync()

    assert (await here.say("What's coming up?")).count("The plumber comes on Friday.") == 1


@pytest.mark.parametrize(
    ("plan", "news", "question"),
    [
        ("Yoga is every Tuesday", "I no longer like yoga", "what do I have on Tuesday?"),
        ("Yoga is every Tuesday", "no more than one yoga a week", "what do I have on Tuesday?"),
        ("Yoga is every Tuesday", "no more coffee after yoga", "what do I have on Tuesday?"),
        ("Yoga is every Tuesday", "Yoga is no longer at 6", "what do I have on Tuesday?"),
        ("Yoga is every Tuesday", "Yoga is not on Wednesday any more", "what do I have on Tuesday?"),
        ("Choir every Tuesday and band every Wednesday", "no band any more", "what do I have on Tuesday?"),
        ("Physio for Dad on Friday at 9 in the clinic", "I don't have physio any more", "what do I have on Friday?"),
        ("School trip to the zoo on Friday", "No more school", "what do I have on Friday?"),
        ("Ida reitet samstags auf dem Hof Lindenau", "Ich reite nicht mehr", "Was steht am Samstag an?"),
        ("Lena and Tom come on Friday", "Tom does not come on Friday", "what do I have on Friday?"),
        ("周五小李和小王来吃饭", "小王不来了", "周五有什么安排"),
        ("Yoga every Tuesday, it used to be Wednesday", "I like tea", "what do I have on Tuesday?"),
        ("Jeden Dienstag gehe ich früher nach Hause", "Ich mag Tee", "Was habe ich am Dienstag vor?"),
        ("Saturday 10 people for dinner", "I like tea", "what do I have on Saturday?"),
    ],
)
async def test_what_ends_no_plan_takes_none_off_the_agenda(
    here: Conversation, plan: str, news: str, question: str
) -> None:
    await here.say(plan)
    await here.say(news)

    assert plan in await here.say(question)


async def test_reminders_in_the_same_words_on_one_day_are_all_planned_for_it(here: Conversation) -> None:
    for at in ("21:00", "9", "15:00"):
        await here.say(f"remind me tomorrow at {at} to take the pill")
    await here.say("remind me every day at 8 to take the pill")

    planned = await here.say("what do I have tomorrow?")

    assert " to 2026-11-22" not in planned  # the days from its telling to its day say nothing
    assert [line.split(" · ")[1] for line in planned.splitlines() if " · " in line] == [
        "2026-11-22 08:00",
        "2026-11-22 09:00",
        "2026-11-22 15:00",
        "2026-11-22 21:00",
    ]


async def test_a_reminder_is_told_once_of_the_day_on_which_it_was_set_and_comes(here: Conversation) -> None:
    await here.say("remind me today at 21:00 to take the pill")

    assert (await here.say("what did I tell you today?")).count("take the pill") == 1


async def test_what_was_to_be_done_by_a_day_that_is_over_is_still_to_be_done_today(here: Conversation) -> None:
    await here.say("I have to pay the rent by Friday")
    here.clock.advance(days=8)

    assert "rent" in await here.say("what do I have to do today?")


async def test_a_reminder_is_planned_for_no_other_day_than_its_own(here: Conversation) -> None:
    await here.say("remind me on Friday at 9 to see what I have to do")
    await here.say("remind me in 1 hour to see what I have to do")
    here.clock.advance(hours=2)

    assert "nothing is planned" in await here.say("what do I have to do today?")
    [come, _] = sorted(here.jobs, key=lambda name: here.jobs[name].due)
    await here.say(f"/reminders snooze {come.split()[1]} 1h")
    assert " 16:00" in await here.say("what do I have to do today?")


async def test_what_is_moved_to_a_day_is_planned_for_it(here: Conversation) -> None:
    await here.say("Dentist on Wednesday at 14:30")
    await here.say("The dentist is moved to Friday at 10")

    assert "moved to Friday" in await here.say("what do I have on Friday?")
    here.clock.advance(days=5)
    assert "moved to Friday" in await here.say("what do I have tomorrow?")


async def test_what_comes_weekly_and_is_off_once_comes_on_the_other_days(here: Conversation) -> None:
    await here.say("Yoga is every Monday at 18:00")
    await here.say("Yoga on Monday is cancelled")

    assert "Yoga is every Monday" in await here.say("what do I have on 30 November?")
    assert "Yoga on Monday is cancelled" in await here.say("what do I have on Monday?")


@pytest.mark.parametrize(
    "asked",
    [
        "what do I have today?",
        "was muss ich heute machen?",
        "qu'est-ce que j'ai aujourd'hui ?",
        "что у меня на сегодня?",
        "今天有什么安排？",
        "今日の予定は？",
        "cosa ho oggi?",
    ],
)
async def test_who_asks_for_today_is_shown_today_and_what_is_to_be_done_whenever(
    here: Conversation, asked: str
) -> None:
    await here.say("The plumber comes today at 5 pm.")
    await here.say("I have to buy milk")
    await here.say("On 25 November we go to Rome.")
    await here.say("remind me on Friday at 9 to pay the rent")

    told = await here.say(asked)

    assert ["plumber" in told, "milk" in told, "Rome" in told, "rent" in told] == [True, True, False, False]


@pytest.mark.parametrize(
    "asked",
    [
        "do I have time on Thursday?",
        "Habe ich am Donnerstag Zeit?",
        "¿estoy libre el jueves?",
        "我周四有空吗？",
        "¿estamos libres el jueves?",
        "我们周四有空吗？",
    ],
)
async def test_who_asks_whether_a_day_is_free_is_shown_its_plans(here: Conversation, asked: str) -> None:
    await here.say("remind me on Thursday at 9 to call Ana")

    assert "call Ana" in await here.say(asked)


@pytest.mark.parametrize(
    ("plan", "said", "then"),
    [
        ("Dinner with Paul is on Friday at 7", "Move dinner to 8", "Dinner with Paul is on Friday at 8"),
        ("Dinner with Paul is on Friday at 7", "push dinner to Saturday", "Dinner with Paul is on Saturday at 7"),
        (
            "Dinner with Paul is on Friday at 7",
            "please move dinner to Saturday at 6",
            "Dinner with Paul is on Saturday at 6",
        ),
        ("I have the dentist on Thursday", "move the dentist to Friday", "I have the dentist on Friday"),
        (
            "Am Freitag um 19 Uhr Essen mit Paul",
            "Verschieb das Essen auf 20 Uhr",
            "Am Freitag um 20 Uhr Essen mit Paul",
        ),
        ("周五晚上7点和小李吃饭", "吃饭改到8点", "周五晚上8点和小李吃饭"),
        ("В пятницу в 7 вечера ужин с Пашей", "Перенеси ужин на субботу", "В субботу в 7 вечера ужин с Пашей"),
        (
            "tengo cita con el médico el lunes a las 5",
            "mueve la cita al martes",
            "tengo cita con el médico el martes a las 5",
        ),
        (
            "J'ai rendez-vous chez le dentiste jeudi à 15h",
            "décale le dentiste à 16h",
            "J'ai rendez-vous chez le dentiste jeudi à 16h",
        ),
    ],
)
async def test_an_order_to_move_a_plan_offers_it_at_the_other_time(
    here: Conversation, plan: str, said: str, then: str
) -> None:
    await here.say(plan)
    answer = await here.say(said)

    assert f"> {plan}" in answer
    assert f"> {then}" in answer


@pytest.mark.parametrize(
    "said", ["Move the sofa to the hall", "move dinner to Ana's", "move that to them", "bring cake for Saturday"]
)
async def test_an_order_to_move_something_to_a_place_is_about_no_plan(here: Conversation, said: str) -> None:
    await here.say("Dinner with Paul is on Friday at 7")

    assert "replace" not in await here.say(said)


@pytest.mark.parametrize(
    ("plan", "said"),
    [
        ("The dentist is on Monday", "Move the car to Friday"),
        ("Shift on Saturday from 9 to 5", "Shift on Sunday from 8 to 5"),
        ("Shift starts at 9 and ends at 5", "Shift starts at 8 and goes to 4"),
        ("I pay 800 rent", "Push the rent to 900"),
        ("Elternabend am Montag", "verleg den Elternabend nicht auf Dienstag"),
        ("公司把会议改到周五", "他们把会议改到周六了"),
        ("El médico es el lunes a las 9", "Pasa el cartero el lunes a las 10"),
        ("Avance de 400 euros au 2 mars", "Avance de 500 euros au 3 mars"),
    ],
)
async def test_what_names_no_known_plan_as_what_is_to_be_moved_changes_none(
    here: Conversation, plan: str, said: str
) -> None:
    await here.say(plan)

    assert not (await here.reply(said)).pending


async def test_of_several_plans_in_one_sentence_the_others_stay_when_one_is_called_off(here: Conversation) -> None:
    await here.say("Tomorrow lunch with Ben at 12 and gym at 6")
    await here.say("lunch with Ben is cancelled")

    answer = await here.say("what do I have tomorrow?")
    assert "gym at 6" in answer
    assert "lunch with Ben is cancelled" in answer


@pytest.mark.parametrize(
    ("task", "done", "asked"),
    [
        ("I have to do the tax return", "the tax return is done", "what do I have to do?"),
        ("Ich muss noch die Steuer machen", "Die Steuer ist erledigt", "was muss ich noch machen?"),
        ("Je dois faire la déclaration", "la déclaration est faite", "qu'est-ce que je dois faire ?"),
        ("tengo que hacer la maleta", "la maleta está lista", "¿qué tengo que hacer?"),
    ],
)
async def test_a_task_of_which_the_thing_is_said_to_be_done_is_no_longer_ahead(
    here: Conversation, task: str, done: str, asked: str
) -> None:
    await here.say(task)
    assert task in await here.say(asked)

    await here.say(done)
    assert task not in await here.say(asked)


@pytest.mark.parametrize(
    ("plan", "asked"),
    [
        ("金曜日の19時にポールと夕食", "金曜日の予定は？"),
        ("Venerdì alle 19 cena con Paolo", "cosa ho venerdì?"),
        ("la cita se ha cambiado al martes", "¿qué tengo el martes?"),
        ("В пятницу ужин с Пашей", "Что у меня в пятницу?"),
    ],
)
async def test_a_plan_without_a_verb_is_one_of_its_day(here: Conversation, plan: str, asked: str) -> None:
    await here.say(plan)

    assert plan in await here.say(asked)


@pytest.mark.parametrize("asked", ["what's on the 3rd", "was steht am 3. an", "que tengo el 3", "3号有什么安排"])
async def test_a_day_that_is_named_by_its_number_alone_is_that_day(here: Conversation, asked: str) -> None:
    await here.say("The dentist is on 3 December at 9.")
    await here.say("The fair is on 5 December.")

    told = await here.say(asked)

    assert "dentist" in told
    assert "fair" not in told  # which is at the weekend


@pytest.mark.parametrize(
    ("told", "asked"),
    [
        ("The party moved to the 28th because of the hall", "what's on the 28th"),
        ("Der Zahnarzt ist auf den 28. verschoben", "was steht am 28. an"),
        ("The dentist was 85 quid today, they want me back on the 28th", "what's on the 28th"),
        ("La cita se cambió al 28", "qué tengo el 28"),
        ("Le rendez-vous est reporté au 28", "qu'est-ce que j'ai le 28"),
    ],
)
async def test_what_is_to_come_on_a_day_of_a_number_is_planned_then(here: Conversation, told: str, asked: str) -> None:
    await here.say(told)

    assert told in await here.say(asked)


async def test_what_was_done_on_a_weekday_is_not_what_comes_on_it(here: Conversation) -> None:
    await here.say("The dentist is on Friday.")
    await here.say("I have lunch with Ana today.")

    assert "dentist" not in await here.say("what did I do on Friday?")
    assert "Ana" in (done := await here.say("what have I done this week?"))
    assert "dentist" not in done


@pytest.mark.parametrize("asked", ["明天做什么", "我们明天干嘛", "我明天有什么", "明日は何をする"])
async def test_what_one_does_on_a_day_to_come_asks_for_its_plans(here: Conversation, asked: str) -> None:
    await here.say("The dentist is tomorrow at 9.")

    assert "dentist" in await here.say(asked)


@pytest.mark.parametrize("asked", ["还有什么？", "有哪些？"])
async def test_what_may_be_of_anything_asks_for_no_plans(here: Conversation, asked: str) -> None:
    await here.say("The dentist is today at 18:00.")

    reply = await here.reply(asked)

    assert not reply.instead
    assert "dentist" not in reply.shown
