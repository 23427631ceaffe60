from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.capture.subjects import ME, subject_of


@pytest.mark.parametrize(
    ("text", "whom"),
    [
        ("What do you remember about me?", ME),
        ("Tell me what you know about me", ME),
        ("Who am I?", ME),
        ("wer bin ich", ME),
        ("我是谁？", ME),
        ("what do you know about Alice", "Alice"),
        ("Tell me everything you know about Peter Smith.", "Peter Smith"),
        ("Was weißt du über mich?", ME),
        ("Erzähl mir von Anna", "Anna"),
        ("Was wissen Sie über mich?", ME),
        ("Erzählen Sie mir alles über Anna", "Anna"),
        ("alles über Anna", "Anna"),
        ("Everything about Peter Smith", "Peter Smith"),
        ("Was hast du dir über Anna gemerkt?", "Anna"),
        ("你还记得我什么？", ME),
        ("关于小明，你知道什么？", "小明"),
        ("¿Qué sabes de mí?", ME),
        ("Parle-moi de Marie", "Marie"),
        ("Que sais-tu d'Élodie ?", "Élodie"),
        ("Что ты знаешь обо мне?", ME),
        ("私について何を覚えていますか", ME),
        ("What is true about Peter?", "Peter"),
        ("what's still true of Peter", "Peter"),
        ("Was stimmt über Anna?", "Anna"),
        ("Was gilt noch für Anna?", "Anna"),
        ("¿Qué es cierto sobre Marisol?", "Marisol"),
        ("Qu'est-ce qui est vrai à propos d'Émile ?", "Émile"),
        ("Что верно про Олю?", "Олю"),
        ("关于小明，哪些是真的？", "小明"),
        ("さくらについて何が本当ですか", "さくら"),
        ("what have I told you about Grandpa Joe?", "Grandpa Joe"),
        ("Was hab ich dir alles über Ines erzählt?", "Ines"),
        ("¿Qué te he dicho de Marisol?", "Marisol"),
        ("Qu'est-ce que je t'ai raconté sur Émile ?", "Émile"),
        ("Что я тебе рассказывала про Олю?", "Олю"),
        ("关于小明我跟你说过什么？", "小明"),
        ("我告诉过你小明的哪些事", "小明"),
        ("さくらについて何を話した？", "さくら"),
    ],
)
def test_whom_a_question_is_about(text: str, whom: str) -> None:
    assert subject_of(text) == whom


@pytest.mark.parametrize(
    "text",
    [
        "What do you know?",
        "Tell me a joke",
        "I know all about me",
        "Tell me about the weather in Paris and what to wear there tomorrow",
        "Was weißt du?",
        "what did I tell you on Monday?",
        "Was habe ich dir erzählt?",
        "我告诉过你什么",
        "What do you remember about me?\nAnd about Peter?",
        "",
    ],
)
def test_other_messages_ask_for_nobody(text: str) -> None:
    assert subject_of(text) is None


@given(st.text())
def test_no_text_makes_it_fail(text: str) -> None:
    subject_of(text)
