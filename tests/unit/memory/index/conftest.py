"""A workspace with its journal, and an index over it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import apsw
import pytest

from memory.files.sources import Sources
from memory.files.workspace import Workspace
from memory.index.owners import Owners
from memory.index.sqlite import SqliteIndex
from memory.index.sync import Progress, inspect, refresh, sync
from memory.index.terms import terms
from memory.index.types import Changed
from memory.journal.journal import Journal
from memory.journal.records import Action, Operation
from memory.journal.state import JournalState, Provenance
from memory.types import OWNER, Origin, Problem, Scope

LATER = datetime(2036, 1, 1, tzinfo=UTC)
"""Long after every file was written."""


NOBODY = Owners(JournalState())
"""No unit has a record."""


def owners(path: str, scopes: Mapping[str, Scope]) -> Owners:
    """Guests of these scopes wrote the facts of these ids into a file."""
    ledger = JournalState()
    said = {name: Provenance(Origin.GUEST, scope, "", "", path=path) for name, scope in scopes.items()}
    ledger.provenance.update(said)
    return Owners(ledger)


class Desk:
    """Files, journal and index in reach of a test."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.workspace = Workspace(root / "workspace")
        self.sources = Sources(self.workspace)
        self.journal = Journal(self.workspace)
        self.commits = 0
        apsw.connection_hooks.append(self._count_commits)
        try:
            self.index = SqliteIndex.open(root / "index.sqlite")
        finally:
            apsw.connection_hooks.remove(self._count_commits)

    def _count_commits(self, db: apsw.Connection) -> None:
        def committed() -> bool:
            self.commits += 1
            return False

        db.set_commit_hook(committed)

    def write(self, path: str, text: str | bytes) -> Path:
        file = self.root / "workspace" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
        return file

    def record(self, name: str, origin: Origin, scope: Scope, path: str = "memory/guests/2026-03-02.md") -> None:
        """Say in the journal whose a fact is, and in which file it was written."""
        operation = Operation(f"t:{name}", "somebody", origin, scope)
        self.journal.append(replace(operation.record(Action.REMEMBER, LATER), target=name, path=path, after="text"))

    def steps(self, now: datetime = LATER, budget_s: float = 1.0) -> list[Progress]:
        return list(sync(self.index, self.sources, journal=self.journal, now=now, budget_s=budget_s))

    def sync(self, now: datetime = LATER) -> Changed:
        return self.steps(now)[-1].changed

    def refresh(self, *paths: str) -> Changed:
        return refresh(self.index, self.sources, journal=self.journal, paths=paths)

    def problems(self) -> tuple[Problem, ...]:
        return inspect(self.index, self.sources, self.journal)

    def found(self, word: str, scope: Scope = OWNER) -> list[str]:
        ids = self.index.match([terms(word, "en")], scope=scope, limit=50)
        return [stored.unit.text for stored in self.index.stored(ids, scope=scope)]

    def close(self) -> None:
        self.index.close()
        self.workspace.close()


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    desk = Desk(tmp_path)
    yield desk
    desk.close()
