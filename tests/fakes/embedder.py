"""An embedder that knows letters alone, and fails as it is told."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncIterator, Callable, Sequence

import numpy as np

from memory.embed.checks import CASES
from memory.ports import Vectors

DIMS = 64


class LetterEmbedder:
    """Texts with the same three letters in a row are near each other. It counts what it is asked.

    Attributes:
        asked: every text that was embedded to be found, in order.
        questions: every question.
        error: raised instead of any answer.
        refused: the part of a text that is refused, with the error for it.
        worth: a number that every vector is multiplied with; NaN spoils them all.
        gate: nothing is embedded to be found while it is closed.
        at_the_gate: texts that have come to it.
    """

    def __init__(self, identity: str = "letters", *, dims: int = DIMS) -> None:
        self.identity = identity
        self.dims: int | None = dims
        self.asked: list[str] = []
        self.questions: list[str] = []
        self.error: Exception | None = None
        self.refused: tuple[str, Exception] | None = None
        self.worth = 1.0
        self.gate = asyncio.Event()
        self.gate.set()
        self.at_the_gate = 0
        self._changed = asyncio.Event()

    async def until(self, condition: Callable[[], bool]) -> None:
        """Wait until this holds, which is looked at whenever a text comes to the gate or is embedded."""
        async with asyncio.timeout(60):
            while not condition():
                self._changed.clear()
                await self._changed.wait()

    async def probe(self) -> None:
        await self.embed_query(CASES[0].question)

    async def embed_query(self, text: str) -> Vectors:
        if self.error:
            raise self.error
        self.questions.append(text)
        return self._row(text)

    async def embed_passages(self, texts: Sequence[str]) -> AsyncIterator[Vectors]:
        for text in texts:
            self.at_the_gate += 1
            self._changed.set()
            await self.gate.wait()
            if self.error:
                raise self.error
            if self.refused and self.refused[0] in text:
                raise self.refused[1]
            self.asked.append(text)
            self._changed.set()
            yield self._row(text)[None]

    async def close(self) -> None:
        self.error = RuntimeError("closed")

    def _row(self, text: str) -> Vectors:
        row = np.full(self.dims or DIMS, 1e-3, np.float32)
        low = f" {text.lower()} "
        for at in range(len(low) - 2):
            row[hashlib.blake2b(low[at : at + 3].encode(), digest_size=2).digest()[0] % len(row)] += 1
        scaled: Vectors = row / np.linalg.norm(row) * np.float32(self.worth)
        return scaled
