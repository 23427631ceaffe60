"""What of the memory answers a question, and which of it first."""

from __future__ import annotations

import pytest

from bot.agent.offline.quoting import newest_first
from memory import OWNER as MINE
from tests.support.conversation import Conversation
from tests.support.texts import ENGLISH


async def test_a_question_that_nothing_answers_is_told_why(here: Conversation) -> None:
    answer = await here.reply("Where is the unicorn?")

    assert answer.text == ENGLISH.nothing
    assert answer.evidence
    assert answer.evidence.hits == ()


async def test_what_is_only_near_is_no_answer_and_is_not_shown(here: Conversation) -> None:
    await here.say("The green tent is in the cellar.")

    answer = await here.say("Which doctor vaccinated the hedgehog beside the tent on Tuesday?")

    assert answer == ENGLISH.nothing


async def test_a_question_for_a_course_is_answered_day_by_day(here: Conversation) -> None:
    await here.say("The kitchen plan is too narrow.")
    await here.say("The kitchen was painted grey.")
    answer = await here.say("Sum up what happened with the kitchen")
    assert [line.split(" (`")[0].split(" ", 1)[-1] for line in answer.splitlines() if line.startswith("- ")] == [
        "The kitchen plan is too narrow.",
        "The kitchen was painted grey.",
    ]
    assert "**2026-" in answer


async def test_of_two_that_contradict_each_other_the_newer_is_answered_first(here: Conversation) -> None:
    await here.say("Peter's birthday is on 3 May.")
    await here.say("Peter's birthday is on 4 May.")

    assert (await here.say("When is Peter's birthday?")).startswith("From memory:\n1. > Peter's birthday is on 4 May.")


@pytest.mark.parametrize(
    ("told", "later", "asked"),
    [
        ("Ana likes olives", "Ana hates olives", "What does Ana like?"),
        ("I love tea", "I hate tea", "What do I love?"),
        ("Ich mag Tee", "Ich hasse Tee", "Was mag ich?"),
    ],
)
async def test_so_is_one_that_has_no_word_of_the_question(
    here: Conversation, told: str, later: str, asked: str
) -> None:
    await here.say(told)
    here.clock.advance(minutes=1)
    await here.say(later)

    answer = await here.say(asked)

    assert answer.startswith(f"{answer.splitlines()[0]}\n1. > {later}")
    assert f"2. > {told}" in answer


async def test_at_most_three_passages_are_quoted(here: Conversation) -> None:
    for n in range(5):
        await here.say(f"The tent pole number {n} is bent.")

    answer = await here.reply("Which tent pole is bent?")

    assert answer.evidence
    assert 1 < len(answer.evidence.hits) <= 3


async def test_what_is_so_now_is_shown_before_what_was(here: Conversation) -> None:
    await here.say("My phone number is 555 0101")
    await here.say("My phone number is now 555 0199")
    assert "1. > My phone number is now 555 0199" in await here.say("What is my phone number?")


@pytest.mark.parametrize(
    ("before", "after", "question"),
    [
        ("I prefer tea to coffee.", "I prefer coffee to tea now.", "Do I prefer tea or coffee?"),
        ("I love sushi.", "I hate sushi now.", "Do I like sushi?"),
    ],
)
async def test_what_somebody_likes_now_comes_first(here: Conversation, before: str, after: str, question: str) -> None:
    await here.say(before)

    assert f"> {before}" in await here.say(after)
    assert f"1. > {after}" in await here.say(question)


@pytest.mark.parametrize(
    "said", ["My sister hates sushi.", "I love sushi in summer.", "I love tea.", "Ana loves sushi.", "I made sushi."]
)
async def test_what_others_like_or_other_things_contradict_nothing(here: Conversation, said: str) -> None:
    await here.say("I love sushi.")

    assert "/forget" not in await here.say(said)


@pytest.mark.parametrize(
    ("known", "said"),
    [
        ("The concert is not expensive.", "The concert is cancelled."),
        ("Tom is not vegetarian.", "Tom is married."),
        ("Das Buch ist nicht gut.", "Das Buch ist lang."),
        ("The shop is open on Monday.", "The shop is not open on Sunday."),
        ("I need rain", "I hate the rain"),
        ("Ich brauche Regen", "Ich hasse Regen"),
    ],
)
async def test_what_something_is_not_says_nothing_of_what_else_it_is(here: Conversation, known: str, said: str) -> None:
    await here.say(known)

    assert "/forget" not in await here.say(said)


