"""Memory that lives in Markdown files, is found through a derived index, and can be inspected and undone."""

from __future__ import annotations

from memory.errors import Error
from memory.files.writer import Undone
from memory.memory import Memory
from memory.options import Embedding, Mode, Options
from memory.ports import Clock, Embedder, FrozenClock, SystemClock
from memory.recall.profile import Guide, Offer
from memory.recall.scoring import Recipe
from memory.results import Line, Page, Passage, Preview, Progress, Status, Superseded, Synced, Trail
from memory.types import (
    CATEGORIES,
    OWNER,
    Actors,
    Citation,
    Fact,
    Hit,
    Kind,
    Link,
    Origin,
    Part,
    Problem,
    Profile,
    Recall,
    Scope,
    Stats,
    Where,
    Written,
    chat_scope,
)

__all__ = [
    "CATEGORIES",
    "OWNER",
    "Actors",
    "Citation",
    "Clock",
    "Embedder",
    "Embedding",
    "Error",
    "Fact",
    "FrozenClock",
    "Guide",
    "Hit",
    "Kind",
    "Line",
    "Link",
    "Memory",
    "Mode",
    "Offer",
    "Options",
    "Origin",
    "Page",
    "Part",
    "Passage",
    "Preview",
    "Problem",
    "Profile",
    "Progress",
    "Recall",
    "Recipe",
    "Scope",
    "Stats",
    "Status",
    "Superseded",
    "Synced",
    "SystemClock",
    "Trail",
    "Undone",
    "Where",
    "Written",
    "chat_scope",
]
