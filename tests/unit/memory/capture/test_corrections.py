"""What a correction makes of a fact, what contradicts it, and what is the same again."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.capture.corrections import contradicts, correct, fulfils, same, stands_alone
from memory.capture.wishes.wishes import WishKind, wish

SAID = tomllib.loads((Path(__file__).parents[3] / "data" / "capture" / "corrections.toml").read_text(encoding="utf-8"))


def rows(name: str) -> list[list[str]]:
    return [[cell.strip(" ") for cell in line.split("|")] for line in SAID[name].strip("\n").splitlines()]


def corrected(old: str, said: str) -> str:
    """The new fact; a dash for none."""
    new = correct(old, said)
    return "-" if new is None else new


def test_a_correction_replaces_what_it_corrects_and_keeps_the_rest() -> None:
    led_to = [(old, said, new, corrected(old, said)) for old, said, new in rows("corrected")]

    assert [row for row in led_to if row[3] != row[2]] == []


@pytest.mark.parametrize(
    "said",
    [
        "I live in Bonn",
        "the meeting is on Monday",
        "practice moved to wednesdays and fridays",
        "on Friday we paint the kitchen",
        "the meeting room seats ten people",
        "das Training ist jetzt mittwochs",
        "der Termin wurde auf Freitag verschoben",
        "la cita es el lunes",
        "训练改到周三了",
        "im allergic to kiwi",
        "je pars lundi",
        "я веган",
        "父は医者です",
        "田中さんは引っ越します",
    ],
)
def test_a_correction_that_says_what_it_is_about_stands_alone(said: str) -> None:
    assert stands_alone(said)


@pytest.mark.parametrize(
    "said",
    [
        "it's 8",
        "8 not 7",
        "Platz 43",
        "she is 42",
        "she moved to Berlin",
        "the red one",
        "the red house on the hill",
        "in the blue folder on the desk",
        "Anna Maria Berg",
        "on fridays",
        "4 cups of flour",
        "three times a week",
        "9時です",
        "それは9時です",
    ],
)
def test_a_value_alone_or_what_is_said_of_somebody_unnamed_does_not(said: str) -> None:
    assert not stands_alone(said)


def test_a_message_that_corrects_leads_to_the_new_fact() -> None:
    for old, message, new in rows("messages"):
        found = wish(message)

        assert found is not None, message
        assert found.kind is WishKind.CORRECT, message
        assert corrected(old, found.what) == new


@pytest.mark.parametrize("name", ["contrasts", "said_in_other_grammar", "values_of_one_shape", "openings"])
def test_a_message_that_corrects_exchanges_one_value_and_keeps_the_rest(name: str) -> None:
    led_to = []
    for old, message, new in rows(name):
        found = wish(message)
        led_to.append((old, message, new, corrected(old, found.what if found else message)))

    assert [row for row in led_to if row[3] != row[2]] == []


@pytest.mark.parametrize("name", ["contradicting", "contradicting_in_one_sentence"])
def test_the_same_statement_with_another_value_contradicts(name: str) -> None:
    assert [row for row in rows(name) if not contradicts(*row) or not contradicts(*reversed(row))] == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("I prefer tea to coffee.", "I prefer coffee to tea now."),
        ("I like tea more than coffee.", "I like coffee more than tea."),
        ("Ich trinke lieber Tee als Kaffee.", "Ich trinke jetzt lieber Kaffee als Tee."),
        ("Prefiero el té al café.", "Prefiero el café al té."),
        ("Je préfère le thé au café.", "Je préfère le café au thé."),
        ("Ana is taller than Tom.", "Tom is taller than Ana."),
    ],
)
def test_what_is_compared_the_other_way_round_contradicts(old: str, new: str) -> None:
    assert contradicts(old, new)
    assert contradicts(new, old)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("My phone number is 0171 5551234.", "My new phone number is 0160 9998877."),
        ("Meine Telefonnummer ist 0171 5551234.", "Meine neue Telefonnummer ist 0160 9998877."),
        ("Ana's number is 5551.", "Ana's new number is 5552."),
        ("我的电话号码是5551234", "我的新电话号码是6661234"),
    ],
)
def test_what_is_said_to_be_new_contradicts_what_was_there_before(old: str, new: str) -> None:
    assert contradicts(old, new)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("I prefer tea to coffee.", "I prefer tea to coffee in the morning."),
        ("I prefer tea to coffee in the morning.", "I prefer coffee to tea in the evening."),
        ("We drove from Graz to Linz.", "We drove from Linz to Graz."),
        ("Ich habe als Kind in Rom gelebt.", "In Rom habe ich als Kind gelebt."),
        ("Ich trinke lieber Tee als Kaffee.", "Lieber als Kaffee trinke ich Tee."),
        ("I prefer to walk to work.", "I prefer to work."),
        ("My phone number is 0171 5551234.", "My new phone has 256 GB."),
        ("My boss is called Petra.", "My new boss starts on Monday."),
        ("I prefer tea to coffee.", "I don't prefer coffee to tea."),
        ("Mein Bruder arbeitet als Koch und Kellner.", "Mein Bruder arbeitet als Kellner und Koch."),
    ],
)
def test_things_named_in_another_order_and_other_things_do_not_contradict(old: str, new: str) -> None:
    assert not contradicts(old, new)


@pytest.mark.parametrize("name", ["compatible", "compatible_subjects"])
def test_statements_that_may_both_be_true_do_not_contradict(name: str) -> None:
    assert [row for row in rows(name) if contradicts(*row) or contradicts(*reversed(row))] == []


def test_case_width_punctuation_and_spaces_make_no_other_fact() -> None:
    assert [row for row in rows("same") if not same(*row) or contradicts(*row)] == []


def test_what_changes_the_meaning_makes_another_fact() -> None:
    assert [row for row in rows("different") if same(*row)] == []


def test_the_line_breaks_of_a_fact_stay() -> None:
    assert correct("Wifi\n- name: Jay\n- code: 4711", "4712") == "Wifi\n- name: Jay\n- code: 4712"


PIECES = st.sampled_from(
    "Peter Anna is are not no it the on at in Monday Dienstag 7 8 pm 030-1234567 red blau ist nicht sondern , . "
    "es heißt 是 不是 周三 三岁 他 est pas c'est нет а не в среду".split()
)
TEXTS = st.one_of(st.text(max_size=80), st.lists(PIECES, max_size=12).map(" ".join))


@given(TEXTS, TEXTS)
def test_a_correction_of_anything_by_anything_adds_no_word_of_its_own(old: str, said: str) -> None:
    new = correct(old, said)

    if new is not None:
        given_words = set(re.findall(r"\w", (old + said).casefold()))
        assert set(re.findall(r"\w", new.casefold())) <= given_words
        assert new != old


@given(TEXTS, TEXTS)
def test_contradiction_and_sameness_are_symmetric_and_exclude_each_other(one: str, other: str) -> None:
    assert contradicts(one, other) == contradicts(other, one)
    assert same(one, other) == same(other, one)
    assert same(one, one)
    assert not (same(one, other) and contradicts(one, other))


@pytest.mark.parametrize(
    ("old", "said", "new"),
    [
        ("landlord is Herr Boettcher, 0341 998877", "it's now Frau Seidel", "landlord is Frau Seidel"),
        ("My dentist is Dr. Weber, Main Street 5, nice", "it is Dr. Klein", "My dentist is Dr. Klein, nice"),
        ("Die Ärztin ist Dr. Weber, weber@praxis.de", "es ist jetzt Dr. Klein", "Die Ärztin ist Dr. Klein"),
        ("Mi casero es Juan Pérez, 600 123 456", "ahora es Ana López", "Mi casero es Ana López"),
        ("我的牙医是王医生，电话13800138000", "现在是李医生", "我的牙医是李医生"),
        ("The code is Rex, 0341 998877", "it is 0341 998878", "The code is Rex, 0341 998878"),
        ("Mia's teacher is Mrs Clark, room 12", "it's now Mr Hill", "Mia's teacher is Mr Hill, room 12"),
        ("My brother is Olivr, 0341 998877", "Oliver", "My brother is Oliver, 0341 998877"),
        ("Boss is Ana, 0341 998877", "it's now Tom, 0341 998877", "Boss is Tom, 0341 998877"),
    ],
)
def test_who_takes_the_place_of_another_has_another_number_and_address(old: str, said: str, new: str) -> None:
    assert correct(old, said) == new


@pytest.mark.parametrize(
    ("old", "said", "new"),
    [
        ("Der Zug geht um 8", "Der Zug geht doch schon um 7", "Der Zug geht um 7"),
        (
            "Der Termin ist am Dienstag um 10",
            "Der Termin ist doch erst am Mittwoch",
            "Der Termin ist am Mittwoch um 10",
        ),
        ("The meeting is on Tuesday", "The meeting is on Wednesday after all", "The meeting is on Wednesday"),
        ("La réunion est mardi à 10h", "La réunion est finalement mercredi", "La réunion est mercredi à 10h"),
        ("La cita es el martes a las 10", "La cita es al final el lunes", "La cita es el lunes a las 10"),
        ("Встреча во вторник в 10", "Встреча всё-таки в среду", "Встреча в среду в 10"),
        ("会议是周二10点", "会议其实是周三", "会议是周三10点"),
        ("La riunione è martedì alle 10", "la riunione è alla fine lunedì", "La riunione è lunedì alle 10"),
    ],
)
def test_what_is_said_to_be_otherwise_after_all_is_a_correction(old: str, said: str, new: str) -> None:
    wished = wish(said)

    assert wished is not None
    assert (wished.kind, correct(old, wished.what)) == (WishKind.CORRECT, new)


def test_what_is_no_longer_so_is_no_contrast() -> None:
    assert wish("Alice no longer works at Siemens") is None
    assert correct("Alice works at Siemens", "Alice no longer works at Siemens") != "Alice works at Alice"
    assert correct("小明不是小红的哥哥", "小明不是小红的哥哥") is None


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("My phone number is 555 0101", "My phone number is now 555 0199"),
        ("Ich wohne in Köln", "Ich wohne jetzt in Bonn"),
        ("我的电话号码是13800001111", "我的电话号码现在是13900002222"),
        ("Max lives in Paris", "Max no longer lives in Paris"),
        ("I like coffee", "I don't like coffee any more"),
        ("Max lebt in Wien", "Max lebt nicht mehr in Wien"),
    ],
)
def test_what_holds_now_contradicts_what_held_before(old: str, new: str) -> None:
    assert contradicts(old, new)


@pytest.mark.parametrize(
    ("old", "said", "new"),
    [
        ("dentist booked for tues 2:30pm", "its wed not tues", "dentist booked for wed 2:30pm"),
        ("dinner fri 8pm", "its thurs", "dinner thurs 8pm"),
        ("band practice on mon", "its on tue", "band practice on tue"),
        ("Am Montag tue ich die Wäsche raus", "nein, Dienstag", "Am Dienstag tue ich die Wäsche raus"),
    ],
)
def test_a_short_weekday_needs_no_capital(old: str, said: str, new: str) -> None:
    assert correct(old, said) == new


def test_a_title_of_a_woman_goes_with_her_name() -> None:
    assert correct("mi profe es Dra. Molina, office 3.14", "no, mi profe es Dr. Ruiz") == (
        "mi profe es Dr. Ruiz, office 3.14"
    )


@pytest.mark.parametrize(
    ("old", "said", "new"),
    [
        (
            "Gerda hat am 14. Februar Geburtstag",
            "Gerda hat am 15. Februar Geburtstag, nicht am 14.",
            "Gerda hat am 15. Februar Geburtstag",
        ),
        ("The exam is on 3 May", "it's on 4 May, not 3", "The exam is on 4 May"),
        ("My wife's birthday is 14 February", "it's 15 February, not the 14th", "My wife's birthday is 15 February"),
        ("The meeting is in room 14", "room 15, not 14", "The meeting is in room 15"),
        ("The meeting is on the 5th at 10", "the 6th", "The meeting is on the 6th at 10"),
    ],
)
def test_a_day_takes_the_place_of_a_whole_one_of_which_the_number_is_named(old: str, said: str, new: str) -> None:
    assert correct(old, said) == new


@pytest.mark.parametrize(
    ("task", "said", "is_done"),
    [
        ("I have to call the bank", "I called the bank", True),
        ("I must pay the gas bill", "the gas bill is paid", True),
        ("Ich muss die Bank anrufen", "Ich habe die Bank angerufen", True),
        ("Ich soll das Formular abgeben", "Formular abgegeben", True),
        ("I have to call the bank", "I called the doctor", False),
        ("I have to call the bank", "call the bank", False),
        ("I have to call the bank", "I have not called the bank", False),
        ("I have to call the bank", "The bank is closed", False),
        ("I have to clean", "I cleaned", False),
        ("I have to call the bank", "I have already called the bank today", True),
        ("I have to read the report", "I read the report", True),
        ("Ich muss meinen Pass verlängern", "Ich habe meinen Pass schon verlängert", True),
        ("I have to call the bank", "The bank called me", False),
        ("I have to call the bank", "I called the bank but nobody answered", False),
        ("I have to call the bank", "Nobody called the bank", False),
        ("I have to call the bank", "I should have called the bank", False),
        ("I have to call the bank", "I will have called the bank by noon", False),
        ("I have to call the bank", "Last year I called the bank", False),
        ("I have to call the bank", "Have I called the bank", False),
        ("I have to renew my passport", "My passport must be renewed by May", False),
        ("I must clean the kitchen", "The cleaner was in the kitchen", False),
        ("I must book the hotel", "The hotel is fully booked", False),
        ("Ich muss die Bank anrufen", "Die Bank hat angerufen", False),
        ("Ich muss die Bank anrufen", "Meine Frau hat die Bank angerufen", False),
        ("Ich muss Milch kaufen", "Milch ist im Kaufland billig", False),
        ("Ich muss die Wohnung putzen", "Die Wohnung wird jeden Freitag geputzt", False),
        ("Ich muss das Vogelhaus streichen", "Das Vogelhaus ist gestrichen", True),
        ("Ich muss die Winterreifen aufziehen lassen", "Die Winterreifen sind aufgezogen", True),
        ("Il faut que j'appelle le plombier", "J'ai appelé le plombier", True),
        ("Je dois payer la facture d'électricité", "J'ai payé la facture d'électricité", True),
        ("Je dois réserver l'hôtel", "L'hôtel est réservé", True),
        ("Je dois payer la facture", "Paul a payé la facture", False),
        ("Je dois payer la facture", "Je n'ai pas payé la facture", False),
        ("Je dois appeler le plombier", "Le plombier a appelé", False),
        ("Je dois appeler le plombier", "J'ai appelé le plombier mais il dort", False),
        ("Tengo que comprar arena para los gatos", "Ya he comprado la arena para los gatos", True),
        ("Tengo que llamar al banco", "Llamé al banco", True),
        ("Tengo que pagar el alquiler", "El alquiler está pagado", True),
        ("Tengo que llamar al banco", "El banco me ha llamado", False),
        ("Tengo que llamar al banco", "No he llamado al banco", False),
        ("Tengo que pagar el alquiler", "Mi madre ha pagado el alquiler", False),
        ("Мне нужно оплатить интернет", "Я оплатил интернет", True),
        ("Мне надо оплатить интернет", "Интернет оплачен", True),
        ("Мне нужно оплатить интернет", "Я не оплатил интернет", False),
        ("Мне нужно оплатить интернет", "Лена оплатила интернет", False),
        ("Надо позвонить бабушке", "Позвонила бабушка", False),
        ("我要交物业费", "物业费交了", True),
        ("我得买一个新水壶", "水壶买好了", True),
        ("我要给妈妈打电话", "我给妈妈打了电话", True),
        ("我要洗车", "车已经洗好了。", True),
        ("我要交物业费", "物业费还没交", False),
        ("我要交物业费", "我该交物业费了", False),
        ("我要交物业费", "物业费涨了", False),
        ("我要给妈妈打电话", "妈妈给我打电话了", False),
        ("我得买牛奶", "妈妈买了牛奶", False),
        ("我得买牛奶", "我忘了买牛奶", False),
        ("我要联系房东", "我联系房东了", True),
        ("我要联系房东", "房东联系了", False),
        ("我要问老师", "老师问了", False),
        ("我要给小王打电话", "小王打电话给了", False),
        ("Tengo que preparar la cena", "Preparé la cena", True),
        ("Tengo que llamar al banco", "Llamaré al banco", False),
        ("Tengo que pagar el alquiler", "Pagaré el alquiler", False),
        ("Tengo que llamar a Ana", "Llamada a Ana", False),
    ],
)
def test_what_tells_all_of_a_task_as_done_fulfils_it(task: str, said: str, *, is_done: bool) -> None:
    assert fulfils(task, said) == is_done
