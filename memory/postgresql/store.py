"""An agent's index in a shared database, as the memory keeps one: opened, begun anew, rebuilt beside itself."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from secrets import token_hex
from typing import TYPE_CHECKING, TypeVar

from memory.errors import Error, IndexBroken, NotFound
from memory.index.schema import IDENTITY, staleness
from memory.index.sql import Index
from memory.postgresql.connection import AgentStatements, IndexDatabase
from memory.postgresql.index import PostgresIndex

if TYPE_CHECKING:  # needs numpy
    from memory.vectors.store import VectorStore

T = TypeVar("T")

_BESIDE = " (rebuilt)"
"""Behind the name of an agent: what is built beside its index. No agent has such a name."""


@dataclass(frozen=True, slots=True)
class SharedIndex:
    """Where an agent's index is in a database that several processes share.

    Several memories may share the database, too; who made it closes it. `agent` says whose the index is, in letters,
    digits and `-`; the names of files of this process's own begin with `beside`.
    """

    database: IndexDatabase
    agent: str
    beside: Path

    def vectors(self, dims: int, *, in_memory: bool = True) -> VectorStore:
        """Return the search among the vectors, of so many numbers: in memory, if there is room, or in the database."""
        from memory.postgresql.vectors import PostgresVectors

        return PostgresVectors(AgentStatements(self.database, self.agent), dims, in_memory=in_memory)

    @property
    def place(self) -> Path:
        """What messages call this index; no file is there."""
        return Path(self.database.place) / self.agent


class PostgresStore:
    """An agent's index; `memory.index.file.IndexFile` documents the attributes and methods.

    It is read only until `take_over`, and again when another process has taken it over. `WriteFailed` and `Busy` are
    raised where the database refuses, or cannot be reached.
    """

    def __init__(self, where: SharedIndex) -> None:
        self.notice = ""
        self._where = where
        self._statements = AgentStatements(where.database, where.agent, holder=token_hex(8))
        self.index = PostgresIndex(self._statements, where.place)
        self.stale = ""

    @property
    def is_read_only(self) -> bool:
        return not self._statements.is_held

    def take_over(self) -> None:
        """Be the one who writes it, where several processes could."""
        self._statements.hold()
        try:
            self.index.create()
        except IndexBroken as error:
            self._begin_anew(error)
        self.recheck()

    @classmethod
    def open(cls, where: SharedIndex) -> PostgresStore:
        """Open an index that this process may take over; made if it is not there."""
        store = cls(where)
        with suppress(IndexBroken):  # whoever takes it over begins it anew
            store.recheck()
        return store

    @classmethod
    def read(cls, where: SharedIndex) -> PostgresStore:
        """Open an index that another process writes, for reading only; raises `NotFound` if there is none yet."""
        store = cls(where)
        store.recheck()
        if not store.index.identity():
            message = f"There is no memory index {where.place} yet."
            raise NotFound(message, hint="The process that works for the agent makes it.")
        return store

    @property
    def bytes(self) -> int:
        """The size of the units and terms, in bytes, without the database's own indexes."""
        sizes = " + ".join(
            f"(SELECT coalesce(sum(pg_column_size(t.*)), 0) FROM {table} t)"
            for table in ("units", "terms", "postings", "vectors")
        )
        return int(self._statements.run(f"SELECT {sizes}").get)

    @property
    def is_lost(self) -> bool:
        """Whether somebody has removed it."""
        try:
            return not self.index.identity()
        except IndexBroken:
            return True

    def restart(self, now: datetime, why: Error | None = None) -> None:
        del now  # nothing is kept of the old one
        self._begin_anew(why)

    def _begin_anew(self, why: Error | None) -> None:
        self._where.database.forget_tables()
        self._statements.hold()
        self.index.empty()
        found = why.message if why else "The memory index was removed."
        self.notice = f"{found} It is built anew from the files."

    def recheck(self) -> None:
        made_by = self.index.identity()
        self.stale = staleness(made_by) if made_by else ""

    def rebuild(self, fill: Callable[[Index], Iterator[T]], *, fresh: bool = True) -> Generator[T, None, None]:
        where = SharedIndex(self._where.database, f"{self._where.agent}{_BESIDE}", self._where.beside)
        beside = PostgresIndex(AgentStatements(where.database, where.agent, target=self._where.agent), where.place)
        if fresh or beside.identity() != dict(IDENTITY):
            beside.empty()
        yield from fill(beside)
        yield from fill(beside)
        self.index.become(beside)
        self.stale = ""

    def scrub(self, *, compact: bool = False) -> None:
        """Nothing is left in the rows; `compact` gives the space of removed ones free, in the whole database."""
        if compact:
            self.index.vacuum()
