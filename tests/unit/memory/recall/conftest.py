"""Small collections of notes to ask."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date

import pytest

from memory.index.chunks import chunk
from memory.index.port import FileChange, FileState, Index
from memory.index.volatile import VolatileIndex
from memory.model import Origin, Scope

TODAY = date(2026, 11, 21)

Collect = Callable[..., Index]


@pytest.fixture
def collect() -> Collect:
    """Make an index of files by path; `scopes` gives facts by block id to others."""

    def make(files: Mapping[str, str], scopes: Mapping[str, Scope] | None = None) -> Index:
        found = scopes or {}

        def owner_of(name: str) -> tuple[Origin, Scope] | None:
            return (Origin.GUEST, found[name]) if name in found else None

        index = VolatileIndex()
        index.write(
            [
                FileChange(path, FileState(len(text), 1, text), chunk(path, text, owner_of=owner_of))
                for path, text in files.items()
            ]
        )
        return index

    return make
