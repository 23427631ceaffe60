"""The index in one SQLite file, through apsw."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TypeVar

import apsw

from memory.index import queries, schema, writes
from memory.index.port import Changed, Entry, FileChange, FileState, Stored, Totals, Voice, Words
from memory.index.vector_table import VectorTable
from memory.sqlite import transaction, translated
from memory.types import EVERYWHERE, OWNER, Filter, Problem, Scope, Stats

T = TypeVar("T")


class SqliteIndex:
    """An open index file. One connection, for one thread at a time; `memory.index.port.Index` says what it does.

    `vectors` are kept beside the units.

    Any method raises `IndexBroken` when the file turns out to be damaged, `WriteFailed` when the disk refuses, `Busy`
    when another process keeps it locked.
    """

    def __init__(self, db: apsw.Connection, path: Path) -> None:
        self._db = db
        self._path = path
        self.vectors = VectorTable(db, path)

    @classmethod
    def open(cls, path: Path, *, read_only: bool = False) -> SqliteIndex:
        """Open a file that has its tables, or make them in one that is new or empty."""
        with translated(path):
            db = schema.connect(path, read_only=read_only)
            if not read_only and not schema.identity(db):
                schema.create(db)
        return cls(db, path)

    @property
    def path(self) -> Path:
        """Where the file is."""
        return self._path

    def identity(self) -> dict[str, str]:
        """What the file says that it was made by."""
        return self._run(schema.identity)

    def damage(self, *, whole: bool = False) -> str:
        """What a quick check finds wrong with the file, or with `whole` one of every page; empty if nothing is."""
        return self._run(schema.check, whole=whole)

    def write(self, changes: Sequence[FileChange], removed: Sequence[str] = ()) -> Changed:
        return self._run_whole(writes.write, changes, removed)

    def note(self, key: str, value: str) -> None:
        self._run_whole(writes.note, key, value)

    def tidy(self) -> bool:
        """Merge a little of the search index, for when there is nothing else to do; whether there is more to merge."""
        return self._run_whole(writes.tidy)

    def scrub(self, *, compact: bool = False) -> None:
        """Leave nothing in the file of what was removed from it; `compact` rewrites all of it, for older remains."""
        self._run_whole(writes.merge)
        with translated(self._path):
            if compact:
                self._db.execute("VACUUM").fetchall()
            self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

    def become(self, other: SqliteIndex) -> None:
        """Take over all that another file holds, at once and for all processes that have this one open."""
        with translated(self._path):
            with self._db.backup("main", other._db, "main") as copy:
                copy.step(-1)
            self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

    def holding(self, names: Iterable[str]) -> set[str]:
        return self._run(queries.holding, names)

    def noted(self, key: str) -> str:
        return self._run(queries.noted, key)

    def generation(self) -> int:
        return self._run(queries.generation)

    def files(self, paths: Iterable[str] | None = None) -> dict[str, FileState]:
        return self._run(queries.files, paths)

    def totals(self, *, scope: Scope = OWNER) -> Totals:
        return self._run(queries.totals) if scope == OWNER else self._run(queries.scoped_totals, scope)

    def languages(self, *, scope: Scope) -> tuple[str, ...]:
        return self._run(queries.languages) if scope == OWNER else self._run(queries.scoped_languages, scope)

    def frequencies(self, terms: Iterable[str], *, scope: Scope) -> dict[str, int]:
        if scope == OWNER:
            return self._run(queries.frequencies, terms)
        return self._run(queries.scoped_frequencies, [*terms], scope)

    def match(
        self,
        words: Words,
        *,
        scope: Scope,
        where: Filter = EVERYWHERE,
        limit: int,
        among: Words = (),
    ) -> list[int]:
        match = queries.match if scope == OWNER else queries.scoped_match
        return self._run(match, words, scope=scope, where=where, limit=limit, among=among)

    def dated(self, first: str, last: str, *, scope: Scope, where: Filter = EVERYWHERE, limit: int) -> list[int]:
        return self._run(queries.dated, first, last, scope=scope, where=where, limit=limit)

    def listed(self, *, scope: Scope, where: Filter = EVERYWHERE, limit: int) -> list[int]:
        return self._run(queries.listed, scope=scope, where=where, limit=limit)

    def about(self, entities: Iterable[str], *, scope: Scope, where: Filter = EVERYWHERE, limit: int) -> list[int]:
        return self._run(queries.about, entities, scope=scope, where=where, limit=limit)

    def known(self, names: Iterable[str], *, scope: Scope) -> dict[str, str]:
        return self._run(queries.known, names, scope=scope)

    def guiding(self, *, scope: Scope) -> list[int]:
        return self._run(queries.guiding, scope)

    def voices(self, *, scope: Scope) -> dict[str, Voice]:
        return self._run(queries.voices) if scope == OWNER else self._run(queries.scoped_voices, scope)

    def entries(self, ids: Sequence[int], *, scope: Scope, around: int = 0) -> list[Entry]:
        return self._run(queries.entries, ids, scope=scope, around=around)

    def stored(self, ids: Sequence[int], *, scope: Scope) -> list[Stored]:
        return self._run(queries.stored, ids, scope=scope)

    def between(self, file: int, *, first: int, last: int, scope: Scope) -> list[Stored]:
        return self._run(queries.between, file, first=first, last=last, scope=scope)

    def find(self, name: str, *, scope: Scope) -> Stored | None:
        return self._run(queries.find, name, scope=scope)

    def stats(self, *, scope: Scope) -> Stats:
        return self._run(queries.stats, scope)

    def problems(self) -> tuple[Problem, ...]:
        return self._run(queries.problems)

    def close(self) -> None:
        self._db.close()

    def _run(self, operation: Callable[..., T], *args: object, **kwargs: object) -> T:
        with translated(self._path):
            return operation(self._db, *args, **kwargs)

    def _run_whole(self, operation: Callable[..., T], *args: object) -> T:
        """The same in one transaction."""
        with transaction(self._db, self._path):
            return operation(self._db, *args)
