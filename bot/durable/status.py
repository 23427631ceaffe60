"""How much waits, read beside a running service or without one."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from bot.durable.connection import failures, read_only
from bot.durable.reader import Reader


@dataclass(frozen=True, slots=True)
class Depth:
    """How much one agent has to do.

    Attributes:
        agent: its name.
        waiting: messages without an answer.
        oldest: when the oldest of them was accepted; None if none waits.
        owed: parts of replies that are not delivered.
        dead: messages and parts that were given up.
    """

    agent: str
    waiting: int
    oldest: datetime | None
    owed: int
    dead: int


_DEPTHS = """
SELECT agent,
  (SELECT count(*) FROM inbox  WHERE agent = a.agent AND state = 'waiting'),
  (SELECT min(at)  FROM inbox  WHERE agent = a.agent AND state = 'waiting'),
  (SELECT count(*) FROM outbox WHERE agent = a.agent AND state IN ('queued', 'sending')),
  (SELECT count(*) FROM inbox  WHERE agent = a.agent AND state = 'dead') +
  (SELECT count(*) FROM outbox WHERE agent = a.agent AND state = 'dead')
FROM agent AS a ORDER BY agent
"""


async def depths(path: Path) -> tuple[Depth, ...]:
    """One `Depth` for each agent that ever had a message; none if there is no state file yet.

    Raises:
        StateError: the file is not ours, of a newer schema, or damaged.
    """
    if not path.exists():
        return ()
    async with read_only(path) as db:
        with failures(path, "Reading"):
            rows = await db.execute_fetchall(_DEPTHS)
    return tuple(
        Depth(agent, waiting, datetime.fromisoformat(oldest) if oldest else None, owed, dead)
        for agent, waiting, oldest, owed, dead in rows
    )


async def marks(path: Path, account: str) -> dict[str, str]:
    """The marks of an account; none in a file of an older version."""
    async with read_only(path) as db:
        with failures(path, "Reading"):
            if not list(await db.execute_fetchall("SELECT 1 FROM sqlite_schema WHERE name = 'mark'")):
                return {}
        return {str(name): str(value) for name, value in await Reader(db, path).marks(account)}
