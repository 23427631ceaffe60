"""What the functions of this package are called with: one open memory."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime
from zoneinfo import ZoneInfo

from memory.errors import NotYours, SecretFound
from memory.files.sensory import SensoryStore
from memory.files.workspace import Workspace, local_day
from memory.index.sql import Index
from memory.index.types import Stored
from memory.index.units import MAX_UNITS
from memory.index_manager import IndexManager
from memory.journal.journal import Journal
from memory.journal.writer import JournaledWriter
from memory.pages import Pages
from memory.ports import Clock
from memory.strength import Fading
from memory.types import Actors, Filter, Scope

SALIENT = 0.7
"""What a novel observation's salience must exceed to become a fact at once, unless `Options` say otherwise."""


@dataclass(frozen=True, slots=True)
class KnowledgeContext:
    """One open memory: its files, the journal, what writes them, and the index; used on the memory's own thread.

    `Memory.run` calls a function with it. `check_secrets` raises `SecretFound` for a text that may hold one; `fading`
    says when facts fade, `salient_above` which novel observations become facts at once.

    What reads from it raises `IndexBroken`, `JournalBroken`, `Unreadable` and `Busy`, what writes with it the errors of
    `JournaledWriter` and `Workspace.lock`. The functions that are called with it say what they raise besides.
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
    fading: Fading
    salient_above: float

    @property
    def today(self) -> date:
        """The owner's day."""
        return self.clock.now().astimezone(self.zone).date()

    def day_of(self, at: str) -> str:
        """Return the ISO day on which an ISO instant falls in the owner's zone."""
        return local_day(datetime.fromisoformat(at), self.zone)

    @property
    def index(self) -> Index:
        """The index as it is; what to do where it turns out to be damaged, whoever has called the function knows."""
        return self.index_manager.index

    def find(self, id: str, scope: Scope) -> Stored | None:
        """Return the unit of an id as far as a scope has it."""
        return self.index_manager.ask(lambda index: index.find(id, scope=scope))

    def list_units(self, where: Filter, *, scope: Scope, limit: int) -> list[Stored]:
        """Return units that a scope may see, at most so many, in the order of `Index.newest`."""
        return self.index_manager.ask(
            lambda index: index.stored(index.newest(scope=scope, where=where, limit=limit), scope=scope)
        )

    def units_of(self, path: str, scope: Scope) -> list[Stored]:
        """Return the units of one file, from top to bottom."""
        units = self.list_units(Filter(under=(path,)), scope=scope, limit=MAX_UNITS)
        return sorted((unit for unit in units if unit.path == path), key=lambda unit: unit.order)

    def is_secret(self, text: str) -> bool:
        """Return whether a text may hold a secret."""
        try:
            self.check_secrets(text)
        except SecretFound:
            return True
        return False


def check_author(context: KnowledgeContext, id: str, whose: Actors) -> None:
    """Raise `NotYours` unless one of these wrote a fact, by the journal; None stands for everybody."""
    if whose is not None and context.journal.author(id) not in whose:
        raise NotYours("Somebody else wrote that.", hint="Only they or the owner can change it.")
