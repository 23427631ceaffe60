"""The languages whose rules are lists in a file."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from memory.capture import Act, act_of
from memory.capture.languages import language_of
from memory.capture.lexicon import LISTED, Lexicon, latin_words, read_lexicon

EXAMPLES = Path(__file__).parents[3] / "data" / "capture"
CALLED = {Act.NOTE: "note", Act.QUESTION: "answer"}


def examples(code: str) -> list[tuple[str, str]]:
    """What people say in a language, with what it is."""
    lines = (EXAMPLES / f"{code}.jsonl").read_text(encoding="utf-8").splitlines()
    return [(example["act"], example["text"]) for example in map(json.loads, lines)]


@pytest.mark.parametrize("code", LISTED)
def test_a_message_is_read_as_in_the_examples_of_its_language(code: str) -> None:
    said = examples(code)

    misread = [f"{act} as {got}: {text}" for act, text in said if (got := CALLED.get(act_of(text), "neither")) != act]

    assert len(said) >= 120
    assert misread == []


@pytest.mark.parametrize("code", LISTED)
def test_the_examples_hold_enough_of_every_act(code: str) -> None:
    acts = [act for act, _ in examples(code)]

    assert all(acts.count(act) >= 25 for act in ("note", "answer", "neither"))


FAREWELLS = """
    bye | Bye bye! | goodbye for now | good night | Good night, Scrubjay | see you tomorrow | take care
    sleep well | ok bye | tschüss | Tschüss! | gute Nacht | auf Wiedersehen | bis morgen
    schönen Abend noch | ciao | mach's gut | 再见 | 拜拜 | 晚安 | 明天见 | 我先走了
    さようなら | じゃあね | おやすみなさい | また明日 | バイバイ
    안녕히 계세요 | 잘 자 | 내일 봐요 | ลาก่อน | ราตรีสวัสดิ์
    บ๊ายบาย | แล้วเจอกันนะ | مع السلامة
    تصبح على خير | إلى اللقاء | باي | अलविदा | शुभ रात्रि
    फिर मिलेंगे | пока | До свидания! | спокойной ночи
    до завтра | αντίο | καληνύχτα | τα λέμε | Adiós | hasta luego
    buenas noches | chao | nos vemos mañana | au revoir | bonne nuit | à demain | à bientôt !
    arrivederci | boa noite | tot ziens | do widzenia | güle güle | до побачення
    להתראות | tạm biệt | ნახვამდის
"""
GREETINGS = """
    hi | Hello! | good morning | Hallo | guten Tag | Moin | 你好 | 早上好 | こんにちは
    おはようございます | 안녕하세요 | 하이 | สวัสดีครับ | مرحبا
    السلام عليكم | صباح الخير | नमस्ते | सुप्रभात
    привет | Доброе утро! | γεια σου | καλημέρα | ¡Hola! | buenos días
    bonjour | Salut ! | buongiorno | bom dia | dzień dobry | merhaba | привіт | שלום | xin chào
    გამარჯობა
"""
THANKED = """
    thanks | vielen Dank | 谢谢 | ありがとうございます | 감사합니다
    ขอบคุณมากค่ะ | شكرا جزيلا | बहुत धन्यवाद
    спасибо большое | ευχαριστώ πολύ | muchas gracias | merci beaucoup
    grazie mille | obrigada | dziękuję | תודה רבה | cảm ơn
"""


@pytest.mark.parametrize(
    ("act", "said"), [(Act.FAREWELL, FAREWELLS), (Act.GREETING, GREETINGS), (Act.THANKS, THANKED)], ids=str
)
def test_a_courtesy_is_known_for_what_it_is(act: Act, said: str) -> None:
    texts = [text.strip() for text in re.split(r"\||\n", said) if text.strip()]

    misread = [(act_of(text).value, text) for text in texts if act_of(text) is not act]

    assert misread == []


@pytest.mark.parametrize(
    ("text", "act"),
    [
        ("bye, and remember that the key is under the mat", Act.NOTE),
        ("Gute Nacht! Wann geht morgen mein Zug?", Act.QUESTION),
        ("hello and good night", Act.FAREWELL),
        ("thanks, bye", Act.THANKS),
        ("пока не забыл: код от домофона 1234", Act.NOTE),
        ("En el bar Adiós se come bien", Act.NOTE),
    ],
)
def test_a_goodbye_beside_something_else_does_not_hide_it(text: str, act: Act) -> None:
    assert act_of(text) is act


@pytest.mark.parametrize(
    "text",
    [
        "המפתח נמצא מתחת לשטיח",
        "გასაღები ხალიჩის ქვეშ დევს",
        "Բանալին գորգի տակ է",
        "Chìa khóa ở dưới tấm thảm",
        "A chave está debaixo do tapete",
        "ቁልፉ ከምንጣፉ ስር ነው",
        "ключ лежить під килимком",
        "ගෙදර යතුර පාපිස්ස යට",
        "ကုလားထိုင်အောက်မှာသော့ရှိတယ်",
    ],
)
def test_a_statement_in_any_script_is_a_note(text: str) -> None:
    assert act_of(text) is Act.NOTE
    assert act_of(f"{text}?") is Act.QUESTION


@pytest.mark.parametrize(
    "text",
    [
        "المفتاح تحت السجادة؟",
        "το κλειδί είναι κάτω από το χαλί;",
        "το κλειδί είναι κάτω από το χαλί\u037e",
        "¿la llave está debajo de la alfombra",
        "hola, ¿la llave está debajo de la alfombra?",
        "鍵はマットの下？",
        "Բանալին գորգի տա՞կ է",
        "ቁልፉ ከምንጣፉ ስር ነው፧",
        "המפתח מתחת לשטיח⸮",
        "the key is under the mat (right?)",
    ],
)
def test_the_question_mark_of_any_script_asks(text: str) -> None:
    assert act_of(text) is Act.QUESTION


def test_a_semicolon_asks_in_greek_alone() -> None:
    assert act_of("the key is under the mat;") is Act.NOTE
    assert act_of("ключ лежит под ковриком;") is Act.NOTE


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("ماذا اكلت امس", "مَاذَا أَكَلْتُ أَمْسِ"),
        ("donde deje las llaves", "¿Dónde dejé las llaves?"),
        ("ποτε ληγει η ασφαλεια", "Πότε λήγει η ασφάλεια;"),
        ("кто еще идет", "Кто ещё идёт?"),
        ("चाबी कहां है", "चाबी कहाँ है"),
        ("ｶｷﾞはどこ", "カギはどこ？"),
    ],
)
def test_accents_and_spellings_that_people_leave_out_make_no_difference(text: str, same: str) -> None:
    assert act_of(text) is act_of(same) is Act.QUESTION


@pytest.mark.parametrize("code", [*LISTED, ""])
def test_every_lexicon_can_be_read_and_tells_a_greeting_thanks_and_a_question(code: str) -> None:
    known = read_lexicon(code)

    assert all(
        part.pattern != "(?!)" for part in (known.manners.greeting, known.manners.farewell, known.manners.thanks)
    )
    assert known.questions.asks.pattern != "(?!)" or known.questions.question.pattern != "(?!)"


def test_a_list_that_belongs_to_no_part_is_refused() -> None:
    with pytest.raises(ValueError, match="no part of a language: greetings"):
        Lexicon({"spaced": True, "greetings": "hi"})


def test_a_language_is_read_once_and_its_latin_words_show_it() -> None:
    assert language_of("el") is language_of("el")
    assert "donde" in latin_words("es")
    assert latin_words("th") == frozenset()
