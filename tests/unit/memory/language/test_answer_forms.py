from __future__ import annotations

from datetime import date

import pytest

from memory.language.answer_forms import MAX_COURSE_CHARS, AnswerForm, Form, course_subject, days_asked_of

TODAY = date(2026, 11, 23)


@pytest.mark.parametrize(
    ("question", "form"),
    [
        ("What is her phone number?", Form.CALL),
        ("Was kostet der Kurs?", Form.AMOUNT),
        ("什么时候过生日？", Form.TIME),
        ("¿Cuántos hijos tiene?", Form.NUMBER),
        ("Как зовут кошку?", Form.NAME),
        ("Where is the key?", None),
        ("How do I get in when I am locked out?", None),
        ("Who owns the flat we rent?", Form.NAME),
        ("Quand faut-il payer le loyer ?", Form.TIME),
        ("", None),
    ],
)
def test_a_question_tells_the_form_of_its_answer_by_cues(question: str, form: Form | None) -> None:
    assert AnswerForm(question, TODAY).form is form


@pytest.mark.parametrize(
    ("question", "held", "missed"),
    [
        ("What does she charge?", "She takes 45 euros.", "She is closed on 4 May."),
        ("When is the party?", "The party is on Friday.", "The party is at Jon's."),
        ("When do they open?", "They open at seven.", "They open early."),
        ("Wie alt ist das Klavier?", "Das Klavier wurde 1954 gebaut.", "Das Klavier ist am 4. Mai gekommen."),
        ("How many guests came?", "Fourteen guests came.", "The guests were late."),
        ("What is Ada's phone number?", "Call Ada on 555 90 12.", "Ada is 36."),
        ("Who leads the course?", "It is led by Sandra.", "The course is on Friday."),
        ("Who leads the course?", "My sister leads it.", "It is in the hall."),
        ("多少钱？", "花了两百元。", "在八月四号。"),
        ("何歳ですか？", "三十六です。", "元気です。"),
    ],
)
def test_a_text_without_that_form_is_missing_it(question: str, held: str, missed: str) -> None:
    wanted = AnswerForm(question, TODAY)

    assert not wanted.is_missing(held)
    assert wanted.is_missing(missed)


def test_no_text_misses_a_form_that_was_not_asked_for() -> None:
    assert not AnswerForm("Where is the key?", TODAY).is_missing("")


def test_what_has_no_capitals_may_hold_a_name() -> None:
    assert not AnswerForm("Who has the tent?", TODAY).is_missing("帐篷在阿琴那里。")


def test_a_name_that_the_question_says_is_no_answer() -> None:
    assert AnswerForm("What is Ravi's wife called?", TODAY).is_missing("The wife of Ravi is ill.")


@pytest.mark.parametrize(
    ("question", "subject"),
    [
        ("Sum up what happened with the kitchen.", "the kitchen"),
        ("In which order did we choose the tiles and the lamp?", "we choose the tiles and the lamp"),
        ("Can you list in order how I changed the plan?", "how I changed the plan"),
        ("Please give me a short summary of our move.", "our move"),
        ("Walk me through how the garden changed", "how the garden changed"),
        ("How has the project developed over time?", "the project developed"),
        ("Give me a timeline of the renovation", "the renovation"),
        ("What happened last week?", "last week"),
        ("Summarize our conversations", "our conversations"),
        ("Fass bitte zusammen, was mit der Küche passiert ist", "was mit der Küche"),
        ("In welcher Reihenfolge haben wir die Fliesen gekauft?", "wir die Fliesen gekauft"),
        ("Wie hat sich das Projekt entwickelt?", "sich das Projekt entwickelt"),
        ("Résume ce qui s'est passé avec la cuisine", "la cuisine"),
        ("Haz un resumen de la mudanza", "Haz un la mudanza"),
        ("Riassumi il trasloco", "il trasloco"),
        ("Resuma a mudança", "a mudança"),
        ("Vat de verbouwing samen", "de verbouwing"),
        ("Подведи итог по ремонту кухни", "по ремонту кухни"),
        ("لخص لي الرحلة", "الرحلة"),
        ("总结一下厨房装修的情况", "厨房装修"),
        ("引っ越しの経緯を教えて", "引っ越しの を教えて"),
        ("부엌 공사를 순서대로 말해", "부엌 공사를 말해"),
        ("Sum up.", ""),
    ],
)
def test_a_question_for_a_course_is_told_from_its_subject(question: str, subject: str) -> None:
    assert course_subject(question) == subject


@pytest.mark.parametrize(
    ("question", "days"),
    [
        ("What did I tell you today?", "today"),
        ("what have I said this week", "this week"),
        ("Was habe ich dir gestern erzählt?", "gestern"),
        ("was haben wir letzte Woche gemacht", "letzte Woche"),
        ("What did I tell you on Wednesday?", "Wednesday"),
        ("What did we say on last Friday?", "last Friday"),
        ("Was habe ich dir am Freitag erzählt?", "Freitag"),
        ("Was haben wir am letzten Wochenende gemacht?", "letzten Wochenende"),
        ("上周我告诉了你什么？", "上周"),
        ("我昨天跟你说了什么？", "昨天"),
        ("今天我都告诉你什么了", "今天"),
        ("what did I do in october", "in october"),
        ("what did we do on 12 November?", "12 November"),
        ("what was I doing last month", "last month"),
        ("was habe ich im Oktober gemacht", "im Oktober"),
        ("Was war am Montag los?", "Montag"),
        ("¿Qué hice el lunes?", "lunes"),
        ("Qu'est-ce que j'ai fait hier ?", "hier"),
        ("что я делал вчера?", "вчера"),
        ("我上周做了什么", "上周"),
        ("昨日何をした？", "昨日"),
    ],
)
def test_a_question_for_what_was_done_or_told_names_its_days(question: str, days: str) -> None:
    found = days_asked_of(question, TODAY)

    assert found is not None
    assert found[0] == days


@pytest.mark.parametrize(
    "question",
    [
        "What did we decide about the kitchen?",
        "What did I do with the key in October?",
        "What did Caroline do in October?",
        "What did I tell you about the kitchen?",
        "What did I tell you today about the kitchen?",
        "What did I tell you on the phone about Ben?",
        "What did I note on this?",
        "What did we say on taxes?",
        "Was haben wir am Haus gemacht?",
        "Was habe ich dir am See erzählt?",
        "昨天我跟妈妈说了什么？",
        "Walk me through how to prove it",
        "In what order should I paint the walls?",
        "Summarize this article for me",
        "Summarize the following text: the quick brown fox",
        "Can you order more coffee filters?",
        "What is in the summary section of my resume?",
        "When did she resume her work?",
        "Fass diesen Text zusammen",
        "Mach eine Zusammenfassung von diesem Artikel",
        "fais-moi un résumé de ce texte",
        "hazme un resumen de este texto",
        "总结这篇文章",
        "この記事を要約して",
        "Where is the spare key?",
        "",
        "sum up " * MAX_COURSE_CHARS,
    ],
)
def test_other_questions_are_left_alone(question: str) -> None:
    assert course_subject(question) is None
    assert days_asked_of(question, TODAY) is None
