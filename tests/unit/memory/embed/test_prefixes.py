"""A known model is told what it is given, under whatever name its server has it."""

from __future__ import annotations

import pytest

from memory.embed.prefixes import NONE, prefixes_for
from memory.ports import Purpose


@pytest.mark.parametrize(
    ("model", "name"),
    [
        ("nomic-embed-text", "nomic"),
        ("nomic-ai/nomic-embed-text-v1.5", "nomic"),
        ("nomic-embed-text:latest", "nomic"),
        ("bge-m3", "none"),
        ("BAAI/bge-m3", "none"),
        ("qwen3-embedding:0.6b", "qwen3"),
        ("Qwen/Qwen3-Embedding-8B", "qwen3"),
        ("embeddinggemma", "gemma"),
        ("google/embeddinggemma-300m", "gemma"),
        ("intfloat/multilingual-e5-large", "e5"),
        ("e5-base-v2", "e5"),
        ("intfloat/multilingual-e5-large-instruct", "e5-instruct"),
        ("text-embedding-3-small", "none"),
        ("somebody/mine5-large", "none"),
    ],
)
def test_the_family_is_told_by_the_name(model: str, name: str) -> None:
    assert prefixes_for(model).name == name


def test_a_question_and_a_passage_are_marked_differently() -> None:
    nomic = prefixes_for("nomic-embed-text")

    assert nomic.written("tea", Purpose.QUERY) == "search_query: tea"
    assert nomic.written("tea", Purpose.PASSAGE) == "search_document: tea"


def test_an_unknown_model_gets_the_text_alone() -> None:
    assert NONE.written("tea", Purpose.QUERY) == "tea"