async def test_a_calculation_is_not_answered_with_what_has_its_numbers(here: Conversation) -> None:
    await here.say("I have 2 cats.")
    await here.say("The room has 2 doors.")

    assert await here.say("What is 2+2?") == ENGLISH.nothing
    assert await here.say("how much is 2 plus two") == ENGLISH.nothing
    assert "2 cats" in await here.say("What has 2 doors, and what are the 2 cats?")


async def test_how_something_is_done_is_answered_from_memory_first(here: Conversation) -> None:
    await here.say("You squash commits with git rebase.")

    assert "`/help`" not in await here.say("How do I squash commits?")
    assert await here.say("Where is the unicorn?") == ENGLISH.nothing
    assert await here.say("Write me a poem about rain.") == ENGLISH.request


@pytest.mark.parametrize(
    ("lent", "returned", "question"),
    [
        ("lent my drill to greg last weekend", "greg gave the drill back", "who has my drill"),
        ("hab dem jonas meine bohrmaschine geliehen", "jonas hat die bohrmaschine zurückgegeben", "bohrmaschine"),
        ("le presté la taladradora a javi", "javi ya me devolvió la taladradora", "quien tiene la taladradora"),
    ],
)
async def test_what_was_returned_is_told_before_that_it_was_lent(
    here: Conversation, lent: str, returned: str, question: str
) -> None:
    await here.say(lent)
    await here.say(returned)

    assert f"1. > {returned}" in await here.say(question)


async def test_a_back_that_rests_is_no_return(here: Conversation) -> None:
    await here.say("The physio is Dr Patel at Elm Street.")
    await here.say("Physio said my back needs rest, so no tennis.")
    memory = here.agents["personal"].memory

    rests, physio = await memory.recent(2, scope=MINE)

    assert newest_first([physio, rests], "Who is the physio?") == [physio, rests]


@pytest.mark.parametrize(
    ("known", "keywords"),
    [
        ("dentist number is 0161 555 0199, dr patel", "dentist number"),
        ("pancakes: 200g flour, 2 eggs, 300ml milk", "pancake recipe"),
        ("gym locker 118 code 4471", "locker code gym"),
        ("gym locker 118 code 4471", "locker 118"),
        ("refund of the taxes for 2024 was 300", "refund taxes 2024"),
        ("Alfred has the phone number 0161 555 0142.", "phone number Alfred"),
        ("Das Gehalt von Anna kommt am 25.", "Anna Gehalt"),
        ("el abogado es García, 91 555 0142", "teléfono abogado"),
        ("бабушка Аня 8 495 555 01 77", "телефон моей бабушки"),
        ("emma borrowed my camping stove", "stove"),
        ("der Kinderarzt ist Dr. Brandt, Telefon 030 5557712", "Kinderarzt Telefonnummer"),
        ("el cumple de mamá es el 9 de octubre", "cumple mamá"),
        ("le pédiatre c'est dr morel 01 55 55 01 77", "numéro pédiatre"),
        ("стоматолог Иванова 8 495 555 01 88", "телефон стоматолога"),
        ("牙医电话 010-5555-0133", "牙医电话"),
        ("カレー:玉ねぎ2個、じゃがいも3個、肉300g", "カレーのレシピ"),
    ],
)
async def test_a_few_words_that_memory_holds_are_looked_up_and_not_noted(
    here: Conversation, known: str, keywords: str
) -> None:
    await here.say(known)

    answer = await here.reply(keywords)

    assert f"1. > {known}" in answer.text
    assert answer.evidence


@pytest.mark.parametrize(
    ("known", "said"),
    [
        ("Anna owes Ben 40 pounds since May.", "Ben owes Anna"),
        ("Tom no longer smokes at home.", "Tom smokes"),
        ("The dentist is Dr Patel, 0161 555 0199.", "cancel dentist"),
        ("The dentist is called Dr Patel.", "call dentist"),
        ("The spare battery lies in the cellar.", "phone charger"),
        ("The rent must be paid on the 1st of every month.", "rent paid"),
        ("The plants need water every Monday.", "plants watered"),
        ("Der Müll wird am Montag abgeholt.", "Müll abgeholt"),
        ("Blood pressure was 120/80 in May.", "pressure 120"),
        ("My pancake recipe: 2 eggs, 200 g flour, milk.", "price milk 2"),
        ("The bus is number 42.", "size 42"),
    ],
)
async def test_a_few_words_that_tell_something_else_are_noted(here: Conversation, known: str, said: str) -> None:
    await here.say(known)

    assert " memory/2026-11-21.md:5 — ^" in await here.say(said)


async def test_a_courtesy_is_no_keyword(here: Conversation) -> None:
    await here.say("The cool box lies in the cellar.")

    assert await here.say("cool") == ENGLISH.not_noted


