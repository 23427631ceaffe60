from __future__ import annotations

from datetime import date

import pytest

from memory.language.answer_forms import AnswerForm, Form

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
