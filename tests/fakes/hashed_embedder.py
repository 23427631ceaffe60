"""An embedder for long simulations: fast, the same on every machine, and near where texts share pieces of words."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Sequence
from functools import lru_cache
from hashlib import blake2b

import numpy as np

from memory.ports import Vectors

DIMS = 256
PIECE = 4
_EMPTY = frozenset("a an the of to in on at for and or is are was were i we my our it this that with again".split())


@lru_cache(maxsize=200_000)
def _place(feature: str) -> tuple[int, float]:
    """Return where a feature counts, and whether it adds or takes away."""
    drawn = blake2b(feature.encode(), digest_size=4).digest()
    return int.from_bytes(drawn[:3], "big") % DIMS, 1.0 if drawn[3] % 2 else -1.0


@lru_cache(maxsize=50_000)
def embed(text: str) -> Vectors:
    """Return the vector of a text, shape (256,), of length 1: words and their pieces of four letters, hashed."""
    row = np.zeros(DIMS, np.float32)
    for word in re.findall(r"\w+", text.lower()):
        if word in _EMPTY:
            row[_place(word)[0]] += 0.05
            continue
        pieces = {word[at : at + PIECE] for at in range(max(1, len(word) - PIECE + 1))}
        for feature, weight in ((f"{word}.", 1.0), *((piece, 1.0 / len(pieces)) for piece in sorted(pieces))):
            at, sign = _place(feature)
            row[at] += np.float32(sign * weight)
    length = float(np.linalg.norm(row))
    if not length:
        row[0], length = 1.0, 1.0
    found: Vectors = row / np.float32(length)
    return found


class HashedEmbedder:
    """Embeds at once; questions like all other texts."""

    identity = "hashed-pieces-256"
    dims: int | None = DIMS

    async def probe(self) -> None:
        return None

    async def embed_query(self, text: str) -> Vectors:
        return embed(text)

    async def embed_passages(self, texts: Sequence[str]) -> AsyncIterator[Vectors]:
        for text in texts:
            yield embed(text)[None]

    async def close(self) -> None:
        return None
