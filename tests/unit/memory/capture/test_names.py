"""The proper names in a text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.capture.names import names_in


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Lena's dog is called Bello", ("Lena", "Bello")),
        ("Dinner with Anna and Tom at Luigi's on Friday", ("Anna", "Tom", "Luigi")),
        ("The parcel for Mr. Novak is at the bakery", ("Novak",)),
        ("We flew from New York to Lisbon in May", ("New York", "Lisbon")),
        ("My new laptop is a MacBook, bought at IKEA", ("MacBook", "IKEA")),
        ("I met Sarah Connor at the station", ("Sarah Connor",)),
        ("Remember the milk. Coffee is out. I like German bread", ()),
        ("THE MEETING IS ON MONDAY AND I AM LATE", ()),
        ("Will the PIN and the USB stick do? OK", ()),
        ("@Peter likes [[Green Tea|tea]], see a@b.example", ("Peter", "Green Tea")),
    ],
)
def test_english_names_are_told_by_capitals_inside_a_sentence(text: str, names: tuple[str, ...]) -> None:
    assert names_in(text) == names


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Meine Schwester heißt Charlotte und wohnt in Leipzig", ("Charlotte", "Leipzig")),
        ("Der Termin bei Frau Schulz ist am Montag", ("Schulz",)),
        ("Lenas Geburtstag feiern wir mit Klaus", ("Lena", "Klaus")),
        ("Anna Müller arbeitet bei der Deutschen Post", ("Anna Müller",)),
        ("Unser Hund Bello mag Leberwurst", ("Bello",)),
        ("Der Kuchen steht im Kühlschrank neben der Milch", ()),
        ("Im Urlaub lese ich gern Krimis auf dem Balkon", ()),
        ("Bitte denk an das WLAN und die PIN", ()),
        ("Ich arbeite seit Mai bei Siemens in München", ("Siemens", "München")),
    ],
)
def test_german_names_need_more_than_a_capital(text: str, names: tuple[str, ...]) -> None:
    assert names_in(text) == names


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("我妹妹叫陈悦，住在成都", ("陈悦", "成都")),
        ("小王和老李在上海开会", ("小王", "老李", "上海")),
        ("今天跟王医生约了复查", ("王医生",)),
        ("昨天见到了阿明", ("阿明",)),
        ("我用iPhone上Netflix", ("iPhone", "Netflix")),
        ("Anna下周去Siemens上班", ("Anna", "Siemens")),
        ("我今天很高兴，马上去买黄瓜", ()),
        ("周末去马路对面的超市", ()),
        ("我在学西班牙语", ()),
    ],
)
def test_chinese_names_are_told_by_family_name_prefix_and_title(text: str, names: tuple[str, ...]) -> None:
    assert names_in(text) == names


def test_known_names_are_found_in_any_spelling_and_given_in_their_own() -> None:
    known = ("New-York", "Bernd", "Mia", "Will", "星河餐厅")

    assert names_in("new york is loud", known) == ("New-York",)
    assert names_in("bernds auto und mia's rad", known) == ("Bernd", "Mia")
    assert names_in("he will come", known) == ()
    assert names_in("so Will came", known) == ("Will",)
    assert names_in("我们在星河餐厅见", known) == ("星河餐厅",)


def test_a_name_is_given_once() -> None:
    assert names_in("Anna met Anna's sister") == ("Anna",)


@given(st.text(max_size=300), st.lists(st.text(max_size=20), max_size=5))
def test_any_text_has_some_names_or_none(text: str, known: list[str]) -> None:
    names = names_in(text, known)

    assert len({name.casefold() for name in names}) == len(names)
