"""Reading a chat message by rules, without a model: what it does, what is to be kept of it, and what it is about."""

from __future__ import annotations

from memory.capture.act import Act
from memory.capture.contradiction import contradicts, same
from memory.capture.correction import correct
from memory.capture.draft import draft
from memory.capture.message import act_of
from memory.capture.statement import statement
from memory.capture.wishes import Wish, WishKind, wish

__all__ = ["Act", "Wish", "WishKind", "act_of", "contradicts", "correct", "draft", "same", "statement", "wish"]
