"""What a text shows besides its words."""

from __future__ import annotations

import re
import tomllib
from importlib.resources import files

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.index.terms import tokens
from memory.language.guidance import TextFlags, guiding_sentences, is_first_person, text_flags, turns_to_agent


@pytest.mark.parametrize(
    "text",
    [
        "Always answer in metric units.",
        "Ok. From now on, leave the porch light on.",
        "Anna: Never call before nine.",
        "- **Tests**: make sure to run them twice.",
        "Bitte antworte mir immer auf Deutsch.",
        "Ab jetzt nur noch Tee.",
        "Toujours fermer la porte à clé.",
        "Siempre revisa el correo primero.",
        "Всегда закрывай окно на ночь.",
        "دائما أغلق الباب.",
        "请务必用中文回答。",
        "以后不要放辣椒。",
        "必ず鍵を閉めてください。",
        "항상 존댓말로 대답해 줘.",
    ],
)
def test_a_sentence_that_says_how_it_is_always_done_is_a_standing_instruction(text: str) -> None:
    assert text_flags(text) & TextFlags.STANDING


@pytest.mark.parametrize(
    "text",
    [
        "I prefer the aisle seat.",
        "To be honest, I'd rather walk.",
        "My favourite colour is green.",
        "Short answers work best for me.",
        "Ich bevorzuge kurze Antworten.",
        "Ich fahre am liebsten mit dem Zug.",
        "Je préfère le thé.",
        "Prefiero el asiento de ventana.",
        "Я люблю тишину по утрам.",
        "أحب القهوة بدون سكر.",
        "我更喜欢靠窗的座位。",
        "窓側の席のほうが好きです。",
        "저는 아침 커피를 좋아합니다.",
    ],
)
def test_a_sentence_that_says_what_the_speaker_likes_is_a_preference(text: str) -> None:
    assert text_flags(text) & TextFlags.PREFERENCE


@pytest.mark.parametrize(
    "text",
    [
        "The train is always late.",
        "She never called.",
        "Anna's flat is like a museum.",
        "Wir waren immer hier.",
        "",
        "42",
    ],
)
def test_an_account_is_no_guidance(text: str) -> None:
    assert not text_flags(text) & (TextFlags.STANDING | TextFlags.PREFERENCE)


@pytest.mark.parametrize("text", ["I was there.", "Das ist mein Rad.", "Это моя книга.", "我在家。", "제가 갈게요."])
def test_somebody_who_speaks_of_themself_is_heard(text: str) -> None:
    assert text_flags(text) & TextFlags.FIRST_PERSON


def test_nobody_speaks_of_themself_in_an_account() -> None:
    assert not text_flags("The winter in Rome was mild.") & TextFlags.FIRST_PERSON


def test_only_the_sentences_that_guide_are_taken_out() -> None:
    text = "Anna: The sun was out. Always water the lemon tree first! I prefer mornings.\nIt rained later."
    assert guiding_sentences(text) == ["Always water the lemon tree first!", "I prefer mornings."]
    assert guiding_sentences("[09:00] **Anna**: I prefer tea.") == ["I prefer tea."]


def test_a_number_does_not_end_a_sentence() -> None:
    assert guiding_sentences("Always keep 2.5 litres in the car.") == ["Always keep 2.5 litres in the car."]


@given(st.text())
def test_any_text_can_be_read(text: str) -> None:
    assert text_flags(text) is not None
    assert all(sentence.strip() for sentence in guiding_sentences(text))


@pytest.mark.parametrize(
    "question",
    [
        "What would you cook tonight?",
        "Which jacket should I take?",
        "Can you recommend a film?",
        "Was soll ich anziehen?",
        "Kannst du mir ein Buch empfehlen?",
        "Посоветуй книгу",
        "هل يمكنك المساعدة؟",
        "你推荐什么？",
        "おすすめの本は？",
        "책 추천해 줘",
    ],
)
def test_a_question_to_the_agent_turns_to_it(question: str) -> None:
    assert turns_to_agent(question)


@pytest.mark.parametrize("question", ["Where is the key?", "Wann kommt der Zug?", "钥匙在哪里？", ""])
def test_a_question_about_the_world_turns_to_nobody(question: str) -> None:
    assert not turns_to_agent(question)


@pytest.mark.parametrize(
    "question",
    [
        "When did I move?",
        "MY bike?",
        "Wo ist mein Rad?",
        "Где мои очки?",
        "我的钥匙呢？",
        "¿A qué hora tengo cita?",
        "soy alergica a las nueces",
        "Tenho consulta na sexta",
    ],
)
def test_a_question_about_oneself_is_told(question: str) -> None:
    assert is_first_person(question)


@pytest.mark.parametrize("question", ["When did Ines move?", "Wie alt ist Iris?", "Mimi?", ""])
def test_a_name_with_the_letters_of_a_pronoun_is_none(question: str) -> None:
    assert not is_first_person(question)


LISTS = tomllib.loads(files("memory.language").joinpath("lexicon", "guidance.toml").read_text(encoding="utf-8"))


def _phrases(*names: str) -> st.SearchStrategy[str]:
    """What lists hold, with a little before and behind it."""
    phrase = st.one_of([st.from_regex(one, fullmatch=True) for name in names for one in LISTS[name]])
    return st.tuples(st.text(max_size=5), phrase, st.text(max_size=5)).map("".join)


@settings(max_examples=400)
@given(_phrases("first_person", "first_person_unspaced") | st.text())
def test_words_that_open_no_phrase_hide_nobody_who_speaks_of_themself(text: str) -> None:
    assert bool(text_flags(text) & TextFlags.FIRST_PERSON) == is_first_person(text)


@settings(max_examples=400)
@given(_phrases("preference", "preference_unspaced") | st.text())
def test_words_that_open_no_phrase_hide_no_preference(text: str) -> None:
    spaced, unspaced = ("|".join(LISTS[name]) for name in ("preference", "preference_unspaced"))
    searched = re.search(rf"(?<!\w)(?:{spaced})|{unspaced}", text.lower())

    assert bool(text_flags(text) & TextFlags.PREFERENCE) == (searched is not None)


_ASCII_LETTERS = st.characters(max_codepoint=127)


@settings(max_examples=400)
@given(
    st.one_of([st.from_regex(one, fullmatch=True) for one in LISTS["standing"]]).map(
        lambda phrase: phrase.encode("ascii", "ignore").decode()
    )
    | st.text(_ASCII_LETTERS)
)
def test_words_that_no_standing_instruction_has_hide_none(text: str) -> None:
    found = text_flags(text) & (TextFlags.STANDING | TextFlags.PREFERENCE)
    assert bool(found) == bool(guiding_sentences(text))


_WORDS = st.sampled_from(
    "I my prefer always_ _Never_ don't I'd rather. (Always) Please 0171 2345 foo_i i,j Ich mag".split()
)


@given(st.lists(_WORDS | st.text("aiI_' .é\n", max_size=6), max_size=8).map(" ".join))
def test_a_text_shows_the_same_when_its_words_are_at_hand(text: str) -> None:
    assert text_flags(text, [*tokens("Always. I prefer"), *tokens(text)]) == text_flags(text)
