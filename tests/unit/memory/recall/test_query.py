from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.index.terms import terms
from memory.index.units import Unit
from memory.recall.query import MAX_QUESTION_CHARS, Query, meaning_of, parse
from memory.types import OWNER, Kind, Origin

TODAYS_DATE = date(2026, 11, 21)


def asked(text: str, *languages: str) -> Query:
    return parse(text, languages=languages or ("en",), today=TODAYS_DATE)


def looked_for(text: str, *languages: str) -> list[str]:
    return [word.terms[0] for word in asked(text, *languages).words]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Where is the spare key?", "spare key"),
        ("What's Jon's favourite dance?", "jon favourit danc"),
        ("Wo ist der Ersatzschlüssel?", "ersatzschlussel"),
        ("où est la clé", "cle"),
        ("¿Dónde está la llave?", "llav"),
        ("Где ключи от машины?", "ключ машин"),
        ("我的钥匙在哪里?", "钥匙"),
        ("什么是目的", "是目 目的"),
        ("鍵はどこですか", "鍵は 鍵"),
        ("열쇠는 어디에 있습니까", "열쇠"),
        ("POSTGRES_URL v2.3.0", "postgres_url postgr url v2.3.0 v2 3 0"),
        ("an end-to-end test of the system", "endtoend end test system"),
        ('"AND" OR (NEAR key*)', "near key"),
        ("What did I do last week in Berlin?", "berlin"),
        ("what happened on Friday in November", "happen friday novemb"),
        ("key key KEY keys", "key"),
    ],
)
def test_a_question_is_reduced_to_its_content(text: str, expected: str) -> None:
    assert looked_for(text) == expected.split()


def test_stop_words_are_kept_when_nothing_else_is_left() -> None:
    query = asked("to be or not to be")
    assert [word.text for word in query.words] == ["to", "be", "or", "not"]
    assert query.is_common
    assert not asked("the spare key").is_common


def test_a_question_for_days_alone_has_no_words() -> None:
    query = asked("What did I do yesterday?")
    assert query.words == ()
    assert query.when


def test_what_was_dropped_is_told() -> None:
    assert asked("Where is the key?").dropped == ("Where", "is", "the")


def test_a_word_is_looked_for_under_the_stems_of_all_languages_of_the_notes() -> None:
    (word,) = asked("Paris", "en", "de", "fr", "ru").words
    assert set(word.terms) == {terms("Paris", code)[0] for code in ("en", "de", "fr")}


@pytest.mark.parametrize(("text", "term"), [("鍵", "鍵*"), ("字?", "字*")])
def test_one_character_stands_for_all_that_begins_with_it(text: str, term: str) -> None:
    assert [word.terms for word in asked(text).words] == [(term,)]


def test_what_may_be_a_name_is_listed() -> None:
    names = asked("Did Anna Lopez see The Castle?").names
    assert {"anna", "anna lopez", "the castle", "castle"} <= set(names)
    assert "张伟" in asked("张伟的生日是什么时候").names


def test_days_are_resolved_from_today() -> None:
    (when,) = asked("what was yesterday").when
    assert when.days[0].first == date(2026, 11, 20)


@pytest.mark.parametrize("text", ["", "???", "   ", "\x00", "\ud800", "---"])
def test_a_question_without_words_has_none(text: str) -> None:
    assert asked(text).words == ()


def test_an_emoji_can_be_looked_for() -> None:
    assert looked_for("💪") == ["💪"]


def test_a_very_long_text_is_read_in_part_and_quickly() -> None:
    query = asked("word " * 300_000)
    assert [word.text for word in query.words] == ["word"]
    assert len(asked("".join(f"w{n} " for n in range(200_000))).words) < MAX_QUESTION_CHARS


@given(st.text(), st.lists(st.sampled_from(["en", "de", "zh", "ja", "ko", "th", "ar", ""]), max_size=4))
def test_no_text_makes_it_raise(text: str, languages: list[str]) -> None:
    query = parse(text, languages=languages, today=TODAYS_DATE)
    assert query == parse(text, languages=languages, today=TODAYS_DATE)
    assert all(word.terms for word in query.words)


SAID = st.lists(
    st.sampled_from(
        "the spare key Ersatzschlüssel v2.3.0 getUserName ключи don't C++ 💪 e-mail "
        "我的钥匙在哪里 鍵はここ 서울에서".split()
    ),
    min_size=1,
    max_size=6,
)


@given(SAID)
def test_every_word_of_a_question_is_found_in_a_note_that_says_the_same(words: list[str]) -> None:
    text = " ".join(words)
    language, held, _ = Unit("u", Kind.NOTE, 1, 1, text, text, Origin.OWNER, OWNER).searched()
    found = set(held.split())
    for word in parse(text, languages=(language,), today=TODAYS_DATE).words:
        assert found & set(word.terms) or any(
            one.startswith(term[:-1]) for one in found for term in word.terms if term.endswith("*")
        )


@pytest.mark.parametrize(
    ("question", "embedded"),
    [
        ("What books has Tim read?", "What books has read?"),
        ("Where did Tim's sister go?", "Where did sister go?"),
        ("小明买了什么书?", "买了什么书?"),
        ("What about Timothy?", "What about Timothy?"),
        ("Sum up what Tim did", "what did"),
        ("Where is the key?", "Where is the key?"),
        ("Tim", "Tim"),
        ("", ""),
    ],
)
def test_what_is_embedded_leaves_out_who_speaks(question: str, embedded: str) -> None:
    assert meaning_of(question, ["Tim", "小明", "Ann"]) == embedded
