"""Files of workspaces in PostgreSQL: they change in the transaction in which what changed them is acknowledged."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import AsyncIterator, Collection, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from hashlib import sha256
from itertools import chain, count
from pathlib import Path, PurePosixPath
from typing import NamedTuple, Self

from bot.errors import Refused
from bot.paths import put
from bot.postgresql import schema
from bot.postgresql.connection import PostgresPool, PostgresStatements
from bot.storage.port import Grant
from bot.storage.statements import Database
from bot.texts.catalogue import tr

BLOCK = 64 * 1024
"""Bytes that are written together. Files that only grow send their last block."""

CHECKED_OUT = ".scrubjay-checkout.json"
"""In a folder that a person has checked out: the digests of the files as they were fetched."""

_LEFT_OUT = (".tmp", ".lock")


class FileVersion(NamedTuple):
    """A file of a workspace as the database has it; `mtime` in nanoseconds."""

    path: str
    version: int
    digest: str
    size: int
    mtime: int


@dataclass(frozen=True, slots=True)
class WorkspaceFiles:
    """The files of all agents, and the folders in which this process has copies of them.

    Attributes:
        folders: agent -> folder.
        aside: where a file goes that is in the way of a newer version, and is in no version.
    """

    folders: Mapping[str, Path]
    aside: Path

    def push(self, db: Database, grant: Grant) -> int:
        """Write what has changed in an agent's folder into the database; return how many files.

        Args:
            db: within the transaction that checks the grant.
        """
        folder, known = self.folders[grant.agent], versions(db, grant.agent)
        found = dict(files(folder))
        changed = 0
        for path, stat in found.items():
            old = known.get(path)
            if old and (old.size, old.mtime) == (stat.st_size, stat.st_mtime_ns):
                continue
            try:
                body = folder.joinpath(path).read_bytes()
            except FileNotFoundError:  # replaced at this moment; the next write takes it
                continue
            changed += _write(db, grant, path, body, stat.st_mtime_ns, old)
        gone = known.keys() - found.keys()
        for path in gone:
            db.execute("DELETE FROM ws_file WHERE agent = ? AND path = ?", (grant.agent, path))
            db.execute("DELETE FROM ws_block WHERE agent = ? AND path = ?", (grant.agent, path))
        return changed + len(gone)

    def take_edits(self, db: Database, grant: Grant) -> None:
        """Put what people have edited elsewhere into an agent's folder, unless the file has changed since there."""
        rows = db.execute("SELECT path, digest, body FROM ws_edit WHERE agent = ?", (grant.agent,)).fetchall()
        for path, digest, body in rows:
            target = inside(self.folders[grant.agent], path)
            there = digest_of(target.read_bytes()) if target.exists() else ""
            if there != digest:
                continue  # the edit was made of an older version: whoever made it is told by `sync`
            if body is None:
                target.unlink(missing_ok=True)
            else:
                put(target, bytes(body))
        if rows:
            db.execute("DELETE FROM ws_edit WHERE agent = ?", (grant.agent,))
            self.push(db, grant)

    def pull(self, db: Database, agent: str) -> int:
        """Make an agent's folder what the database has; return how many files changed.

        Where the database has nothing yet, the folder stays as it is: the next `push` brings it there.
        """
        known = versions(db, agent)
        return checkout(db, agent, self.folders[agent], known, aside=self.aside / agent) if known else 0


def versions(db: Database, agent: str) -> dict[str, FileVersion]:
    """Return the files of an agent by path."""
    sql = "SELECT path, version, digest, size, mtime FROM ws_file WHERE agent = ?"
    return {row[0]: FileVersion(*row) for row in db.execute(sql, (agent,)).fetchall()}