@pytest.mark.parametrize(
    "asked", ["mum's number", "código de la taquilla", "Nummer vom Zahnarzt", "password of the wifi", "学号的密码"]
)
async def test_a_kind_of_thing_without_a_value_is_asked_for_and_not_noted(here: Conversation, asked: str) -> None:
    answer = await here.reply(asked)

    assert answer.evidence
    assert not await here.agents["personal"].memory.recent(1, scope=MINE)


@pytest.mark.parametrize(
    "said",
    [
        "phone charger",
        "my name is Rakesh",
        "shoe size: small",
        "Kosten steigen.",
        "pin size 4471",
        "wrong number",
        "Telefon kaputt",
        "код сменился",
        "发工资",
    ],
)
async def test_a_thing_a_value_and_a_sentence_are_noted(here: Conversation, said: str) -> None:
    assert "memory/2026-11-21.md:4 — ^" in await here.say(said)


@pytest.mark.parametrize(
    ("known", "news", "question"),
    [
        (
            "Ich nehme morgens Ramipril 5 mg und abends Simvastatin 20 mg",
            "Simvastatin nehme ich nicht mehr, dafür jetzt Atorvastatin 40 mg",
            "Welche Tabletten nehme ich abends?",
        ),
        (
            "Ich nehme morgens Ramipril 5 mg",
            "Ich soll jetzt 10 mg Ramipril nehmen statt 5",
            "Wie viel Ramipril nehme ich?",
        ),
        ("Verma owes me 4500 rupees", "Verma paid everything", "How much does Verma owe me?"),
        ("Ben schuldet mir 50 Euro", "Ben hat bezahlt", "Schuldet mir Ben noch Geld?"),
        ("I owe Zoe 45 euros", "I gave Zoe her 45 euros back", "Do I owe Zoe anything?"),
        ("Ich schulde Nils 80 Euro", "Hab Nils die 80 Euro überwiesen", "Schulde ich Nils noch was?"),
        ("Le debo 15 euros a Noa", "Le pagué a Noa", "¿Le debo algo a Noa?"),
        ("Je dois 30 euros à Hugo", "J'ai remboursé Hugo", "Est-ce que je dois quelque chose à Hugo ?"),
        ("我欠小雪200块", "小雪的钱还清了", "我欠小雪多少钱？"),
        (
            "trabajo en la planta de cardiología",
            "he dejado la planta de cardiología, desde hoy estoy en urgencias",
            "¿en qué planta trabajo?",
        ),
    ],
)
async def test_what_ended_or_replaced_a_fact_is_told_first(
    here: Conversation, known: str, news: str, question: str
) -> None:
    await here.say(known)
    await here.say(news)

    assert f"1. > {news}\n" in await here.say(question)


@pytest.mark.parametrize(
    "shown",
    [
        "[🎲 4]",
        "[poll: Pizza or pasta? Pizza / Pasta]",
        "[sticker: 😂]",
        "[sticker]",
        "[video_chat that cannot be read]",
    ],
)
async def test_a_pastime_is_no_fact(here: Conversation, shown: str) -> None:
    assert (await here.say(shown)).startswith("Nothing was noted.")


@pytest.mark.parametrize(
    ("known", "news", "question"),
    [
        ("Ana drinks coffee", "Ben drinks tea instead of coffee", "What does Ana drink?"),
        ("Ana works in cardiology", "Ben left cardiology", "Where does Ana work?"),
        ("I owe Ben 50 euros", "Ben paid the rent", "How much do I owe Ben?"),
        ("I owe Ben 50 euros", "I gave Ben 20 euros", "How much do I owe Ben?"),
        ("I owe Zoe 20 euros and Amara 35", "I gave Amara her 35 euros back", "How much do I owe Zoe?"),
        ("Ana debe tomar 5 mg de hierro", "Ana pagó la cena", "¿qué debe tomar Ana?"),
        ("The flower shop is in Main Street", "I got back from the flower shop", "Where is the flower shop?"),
    ],
)
async def test_what_is_told_of_something_else_is_not_told_first(
    here: Conversation, known: str, news: str, question: str
) -> None:
    await here.say(known)
    await here.say(news)

    assert f"1. > {known}\n" in await here.say(question)


async def test_what_has_ended_a_later_answer_stands_before_it(here: Conversation) -> None:
    for told in ("I met Nuria in the park", "I owe Nuria 60 euros", "I paid Nuria back"):
        here.clock.advance(minutes=1)
        await here.say(told)

    answer = await here.say("What about Nuria and the euros I owe her, and the park?")

    assert answer.index("I paid Nuria back") < answer.index("I owe Nuria 60 euros")


