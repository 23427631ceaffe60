"""Memory that lives in Markdown files, is found through a derived index, and can be inspected and undone."""

from __future__ import annotations

from memory.answers import Line, Page, Passage, Preview, Progress, Status, Synced
from memory.errors import Error
from memory.files.undo import Undone
from memory.memory import Memory, Mode
from memory.model import (
    CATEGORIES,
    OWNER,
    Citation,
    Fact,
    Hit,
    Kind,
    Origin,
    Problem,
    Recall,
    Scope,
    Stats,
    Where,
    Written,
    chat_scope,
)
from memory.ports import Clock, FrozenClock, SystemClock

__all__ = [
    "CATEGORIES",
    "OWNER",
    "Citation",
    "Clock",
    "Error",
    "Fact",
    "FrozenClock",
    "Hit",
    "Kind",
    "Line",
    "Memory",
    "Mode",
    "Origin",
    "Page",
    "Passage",
    "Preview",
    "Problem",
    "Progress",
    "Recall",
    "Scope",
    "Stats",
    "Status",
    "Synced",
    "SystemClock",
    "Undone",
    "Where",
    "Written",
    "chat_scope",
]
