from __future__ import annotations

import re
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.index.terms import (
    MAX_TERM_CHARS,
    MIN_COMPOUND_LETTERS,
    WORD,
    apart,
    backwards,
    compound_forms,
    entity_key,
    fold,
    parts_of,
    terms,
    terms_of,
    token_terms,
    tokens,
)
from memory.language.words import STOP_WORDS

LANGUAGES = ["", "en", "de", "ru", "zh", "ja", "ko", "th", "ar", "hi"]


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("The dancers danced", "en", "the dancer danc"),
        ("Müller fährt über die Straße", "de", "mull fahrt uber die strass"),
        ("café CAFÉ cafe\u0301", "en", "cafe cafe cafe"),
        ("Łódź Øresund İzmir Ærø", "en", "lodz oresund izmir aero"),
        ("ёлка Ключи", "ru", "елк ключ"),
        ("المَكْتَبَة", "ar", "مكتب"),
        ("我的钥匙", "zh", "我的 的钥 钥匙 匙"),
        ("鍵はここ", "ja", "鍵は はこ ここ 鍵 こ"),
        ("서울에서", "ko", "서울 울에 에서 서"),
        ("字", "zh", "字"),
        ("ภาษา", "th", "ภาษ าษา"),
        ("don't Jon's O'Brien", "en", "dont jon obrien brien"),
        ("l'amour", "fr", "lamour amour"),
        ("POSTGRES_URL", "en", "postgres_url postgr url"),
        ("v2.3.0", "en", "v2.3.0 v2 3 0"),
        ("#4711", "en", "#4711 4711"),
        ("getUserName", "en", "getusername get user name"),
        ("HTTPServer", "en", "httpserver http server"),
        ("src/app.py", "en", "src/app.py src app py"),
        ("e-mail", "en", "email e mail"),
        ("2025-11-27", "en", "2025-11-27 2025 11 27"),
        ("1,250 1.250", "en", "1250 1 250 1250 1 250"),
        ("C++ C#", "en", "c++ c c# c"),
        ("+49 170 1234567", "en", "491701234567 01234567 49 170 1234567"),
        ("00 11", "en", "00 11"),
        ("01-12-2026 01/12/2026", "en", "01-12-2026 01 12 2026 01/12/2026 01 12 2026"),
        ("192.168.10.0011 v01.2.3", "en", "192.168.10.0011 192 168 10 0011 v01.2.3 v01 2 3"),
        ("0.123456789 €1,250.00", "en", "0.123456789 0 123456789 1,250.00 1 250 00"),
        ("4111 1111 1111 1111 000012345678", "en", "4111 1111 1111 1111 000012345678"),
        ("💪", "en", "💪"),
    ],
)
def test_texts_become_terms(text: str, language: str, expected: str) -> None:
    assert terms(text, language) == expected.split()


@pytest.mark.parametrize(
    ("written", "asked"),
    [
        ("Call +49 170 1234567.", "0170 1234567"),
        ("the e-mail address", "email"),
        ("a GPT-4 model", "gpt4"),
        ("set `POSTGRES_URL`", "postgres_url"),
        ("set `POSTGRES_URL`", "postgres"),
        ("costs 1,250 euros", "1250"),
        ("Der Ölwechsel", "olwechsel"),
        ("naïve", "naive"),
        ("它的密码是1234", "密码"),
    ],
)
def test_what_is_asked_another_way_meets_what_was_written(written: str, asked: str) -> None:
    held = {*terms(written, "en"), *terms(written, "de"), *terms(written, "zh")}
    assert held & {*terms(asked, "en"), *terms(asked, "de"), *terms(asked, "zh")}


@pytest.mark.parametrize("asked", ["+49 170 1234567", "0170 1234567", "+491701234567", "01701234567"])
@pytest.mark.parametrize(
    "written",
    [
        "+49 170 1234567", "+491701234567", "0049 170 1234567", "00491701234567", "+49-170-1234567", "(0170) 1234567",
        "+49 (0)170 1234567", "+49 (0) 170 / 123 45 67", "0170/1234567", "0170 / 123 45 67", "0170-123 45 67",
        "01701234567", "0170-1234567", "+49 1 70 12 34 567", "+49 1701234567", "+49(0)1701234567", "+49170/1234567",
        "0049 (0)170 1234567", "+49 (0)1 70 12 34 567", "0049 1 70 12 34 567", "0170.1234567", "+49.170.1234567",
        "+49 170 1234567. 15", "0170/1234567 / 0171 7654321", "+49 170 1234567 / 0171 7654321",
    ],
)  # fmt: skip
def test_a_number_to_call_is_met_in_every_spelling(written: str, asked: str) -> None:
    assert "01234567" in {*terms(f"Bo's number is {written}.", "en")} & {*terms(f"whose is {asked}?", "en")}


def test_every_character_of_a_run_begins_a_term() -> None:
    run = "今天下午三点开会"
    assert {term[0] for term in terms(run, "zh")} == set(run)


def test_a_term_has_a_longest_length() -> None:
    assert terms("a" * 10_000, "en") == ["a" * MAX_TERM_CHARS]
    assert max(map(len, terms("x/" * 5000, "en"))) <= MAX_TERM_CHARS


@pytest.mark.parametrize("word", ["Straße", "İ", "ŁÓDŹ", "ﬃ", "ǅ", "ΐ", "ى", "हिन्दी", "", "\ud800"])
def test_folding_twice_changes_nothing_more(word: str) -> None:
    assert fold(fold(word)) == fold(word)


