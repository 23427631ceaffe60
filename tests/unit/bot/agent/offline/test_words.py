from __future__ import annotations

import pytest

from bot.agent.offline.words import Choice, choice_in, is_calculation


@pytest.mark.parametrize(
    "text",
    [
        "y",
        "Yes!",
        " ja ",
        "是",
        "oui",
        "Sí.",
        "да",
        "はい",
        "Do it",
        "Ja, bitte.",
        "Ja, gerne.",
        "please do",
        "Bitte ja",
        "Yes, thank you!",
        "Do it, please.",
        "oui, s'il te plaît",
        "да, пожалуйста",
        "好的谢谢",
        "是的，谢谢",
        "Sí, por favor.",
        "Vale, gracias",
        "ja, mach das",
        "ok yes",
        "yes yes",
        "go ahead",
        "d'accord",
        "כן",
        "أجل",
    ],
)
def test_a_yes_in_any_language_takes_the_first_choice(text: str) -> None:
    assert choice_in(text) is Choice.YES


@pytest.mark.parametrize(
    "text",
    [
        "n",
        "No.",
        "nein",
        "不要",
        "нет",
        "いいえ",
        "leave it",
        "No, thanks.",
        "no thank you",
        "Nein danke!",
        "Thanks, no.",
        "Nein, vielen Dank.",
        "不用了，谢谢",
        "non merci",
        "нет, спасибо",
    ],
)
def test_a_no_takes_the_last(text: str) -> None:
    assert choice_in(text) is Choice.NO


@pytest.mark.parametrize(("text", "picked"), [("1", 1), (" 3. ", 3), ("12", 12), ("2, please", 2), ("２", 2)])
def test_a_number_takes_the_choice_of_that_place(text: str, picked: int) -> None:
    assert choice_in(text) == picked


@pytest.mark.parametrize(
    ("text", "picked"),
    [
        ("One.", 1),
        ("Two.", 2),
        ("three", 3),
        ("Number one.", 1),
        ("The second one, please.", 2),
        ("the 3rd", 3),
        ("Eins.", 1),
        ("zwei", 2),
        ("Nummer drei.", 3),
        ("Die zweite bitte.", 2),
        ("das erste", 1),
        ("den dritten", 3),
        ("二。", 2),
        ("第二个", 2),
        ("选第三个。", 3),
        ("两", 2),
        ("第2个", 2),
        ("一", 1),
        ("第一条，谢谢", 1),
        ("la segunda", 2),
        ("le deuxième", 2),
        ("второй", 2),
    ],
)
def test_so_does_one_that_is_spoken(text: str, picked: int) -> None:
    assert choice_in(text) == picked


@pytest.mark.parametrize(
    "text",
    [
        "",
        "1,2",
        "1, 2",
        "yes, the key is under the mat",
        "no, seat 43",
        "0",
        "2026",
        "maybe",
        "thanks",
        "Bitte.",
        "ok",
        "ok, wait",
        "yes no",
        "yes?",
        "Two?",
        "the",
        "number",
        "two of them",
        "one two",
        "one hour",
        "第",
        "the second world war",
        "no, two",
        "1号",
    ],
)
def test_anything_else_picks_nothing(text: str) -> None:
    assert choice_in(text) is None


@pytest.mark.parametrize(
    "text",
    [
        "what is 2+2?",
        "how much is 2 plus two",
        "What's 12 / 4?",
        "what is 2.5 * 4",
        "what is 9 - 5",
        "how much is 2 x 4?",
        "was ist 2+2?",
        "Wie viel ist drei mal vier?",
        "¿Cuánto es dos más dos?",
        "Combien font 2 et 2 ?",
        "2加2等于几？",
        "三乘以四等于多少",
        "7*8=?",
    ],
)
def test_a_question_for_nothing_but_a_result_is_a_calculation(text: str) -> None:
    assert is_calculation(text)


@pytest.mark.parametrize(
    "text",
    [
        "where is the 2x4?",
        "what is the 2x4?",
        "how much is the 2 x 4?",
        "what is 2x4?",
        "what is 0664 - 1234567?",
        "what is 664 - 12345?",
        "what is 555 - 0199?",
        "what are 9 - 5?",
        "9 - 5?",
        "2 x 4",
        "Was sind die 2 und 3?",
        "2 und 3?",
        "what is on 12/4?",
        "What is 030-123456?",
        "what is the code of 2?",
        "what is 4711?",
        "Wann ist 2 mal die Woche Training?",
        "Was ist die Summe?",
        "多少",
    ],
)
def test_a_question_with_a_number_for_something_else_is_no_calculation(text: str) -> None:
    assert not is_calculation(text)


@pytest.mark.parametrize(
    "text", ["yes, keep it please", "oui garde-le", "sí, guárdalo", "是的，记下来", "да, сохрани", "はい、保存して"]
)
def test_behind_a_yes_there_may_only_be_what_is_offered(text: str) -> None:
    assert choice_in(text, "/secret yes 3f9a2c81") is Choice.YES
    assert choice_in(text, "/forget yes k3f9a") is None
    assert choice_in(text) is None


@pytest.mark.parametrize("text", ["yes, delete it", "ja, lösch es", "oui, efface-le", "да, удали"])
def test_a_yes_to_delete_keeps_no_secret(text: str) -> None:
    assert choice_in(text, "/forget yes k3f9a") is Choice.YES
    assert choice_in(text, "/secret yes 3f9a2c81") is None


def test_what_a_command_does_is_a_yes_where_that_is_offered_first() -> None:
    assert choice_in("keep it", "/secret yes 3f9a2c81", is_new=True) is Choice.YES
    assert choice_in("ok, keep it", "/secret yes 3f9a2c81", is_new=True) is Choice.YES
    assert choice_in("merk dir das", "/captured keep 3f9a2c81", is_new=True) is Choice.YES
    assert choice_in("keep it", "/forget yes 3f9a2", is_new=True) is Choice.NO
    assert choice_in("forget it", "/forget yes 3f9a2", is_new=True) is None  # or never mind?
    assert choice_in("ok, forget it", "/forget yes 3f9a2", is_new=True) is None
    assert choice_in("replace it", "/replace yes 3f9a2") is None


AGREED = ["Ok please", "ok thanks", "passt", "va bene", "ладно", "εντάξει", "تمام", "ठीक है", "ตกลง", "그래", "没问题"]


@pytest.mark.parametrize("text", AGREED)
@pytest.mark.parametrize("offered", ["/replace yes 3f9a2", "/captured keep 3f9a2"])
def test_an_ok_is_a_yes_to_a_new_offer_that_is_easily_taken_back(text: str, offered: str) -> None:
    assert choice_in(text, offered, is_new=True) is Choice.YES
    assert choice_in(text, offered) is None


@pytest.mark.parametrize("text", AGREED)
@pytest.mark.parametrize(
    "offered", ["/forget yes 3f9a2", "/forget --purge yes", "/secret yes 3f9a2", "/guests approve telegram:7", ""]
)
def test_an_ok_forgets_nothing_keeps_no_secret_and_lets_nobody_in(text: str, offered: str) -> None:
    assert choice_in(text, offered, is_new=True) is None


def test_behind_an_ok_the_answer_counts() -> None:
    assert choice_in("ok, no") is Choice.NO
    assert choice_in("okay, yes", "/forget yes 3f9a2") is Choice.YES
