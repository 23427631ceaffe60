"""Transcripts, read back: by a running service on a connection of its own, or beside it by another process."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime
from pathlib import Path

from bot.durable.connection import read_only
from bot.durable.port import Entry, EntryKind, Recorded, Session
from bot.durable.reader import Reader
from bot.session.key import SessionKey


class Archive:
    """What was said, and what answers rested on, as `bot.durable.port.Coordinator` hands it over."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader

    async def agents(self) -> tuple[str, ...]:
        """Who ever had a message, also those that have left the configuration since."""
        return tuple(name for (name,) in await self._reader.agents())

    async def last(self, session: SessionKey, kind: EntryKind) -> Entry | None:
        """The newest entry of one kind in a conversation."""
        rows = await self._reader.last_entry(session.agent, str(session), kind.value)
        return next((Entry(kind, turn, datetime.fromisoformat(at), body) for turn, at, body in rows), None)

    async def transcript(self, agent: str, session: str, *, after: int = 0) -> tuple[Recorded, ...]:
        """A conversation's entries with a `seq` above `after`, in order."""
        return tuple(map(_recorded, await self._reader.entries(agent, session, after=after)))

    async def since_reset(self, session: SessionKey) -> tuple[Recorded, ...]:
        """A conversation's entries after the last `reset`, in order."""
        reset = await self._reader.last_reset(session.agent, str(session))
        return await self.transcript(session.agent, str(session), after=reset)

    async def sessions(self, agent: str) -> tuple[Session, ...]:
        """An agent's sessions, the one that was used last first."""
        return tuple(
            Session(
                agent=agent,
                key=key,
                first=first,
                last=last,
                began=datetime.fromisoformat(began),
                used=datetime.fromisoformat(used),
                entries=entries,
                messages=messages,
                is_over=bool(is_over),
            )
            for key, first, last, began, used, entries, messages, is_over in await self._reader.sessions(agent)
        )


@asynccontextmanager
async def open_archive(path: Path) -> AsyncIterator[Archive]:
    """Read the state file beside whoever writes it, or when nobody does.

    Raises:
        StateError: there is no such file, it is not ours, of a newer schema, or damaged.
    """
    async with read_only(path) as db:
        yield Archive(Reader(db, path))


def _recorded(row: sqlite3.Row) -> Recorded:
    seq, kind, turn, at, body = row
    return Recorded(seq, Entry(EntryKind(kind), turn, datetime.fromisoformat(at), body))
