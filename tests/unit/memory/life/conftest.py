"""A memory that is told what was observed."""

from __future__ import annotations

import hashlib
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from memory import OWNER, FrozenClock, Memory, Observed, Origin, Scope
from memory.life.calibrate import Bands, LanguageBands, pairs
from memory.ports import Vectors
from tests.fakes.embedder import LetterEmbedder

BANDS = LanguageBands(dict.fromkeys(("en", "de", "zh", ""), Bands(unrelated=0.1, link=0.5, merge=0.8)))
"""For the `WordEmbedder`."""


class WordEmbedder(LetterEmbedder):
    """Texts with the same words are near each other."""

    def __init__(self) -> None:
        super().__init__("by words", dims=512)

    def _row(self, text: str) -> Vectors:
        row = np.full(512, 0.05, np.float32)
        for at in range(len(text) - 3):
            row[_number(text[at : at + 4].lower()) % 512] += 1
        scaled: Vectors = row / np.linalg.norm(row) * np.float32(self.worth)
        return scaled


class PairEmbedder(LetterEmbedder):
    """Knows the pairs of the calibration in some languages, and in others takes all texts for the same."""

    def __init__(self, *languages: str) -> None:
        super().__init__("by heart", dims=256)
        every = [pair for code in languages for pair in pairs()[code]]
        self._places = {text: place for place, pair in enumerate(every) for text in pair}

    def _row(self, text: str) -> Vectors:
        row = np.full(256, 0.01, np.float32)
        if text in self._places:
            row[self._places[text]] = 1
            row[200 + _number(text) % 56] = 0.3
        scaled: Vectors = row / np.linalg.norm(row) * np.float32(self.worth)
        return scaled


def _number(text: str) -> int:
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=4).digest(), "big")


class Observer:
    """A memory, and observations with numbered operations."""

    def __init__(self, folder: Path, memory: Memory, clock: FrozenClock) -> None:
        self.folder = folder
        self.memory = memory
        self.clock = clock
        self.count = 0

    async def see(self, text: str, *, op_id: str = "", origin: Origin = Origin.OWNER, scope: Scope = OWNER) -> Observed:
        self.count += 1
        name = op_id or f"observe:{self.count}"
        return await self.memory.observe(text, origin=origin, scope=scope, op_id=name, actor="owner")

    async def facts(self, scope: Scope = OWNER) -> list[str]:
        return [hit.content for hit in reversed(await self.memory.recent(50, scope=scope))]

    def bytes(self, folder: str = "") -> bytes:
        return b"".join(path.read_bytes() for path in sorted((self.folder / folder).rglob("*")) if path.is_file())


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock(datetime(2026, 11, 21, 9, 30, tzinfo=UTC))


@pytest.fixture
async def observer(tmp_path: Path, clock: FrozenClock) -> AsyncIterator[Observer]:
    async with await Memory.open(tmp_path / "notes", index=tmp_path / "index.sqlite", clock=clock) as memory:
        yield Observer(tmp_path / "notes", memory, clock)
