"""The state file's schema, and the way from every earlier one to it.

The agent comes first in every key, so that the same statements serve a database that is spread by agent. What is known
before an agent is found is the exception, and is kept per bot account or person: a repeated update must be recognised
even after its chat was given to another agent.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

import aiosqlite

from bot.errors import StateError

Migration = Callable[[aiosqlite.Connection], Awaitable[None]]

APPLICATION_ID = int.from_bytes(b"jay1", "big")
"""Marks the file as ours (`PRAGMA application_id`)."""


_VERSION_1 = (
    """
    CREATE TABLE agent (
      agent    TEXT    NOT NULL PRIMARY KEY,
      owner    TEXT    NOT NULL DEFAULT '',
      epoch    INTEGER NOT NULL DEFAULT 0,
      next_seq INTEGER NOT NULL DEFAULT 1
    ) STRICT, WITHOUT ROWID""",
    """
    CREATE TABLE seen (
      account   TEXT NOT NULL,
      update_id TEXT NOT NULL,
      at        TEXT NOT NULL,
      PRIMARY KEY (account, update_id)
    ) STRICT, WITHOUT ROWID""",
    """
    CREATE TABLE inbox (
      agent    TEXT    NOT NULL,
      seq      INTEGER NOT NULL,
      session  TEXT    NOT NULL,
      at       TEXT    NOT NULL,
      state    TEXT    NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'dead')),
      turn     INTEGER,
      attempts INTEGER NOT NULL DEFAULT 0,
      reason   TEXT    NOT NULL DEFAULT '',
      body     TEXT    NOT NULL,
      PRIMARY KEY (agent, seq)
    ) STRICT""",
    """
    CREATE TABLE outbox (
      agent   TEXT    NOT NULL,
      seq     INTEGER NOT NULL,
      account TEXT    NOT NULL,
      at      TEXT    NOT NULL,
      state   TEXT    NOT NULL DEFAULT 'queued' CHECK (state IN ('queued', 'sending', 'delivered', 'dead')),
      note    TEXT    NOT NULL DEFAULT '',
      body    TEXT    NOT NULL,
      PRIMARY KEY (agent, seq)
    ) STRICT""",
    "CREATE INDEX outbox_owed ON outbox (agent, seq) WHERE state IN ('queued', 'sending')",
    """
    CREATE TABLE transcript (
      agent   TEXT    NOT NULL,
      session TEXT    NOT NULL,
      seq     INTEGER NOT NULL,
      kind    TEXT    NOT NULL,
      turn    TEXT    NOT NULL,
      at      TEXT    NOT NULL,
      body    TEXT    NOT NULL,
      PRIMARY KEY (agent, session, seq)
    ) STRICT""",
    "CREATE INDEX transcript_kind ON transcript (agent, session, kind, seq)",
)
"""Agents, inbox, outbox, transcript."""


async def _lay_out(db: aiosqlite.Connection) -> None:
    for statement in _VERSION_1:
        await db.execute(statement)


async def _keep_effects(db: aiosqlite.Connection) -> None:
    """Version 2: what tools are about to do, and have done, in a turn that has not ended."""
    await db.execute(
        """CREATE TABLE effect (
             agent  TEXT    NOT NULL,
             turn   TEXT    NOT NULL,
             number INTEGER NOT NULL,
             call   TEXT    NOT NULL,
             result TEXT,
             PRIMARY KEY (agent, turn, number)
           ) STRICT, WITHOUT ROWID"""
    )


async def _place(db: aiosqlite.Connection) -> None:
    """Version 3: placeholders, found by the id of the part that they stand for."""
    await db.execute("ALTER TABLE outbox ADD COLUMN id TEXT NOT NULL DEFAULT ''")
    await db.execute(
        """CREATE TABLE placed (
             agent   TEXT NOT NULL,
             id      TEXT NOT NULL,
             message TEXT NOT NULL,
             PRIMARY KEY (agent, id)
           ) STRICT, WITHOUT ROWID"""
    )


_VERSION_4 = (
    """
    CREATE TABLE person (
      identity TEXT NOT NULL PRIMARY KEY,
      role     TEXT NOT NULL CHECK (role IN ('owner', 'guest')),
      name     TEXT NOT NULL,
      at       TEXT NOT NULL
    ) STRICT, WITHOUT ROWID""",
    """
    CREATE TABLE pairing (
      account   TEXT NOT NULL,
      identity  TEXT NOT NULL,
      name      TEXT NOT NULL,
      code      TEXT NOT NULL,
      update_id TEXT NOT NULL,
      at        TEXT NOT NULL,
      PRIMARY KEY (account, identity)
    ) STRICT, WITHOUT ROWID""",
    """
    CREATE TABLE choice (
      account TEXT NOT NULL,
      chat    TEXT NOT NULL,
      thread  TEXT NOT NULL,
      agent   TEXT NOT NULL,
      PRIMARY KEY (account, chat, thread)
    ) STRICT, WITHOUT ROWID""",
    """
    CREATE TABLE link (
      identity  TEXT NOT NULL PRIMARY KEY,
      principal TEXT NOT NULL,
      at        TEXT NOT NULL
    ) STRICT, WITHOUT ROWID""",
    """
    CREATE TABLE mark (
      account TEXT NOT NULL,
      name    TEXT NOT NULL,
      value   TEXT NOT NULL,
      PRIMARY KEY (account, name)
    ) STRICT, WITHOUT ROWID""",
)
"""Who was let in, who asks to be, which agent a chat has chosen, which identities are one person; adapters' marks."""


