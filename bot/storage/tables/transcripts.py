"""Transcripts: how they are read from the state file, and how their entries make sessions."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

from bot.storage.keys import SessionKey
from bot.storage.port import Earlier, EntryKind, Recorded, Session, TranscriptEntry
from bot.storage.statements import StatementReader

FEW = 20
"""So many entries at most are read where they are asked for; more of them, in which long texts may be, by a thread."""

PAGE = 200
"""Entries that are read at a time."""

NO_END = 2**63 - 1
"""Above every `seq`."""

NEWEST = """SELECT seq, kind, turn, at, body FROM transcript
    WHERE agent = ? AND session = ? AND seq > ? AND seq < ? AND kind || '' IN (SELECT value FROM json_each(?))
    ORDER BY seq DESC LIMIT ?"""
"""With something put behind the kind SQLite walks the entries backwards instead of sorting them."""

NEWEST_OF_KIND = """SELECT seq, kind, turn, at, body FROM transcript
    WHERE agent = ? AND session = ? AND seq > ? AND seq < ? AND kind = ?
    ORDER BY seq DESC LIMIT ?"""
"""One kind may be rare; the index of kinds has its entries in order."""

HAS_FOREIGN = """SELECT EXISTS (SELECT 1 FROM transcript INDEXED BY transcript_foreign
           WHERE agent = ? AND session = ? AND seq > ? AND seq < ?
             AND kind = 'message'
             AND (instr(body, '"is_foreign": true') > 0
               OR instr(body, '"is_foreign": ') + instr(body, '"shown_as": ') = 0)
             AND (instr(body, '"text": "/') = 0 OR instr(body, '"shown_as": ') > 0))"""
"""Whether a message is, by itself, foreign (`read_foreign`) and no command: the condition has to be that of the partial
index, which answers without any text."""


EVERY_CONVERSATION = """SELECT min(session) FROM transcript WHERE agent = ?1
      UNION ALL
      SELECT (SELECT min(session) FROM transcript WHERE agent = ?1 AND session > conversation.session)
      FROM conversation WHERE session IS NOT NULL"""

SESSIONS = """WITH RECURSIVE
    conversation (session) AS ({}),
    ending (session, last) AS (
      SELECT session,
        (SELECT max(seq) FROM transcript AS t WHERE t.agent = ?1 AND t.session = conversation.session AND t.seq > ?3)
      FROM conversation WHERE session IS NOT NULL
      UNION
      SELECT conversation.session, seq FROM conversation CROSS JOIN transcript
      WHERE transcript.session = conversation.session AND agent = ?1 AND kind = 'reset' AND seq > ?3),
    part (session, after, last) AS (
      SELECT session, coalesce(lag(last) OVER (PARTITION BY session ORDER BY last), ?3), last FROM ending),
    own (session, after, last, first) AS (
      SELECT *, (SELECT min(seq) FROM transcript AS t
                 WHERE t.agent = ?1 AND t.session = part.session AND t.seq > part.after) FROM part)
    SELECT own.session, own.first, own.last, opening.at, closing.at,
      (SELECT count(*) FROM transcript AS t
       WHERE t.agent = ?1 AND t.session = own.session AND t.seq > own.after AND t.seq <= own.last),
      (SELECT count(*) FROM transcript AS t WHERE t.agent = ?1 AND t.session = own.session
         AND t.kind = 'message' AND t.seq > own.after AND t.seq <= own.last),
      closing.kind = 'reset',
      (SELECT count(*) FROM transcript AS t WHERE t.agent = ?1 AND t.session = own.session
         AND t.kind = 'compaction' AND t.seq > own.after AND t.seq <= own.last
         AND instr(replace(t.body, ' ', ''), '"is_failed":true') + instr(replace(t.body, ' ', ''), '"summary":""') = 0),
      (SELECT max(t.at) FROM transcript AS t WHERE t.agent = ?1 AND t.session = own.session
         AND t.kind = 'flush' AND t.seq > own.after AND t.seq <= own.last)
    FROM own CROSS JOIN transcript AS opening CROSS JOIN transcript AS closing
    WHERE opening.agent = ?1 AND opening.session = own.session AND opening.seq = own.first
      AND closing.agent = ?1 AND closing.session = own.session AND closing.seq = own.last
    ORDER BY own.last DESC"""
"""The sessions of the conversations that are put in for `{}`, above a `seq`: each ends with a reset. All is counted in
the indexes; no text is read but those of compactions."""


def read_foreign(messages: Sequence[Mapping[str, Any]]) -> bool:
    """Return whether other people's words went into a turn, by the bodies of its messages; yes if none of them says.

    Earlier versions marked only turns of a model, and of those only the foreign ones.
    """
    return not messages or any(message.get("is_foreign", "shown_as" not in messages[-1]) for message in messages)


def split_first_turn(recorded: Sequence[Recorded]) -> tuple[tuple[Recorded, ...], tuple[Recorded, ...]]:
    """Return the entries of the first turn, of which there may be more before them, and those after it."""
    cut = next((at for at, one in enumerate(recorded) if one.entry.turn != recorded[0].entry.turn), len(recorded))
    return tuple(recorded[:cut]), tuple(recorded[cut:])


class TranscriptReader:
    """The transcripts of a state file; those methods of `bot.storage.coordinator.Coordinator` that read them."""

    def __init__(self, reader: StatementReader) -> None:
        self._reader = reader

    async def agents(self) -> tuple[str, ...]:
        """Return who ever had a message, also those that have left the configuration since."""
        return tuple(name for (name,) in await self._reader.rows("SELECT agent FROM agent ORDER BY agent"))

    async def last(self, session: SessionKey, kind: EntryKind, *, after: int = 0) -> TranscriptEntry | None:
        """Return the newest entry of one kind in a session's transcript with a `seq` above `after`."""
        sql = """SELECT turn, at, body FROM transcript
                 WHERE agent = ? AND session = ? AND kind = ? AND seq > ? ORDER BY seq DESC LIMIT 1"""
        rows = await self._reader.few_rows(sql, session.agent, str(session), kind.value, after)
        return next((TranscriptEntry(kind, turn, datetime.fromisoformat(at), body) for turn, at, body in rows), None)

    async def last_reset(self, session: SessionKey) -> int:
        """Return the `seq` of the last `reset` in a session's transcript; 0 if there was none."""
        sql = "SELECT coalesce(max(seq), 0) FROM transcript WHERE agent = ? AND session = ? AND kind = 'reset'"
        ((seq,),) = await self._reader.few_rows(sql, session.agent, str(session))
        return int(seq)

    async def transcript(
        self, agent: str, session: str, *, after: int = 0, limit: int = NO_END
    ) -> tuple[Recorded, ...]:
        """Return a session's entries with a `seq` above `after`, in order; the oldest `limit` of them."""
        sql = """SELECT seq, kind, turn, at, body FROM transcript
                 WHERE agent = ? AND session = ? AND seq > ? ORDER BY seq LIMIT ?"""
        read = self._reader.rows if limit > FEW else self._reader.few_rows
        return tuple(map(_recorded, await read(sql, agent, session, after, limit)))

    async def pages(
        self, agent: str, session: str, *, after: int = 0, first: int = PAGE
    ) -> AsyncIterator[tuple[Recorded, ...]]:
        """Yield a session's entries with a `seq` above `after`, in order, in pages that end with a turn.

        `first` is how many the first page may have.
        """
        held: tuple[Recorded, ...] = ()
        is_last, limit = False, first
        while not is_last:
            page = await self.transcript(agent, session, after=after, limit=limit)
            is_last, limit = len(page) < limit, PAGE
            read = (*held, *page)
            whole = len(read)
            while whole and not is_last and read[whole - 1].entry.turn == read[-1].entry.turn:
                whole -= 1
            held, after = read[whole:], page[-1].seq if page else after
            if whole:
                yield read[:whole]

    async def newest(
        self,
        session: SessionKey,
        *,
        after: int,
        before: int | None = None,
        limit: int,
        kinds: Collection[EntryKind] = tuple(EntryKind),
    ) -> tuple[Recorded, ...]:
        """Return the newest `limit` entries of some kinds with a `seq` above `after` and below `before`, in order."""
        sql = NEWEST_OF_KIND if len(kinds) == 1 else NEWEST
        end = NO_END if before is None else before
        values = [kind.value for kind in kinds]
        names = values[0] if len(values) == 1 else json.dumps(values)
        read = self._reader.few_rows if limit <= FEW else self._reader.rows
        rows = await read(sql, session.agent, str(session), after, end, names, limit)
        return tuple(map(_recorded, reversed(rows)))

    async def earlier(self, session: SessionKey, *, after: int, before: int) -> Earlier:
        """Return what is known of a session's entries with a `seq` above `after` and below `before`."""
        part = (session.agent, str(session), after, before)
        sql = """SELECT count(*) FROM transcript
                 WHERE agent = ? AND session = ? AND kind = 'reply' AND seq > ? AND seq < ?"""
        ((answers,),) = await self._reader.rows(sql, *part)
        ((is_foreign,),) = await self._reader.rows(HAS_FOREIGN, *part)
        return Earlier(int(answers), bool(is_foreign))

    async def holds(self, session: SessionKey, turn: str, *, after: int) -> bool:
        """Return whether a session's transcript has an entry of a turn with a `seq` above `after`."""
        sql = """SELECT seq FROM transcript
                 WHERE agent = ? AND session = ? AND seq > ? AND turn = ? ORDER BY seq DESC LIMIT 1"""
        return bool(await self._reader.few_rows(sql, session.agent, str(session), after, turn))

    async def current(self, session: SessionKey) -> Session | None:
        """Return the summary of what was recorded since the last `reset`; None if nothing was."""
        after = await self.last_reset(session)
        return next(iter(await self.sessions(session.agent, key=str(session), after=after)), None)

    async def sessions(self, agent: str, *, key: str = "", after: int = 0) -> tuple[Session, ...]:
        """Return an agent's sessions, the one that was used last first; those of one conversation if a key is given.

        `after` is the `seq` before the first one, or with which a session ends.
        """
        sql = SESSIONS.format("SELECT ?2" if key else EVERY_CONVERSATION)
        return tuple(_session(agent, row) for row in await self._reader.rows(sql, agent, key, after))


def _recorded(row: Sequence[Any]) -> Recorded:
    seq, kind, turn, at, body = row
    return Recorded(seq, TranscriptEntry(EntryKind(kind), turn, datetime.fromisoformat(at), body))


def _session(agent: str, row: Sequence[Any]) -> Session:
    key, first, last, *instants, entries, messages, is_over, compactions, flushed = row
    began, used = map(datetime.fromisoformat, instants)
    noted = datetime.fromisoformat(flushed) if flushed else None
    return Session(agent, key, first, last, began, used, entries, messages, bool(is_over), compactions, noted)
