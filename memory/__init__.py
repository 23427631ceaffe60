"""Memory that lives in Markdown files, is found through a derived index, and can be inspected and undone."""

from __future__ import annotations

from memory.engine import Options
from memory.errors import Error
from memory.files.origins import Part
from memory.index.types import Progress, Status, Synced
from memory.journal.writer import Undone
from memory.life.observations import Decision, Observed, SurprisingFact
from memory.memory import Memory
from memory.pages import Page, Passage
from memory.ports import Clock, Embedder, Embedding, FrozenClock, SystemClock
from memory.privacy.previews import Preview
from memory.privacy.traces import ForgettingTrail
from memory.recall.profile import ProfileSuggestion, ProfileSuggestions
from memory.recall.scoring import RankingWeights
from memory.types import (
    CATEGORIES,
    OWNER,
    Actors,
    ChunkSize,
    Citation,
    Evidence,
    Fact,
    FactSource,
    Filter,
    Hit,
    Kind,
    Line,
    Mode,
    Origin,
    Problem,
    RankingProfile,
    Recall,
    RecallForm,
    Scope,
    Stats,
    Superseded,
    VectorBackend,
    Written,
    chat_scope,
)

__all__ = [
    "CATEGORIES",
    "OWNER",
    "Actors",
    "ChunkSize",
    "Citation",
    "Clock",
    "Decision",
    "Embedder",
    "Embedding",
    "Error",
    "Evidence",
    "Fact",
    "FactSource",
    "Filter",
    "ForgettingTrail",
    "FrozenClock",
    "Hit",
    "Kind",
    "Line",
    "Memory",
    "Mode",
    "Observed",
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
    "RecallForm",
    "Scope",
    "Stats",
    "Status",
    "Superseded",
    "SurprisingFact",
    "Synced",
    "SystemClock",
    "Undone",
    "VectorBackend",
    "Written",
    "chat_scope",
]