async def _register(db: aiosqlite.Connection) -> None:
    for statement in _VERSION_4:
        await db.execute(statement)


async def _follow(db: aiosqlite.Connection) -> None:
    """Version 5: chats that their platform has given another id, and how they were known before."""
    await db.execute(
        """CREATE TABLE move (
             account  TEXT NOT NULL,
             chat     TEXT NOT NULL,
             known_as TEXT NOT NULL,
             PRIMARY KEY (account, chat)
           ) STRICT, WITHOUT ROWID"""
    )


async def _count(db: aiosqlite.Connection) -> None:
    """Version 6: what models have taken for each agent, day by day on the owner's clock."""
    await db.execute(
        """CREATE TABLE usage (
             agent      TEXT    NOT NULL,
             day        TEXT    NOT NULL,
             answers    INTEGER NOT NULL,
             prompt     INTEGER NOT NULL,
             cached     INTEGER NOT NULL,
             completion INTEGER NOT NULL,
             unreported INTEGER NOT NULL,
             PRIMARY KEY (agent, day)
           ) STRICT, WITHOUT ROWID"""
    )


async def _answer(db: aiosqlite.Connection) -> None:
    """Version 7: whose answer a part is, and whether others' words may be in it; of earlier ones that is not known."""
    await db.execute("ALTER TABLE outbox ADD COLUMN session TEXT NOT NULL DEFAULT ''")
    await db.execute("ALTER TABLE outbox ADD COLUMN is_foreign INTEGER NOT NULL DEFAULT 1")
    await db.execute("CREATE INDEX outbox_said ON outbox (agent, session, note, seq) WHERE state = 'delivered'")


async def _limit(db: aiosqlite.Connection) -> None:
    """Version 8: how much somebody, a chat, or all guests together have asked in a span of time."""
    await db.execute(
        """CREATE TABLE asked (
             subject TEXT    NOT NULL,
             span    TEXT    NOT NULL,
             began   TEXT    NOT NULL,
             turns   INTEGER NOT NULL,
             tokens  INTEGER NOT NULL,
             refused INTEGER NOT NULL,
             is_told INTEGER NOT NULL,
             PRIMARY KEY (subject, span)
           ) STRICT, WITHOUT ROWID"""
    )


