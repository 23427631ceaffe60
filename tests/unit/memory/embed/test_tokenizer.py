"""Token ids are those that the reference gives for the same vocabulary, and any text has some."""

from __future__ import annotations

import json
from array import array
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.embed.tokenizer import SPACE, Tokenizer
from memory.embed.weights import Vocabulary, Weights, find_weights

# Computed with sentencepiece 0.1.99 and checked with tokenizers 0.23, on the same pieces and their own rules.
REFERENCE = json.loads((Path(__file__).parents[3] / "data" / "token_ids.json").read_text(encoding="utf-8"))
EVERYTHING = 10**9


@pytest.fixture(scope="module")
def tokenizer(model_cache: Path) -> Tokenizer:
    with Weights(find_weights()) as weights:
        return Tokenizer(weights.vocabulary)


@pytest.mark.parametrize(("text", "ids"), REFERENCE, ids=[str(n) for n in range(len(REFERENCE))])
def test_ids_are_the_reference_ids(tokenizer: Tokenizer, text: str, ids: list[int]) -> None:
    assert tokenizer.encode(text, limit=EVERYTHING) == ids


@pytest.mark.parametrize("text", ["", " ", "\n\t ", "\u3000", "\x01"])
def test_a_text_without_letters_has_no_ids(tokenizer: Tokenizer, text: str) -> None:
    assert tokenizer.encode(text, limit=EVERYTHING) == []


def test_a_text_cannot_spell_the_marks_that_mean_something_to_the_model(tokenizer: Tokenizer) -> None:
    ids = tokenizer.encode("<s> </s> <pad> <mask>", limit=EVERYTHING)

    assert not {0, 1, 2, 250_001} & set(ids)


def test_the_first_ids_do_not_depend_on_where_the_text_is_cut_off(tokenizer: Tokenizer) -> None:
    text = "Der Ersatzschlüssel liegt unter dem blauen Topf. " * 20 + "\u6211\u4eec" * 300
    ids = tokenizer.encode(text, limit=EVERYTHING)

    assert all(tokenizer.encode(text, limit=limit) == ids[:limit] for limit in (1, 7, 100, 300))


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    "text",
    [
        "a" * 1_000_000,
        "\ufdfa" * 1000,
        "a" + "\u0301\u0316" * 200_000,
        "\ud800" * 100_000,
        "\0" * 100_000,
        "的" * 200_000,
    ],
    ids=["one letter", "one ligature", "marks", "surrogates", "zeros", "one sign"],
)
def test_hostile_text_takes_no_longer_than_its_length(tokenizer: Tokenizer, text: str) -> None:
    assert len(tokenizer.encode(text, limit=EVERYTHING)) <= 20 * len(text)


@given(st.text(alphabet=st.characters(), max_size=200))
def test_any_text_has_ids_from_the_vocabulary(tokenizer: Tokenizer, text: str) -> None:
    ids = tokenizer.encode(text, limit=EVERYTHING)

    assert all(3 <= token < 250_001 for token in ids)
    assert tokenizer.encode(f" {text}\n", limit=EVERYTHING) == ids


def small(**scores: float) -> Tokenizer:
    pieces = {name.replace("_", SPACE): number for number, name in enumerate(scores, start=1)}
    return Tokenizer(Vocabulary(pieces, array("f", [0.0, *scores.values()]), {}, begin=-1, end=-1, unknown=0))


def test_the_likeliest_pieces_win_and_not_the_longest() -> None:
    assert small(_a=-1, b=-1, _ab=-3).encode("ab", limit=9) == [1, 2]
    assert small(_a=-2, b=-2, _ab=-3).encode("ab", limit=9) == [3]


def test_unknown_signs_in_a_row_are_one_token() -> None:
    assert small(_=-1, a=-1).encode("xyza zz", limit=9) == [1, 0, 2, 1, 0]


def test_no_more_than_the_limit_comes_back() -> None:
    assert small(_a=-1).encode("a a a a", limit=2) == [1, 1]
