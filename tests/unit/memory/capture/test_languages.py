"""Which languages a message is read in."""

from __future__ import annotations

import subprocess
import sys

import pytest

from memory.capture.languages import codes_for, languages_for, small_talk_beside, small_talk_of
from memory.capture.lexicon import language_patterns


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("the key is behind the boiler", ("en",)),
        ("der schlüssel hängt hinter dem boiler", ("de",)),
        ("钥匙在热水器后面", ("zh",)),
        ("我的wifi密码是hunter2", ("zh",)),
        ("la clé est derrière la chaudière", ("fr",)),
        ("donde esta la llave", ("es",)),
        ("chabi kahan hai", ("hi",)),
        ("la chiave è dietro la caldaia", ("",)),
        ("鍵はボイラーの後ろにあります", ("ja",)),
        ("田中さん是谁啊", ("zh",)),
        ("열쇠는 보일러 뒤에 있어", ("ko",)),
        ("ключ за котлом", ("ru",)),
        ("ключ лежить за котлом, під килимком", ("",)),
        ("المفتاح خلف السخان", ("ar",)),
        ("המפתח מאחורי הדוד", ("",)),
    ],
)
def test_the_words_and_the_script_tell_the_language(text: str, codes: tuple[str, ...]) -> None:
    assert codes_for(text) == codes


def test_a_text_whose_words_do_not_tell_may_be_in_either() -> None:
    assert codes_for("boiler 4711") == ("en", "de")
    assert codes_for("dove abito") == ("en", "de", "")
    assert codes_for("I was in Porto, Ben.") == ("en", "de")


def test_a_foreign_word_in_an_alphabetic_text_adds_its_language() -> None:
    assert codes_for("how do you write 谢谢 in the margin of a letter to the teacher") == ("en", "zh")


def test_people_greet_in_all_languages_of_the_scripts_that_they_write() -> None:
    assert [language_patterns(code).small_talk for code in ("ru", "")] == list(small_talk_beside("привет"))
    assert [language_patterns(code).small_talk for code in ("en", "de", "es", "fr", "")] == list(
        small_talk_beside("hi")
    )


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("pote lhgei h asfaleia", ("el",)),
        ("kogda u menya priem", ("ru",)),
        ("kaigi wa itsu desu ka", ("ja",)),
        ("my sister lives in leeds", ("en",)),
        ("meine schwester wohnt in leeds", ("de",)),
    ],
)
def test_words_in_latin_letters_tell_a_language_of_another_script_and_english_from_german(
    text: str, codes: tuple[str, ...]
) -> None:
    assert codes_for(text) == codes


def test_a_text_that_its_words_tell_is_idle_in_its_own_language_alone() -> None:
    told, untold = "my sister lives in leeds", "mhm"

    assert small_talk_of(told, languages_for(told)) == (language_patterns("en").small_talk,)
    assert set(small_talk_of(untold, languages_for(untold))) == set(small_talk_beside(untold))


def test_a_message_is_read_in_the_same_languages_by_every_process() -> None:
    code = (
        "from memory.capture.languages import codes_for\n"
        "print(codes_for('me fala o remédio que eu tomo'))"  # as much French as English and German
    )

    read = {
        subprocess.run(
            [sys.executable, "-c", code], env={"PYTHONHASHSEED": seed}, capture_output=True, check=True
        ).stdout
        for seed in ("1", "4")
    }

    assert len(read) == 1
