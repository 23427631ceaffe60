"""One text, one vector: whatever was embedded before or beside it."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import onnx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from onnx import numpy_helper

from memory.embed import local
from memory.embed.convert import model_file
from memory.embed.e5 import WINDOW, WINDOWS
from memory.embed.encoder import Encoder
from memory.embed.weights import Weights, find_weights
from memory.errors import EmbedderBroken, EmbedderUnavailable
from memory.ports import Purpose

# Computed in float32 from the same weights, without onnxruntime.
FLOAT = json.loads(Path(local.__file__).with_name("golden.json").read_text(encoding="utf-8"))
QUERY, PASSAGE = Purpose.QUERY, Purpose.PASSAGE
WORDS = "the ferry leaves at nine and the spare key lies under the blue pot near the door ".split()


def words(count: int) -> str:
    return " ".join(WORDS[n % len(WORDS)] + str(n) for n in range(count))


def test_a_vector_does_not_depend_on_the_texts_before_it(encoder: Encoder, model_cache: Path) -> None:
    texts = ["short", words(300), "的" * 200, "", words(40)]
    fresh = Encoder(Weights(find_weights()), model_file(model_cache))

    together = [encoder.encode(text, PASSAGE) for text in texts]
    alone = [fresh.encode(text, PASSAGE) for text in reversed(texts)]
    fresh.close()

    assert all(np.array_equal(a, b) for a, b in zip(together, reversed(alone), strict=True))


def test_a_question_and_a_passage_of_the_same_words_differ(encoder: Encoder) -> None:
    assert not np.array_equal(encoder.encode("tea", QUERY), encoder.encode("tea", PASSAGE))


def test_text_behind_the_first_window_still_counts(encoder: Encoder) -> None:
    long = words(WINDOW)

    assert encoder.encode(long, PASSAGE) @ encoder.encode(f"{long} submarine volcano", PASSAGE) < 0.99999


def test_text_behind_the_last_window_does_not(encoder: Encoder) -> None:
    full = words(WINDOWS * WINDOW)

    assert np.array_equal(encoder.encode(full, PASSAGE), encoder.encode(full + words(50), PASSAGE))


@pytest.mark.parametrize(
    "text",
    ["", "\0", "\ud800x", "\ufdfa" * 100, "a" * 1_000_000, "\u0301" * 500, " " * 100_000, "🎉" * 500],
    ids=["nothing", "zero", "surrogate", "ligatures", "one letter", "marks", "spaces", "signs"],
)
def test_hostile_text_has_a_vector(encoder: Encoder, text: str) -> None:
    vector = encoder.encode(text, QUERY)

    assert vector.dtype == np.float32
    assert vector.shape == (384,)
    assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-5)


@settings(max_examples=60)
@given(st.text(alphabet=st.characters(), max_size=100))
def test_any_text_has_a_vector_of_length_one(encoder: Encoder, text: str) -> None:
    assert np.linalg.norm(encoder.encode(text, PASSAGE)) == pytest.approx(1, abs=1e-5)


@pytest.mark.parametrize(("text", "purpose", "numbers"), FLOAT)
def test_eight_bits_stay_close_to_the_float_model(
    encoder: Encoder, text: str, purpose: str, numbers: list[float]
) -> None:
    assert encoder.encode(text, Purpose(purpose)) @ np.array(numbers, np.float32) > 0.998


def test_a_model_that_fails_as_it_runs_is_broken(tmp_path: Path, model_cache: Path) -> None:
    model = onnx.load(model_file(model_cache))
    bias = next(tensor for tensor in model.graph.initializer if tensor.name == "l3.aln.gain")
    bias.CopyFrom(numpy_helper.from_array(np.ones(7, np.float32), bias.name))
    onnx.save(model, tmp_path / "model.onnx")

    with Weights(find_weights()) as weights, pytest.raises(EmbedderBroken, match="failed as it ran"):
        Encoder(weights, tmp_path / "model.onnx").encode("tea", QUERY)


def test_a_damaged_model_file_is_a_reason(tmp_path: Path) -> None:
    broken = tmp_path / "model.onnx"
    broken.write_bytes(b"not a model")

    with Weights(find_weights()) as weights, pytest.raises(EmbedderUnavailable, match="cannot be loaded") as caught:
        Encoder(weights, broken)
    assert "Delete that file" in caught.value.hint