async def _mark_foreign(db: aiosqlite.Connection) -> None:
    """Version 9: whether a long conversation is foreign is known without reading it.

    This is what `bot.sessions.transcript.read_foreign` says of single messages that are no commands. A quotation mark
    within a text has a backslash before it, so no text can look like a field.
    """
    await db.execute(
        """CREATE INDEX transcript_foreign ON transcript (agent, session, seq)
           WHERE kind = 'message'
             AND (instr(body, '"is_foreign": true') > 0
               OR instr(body, '"is_foreign": ') + instr(body, '"shown_as": ') = 0)
             AND (instr(body, '"text": "/') = 0 OR instr(body, '"shown_as": ') > 0)"""
    )


async def _quarantine(db: aiosqlite.Connection) -> None:
    """Version 10: events that could not be taken; of strangers' one row for each account, which only counts them."""
    await db.execute(
        """CREATE TABLE quarantine (
             account   TEXT    NOT NULL,
             update_id TEXT    NOT NULL,
             count     INTEGER NOT NULL,
             reason    TEXT    NOT NULL,
             kept      TEXT    NOT NULL DEFAULT '',
             at        TEXT    NOT NULL,
             is_over   INTEGER NOT NULL DEFAULT FALSE,
             PRIMARY KEY (account, update_id)
           ) STRICT, WITHOUT ROWID"""
    )


MIGRATIONS: tuple[Migration, ...] = (
    _lay_out,
    _keep_effects,
    _place,
    _register,
    _follow,
    _count,
    _answer,
    _limit,
    _mark_foreign,
    _quarantine,
)
"""Forward only; the file's `user_version` counts how many it has been through."""

WITH_REGISTER = MIGRATIONS.index(_follow) + 1
"""The first version that knows all of people and chats."""

WITH_QUARANTINE = MIGRATIONS.index(_quarantine) + 1
"""The first version that knows of events that could not be taken."""


async def migrate(db: aiosqlite.Connection, path: Path, migrations: Sequence[Migration] = MIGRATIONS) -> None:
    """Bring a file to the newest schema. A file that has content is copied to `<name>.v<version>.bak` first.

    Raises:
        StateError: the file belongs to another program or to a newer Scrubjay.
    """
    version = await check(db, path, len(migrations))
    if 0 < version < len(migrations):
        await _back_up(db, path.with_name(f"{path.name}.v{version}.bak"))
    for number, step in enumerate(migrations[version:], start=version + 1):
        await db.execute("BEGIN IMMEDIATE")
        await step(db)
        await db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        await db.execute(f"PRAGMA user_version = {number}")
        await db.execute("COMMIT")


async def check(db: aiosqlite.Connection, path: Path, newest: int = len(MIGRATIONS)) -> int:
    """The schema version of a file; 0 for one that is empty.

    Raises:
        StateError: the file belongs to another program or to a newer Scrubjay.
    """
    application, version, objects = await _marks(db)
    if application != APPLICATION_ID and (objects or version):
        raise StateError(
            f"{path} is an SQLite file of another program.",
            hint="Move it away, or point SCRUBJAY_HOME to a folder of its own.",
        )
    if version > newest:
        raise StateError(
            f"{path} was written by a newer Scrubjay (schema {version}; this one knows {newest}).",
            hint=f"Install the newer version again, or go back to the copy {path.name}.v{newest}.bak beside it.",
        )
    return version


async def _marks(db: aiosqlite.Connection) -> tuple[int, int, int]:
    statements = ("PRAGMA application_id", "PRAGMA user_version", "SELECT count(*) FROM sqlite_schema")
    rows = [row for sql in statements for row in await db.execute_fetchall(sql)]
    (application,), (version,), (objects,) = rows
    return application, version, objects


async def _back_up(db: aiosqlite.Connection, target: Path) -> None:
    """Copy the file as it stands; an earlier copy of the same version came from a migration that did not end."""
    target.unlink(missing_ok=True)
    await db.execute("VACUUM INTO ?", (str(target),))
    await asyncio.to_thread(_sync, target)
    await asyncio.to_thread(_sync, target.parent)


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
