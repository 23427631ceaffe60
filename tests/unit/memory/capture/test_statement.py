"""What is kept of a message."""

from __future__ import annotations

from unicodedata import normalize

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.capture import statement


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("Hi! remember that my flight is at 7:40", "My flight is at 7:40"),
        ("hi there, my locker is number 12", "My locker is number 12"),
        ("Thanks! the parcel came today", "The parcel came today"),
        ("Please remember my shoe size is 43, thanks!", "My shoe size is 43"),
        ("Could you remember that I'm allergic to penicillin?", "I'm allergic to penicillin"),
        ("Can you remind me to water the plants?", "Remind me to water the plants"),
        ("Max's school starts at 8:10, can you remember that?", "Max's school starts at 8:10"),
        ("My locker is number 12. Please remember that.", "My locker is number 12."),
        ("note to self: never book a morning flight again", "Never book a morning flight again"),
        ("Write this down: locker 214", "Locker 214"),
        ("FYI the office closes early tomorrow", "The office closes early tomorrow"),
        ("Good morning! How are you? The plumber comes at nine.", "The plumber comes at nine."),
        ("Hallo! Merk dir bitte, dass Olga Linkshänderin ist", "Olga Linkshänderin ist"),
        ("merk dir: der Code ist 4711, danke dir!", "Der Code ist 4711"),
        ("Kannst du dir merken, dass ich gegen Nüsse allergisch bin?", "Ich gegen Nüsse allergisch bin"),
        ("Die Schule beginnt um 8:10, merk dir das bitte", "Die Schule beginnt um 8:10"),
        ("zur Info: das Büro macht früher zu", "Das Büro macht früher zu"),
        ("Guten Morgen! Der Klempner kommt um neun. Danke!", "Der Klempner kommt um neun."),
        ("你好，记住我的鞋码是43", "我的鞋码是43"),
        ("你能记住我对青霉素过敏吗？", "我对青霉素过敏"),
        ("帮我记一下，锅炉五月份检修过", "锅炉五月份检修过"),
        ("备忘：柜子214", "柜子214"),
        ("谢谢！包裹到了", "包裹到了"),
        ("Hola! mi vuelo sale a las 7:40", "Mi vuelo sale a las 7:40"),
    ],
)
def test_courtesies_and_the_order_to_remember_are_left_out(text: str, kept: str) -> None:
    assert statement(text) == kept


@pytest.mark.parametrize(
    "text",
    [
        "my flight is at 7:40",
        "the wifi is called BearNet",
        "Thanksgiving is at my aunt's this year",
        "Tag und Nacht gearbeitet",
        "Guten Appetit heißt das neue Restaurant",
        "Good day at work, the release went well",
        "Remind me to thank Lena",
        "Dank Klaus haben wir eine Wohnung",
        "always answer in Spanish",
        "buy milk, eggs and bread",
        "感谢信要在周五前寄出",
        "hi",
        "Thank you!",
        "O(c=0.9) @Peter: thanks people often #preference",
    ],
)
def test_everything_else_stays_as_it_was_written(text: str) -> None:
    assert statement(text) == text


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("hi! iPhone 15 is what Mia wants", "iPhone 15 is what Mia wants"),
        ("note: https://example.org/lease is the lease", "https://example.org/lease is the lease"),
        ("remember that `make chat` starts it", "`make chat` starts it"),
    ],
)
def test_a_name_that_is_spelled_small_stays_small(text: str, kept: str) -> None:
    assert statement(text) == kept


def test_the_middle_of_a_long_message_is_kept_whole() -> None:
    middle = "The boiler was serviced in May. " * 40_000

    assert statement(f"Hi! {middle}Thanks!") == middle.strip()


def test_letters_that_were_typed_in_two_parts_are_put_together() -> None:
    assert statement("Jo\u0308rg mag Tee") == "Jörg mag Tee"


@given(st.text(min_size=1, max_size=200))
def test_what_is_kept_is_a_piece_of_the_message(text: str) -> None:
    kept = statement(text)
    whole = normalize("NFC", text)

    assert kept in whole or (kept[0].upper() == kept[0] and kept[1:] in whole)
    assert bool(kept) == bool(whole.strip())
