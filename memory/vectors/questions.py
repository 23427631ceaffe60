"""Questions: their vectors, and how near the units of an index are to one."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memory.errors import EmbedderBroken, EmbedderUnavailable, EmbeddingFailed, TextRefused, VectorRefused
from memory.ports import Embedder, Purpose, Vectors

if TYPE_CHECKING:  # numpy takes 0.1 s to import, which a search by words need not pay
    from memory.vectors.calibration import Calibration
    from memory.vectors.collection import Scan

NOT_SET_UP = "searching by meaning is not set up."
WAITS_S = 5.0
"""How long a recall waits for the vector of its question: the model may have to be loaded for it."""
REMEMBERED = 128
"""Questions whose vectors are kept: an answer, `/why` and the next turn ask for the same."""
MAX_QUESTION_CHARS = 2000
"""Characters of a question that are embedded; whoever pastes a page asks about its beginning."""
_Key = tuple[Purpose, str]
_FAILURES = (EmbedderBroken, EmbedderUnavailable, EmbeddingFailed, TextRefused, VectorRefused)


@dataclass(frozen=True, slots=True)
class SemanticScan:
    """A question compared with the vectors of a collection.

    Attributes:
        scan: how near each unit is; None if words are searched alone.
        reason: why there is no scan, or what it does not cover, as the second half of a sentence; empty if it covers
            everything.
        gauge: what the embedder's cosines mean; None for one that nobody has gauged.
        embedder: its identity; empty without a scan.
    """

    scan: Scan | None = None
    reason: str = NOT_SET_UP
    gauge: Calibration | None = None
    embedder: str = ""

    @property
    def mode(self) -> str:
        """What is searched: `words`, or `hybrid` for words and meaning."""
        return "hybrid" if self.scan else "words"

    @property
    def description(self) -> str:
        """How this question is searched for, as a sentence."""
        if self.scan is None:
            return f"Searched by words; {self.reason}"
        return f"Searched by words and meaning; {self.reason}" if self.reason else "Searched by words and meaning."


@dataclass(frozen=True, slots=True)
class Question:
    """A question's vector, shape (dims,), or in words for a person why there is none.

    `answer` is the vector of what an answer might say, if somebody has made one up.
    """

    vector: Vectors | None = None
    reason: str = NOT_SET_UP
    answer: Vectors | None = None


class Questions:
    """Asks one embedder."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._known: OrderedDict[_Key, Vectors] = OrderedDict()
        self._expected: dict[_Key, asyncio.Future[Vectors]] = {}  # one at most
        self._waiting = 0

    def expect(self, text: str) -> None:
        """Begin to embed a question that will be asked in a moment, unless that would keep another one waiting."""
        key = (Purpose.QUERY, text[:MAX_QUESTION_CHARS])
        is_busy = self._waiting or not all(embedding.done() for embedding in self._expected.values())

        def drop_failed(embedding: asyncio.Future[Vectors]) -> None:  # whoever asks for it later has it embedded anew
            if embedding.cancelled() or embedding.exception():
                self._expected.pop(key, None)

        if not is_busy and key not in self._known:
            embedding = asyncio.ensure_future(self._embedded(*key))
            embedding.add_done_callback(drop_failed)
            self._expected = {key: embedding}

    async def vector(self, text: str, purpose: Purpose = Purpose.QUERY, *, waits_s: float = WAITS_S) -> Question:
        """Return a text's vector if it comes in time. Neither text nor embedder makes this raise."""
        key = (purpose, text[:MAX_QUESTION_CHARS])
        if key in self._known:
            self._known.move_to_end(key)
            return Question(self._known[key], "")
        self._waiting += 1
        try:
            async with asyncio.timeout(waits_s):
                vector = await (self._expected.pop(key, None) or self._embedded(*key))
        except TimeoutError:
            return Question(reason="the embedder is still at something else.")
        except _FAILURES as error:
            return Question(reason=f"by meaning it cannot be searched: {error}")
        finally:
            self._waiting -= 1
        self._known[key] = vector
        if len(self._known) > REMEMBERED:
            self._known.popitem(last=False)
        return Question(vector, "")

    async def _embedded(self, purpose: Purpose, text: str) -> Vectors:
        if purpose is Purpose.QUERY:
            return await self._embedder.embed_query(text)
        async for block in self._embedder.embed_passages([text]):
            from memory.vectors.store import Packed

            vector: Vectors = Packed.of(block[:1]).floats()[0]  # as it would be kept
            return vector
        raise VectorRefused("The embedder gave no vector.")
