"""A proper name and its place in a text."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Name:
    """A name as it is to be written, and the characters of the text that stand for it."""

    text: str
    start: int
    end: int
