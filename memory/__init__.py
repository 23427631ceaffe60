"""Memory that lives in Markdown files, is found through a derived index, and can be inspected and undone."""

from __future__ import annotations

from memory.errors import Error
from memory.files.writer import Undone
from memory.memory import Memory
from memory.options import Embedding, Mode, Options
from memory.ports import Clock, Embedder, FrozenClock, SystemClock
from memory.recall.profile import ProfileSuggestion, ProfileSuggestions
from memory.recall.scoring import RankingWeights
from memory.results import ForgettingTrail, Line, Page, Passage, Preview, Progress, Status, Superseded, Synced
from memory.types import (
    CATEGORIES,
    OWNER,
    Actors,
    Citation,
    Fact,
    Filter,
    Hit,
    Kind,
    Origin,
    Part,
    Problem,
    RankingProfile,
    Recall,
    Scope,
    Stats,
    VectorBackend,
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
    "Filter",
    "ForgettingTrail",
    "FrozenClock",
    "Hit",
    "Kind",
    "Line",
    "Memory",
    "Mode",
    "Options",
    "Origin",
    "Page",
    "Part",
    "Passage",
    "Preview",
    "Problem",
    "ProfileSuggestion",
    "ProfileSuggestions",
    "Progress",
    "RankingProfile",
    "RankingWeights",
    "Recall",
    "Scope",
    "Stats",
    "Status",
    "Superseded",
    "Synced",
    "SystemClock",
    "Undone",
    "VectorBackend",
    "Written",
    "chat_scope",
]
