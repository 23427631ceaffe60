"""Text is brought into the form that the model was taught to read, in time that grows with its length alone."""

from __future__ import annotations

import json
from array import array
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from unicodedata import normalize

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.embed.model_file import Weights, find_weights
from memory.embed.tokenizer import SPACE, Tokenizer, Vocabulary, normal_form

# Computed with sentencepiece 0.1.99 and checked with tokenizers 0.23, on the same pieces and their own rules.
REFERENCE = json.loads((Path(__file__).parents[3] / "data" / "token_ids.json").read_text(encoding="utf-8"))
EVERYTHING = 10**9


@pytest.fixture(scope="module")
def tokenizer(model_cache: Path) -> Tokenizer:
    with closing(Weights(find_weights())) as weights:
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
        "a" * 200_000,
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


def made_of(pieces: Mapping[str, float]) -> Tokenizer:
    """A tokenizer of pieces with their scores; their ids begin with 1, and 0 is unknown."""
    ends = np.cumsum([0, 0, *(len(piece.encode()) for piece in pieces)]).astype(np.uint32)
    scores = array("f", [0.0, *pieces.values()])
    return Tokenizer(Vocabulary("".join(pieces).encode(), ends, scores, {}, special=(0, 0, 0)))


def small(**scores: float) -> Tokenizer:
    return made_of({name.replace("_", SPACE): score for name, score in scores.items()})


LETTERS = f"ab\u00e9\u6211\U0001f389{SPACE}"
PIECES = st.dictionaries(st.text(LETTERS, min_size=1, max_size=5), st.integers(-9, -1).map(float), min_size=1)


def plainly(word: str, pieces: Mapping[str, float]) -> list[int]:
    """The likeliest pieces of a word, by one dictionary of all pieces; unknown signs in a row are one 0."""
    ids = {piece: number for number, piece in enumerate(pieces, start=1)}
    unknown = min(0.0, *pieces.values()) - 10
    best: list[tuple[float, list[int]]] = [(0.0, [])]
    for end in range(1, len(word) + 1):
        ways = [(best[start], word[start:end]) for start in range(end)]
        scored = [((so_far + pieces[piece], [*path, ids[piece]])) for (so_far, path), piece in ways if piece in ids]
        if word[end - 1] not in ids:
            so_far, path = best[end - 1]
            scored.append((so_far + unknown, [*path, 0]))
        best.append(max(scored, key=lambda way: way[0]))
    return [token for place, token in enumerate(best[-1][1]) if token or place == 0 or best[-1][1][place - 1]]


@given(PIECES, st.text("ab\u00e9\u6211\U0001f389", min_size=1, max_size=12))
def test_groups_of_pieces_are_as_good_as_one_dictionary(pieces: dict[str, float], word: str) -> None:
    assert made_of(pieces).encode(word, limit=99) == plainly(SPACE + word, pieces)


def test_the_likeliest_pieces_win_and_not_the_longest() -> None:
    assert small(_a=-1, b=-1, _ab=-3).encode("ab", limit=9) == [1, 2]
    assert small(_a=-2, b=-2, _ab=-3).encode("ab", limit=9) == [3]


def test_unknown_signs_in_a_row_are_one_token() -> None:
    assert small(_=-1, a=-1).encode("xyza zz", limit=9) == [1, 0, 2, 1, 0]


def test_no_more_than_the_limit_comes_back() -> None:
    assert small(_a=-1).encode("a a a a", limit=2) == [1, 1]


TABLE = {0x3000: " ", 0xFFFD: " ", 0xFF21: "A", 0xFB01: "fi", 0x07: ""}


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("plain", "plain"),
        ("\uff21\u3000\ufb01x\x07", "A fix"),
        ("e\u0301", "\u00e9"),
        ("u\u0308\u0304", "\u01d6"),
        ("\uff21\u030a", "\u00c5"),
        ("\u1100\u1161\u11a8", "\uac01"),
        ("\u30ab\u3099", "\u30ac"),
        ("\u0915\u093c", "\u0915\u093c"),
    ],
)
def test_letters_spelled_out_are_joined(text: str, form: str) -> None:
    assert normal_form(text, TABLE) == form


@pytest.mark.parametrize("text", ["\u00fc\u0304", "\uac00\u11a8", "\u1f31\u0301"])
def test_a_mark_behind_a_joined_letter_stays_as_the_model_has_seen_it(text: str) -> None:
    assert normal_form(text, TABLE) == text


def test_marks_are_not_sorted() -> None:
    assert normal_form("a\u0316\u0301", TABLE) == "a\u0316\u0301"
    assert normalize("NFC", "a\u0316\u0301") == "\u00e1\u0316"


@pytest.mark.parametrize(("text", "form"), [("\ud83c", " "), ("a\ud800b", "a b"), ("\ud83c\udf89", "\U0001f389")])
def test_a_surrogate_without_its_other_half_reads_as_a_space(text: str, form: str) -> None:
    assert normal_form(text, TABLE) == form


@pytest.mark.timeout(20)
def test_a_long_row_of_marks_takes_no_longer_than_its_length() -> None:
    text = "a" + "\u0301\u0316" * 200_000

    assert normal_form(text, TABLE).startswith("\u00e1\u0316\u0301")


@given(st.text())
def test_the_form_is_stable(text: str) -> None:
    once = normal_form(text, {})

    assert normal_form(once, {}) == once
