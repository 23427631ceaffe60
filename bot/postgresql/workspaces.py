"""Files of workspaces in PostgreSQL: they change in the transaction in which what changed them is acknowledged."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import AsyncIterator, Callable, Collection, Iterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
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
"""In a folder with a copy of files of the database: the digests of these as they were fetched, or were sent there."""

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
    """The files of all agents, and by agent the folders with this process's copies, and what it noted of them last."""

    folders: Mapping[str, Path]
    noted: dict[str, Mapping[str, str]] = field(default_factory=dict)

    def push(self, db: Database, grant: Grant) -> int:
        """Write what has changed in an agent's folder, in the transaction that checks the grant; return how many."""
        folder, known = self.folders[grant.agent], versions(db, grant.agent)
        found, digests = dict(files(folder)), {path: one.digest for path, one in known.items()}
        if self.noted.get(grant.agent) != digests:  # what is written now is noted by the next look, once it is safe
            note_copy(folder, digests)
            self.noted[grant.agent] = digests
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
            if (digest_of(target.read_bytes()) if target.exists() else "") != digest:
                continue  # the edit was made of an older version: whoever made it is told by `sync`
            if body is None:
                target.unlink(missing_ok=True)
            else:
                put(target, bytes(body))
        if rows:
            db.execute("DELETE FROM ws_edit WHERE agent = ?", (grant.agent,))
            self.push(db, grant)

    def pull(self, db: Database, agent: str) -> tuple[int, list[Path]]:
        """Make an agent's folder what the database has; return as `checkout` does."""
        return checkout(db, agent, self.folders[agent], takes_all=True)


def versions(db: Database, agent: str) -> dict[str, FileVersion]:
    """Return the files of an agent by path."""
    sql = "SELECT path, version, digest, size, mtime FROM ws_file WHERE agent = ?"
    return {row[0]: FileVersion(*row) for row in db.execute(sql, (agent,)).fetchall()}


def checkout(
    db: Database,
    agent: str,
    folder: Path,
    *,
    keep: Collection[str] = (),
    takes_all: bool = False,
    empties: bool = False,
    unless: Callable[[], object] = lambda: False,
) -> tuple[int, list[Path]]:
    """Make a folder what the database has; return how many files changed, and where to some were put aside.

    A file that is in the way, and is not as the database has ever had it, is what a person wrote: it is moved into
    `<folder>.before`. Where the database has nothing yet, the folder stays as it is: the next `push` brings it there.

    With `takes_all`, files that the database has never had are put aside, too, and with `empties` even where it has
    nothing. Those to `keep` stay as they are. `unless` is asked while nobody else fetches into the folder.
    """
    from filelock import FileLock

    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with FileLock(folder / f"{CHECKED_OUT}.lock", thread_local=False):
        known = {} if unless() else versions(db, agent)
        if not (known or empties):
            return 0, []
        found, base, aside, changed = dict(files(folder)), noted_copy(folder), list[Path](), 0
        copy = {path: digest for path, digest in base.items() if path in keep}
        for path in (found.keys() | known.keys()) - {*keep}:
            stat, version, target = found.get(path), known.get(path), inside(folder, path)
            if not version and not (takes_all or path in base):
                continue
            is_same = stat and version and (stat.st_size, stat.st_mtime_ns) == (version.size, version.mtime)
            here = version.digest if version and is_same else digest_of(target.read_bytes()) if stat else ""
            if not version or here != version.digest:
                changed += 1
                if stat and here != base.get(path):
                    aside.append(_put_aside(folder, path))
                elif not version:
                    target.unlink()
            if version:
                if here != version.digest:
                    put(target, body := read(db, agent, path))
                    here = digest_of(body)
                copy[path] = here
                os.utime(target, ns=(version.mtime, version.mtime))
        note_copy(folder, copy)
    return changed, sorted(aside)


def note_copy(folder: Path, digests: Mapping[str, str]) -> None:
    """Note in a folder which contents the database has had, so that what a person writes is told from these."""
    put(folder / CHECKED_OUT, json.dumps(digests))


def noted_copy(folder: Path) -> dict[str, str]:
    """Return what was noted of a folder's files; nothing if that is missing or broken."""
    with suppress(FileNotFoundError, ValueError):
        found: dict[str, str] = json.loads(folder.joinpath(CHECKED_OUT).read_text(encoding="utf-8"))
        return found
    return {}


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


def _put_aside(folder: Path, path: str) -> Path:
    """Move a file of a folder to where it is out of the way, beside what was put there before; return its new place."""
    place = inside(folder.with_name(f"{folder.name}.before"), path)
    place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    names = chain([place], (place.with_name(f"{place.name}.{number}") for number in count(2)))
    free = next(one for one in names if not one.exists())
    shutil.move(folder / path, free)
    return free


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
    async def open(cls, url: str, agent: str, folder: Path, *, looks: bool = False) -> AsyncIterator[Self]:
        """Connect; raises `StateError`. Who only looks leaves the tables to others."""
        async with PostgresPool.open(url, size=1) as pool:
            if not looks:
                await pool.run(lambda db: schema.migrate(db.raw))
            yield cls(PostgresStatements(pool), agent, folder)

    async def fetch(
        self, *, keep: Collection[str] = (), unless: Callable[[], object] = lambda: False
    ) -> tuple[int, list[Path]]:
        """Make the folder what the database has, but for these files; takes and returns what `checkout` does."""
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not await self.statements.has("ws_file"):
            return 0, []
        return await self.statements.write(lambda db: checkout(db, self.agent, self.folder, keep=keep, unless=unless))

    async def send(self) -> tuple[set[str], set[str]]:
        """Put what was edited here beside the files; return which, and what has changed on both sides."""
        base = noted_copy(self.folder)
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
