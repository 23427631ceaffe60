"""Rows that are near each other in groups, as those of real texts are."""

from __future__ import annotations

import numpy as np

from memory.ports import Vectors


def clustered(count: int, dims: int, *, seed: int = 1) -> Vectors:
    """Unit rows around one centre for every fifty."""
    random = np.random.default_rng(seed)
    centres = random.standard_normal((max(4, count // 50), dims))
    rows = centres[random.integers(0, len(centres), count)] + 0.9 * random.standard_normal((count, dims))
    unit: Vectors = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    return unit


def narrow(count: int, dims: int, *, seed: int = 1) -> Vectors:
    """Unit rows that all point almost the same way, as the built-in model's do: unrelated ones have a cosine of .78."""
    common = np.zeros(dims)
    common[:10] = 1.7 / np.sqrt(10)
    rows = clustered(count, dims, seed=seed) + common
    unit: Vectors = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    return unit


def nearest(rows: Vectors, query: Vectors, limit: int) -> list[int]:
    """The exact answer."""
    order = np.argsort(-(rows.astype(np.float64) @ query), kind="stable")
    places: list[int] = order[:limit].tolist()
    return places
