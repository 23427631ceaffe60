"""An index by meaning as the front door uses it: what waits for vectors, what a question is near to, how it stands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from memory.answers import Status
from memory.errors import Busy, LinkUnavailable, VectorRefused, WriteFailed
from memory.index.sqlite_vectors import Counts
from memory.model import Scope
from memory.ports import Vectors
from memory.questions import Question
from memory.recall.meant import NOT_SET_UP, Meant
from memory.semantics import Semantics, Text
from memory.shelf import Shelf
from memory.thread import Steps

NOTHING_YET = "nothing in it has been embedded yet."


class Embedded:
    """Words and vectors of one memory, brought together on its own thread.

    Attributes:
        has_vectors: whether there is anything to hold a question against, as far as anybody has looked.
        is_loaded: a question was held against it before. Both may be read on any thread.
    """

    def __init__(self, shelf: Shelf, semantics: Semantics | None) -> None:
        self.has_vectors = False
        self.is_loaded = False
        self._shelf = shelf
        self._semantics = semantics

    def count(self) -> Counts:
        """Units with a vector, and without."""
        semantics = self._semantics
        counts = (self._shelf.with_vectors(semantics.counts) if semantics else None) or Counts()
        self.has_vectors = counts.embedded > 0
        return counts

    def load(self) -> Steps:
        """Bring the vectors into memory, in small steps; raises as `meant` and `Shelf.ask` do."""
        semantics = self._semantics
        while semantics and self._shelf.with_vectors(semantics.load):
            yield
        self.is_loaded = True

    def meant(self, question: Question | None, scope: Scope) -> Meant:
        """Hold a question against what a scope may see. Whatever goes wrong with the vectors, the words are searched.

        Raises:
            IndexBroken: as `Shelf.ask` does.
        """
        if self._semantics is None or question is None:
            return Meant()
        if question.vector is None:
            return Meant(reason=question.reason)
        semantics, vector = self._semantics, question.vector
        try:
            meant = self._shelf.with_vectors(lambda table: semantics.meant(table, vector, scope))
        except (LinkUnavailable, VectorRefused, WriteFailed, Busy) as error:
            return Meant(reason=f"by meaning it cannot be searched: {error}")
        return meant or Meant(reason=NOTHING_YET)

    def waiting(self, limit: int) -> list[Text]:
        """Texts to embed, newest first; none for who only reads."""
        semantics = self._semantics
        if semantics is None or self._shelf.is_read_only:
            return []
        return self._shelf.with_vectors(lambda table: semantics.waiting(table, limit)) or []

    def tend(self) -> Steps:
        """Look after the cache, in small steps, when it is time to."""
        semantics = self._semantics
        if semantics is None or self._shelf.is_read_only or not self._shelf.with_vectors(semantics.is_untended):
            return
        at: int | None = 0
        while at is not None:
            at = self._shelf.with_vectors(partial(semantics.tend, after=at))
            yield

    def keep(self, texts: Sequence[Text], blocks: Sequence[Vectors], refused: Sequence[Text]) -> None:
        """Keep new vectors, in blocks of shape (n, dims), together as many rows as there are texts.

        Raises:
            VectorRefused: they are no usable vectors of one size; none was kept.
            WriteFailed, Busy, IndexBroken: cache or index cannot be written.
        """
        semantics = self._semantics
        if semantics:
            self._shelf.with_vectors(lambda table: semantics.keep(table, texts, blocks, refused=refused))

    def status(self) -> Status:
        """How the index stands."""
        stands, counts = self._shelf.status(), self.count()
        if self._semantics is None:
            return replace(stands, mode_reason=f"Words are searched alone: {NOT_SET_UP}")
        stands = replace(
            stands,
            mode="hybrid" if counts.embedded else "words",
            mode_reason="" if counts.embedded else f"Words are searched alone: {NOTHING_YET}",
            embedder=self._semantics.identity,
            embedded=counts.embedded,
            unembedded=counts.waiting,
        )
        try:
            return replace(stands, link=self._shelf.with_vectors(self._semantics.link) or "")
        except LinkUnavailable as error:
            return replace(stands, mode="words", mode_reason=f"Words are searched alone: {error}")
