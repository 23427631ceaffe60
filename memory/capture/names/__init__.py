"""The proper names in a text: persons, places, organisations, products."""

from __future__ import annotations

from memory.capture.names.text import names_in

__all__ = ["names_in"]
