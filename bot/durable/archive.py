"""Transcripts, read back: by a running service on a connection of its own, or beside it by another process."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator, Collection, Sequence
from contextlib import asynccontextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

from bot.durable.connection import read_only
from bot.durable.port import Earlier, Entry, EntryKind, Recorded, Session
from bot.durable.reader import Reader
from bot.session.key import SessionKey

NO_END = 2**63 - 1
"""Above every `seq`."""


class Archive:
    """What was said, and what answers rested on, as `bot.durable.port.Coordinator` hands it over."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader

    async def agents(self) -> tuple[str, ...]:
        """Who ever had a message, also those that have left the configuration since."""
        return tuple(name for (name,) in await self._reader.agents())

    async def last(self, session: SessionKey, kind: EntryKind, *, after: int = 0) -> Entry | None:
        """The newest entry of one kind in a conversation."""
        rows = await self._reader.last_entry(session.agent, str(session), kind.value, after=after)
        return next((Entry(kind, turn, datetime.fromisoformat(at), body) for turn, at, body in rows), None)

    async def last_reset(self, session: SessionKey) -> int:
        """The `seq` of a conversation's last `reset`; 0 if there was none."""
        return await self._reader.last_reset(session.agent, str(session))

    async def transcript(
        self, agent: str, session: str, *, after: int = 0, limit: int | None = None
    ) -> tuple[Recorded, ...]:
        """A conversation's entries with a `seq` above `after`, in order; the oldest `limit` of them."""
        rows = await self._reader.entries(agent, session, after=after, limit=-1 if limit is None else limit)
        return tuple(map(_recorded, rows))

    async def newest(
        self,
        session: SessionKey,
        *,
        after: int,
        before: int | None = None,
        limit: int,
        kinds: Collection[EntryKind] = tuple(EntryKind),
    ) -> tuple[Recorded, ...]:
        """The newest `limit` entries of some kinds with a `seq` above `after` and below `before`, in order."""
        rows = await self._reader.newest(
            session.agent,
            str(session),
            after=after,
            before=before if before is not None else NO_END,
            limit=limit,
            kinds=[kind.value for kind in kinds],
        )
        return tuple(map(_recorded, reversed(rows)))

    async def earlier(self, session: SessionKey, *, after: int, before: int) -> Earlier:
        """What is known of the entries between two places."""
        return Earlier(*await self._reader.earlier(session.agent, str(session), after=after, before=before))

    async def holds(self, session: SessionKey, turn: str, *, after: int) -> bool:
        """Whether a turn has an entry with a `seq` above `after`."""
        return await self._reader.holds(session.agent, str(session), turn, after=after)

    async def current(self, session: SessionKey) -> Session | None:
        """What has been recorded since the last `reset`, without its words."""
        reset = await self.last_reset(session)
        rows = await self._reader.summary(session.agent, str(session), after=reset)
        found = (_session(session.agent, (str(session), *row, False)) for row in rows)
        return next(found, None)

    async def sessions(self, agent: str) -> tuple[Session, ...]:
        """An agent's sessions, the one that was used last first."""
        return tuple(_session(agent, row) for row in await self._reader.sessions(agent))


@asynccontextmanager
async def open_archive(path: Path) -> AsyncIterator[Archive]:
    """Read the state file beside whoever writes it, or when nobody does.

    Raises:
        StateError: there is no such file, it is not ours, of a newer schema, or damaged.
    """
    async with read_only(path) as db:
        yield Archive(Reader(db, path))


def _session(agent: str, row: Sequence[Any]) -> Session:
    key, first, last, began, used, entries, messages, is_over = row
    return Session(
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


def _recorded(row: sqlite3.Row) -> Recorded:
    seq, kind, turn, at, body = row
    return Recorded(seq, Entry(EntryKind(kind), turn, datetime.fromisoformat(at), body))
