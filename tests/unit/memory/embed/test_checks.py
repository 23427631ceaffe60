"""A broken embedder is caught before its vectors are used."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence

import numpy as np
import pytest

from memory.embed import checks
from memory.errors import EmbedderBroken, VectorRefused
from memory.ports import Vectors


class Answering:
    """An embedder whose vectors a function makes out of the text."""

    identity, dims = "test", 2

    def __init__(self, vector: Callable[[str], list[float]]) -> None:
        self._vector = vector

    async def probe(self) -> None:
        await checks.check(self)

    async def embed_query(self, text: str) -> Vectors:
        return np.array(self._vector(text), np.float32)

    async def embed_passages(self, texts: Sequence[str]) -> AsyncIterator[Vectors]:
        for text in texts:
            yield np.array([self._vector(text)], np.float32)

    async def close(self) -> None:
        pass


def by_topic(text: str) -> list[float]:
    return [1.0, 0.1] if "repl" in text else [-1.0, 0.1] if "cat " in text else [0.0, -1.0]


async def test_answers_nearer_than_chance_pass() -> None:
    await Answering(by_topic).probe()


@pytest.mark.parametrize(
    "vector",
    [lambda _: [1.0, 0.0], lambda _: [float("nan"), 1.0], lambda _: [0.0, 0.0], lambda text: [len(text) - 45.0, 1.0]],
    ids=["always the same", "not a number", "nothing", "by length"],
)
async def test_nonsense_does_not(vector: Callable[[str], list[float]]) -> None:
    with pytest.raises(EmbedderBroken, match="test failed its self-test") as caught:
        await Answering(vector).probe()
    assert "words" in caught.value.hint


async def test_vectors_of_changing_size_do_not() -> None:
    with pytest.raises(EmbedderBroken):
        await Answering(lambda text: [1.0] * len(text)).probe()


async def test_a_refused_vector_is_a_failed_test() -> None:
    def refuse(_: str) -> list[float]:
        raise VectorRefused("Vector 0 of 1 is not finite.")

    with pytest.raises(EmbedderBroken, match="not finite"):
        await Answering(refuse).probe()