def checkout(
    db: Database,
    agent: str,
    folder: Path,
    known: Mapping[str, FileVersion],
    *,
    aside: Path | None = None,
    replaced: Path | None = None,
) -> int:
    """Make a folder what the database has; return how many files changed.

    Args:
        db: within a transaction.
        aside: where to move files that are in no version; None leaves them.
        replaced: where to move files that another version takes the place of; None overwrites them.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    found, changed = dict(files(folder)), 0
    for path, version in known.items():
        stat = found.get(path)
        if stat and (stat.st_size, stat.st_mtime_ns) == (version.size, version.mtime):
            continue
        target = inside(folder, path)
        if not stat or digest_of(target.read_bytes()) != version.digest:
            if stat and replaced:
                _put_aside(folder, path, replaced)
            put(target, read(db, agent, path))
            changed += 1
        os.utime(target, ns=(version.mtime, version.mtime))
    for path in found.keys() - known.keys():
        if aside:
            _put_aside(folder, path, aside)
            changed += 1
    return changed


def read(db: Database, agent: str, path: str) -> bytes:
    """Return a file's content."""
    sql = "SELECT body FROM ws_block WHERE agent = ? AND path = ? ORDER BY number"
    return b"".join(bytes(body) for (body,) in db.execute(sql, (agent, path)).fetchall())


def files(folder: Path) -> Iterator[tuple[str, os.stat_result]]:
    """Yield the files of a workspace that are kept: path with slashes, and how it is. Links are not followed."""
    for root, folders, names in os.walk(folder):
        folders[:] = sorted(one for one in folders if one != ".git")
        for name in sorted(names):
            path = Path(root, name)
            if name in {"lock", CHECKED_OUT} or path.suffix in _LEFT_OUT or path.is_symlink():
                continue
            try:
                stat = path.stat()
            except FileNotFoundError:
                continue
            yield path.relative_to(folder).as_posix(), stat


def inside(folder: Path, path: str) -> Path:
    """Return the place of a file in a folder; raises `Refused` if the path leads out of it."""
    pure = PurePosixPath(path)
    if pure.is_absolute() or ".." in pure.parts:
        raise Refused(tr("{path} leads out of the workspace.", path=path))
    return folder / pure


def digest_of(body: bytes) -> str:
    """Return what tells contents apart."""
    return sha256(body).hexdigest()


def _write(db: Database, grant: Grant, path: str, body: bytes, mtime: int, old: FileVersion | None) -> bool:
    digest, version = digest_of(body), old.version + 1 if old else 1
    if old and old.digest == digest:
        db.execute("UPDATE ws_file SET mtime = ? WHERE agent = ? AND path = ?", (mtime, grant.agent, path))
        return False
    sql = """INSERT INTO ws_file (agent, path, version, digest, size, mtime, epoch) VALUES (?, ?, ?, ?, ?, ?, ?)
             ON CONFLICT (agent, path) DO UPDATE SET version = excluded.version, digest = excluded.digest,
               size = excluded.size, mtime = excluded.mtime, epoch = excluded.epoch"""
    db.execute(sql, (grant.agent, path, version, digest, len(body), mtime, grant.epoch))
    blocks = [body[at : at + BLOCK] for at in range(0, len(body), BLOCK)]
    there = "SELECT number, digest FROM ws_block WHERE agent = ? AND path = ?"
    same = dict(db.execute(there, (grant.agent, path)).fetchall()) if old else {}
    sql = """INSERT INTO ws_block (agent, path, number, digest, body) VALUES (?, ?, ?, ?, ?)
             ON CONFLICT (agent, path, number) DO UPDATE SET digest = excluded.digest, body = excluded.body"""
    rows = [(grant.agent, path, number, digest_of(block), block) for number, block in enumerate(blocks)]
    db.executemany(sql, [row for row in rows if same.get(row[2]) != row[3]])
    db.execute("DELETE FROM ws_block WHERE agent = ? AND path = ? AND number >= ?", (grant.agent, path, len(blocks)))
    return True


def _put_aside(folder: Path, path: str, aside: Path) -> None:
    """Move a file of a folder into another one, beside what was put there before."""
    place = inside(aside, path)
    place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    names = chain([place], (place.with_name(f"{place.name}.{number}") for number in count(2)))
    shutil.move(folder / path, next(one for one in names if not one.exists()))


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
