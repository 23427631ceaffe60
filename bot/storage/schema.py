"""The schema of the state file, and its migrations.

The agent comes first in every key, so that the same statements serve a database that is partitioned by agent. What is
known before an agent is found is the exception, and is kept per bot account or person: a repeated update must be
recognised even after its chat was given to another agent.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from itertools import chain
from pathlib import Path

from bot.errors import NewerState, StateError
from bot.paths import flush
from bot.texts.catalogue import tr

Migration = Sequence[str]
"""The statements that lead from one version of the schema to the next."""

APPLICATION_ID = int.from_bytes(b"jay1", "big")
"""Marks the file as ours (`PRAGMA application_id`)."""


MIGRATIONS: tuple[Migration, ...] = (
    # 1: Agents, inbox, outbox, transcript.
    (
        """CREATE TABLE agent (
      agent    TEXT    NOT NULL PRIMARY KEY,
      owner    TEXT    NOT NULL DEFAULT '',
      epoch    INTEGER NOT NULL DEFAULT 0,
      next_seq INTEGER NOT NULL DEFAULT 1
    ) STRICT, WITHOUT ROWID""",
        """CREATE TABLE seen (
      account   TEXT NOT NULL,
      update_id TEXT NOT NULL,
      at        TEXT NOT NULL,
      PRIMARY KEY (account, update_id)
    ) STRICT, WITHOUT ROWID""",
        """CREATE TABLE inbox (
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
        """CREATE TABLE outbox (
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
        """CREATE TABLE transcript (
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
    ),
    # 2: What tools are about to do, and have done, in a turn that has not ended.
    (
        """CREATE TABLE effect (
             agent  TEXT    NOT NULL,
             turn   TEXT    NOT NULL,
             number INTEGER NOT NULL,
             call   TEXT    NOT NULL,
             result TEXT,
             PRIMARY KEY (agent, turn, number)
           ) STRICT, WITHOUT ROWID""",
    ),
    # 3: Placeholders, found by the id of the part that they stand for.
    (
        "ALTER TABLE outbox ADD COLUMN id TEXT NOT NULL DEFAULT ''",
        """CREATE TABLE placed (
             agent   TEXT NOT NULL,
             id      TEXT NOT NULL,
             message TEXT NOT NULL,
             PRIMARY KEY (agent, id)
           ) STRICT, WITHOUT ROWID""",
    ),
    # 4: Who was let in or asks to be, which agent a chat has chosen, which identities are one person; adapters' marks.
    (
        """CREATE TABLE person (
      identity TEXT NOT NULL PRIMARY KEY,
      role     TEXT NOT NULL CHECK (role IN ('owner', 'guest')),
      name     TEXT NOT NULL,
      at       TEXT NOT NULL
    ) STRICT, WITHOUT ROWID""",
        """CREATE TABLE pairing (
      account   TEXT NOT NULL,
      identity  TEXT NOT NULL,
      name      TEXT NOT NULL,
      code      TEXT NOT NULL,
      update_id TEXT NOT NULL,
      at        TEXT NOT NULL,
      PRIMARY KEY (account, identity)
    ) STRICT, WITHOUT ROWID""",
        """CREATE TABLE choice (
      account TEXT NOT NULL,
      chat    TEXT NOT NULL,
      thread  TEXT NOT NULL,
      agent   TEXT NOT NULL,
      PRIMARY KEY (account, chat, thread)
    ) STRICT, WITHOUT ROWID""",
        """CREATE TABLE link (
      identity  TEXT NOT NULL PRIMARY KEY,
      principal TEXT NOT NULL,
      at        TEXT NOT NULL
    ) STRICT, WITHOUT ROWID""",
        """CREATE TABLE mark (
      account TEXT NOT NULL,
      name    TEXT NOT NULL,
      value   TEXT NOT NULL,
      PRIMARY KEY (account, name)
    ) STRICT, WITHOUT ROWID""",
    ),
    # 5: Chats whose platform has changed their id, and how they were known before.
    (
        """CREATE TABLE move (
             account  TEXT NOT NULL,
             chat     TEXT NOT NULL,
             known_as TEXT NOT NULL,
             PRIMARY KEY (account, chat)
           ) STRICT, WITHOUT ROWID""",
    ),
    # 6: What models have taken for each agent, day by day on the owner's clock.
    (
        """CREATE TABLE usage (
             agent      TEXT    NOT NULL,
             day        TEXT    NOT NULL,
             answers    INTEGER NOT NULL,
             prompt     INTEGER NOT NULL,
             cached     INTEGER NOT NULL,
             completion INTEGER NOT NULL,
             unreported INTEGER NOT NULL,
             PRIMARY KEY (agent, day)
           ) STRICT, WITHOUT ROWID""",
    ),
    # 7: The conversation of an answer, and whether other people's words may be in it; unknown for earlier ones.
    (
        "ALTER TABLE outbox ADD COLUMN session TEXT NOT NULL DEFAULT ''",
        "ALTER TABLE outbox ADD COLUMN is_foreign INTEGER NOT NULL DEFAULT 1",
        "CREATE INDEX outbox_said ON outbox (agent, session, note, seq) WHERE state = 'delivered'",
    ),
    # 8: How much a person, a chat, or all guests together have asked in a span of time.
    (
        """CREATE TABLE asked (
             subject TEXT    NOT NULL,
             span    TEXT    NOT NULL,
             began   TEXT    NOT NULL,
             turns   INTEGER NOT NULL,
             tokens  INTEGER NOT NULL,
             refused INTEGER NOT NULL,
             is_told INTEGER NOT NULL,
             PRIMARY KEY (subject, span)
           ) STRICT, WITHOUT ROWID""",
    ),
    # 9: Whether a long conversation is foreign is known without reading it: as `transcripts.HAS_FOREIGN` asks.
    # A quotation mark within a text has a backslash before it, so no text can look like a field.
    (
        """CREATE INDEX transcript_foreign ON transcript (agent, session, seq)
           WHERE kind = 'message'
             AND (instr(body, '"is_foreign": true') > 0
               OR instr(body, '"is_foreign": ') + instr(body, '"shown_as": ') = 0)
             AND (instr(body, '"text": "/') = 0 OR instr(body, '"shown_as": ') > 0)""",
    ),
    # 10: Events that could not be read; those of strangers have one row for each account, which only counts them.
    (
        """CREATE TABLE quarantine (
             account   TEXT    NOT NULL,
             update_id TEXT    NOT NULL,
             count     INTEGER NOT NULL,
             reason    TEXT    NOT NULL,
             kept      TEXT    NOT NULL DEFAULT '',
             at        TEXT    NOT NULL,
             is_over   INTEGER NOT NULL DEFAULT FALSE,
             PRIMARY KEY (account, update_id)
           ) STRICT, WITHOUT ROWID""",
    ),
    # 11: How many processes in a row have crashed; in how many attempts at a turn one did while no other was under way.
    (
        "ALTER TABLE agent ADD COLUMN crashes INTEGER NOT NULL DEFAULT 0",
        "ALTER TABLE inbox ADD COLUMN is_under_way INTEGER NOT NULL DEFAULT FALSE",
        "ALTER TABLE inbox ADD COLUMN deaths INTEGER NOT NULL DEFAULT 0",
    ),
    # 12: What the owner has set for single chats with `/settings`.
    (
        """CREATE TABLE chat_setting (
             account TEXT NOT NULL,
             chat    TEXT NOT NULL,
             name    TEXT NOT NULL,
             value   TEXT NOT NULL,
             PRIMARY KEY (account, chat, name)
           ) STRICT, WITHOUT ROWID""",
    ),
    # 13: What people think of answers; a message is named by its platform's id, as the outbox notes it.
    (
        """CREATE TABLE rating (
             agent   TEXT NOT NULL,
             session TEXT NOT NULL,
             message TEXT NOT NULL,
             who     TEXT NOT NULL,
             what    TEXT NOT NULL CHECK (what IN ('up', 'down', 'none')),
             at      TEXT NOT NULL,
             PRIMARY KEY (agent, session, message, who)
           ) STRICT, WITHOUT ROWID""",
    ),
    # 14: What is to be done later; `due` is in UTC, so that it sorts by time.
    (
        """CREATE TABLE job (
             agent       TEXT    NOT NULL,
             name        TEXT    NOT NULL,
             due         TEXT    NOT NULL,
             body        TEXT    NOT NULL,
             is_readable INTEGER NOT NULL DEFAULT TRUE,
             PRIMARY KEY (agent, name)
           ) STRICT, WITHOUT ROWID""",
        "CREATE INDEX job_due ON job (agent, due) WHERE is_readable",
    ),
    # 15: What models have taken turn by turn, in which conversation and for whom; that was not told apart before.
    # `day` is one on the owner's clock, `at` is in UTC, so that it sorts by time.
    (
        "ALTER TABLE usage RENAME TO usage_of_day",
        """CREATE TABLE usage (
             agent      TEXT    NOT NULL,
             turn       TEXT    NOT NULL,
             model      TEXT    NOT NULL,
             day        TEXT    NOT NULL,
             at         TEXT    NOT NULL,
             session    TEXT    NOT NULL,
             person     TEXT    NOT NULL,
             answers    INTEGER NOT NULL,
             prompt     INTEGER NOT NULL,
             cached     INTEGER NOT NULL,
             completion INTEGER NOT NULL,
             unreported INTEGER NOT NULL,
             PRIMARY KEY (agent, turn, model)
           ) STRICT, WITHOUT ROWID""",
        """INSERT INTO usage
       SELECT agent, day, '', day, day, '', '', answers, prompt, cached, completion, unreported
       FROM usage_of_day""",
        "DROP TABLE usage_of_day",
        "CREATE INDEX usage_day ON usage (day)",
        "CREATE INDEX usage_session ON usage (agent, session, at)",
    ),
)
"""By number, forward only; the file's `user_version` counts how many it has been through."""


