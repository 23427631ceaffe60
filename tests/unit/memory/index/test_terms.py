from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.index.terms import LONGEST, fold, terms, terms_of, token_terms
from memory.index.tokens import tokens
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


def test_every_character_of_a_run_begins_a_term() -> None:
    run = "今天下午三点开会"
    assert {term[0] for term in terms(run, "zh")} == set(run)


def test_a_term_has_a_longest_length() -> None:
    assert terms("a" * 10_000, "en") == ["a" * LONGEST]
    assert max(map(len, terms("x/" * 5000, "en"))) <= LONGEST


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
