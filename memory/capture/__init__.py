"""Reading a chat message by rules, without a model: what it does, what is to be kept of it, and what it is about."""

from __future__ import annotations

from memory.capture.act import Act
from memory.capture.draft import draft
from memory.capture.message import act_of
from memory.capture.statement import statement

__all__ = ["Act", "act_of", "draft", "statement"]
