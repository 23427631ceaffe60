"""The built-in model, loaded once a run, and an endpoint that fails as it is told."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from memory.embed.builtin import Encoder
from memory.embed.model_file import Weights, find_weights, model_file
from tests.unit.memory.embed.scripted import ScriptedEndpoint, serving


@pytest.fixture(scope="session")
def encoder(model_cache: Path) -> Iterator[Encoder]:
    loaded = Encoder(Weights(find_weights()), model_file(model_cache))
    yield loaded
    loaded.close()


@pytest.fixture
async def endpoint() -> AsyncIterator[ScriptedEndpoint]:
    async with serving() as scripted:
        yield scripted
