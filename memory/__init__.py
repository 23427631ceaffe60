"""Memory that lives in Markdown files, is found through a derived index, and can be inspected and undone."""

from __future__ import annotations

import importlib
import typing

from memory.engine import Options
from memory.errors import Error
from memory.journal.writer import Undone
from memory.memory import Memory
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
    Page,
    Part,
    Passage,
    Problem,
    Progress,
    RankingProfile,
    Recall,
    RecallForm,
    Scope,
    Stats,
    Status,
    Superseded,
    Synced,
    VectorBackend,
    Written,
    chat_scope,
)

if typing.TYPE_CHECKING:
    from memory.life.gate import Decision, Observed, SurprisingFact

_OF_THE_GATE = frozenset({"Decision", "Observed", "SurprisingFact"})


def __getattr__(name: str) -> object:
    """Import what only writing needs when it is asked for: it takes 0.1 s, which a look into memory need not pay."""
    if name in _OF_THE_GATE:
        return getattr(importlib.import_module("memory.life.gate"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


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