def migrate(db: sqlite3.Connection, path: Path, migrations: Sequence[Migration] = MIGRATIONS) -> None:
    """Bring a file to the newest schema in one transaction, so that a new file takes one sync of the disk.

    A file that has content is copied to `<name>.v<version>.bak` first. Raises `StateError` as `check` does.
    """
    version = check(db, path, len(migrations))
    if version == len(migrations):
        return
    if version:
        copy = path.with_name(f"{path.name}.v{version}.bak")
        copy.unlink(missing_ok=True)  # one of the same version came from a migration that did not end
        db.execute("VACUUM INTO ?", (str(copy),))
        flush(copy)
        flush(copy.parent)
    db.execute("BEGIN IMMEDIATE")
    for sql in chain.from_iterable(migrations[version:]):
        db.execute(sql)
    db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    db.execute(f"PRAGMA user_version = {len(migrations)}")
    db.execute("COMMIT")


def check(db: sqlite3.Connection, path: Path, newest: int = len(MIGRATIONS)) -> int:
    """Return the schema version of a file, 0 for an empty one; raises `StateError` if it is not ours, or newer."""
    pragmas = ("PRAGMA application_id", "PRAGMA user_version", "SELECT count(*) FROM sqlite_schema")
    (application,), (version,), (objects,) = [row for sql in pragmas for row in db.execute(sql).fetchall()]
    if application != APPLICATION_ID and (objects or version):
        message = tr("{path} is an SQLite file of another program.", path=path)
        raise StateError(message, hint=tr("Move it away, or point SCRUBJAY_HOME to a folder of its own."))
    if version > newest:
        known = {"path": path, "name": path.name, "version": version, "newest": newest}
        message = tr("{path} was written by a newer Scrubjay (schema {version}; this one knows {newest}).", **known)
        hint = tr("Install the newer version again, or go back to the copy {name}.v{newest}.bak beside it.", **known)
        raise NewerState(message, hint=hint)
    return int(version)