async def test_what_is_told_of_another_by_name_answers_no_question_about_somebody_known(here: Conversation) -> None:
    for told in ("my brother Declan is allergic to shellfish", "I met Siobhan in Cork with her dog"):
        await here.say(told)

    assert "Declan" not in await here.say("What is Siobhan allergic to?")
    assert "shellfish" in await here.say("Who is allergic to shellfish?")
    assert "shellfish" in await here.say("What is Declan's allergy?")


@pytest.mark.parametrize(
    ("told", "question", "answer"),
    [
        (
            ("Siobhan is my sister-in-law", "Declan is married to Siobhan", "Declan works at Intel"),
            "Where does Siobhan's husband work?",
            "Intel",
        ),
        (("Bill is my uncle William", "William lives in Leeds"), "Where does Bill live?", "Leeds"),
        (("Rex is our dog", "Dr. Ode is the vet for dogs"), "Who is Rex's vet?", "Ode"),
        (("Mein Sohn Max geht in die Kita", "Die Kita leitet Frau Lenz"), "Wer leitet die Kita von Max?", "Lenz"),
        (("小明在阳光小学上学", "阳光小学的王老师电话是13912345678"), "小明的老师电话是多少？", "139"),
    ],
)
async def test_what_is_told_of_somebody_else_answers_who_and_whose(
    here: Conversation, told: tuple[str, ...], question: str, answer: str
) -> None:
    for fact in told:
        await here.say(fact)

    assert answer in await here.say(question)


async def test_a_number_is_found_by_a_longer_name_of_whose_it_is(here: Conversation) -> None:
    await here.say("我考驾照的教练姓王，电话13971234567")

    assert "1. > 我考驾照的教练姓王" in await here.say("驾校教练电话")
    assert "姓王" not in await here.say("李教练电话")
    assert (await here.say("给教练打电话")).startswith("已记在")


@pytest.mark.parametrize(
    ("told", "asked", "further"),
    [
        (
            "Liam serviced the car at Weston Garage on 3 December for 240 euros",
            "who serviced the car?",
            ["when?", "and where?", "how much?"],
        ),
        ("Die Hochzeit von Jana ist am 12. Juni in der Kirche", "wann ist die Hochzeit?", ["wo?", "und wo?"]),
        ("Jana的婚礼在6月12日下午2点在西安的教堂", "婚礼是哪天", ["在哪里", "几点"]),
        ("La boda de Jana es el 12 de junio en la iglesia", "¿cuándo es la boda?", ["¿y dónde?"]),
    ],
)
async def test_a_mere_where_or_when_asks_of_what_was_just_quoted(
    here: Conversation, told: str, asked: str, further: list[str]
) -> None:
    await here.say(told)
    quoted = await here.say(asked)

    assert told in quoted
    for one in further:
        assert await here.say(one) == quoted


async def test_a_mere_question_is_not_answered_with_what_cannot_tell(here: Conversation) -> None:
    await here.say("Liam serviced the car")
    await here.say("who serviced the car?")

    assert await here.say("when?") == ENGLISH.nothing


async def test_a_keyword_query_may_end_in_please(here: Conversation) -> None:
    await here.say("My shoe size is 43")

    assert "> My shoe size is 43" in await here.say("shoe size please")


async def test_what_is_told_between_spaces_beside_a_chinese_question_is_noted(here: Conversation) -> None:
    await here.say("Priya 周日生日 送她什么好 她喜欢紫色 和香薰蜡烛")

    assert "她喜欢紫色" in await here.say("Priya喜欢什么")


async def test_what_was_forgotten_elsewhere_since_is_not_quoted_again(here: Conversation) -> None:
    await here.say("Ana lives in Kassel")
    await here.say("where does Ana live?")
    memory = here.agents["personal"].memory
    (fact,) = await memory.recent(1, scope=MINE)
    await memory.forget_facts([fact.id], op_id="elsewhere", scope=MINE, actor="volatile:owner")

    assert await here.say("where?") == ENGLISH.nothing


@pytest.mark.parametrize(
    ("told", "asked", "where", "is_told"),
    [
        ("Lisa's birthday is on 5 December", "when is Lisa's birthday?", "where?", False),
        ("The party on Saturday is at 8 at Tom's", "when is the party?", "where?", True),
        ("Lisas Geburtstag ist am 5. Dezember", "Wann ist Lisas Geburtstag?", "Wo?", False),
        ("Die Feier am Samstag ist bei Tom", "Wann ist die Feier?", "Und wo?", True),
    ],
)
async def test_where_is_answered_by_what_names_a_place(
    here: Conversation, told: str, asked: str, where: str, *, is_told: bool
) -> None:
    await here.say(told)
    assert told in await here.say(asked)

    assert (told in await here.say(where)) == is_told
