"""What the functions of this package work with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from zoneinfo import ZoneInfo

from memory.files.journal import Journal
from memory.files.sensory import SensoryStore
from memory.files.workspace import Workspace
from memory.files.writer import JournaledWriter
from memory.index_manager import IndexManager
from memory.pages import Pages
from memory.ports import Clock


@dataclass(frozen=True, slots=True)
class KnowledgeContext:
    """One open memory: its files, the journal, what writes them, and the index; used on the memory's own thread.

    `Memory.run` calls a function with it. `check_secrets` raises `SecretFound` for a text that may hold one.
    """

    workspace: Workspace
    journal: Journal
    writer: JournaledWriter
    pages: Pages
    index_manager: IndexManager
    sensory: SensoryStore
    clock: Clock
    zone: ZoneInfo
    check_secrets: Callable[[str], None]
