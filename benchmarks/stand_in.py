"""A stand-in for the built-in embedder that costs next to nothing: vectors out of the words of a text."""

from __future__ import annotations

import hashlib
from collections.abc import AsyncIterator, Sequence

import numpy as np

from memory.embed import e5
from memory.ports import Vectors


class StandIn:
    """Vectors of the same size under the same name, so that an index filled with them is searched with the real one.

    A text is the sum of its words' directions, so that texts with the same words are near each other. What it costs
    to search is the same; what is found is of no meaning.
    """

    identity = e5.IDENTITY
    dims = e5.DIMS

    async def probe(self) -> None:
        """Nothing can be broken."""

    async def embed_query(self, text: str) -> Vectors:
        """The vector of a text, shape (dims,)."""
        return _vector(text)

    async def embed_passages(self, texts: Sequence[str]) -> AsyncIterator[Vectors]:
        """The vectors of texts, shape (n, dims), in one block."""
        yield np.stack([_vector(text) for text in texts])

    async def close(self) -> None:
        """Nothing is open."""


def _vector(text: str) -> Vectors:
    total = np.zeros(e5.DIMS, np.float32)
    for word in text.split() or [""]:
        seed = int.from_bytes(hashlib.sha256(word.encode()).digest()[:8])
        total += np.random.default_rng(seed).standard_normal(e5.DIMS, np.float32)
    vector: Vectors = total / np.linalg.norm(total)
    return vector
