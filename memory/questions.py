"""Questions as vectors, each computed once."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from dataclasses import dataclass

from memory.errors import EmbedderBroken, EmbedderUnavailable, EmbeddingFailed, TextRefused, VectorRefused
from memory.ports import Embedder, Vectors
from memory.recall.meant import NOT_SET_UP

WAITS_S = 5.0
"""How long a recall waits for the vector of its question: the model may have to be loaded for it."""
REMEMBERED = 128
"""Questions whose vectors are kept: an answer, `/why` and the next turn ask for the same."""

LONGEST = 2000
"""Characters of a question that are embedded; whoever pastes a page asks about its beginning."""

_FAILURES = (EmbedderBroken, EmbedderUnavailable, EmbeddingFailed, TextRefused, VectorRefused)


@dataclass(frozen=True, slots=True)
class Question:
    """A question's vector, shape (dims,), or in words for a person why there is none."""

    vector: Vectors | None = None
    reason: str = NOT_SET_UP


class Questions:
    """Asks one embedder."""

    def __init__(self, embedder: Embedder, *, waits_s: float = WAITS_S) -> None:
        """Nothing is known yet; `waits_s` is how long a question may wait for its vector."""
        self._embedder = embedder
        self._waits_s = waits_s
        self._known: OrderedDict[str, Vectors] = OrderedDict()

    async def vector(self, text: str) -> Question:
        """A question's vector. No text and no failure of the embedder makes this raise."""
        text = text[:LONGEST]
        if text in self._known:
            self._known.move_to_end(text)
            return Question(self._known[text], "")
        try:
            async with asyncio.timeout(self._waits_s):
                found = await self._embedder.embed_query(text)
        except TimeoutError:
            return Question(reason="the embedder is still at something else.")
        except _FAILURES as error:
            return Question(reason=f"by meaning it cannot be searched: {error}")
        self._known[text] = found
        if len(self._known) > REMEMBERED:
            self._known.popitem(last=False)
        return Question(found, "")
