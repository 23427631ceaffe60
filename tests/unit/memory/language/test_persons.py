from __future__ import annotations

import pytest

from memory.language.persons import is_first_person, turns_to_agent


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
    "question", ["When did I move?", "MY bike?", "Wo ist mein Rad?", "Где мои очки?", "我的钥匙呢？"]
)
def test_a_question_about_oneself_is_told(question: str) -> None:
    assert is_first_person(question)


@pytest.mark.parametrize("question", ["When did Ines move?", "Wie alt ist Iris?", "Mimi?", ""])
def test_a_name_with_the_letters_of_a_pronoun_is_none(question: str) -> None:
    assert not is_first_person(question)
