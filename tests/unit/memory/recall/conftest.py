"""Small collections of notes to ask."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import date
from pathlib import Path

import numpy as np
import pytest

from memory.index.sql import Index
from memory.index.sqlite import SqliteIndex
from memory.index.types import EmbeddedUnit, FileChange, FileState
from memory.index.units import chunk
from memory.types import OWNER, Scope, VectorBackend
from memory.vectors.collection import Scan, VectorCollection, open_store
from memory.vectors.store import Packed
from tests.unit.memory.index.conftest import owners

TODAY = date(2026, 11, 21)

Collect = Callable[..., Index]


@pytest.fixture
def collect() -> Collect:
    """Make an index of files by path; `scopes` gives facts by block id to others."""

    def make(files: Mapping[str, str], scopes: Mapping[str, Scope] | None = None) -> Index:
        found = scopes or {}
        index = SqliteIndex.open(Path(":memory:"))
        index.write(
            [
                FileChange(path, FileState(len(text), 1, text), chunk(path, text, owners=owners(path, found)))
                for path, text in files.items()
            ]
        )
        return index

    return make


def scan(index: Index, vectors: Mapping[str, Sequence[float]], question: Sequence[float]) -> Scan:
    """A question's vector against those of some units, given by their text; the others have none."""
    meaning = VectorCollection(open_store(len(question), backend=VectorBackend.NUMPY))
    units = index.stored(index.newest(scope=OWNER, limit=1000), scope=OWNER)
    known = [stored for stored in units if stored.unit.text in vectors]
    placed = [
        EmbeddedUnit(one.id, one.unit.scope, one.unit.kind, one.unit.first, one.unit.last, one.unit.named)
        for one in known
    ]
    meaning.add(placed, Packed.of([vectors[one.unit.text] for one in known]))
    found = meaning.ask(np.array(question, np.float32), plain=True)
    assert found is not None
    return found