@given(st.text(), st.sampled_from(LANGUAGES))
def test_no_text_makes_it_raise_and_no_term_has_space_or_quotes(text: str, language: str) -> None:
    found = terms(text, language)
    assert all(term and not set(term) & set(" \t\n\"'*\x00") for term in found)
    assert found == terms(text, language)


@given(
    st.lists(st.sampled_from("the spare key Schlüssel ключи getUserName v2.3.0 我的钥匙 서울에서 +49 don't".split()))
)
def test_the_terms_of_a_part_are_terms_of_the_whole(words: list[str]) -> None:
    text = " , ".join(words)
    held = set(terms(text, "en"))
    for word in words:
        assert set(terms(word, "en")) <= held


@given(st.text())
def test_tokens_give_their_terms_one_by_one(text: str) -> None:
    found = tokens(text)
    assert terms_of(found, "en").split() == [term for token in found for term in token_terms(token, "en")]


def test_stop_words_are_terms_too() -> None:
    assert set(terms("to be or not to be", "en")) <= STOP_WORDS["en"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Hello, world!", ["Hello", "world"]),
        ("set POSTGRES_URL in .env", ["set", "POSTGRES_URL", "in", "env"]),
        ("v2.3.0 fixes #4711.", ["v2.3.0", "fixes", "#4711"]),
        ("see src/app/main.py:12", ["see", "src/app/main.py:12"]),
        ("mail jo.doe@example.org now", ["mail", "jo.doe@example.org", "now"]),
        ("https://example.org/a?b=1", ["https://example.org/a", "b", "1"]),
        ("at 192.168.0.1, port 80", ["at", "192.168.0.1", "port", "80"]),
        ("C++ or C#, but not #", ["C++", "or", "C#", "but", "not"]),
        ("1,250 of 2,5", ["1,250", "of", "2", "5"]),
        ("don’t stop", ["don’t", "stop"]),
        ("我的iPhone手机。", ["我的", "iPhone", "手机"]),
        ("서울에서 만나요", ["서울에서", "만나요"]),
        ("ภาษาไทย ok", ["ภาษาไทย", "ok"]),
        ("हिन्दी में", ["हिन्दी", "में"]),
        ("Tilde ~ und Gedanke — Strich", ["Tilde", "und", "Gedanke", "Strich"]),
        ("go 💪🏽!", ["go", "💪"]),
        ("soft\u00adhyphen zero\u200bwidth", ["softhyphen", "zerowidth"]),
        ("ｆｕｌｌ ﬁne ²", ["full", "fine", "2"]),
    ],
)
def test_texts_fall_into_tokens(text: str, expected: list[str]) -> None:
    assert tokens(text) == expected


@pytest.mark.parametrize(
    "number", ["+49 170 1234567", "+1 (555) 123-4567", "0170 1234567", "030/123 456 78", "+44 20 7946 0958"]
)
def test_a_number_to_call_is_one_token(number: str) -> None:
    assert tokens(f"call {number}, please") == ["call", number, "please"]


def test_an_address_after_a_number_to_call_is_not_part_of_it() -> None:
    assert tokens("+49 170 1234567 192.168.0.1") == ["+49 170 1234567", "192.168.0.1"]


@given(st.text(alphabet=st.characters(max_codepoint=127)))
def test_plain_ascii_gives_the_same_tokens_as_in_a_text_with_other_characters(text: str) -> None:
    assert tokens(text) == tokens(text + " ~—")


@given(st.text())
def test_no_text_makes_it_raise_and_no_token_is_empty(text: str) -> None:
    assert all(token.strip() for token in tokens(text))


def test_long_words_are_read_from_their_ends_once() -> None:
    assert backwards("der kellerschlussel hangt kellerschlussel v2.3.0.4.5") == "~lessulhcsrellek"
    assert backwards("x" * (MIN_COMPOUND_LETTERS - 1)) == ""
    assert backwards("") == ""


def test_a_word_stands_for_compounds_that_begin_or_end_with_it() -> None:
    assert compound_forms("Schlüssel", ("schlussel",)) == ("schlussel*", "~lessulhcs*")
    assert compound_forms("Keller", ("kell",)) == ("keller*", "~llek*")


def test_short_words_and_identifiers_are_no_parts() -> None:
    assert compound_forms("Rad", ("rad",)) == ()
    assert compound_forms("v2.3.0", ("v2.3.0",)) == ()


@pytest.mark.parametrize("name", ["The-Castle", "the castle", "The_Castle", "THE CASTLE!"])
def test_spellings_of_a_name_have_one_key(name: str) -> None:
    assert entity_key(name) == "the castle"


@pytest.mark.parametrize(("name", "key"), [("Jörg", "jorg"), ("Пётр", "петр"), ("O'Brien", "o brien"), ("---", "")])
def test_case_accents_and_marks_do_not_count(name: str, key: str) -> None:
    assert entity_key(name) == key


def test_a_name_in_han_is_its_own_key() -> None:
    assert entity_key("张伟") == "张伟"


@given(st.text(st.characters(max_codepoint=127)))
def test_the_words_inside_a_token_in_ascii_are_those_that_every_script_has(token: str) -> None:
    assert parts_of(token) == re.findall(WORD, token)


@given(st.lists(st.sampled_from(["a", "b", "ab", "ba"]), max_size=12))
def test_each_term_of_a_unit_can_be_counted(found: list[str]) -> None:
    kept = apart(" ".join(found))
    assert {term: kept.count(f" {term} ") for term in found} == Counter(found)
    assert kept.count(" a") == sum(term.startswith("a") for term in found)
