"""Dead letters: messages and parts that were given up, to be looked at and tried again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Literal

import aiosqlite

from bot.durable import statements
from bot.durable.connection import read_only
from bot.durable.reader import Reader
from bot.durable.writer import Writer


@dataclass(frozen=True, slots=True)
class DeadLetter:
    """Something that was given up.

    Attributes:
        kind: a `message` that could not be answered, or a `part` of an answer that could not be delivered.
        agent: whose.
        seq: its place in the agent's order.
        at: when it was accepted, or owed.
        where: the session, or the bot account.
        reason: why it was given up.
    """

    kind: Literal["message", "part"]
    agent: str
    seq: int
    at: datetime
    where: str
    reason: str

    @property
    def id(self) -> str:
        """How people name it: `personal:17`."""
        return f"{self.agent}:{self.seq}"


class DeadLetters:
    """The dead letters of a state file.

    Args:
        writer: brings them back.
        reader: finds them.
        revived: called with the agent that has something to do again.
    """

    def __init__(self, writer: Writer, reader: Reader, *, revived: Callable[[str], None]) -> None:
        self._writer = writer
        self._reader = reader
        self._revived = revived

    async def list(self) -> tuple[DeadLetter, ...]:
        """All of them, the oldest first."""
        return await _listed(self._reader)

    async def retry(self, letter: DeadLetter) -> None:
        """Put one back at the end of the line, as if it had never been tried. A part may arrive a second time."""

        async def revive(db: aiosqlite.Connection) -> None:
            seq = await statements.number(db, letter.agent)
            if letter.kind == "message":
                sql = """UPDATE inbox SET seq = ?, state = 'waiting', reason = '', turn = NULL, attempts = 0
                         WHERE agent = ? AND seq = ? AND state = 'dead'"""
            else:
                sql = """UPDATE outbox SET seq = ?, state = 'queued', note = ''
                         WHERE agent = ? AND seq = ? AND state = 'dead'"""
            await db.execute(sql, (seq, letter.agent, letter.seq))

        await self._writer.write(revive, then=lambda: self._revived(letter.agent))


async def dead_letters(path: Path) -> tuple[DeadLetter, ...]:
    """Those of a state file, beside whoever writes it; none if there is no such file yet.

    Raises:
        StateError: the file is not ours, of a newer schema, or damaged.
    """
    if not path.exists():
        return ()
    async with read_only(path) as db:
        return await _listed(Reader(db, path))


async def _listed(reader: Reader) -> tuple[DeadLetter, ...]:
    return tuple(
        DeadLetter(kind, agent, seq, datetime.fromisoformat(at), where, reason)
        for kind, agent, seq, at, where, reason in await reader.dead()
    )
