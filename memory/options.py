"""How a memory is opened, and by what its texts are embedded."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import TypedDict
from zoneinfo import ZoneInfo

from memory.ports import Clock, Embedder
from memory.recall.scoring import RankingWeights
from memory.results import Progress
from memory.types import RankingProfile, VectorBackend


class Mode(Enum):
    """How a memory is opened."""

    COMPLETE = "wait until the index is up to date"
    AT_ONCE = "bring the index up to date beside the work; what is there serves meanwhile"
    READ_ONLY = "write neither files nor index: for readers beside a running service"


@dataclass(frozen=True, slots=True)
class Embedding:
    """What search by meaning needs.

    Attributes:
        embedder: may be shared by several memories; who made it closes it.
        cache: the SQLite file of vectors that have been computed; may be shared, too. Its folder must exist.
        link: which way of searching vectors; the fastest that there is if left out.
        low_memory: keep the vectors in a file beside the index, not in memory.
    """

    embedder: Embedder
    cache: Path
    link: VectorBackend | None = None
    low_memory: bool = False


class Options(TypedDict, total=False):
    """What may be left out when a memory is opened.

    Attributes:
        clock: source of time; the machine's.
        zone: the owner's time zone, which names the daily logs; UTC.
        mode: whether to wait for the index, and whether to write at all; `Mode.COMPLETE`.
        progress: told how far a long indexing has come.
        embedding: for search by meaning; without it words are searched alone.
        extra: folders that are indexed, too, as `extra/<name>/...`, and never written to.
        extra_trusted: names of those of these folders that are the owner's own; what stands in the others is foreign.
        extra_quota: files of one such folder that are taken in at most, the newest first; 5,000.
        secrets: texts that no file of the workspace may ever hold, such as the keys of the configuration.
        blanks: blank the journal's texts of what was forgotten a day ago by itself, when it is opened and with writes;
            True. Whoever keeps other records of what was said first clears those, then calls `Memory.purge`.
        ranking: how words and meaning are put together, by name or with weights of its own; `RankingProfile.SCRUBJAY`.
    """

    clock: Clock
    zone: ZoneInfo
    mode: Mode
    progress: Progress | None
    embedding: Embedding | None
    extra: Mapping[str, Path]
    extra_trusted: Collection[str]
    extra_quota: int
    secrets: Collection[str]
    blanks: bool
    ranking: RankingProfile | RankingWeights
