"""Text to vector: the built-in model, an endpoint, and the cache of what both have answered."""

from __future__ import annotations
