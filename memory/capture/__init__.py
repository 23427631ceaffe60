"""Reading a chat message by rules, without a model: what it does, what is to be kept of it, and what it is about."""

from __future__ import annotations

from memory.capture.corrections import contradicts, correct, same
from memory.capture.draft import draft, kind_of, statement
from memory.capture.intent import COURTESIES, Act, act_of
from memory.capture.wishes.wishes import Wish, WishKind, wish

__all__ = [
    "COURTESIES",
    "Act",
    "Wish",
    "WishKind",
    "act_of",
    "contradicts",
    "correct",
    "draft",
    "kind_of",
    "same",
    "statement",
    "wish",
]
