"""A folder with a copy of an agent's files, edited by a person while others work for the agent."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from bot.postgresql import schema
from bot.postgresql.connection import PostgresPool, PostgresStatements
from bot.postgresql.workspaces import CHECKED_OUT, checkout, digest_of, files, versions
from bot.storage.statements import Database


@dataclass(frozen=True, slots=True)
class Checkout:
    """A folder, and the database that it is a copy from.

    Edits are put beside the files, for the process that works for the agent: so they come one after the other with
    turns, and nobody else writes its files.
    """

    statements: PostgresStatements
    agent: str
    folder: Path

    @classmethod
    @asynccontextmanager
    async def open(cls, url: str, agent: str, folder: Path) -> AsyncIterator[Self]:
        """Connect; raises `StateError`."""
        async with PostgresPool.open(url, size=1) as pool:
            await pool.run(lambda db: schema.migrate(db.raw))
            yield cls(PostgresStatements(pool), agent, folder)

    async def fetch(self, *, keep: Collection[str] = ()) -> int:
        """Make the folder what the database has, but for these files; return how many changed."""

        def fetch(db: Database) -> tuple[int, dict[str, str]]:
            known = {path: one for path, one in versions(db, self.agent).items() if path not in keep}
            before = self._base()
            for path in before.keys() - known.keys() - {*keep}:
                self.folder.joinpath(path).unlink(missing_ok=True)
            count = checkout(db, self.agent, self.folder, known)
            return count, {path: one.digest for path, one in known.items()} | {
                path: digest for path, digest in before.items() if path in keep
            }

        count, base = await self.statements.write(fetch)
        self.folder.joinpath(CHECKED_OUT).write_text(json.dumps(base), encoding="utf-8")
        return count

    async def send(self) -> tuple[set[str], set[str]]:
        """Put what was edited here beside the files; return which, and what has changed on both sides."""
        base = self._base()
        here = {path: digest_of(self.folder.joinpath(path).read_bytes()) for path, _ in files(self.folder)}
        edited = {path for path in {*base, *here} if base.get(path) != here.get(path)}

        def send(db: Database) -> tuple[set[str], set[str]]:
            there = {path: one.digest for path, one in versions(db, self.agent).items()}
            conflicts = {path for path in edited if there.get(path) != base.get(path)}
            conflicts -= {path for path in conflicts if there.get(path) == here.get(path)}
            sql = """INSERT INTO ws_edit (agent, path, digest, body) VALUES (?, ?, ?, ?)
                     ON CONFLICT (agent, path) DO UPDATE SET digest = excluded.digest, body = excluded.body"""
            for path in edited - conflicts:
                body = self.folder.joinpath(path).read_bytes() if path in here else None
                db.execute(sql, (self.agent, path, base.get(path, ""), body))
            return edited - conflicts, conflicts

        return await self.statements.write(send)

    async def waiting(self) -> set[str]:
        """Return the files whose edits nobody has taken yet."""
        rows = await self.statements.rows("SELECT path FROM ws_edit WHERE agent = ?", self.agent)
        return {path for (path,) in rows}

    def _base(self) -> dict[str, str]:
        try:
            found: dict[str, str] = json.loads(self.folder.joinpath(CHECKED_OUT).read_text(encoding="utf-8"))
        except FileNotFoundError:
            return {}
        return found
