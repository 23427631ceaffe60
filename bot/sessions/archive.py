"""The owner's private sessions: searched by words, read page by page, asked what was told on a day or in a turn.

What the owner said in groups, and what guests said anywhere, is not among them. The origin of each contribution is that
of the turn in which it was made: where others' words went into it, it counts as theirs.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, tzinfo
from heapq import nlargest
from itertools import pairwise
from typing import Any

from bot.sessions.turns import DecodedTurn, Said, decode_turns, unrepeated
from bot.storage.coordinator import Coordinator
from bot.storage.keys import SCHEDULE, SessionKey, is_private
from bot.storage.port import Recorded, Session
from bot.storage.tables.transcripts import PAGE, TranscriptReader, split_first_turn
from memory.index.terms import terms
from memory.privacy.secrets import find_secrets, mask
from memory.recall.query import Word, parse

LEAD_CHARS = 100
"""Of a long contribution, before the first word that was looked for."""


@dataclass(frozen=True, slots=True)
class Contribution:
    """What was said in a session: its id, the number of the turn in it, and by whom when."""

    session: str
    number: int
    said: Said

    def as_fields(self, zone: tzinfo, *, most: int) -> dict[str, Any]:
        """Return it as a tool's result has it, with at most so many characters of its text."""
        text, left_out = self.said.text[:most], len(self.said.text) - most
        return {
            "session": self.session,
            "number": self.number,
            "time": f"{self.said.at.astimezone(zone):%Y-%m-%d %H:%M}",
            "who": self.said.who,
            "text": f"{text} [… {left_out:,} more characters]" if left_out > 0 else text,
            "foreign": self.said.is_foreign,
        }


def contributions(recorded: Sequence[Recorded], session: Session, repeated: set[str] | None) -> Iterator[Contribution]:
    """Yield what was said in the owner's turns among these entries of a session, but for commands and `repeated`."""
    turns = decode_turns(recorded)
    for turn in turns if repeated is None else unrepeated(turns, repeated):
        if turn.is_owners and not turn.is_command:
            said = (one for one in turn.said(session.agent) if one.text.strip())
            yield from (Contribution(session.id, turn.first, one) for one in said)


async def search_sessions(
    coordinator: Coordinator, agent: str, query: str, *, today: date, limit: int
) -> list[Contribution]:
    """Return what was said in an agent's private sessions with the owner, what has most of the words first.

    Of what has as many of them, the newest comes first. `today` is the owner's, from which `yesterday` is counted.
    """
    request = parse(query, languages=(), today=today)
    best: list[tuple[int, Contribution]] = []

    def weigh(recorded: Sequence[Recorded], session: Session, repeated: set[str]) -> list[tuple[int, Contribution]]:
        said = contributions(recorded, session, repeated)
        counted = ((_count_words(one.said.text, request.words, request.language), one) for one in said)
        found = [*best, *(pair for pair in counted if pair[0])]
        return nlargest(limit, found, key=lambda pair: (pair[0], pair[1].said.at.timestamp()))

    repeated = set[str]()  # read from the end: what was edited later, also after a reset, is known by then
    for session in await _private_sessions(coordinator, agent):
        before = 0
        while before != session.first and (recorded := await session_part(coordinator, session, before=before)):
            best, before = await asyncio.to_thread(weigh, recorded, session, repeated), recorded[0].seq
    return await asyncio.to_thread(lambda: [_excerpt(masked(one), request.words) for _, one in best])


async def read_session(
    coordinator: Coordinator, agent: str, name: str, *, start: int, limit: int
) -> list[Contribution]:
    """Return what was said in a private session with the owner, in order.

    Args:
        name: its id, or the key of a conversation, for the session that was used last in it.
        start: the number from which on.
        limit: how many turns at least, if there are so many.
    """
    found: list[Contribution] = []
    named = [one for one in await _private_sessions(coordinator, agent) if name in {one.id, one.key}]
    for session in named[:1]:
        async for recorded in session_pages(coordinator, session, start=start):
            found += contributions(recorded, session, set())
            if len({one.number for one in found}) >= limit:
                break
    return await asyncio.to_thread(lambda: [masked(one) for one in found])


async def session_pages(
    coordinator: TranscriptReader, session: Session, *, start: int = 0, first: int = PAGE
) -> AsyncIterator[Sequence[Recorded]]:
    """Yield the entries of one session from a `seq` on, in order, in pages as those of `TranscriptReader.pages`."""
    after = max(start, session.first) - 1
    async for recorded in coordinator.pages(session.agent, session.key, after=after, first=first):
        own = [one for one in recorded if one.seq <= session.last]
        if own:
            yield own
        if len(own) < len(recorded):
            return


async def session_part(
    coordinator: Coordinator, session: Session, *, around: int = 0, before: int = 0, limit: int = 200
) -> tuple[Recorded, ...]:
    """Return some `limit` entries of a session, in whole turns: around a `seq`, or else before one, or the newest."""
    first, end = session.first - 1, before if session.first < before <= session.last else session.last + 1
    if around:
        later = await coordinator.transcript(session.agent, session.key, after=max(first, around - 1), limit=limit // 2)
        if later and later[-1].seq < session.last:
            ends = [one.seq for one, following in pairwise(later) if one.entry.turn != following.entry.turn]
            end = (ends or [later[-1].seq])[-1] + 1
    recorded = await coordinator.newest(SessionKey.parse(session.key), after=first, before=end, limit=limit)
    return recorded if recorded[:1] and recorded[0].seq == session.first else split_first_turn(recorded)[1] or recorded


@dataclass(frozen=True, slots=True)
class Told:
    """Something that the owner said in private: in which turn, on which platform, when, its words.

    `session` is the id of its session, `seq` the place of the turn in it.
    """

    turn: str
    platform: str
    at: datetime
    text: str
    session: str
    seq: int


async def told_on(coordinator: TranscriptReader, agent: str, day: date, zone: tzinfo) -> list[Told]:
    """Return what the owner told an agent in private on a day, in order; of an edited message, what it says now.

    Commands are left out, and turns into which others' words went.
    """
    found, repeated = list[Told](), set[str]()
    for session in await _private_sessions(coordinator, agent):  # the newest first, with what edits an older one's
        if day <= session.used.astimezone(zone).date():
            turns = [turn async for page in session_pages(coordinator, session) for turn in decode_turns(page)]
            for turn in unrepeated(turns, repeated):
                said = () if turn.is_command or turn.is_foreign else _told(session, turn)
                found += [one for one in said if one.at.astimezone(zone).date() == day]
    return sorted(found, key=lambda one: one.at)


async def told_in(coordinator: TranscriptReader, agent: str, turns: Collection[str]) -> list[Told]:
    """Return what the owner said in these turns, in private, in order; nothing of turns that are not kept any more."""
    found = list[Told]()
    for session in await _private_sessions(coordinator, agent):
        async for recorded in session_pages(coordinator, session):
            found += [one for turn in decode_turns(recorded) if turn.id in turns for one in _told(session, turn)]
        if {one.turn for one in found}.issuperset(turns):
            break
    return sorted(found, key=lambda one: one.at)


async def _private_sessions(coordinator: TranscriptReader, agent: str) -> list[Session]:
    return [one for one in await coordinator.sessions(agent) if is_private(one.key)]


def _told(session: Session, turn: DecodedTurn) -> Iterator[Told]:
    """Yield the messages of a turn if the owner typed them all; those of jobs are nobody's."""
    platform = session.key.split(":")[2].partition(".")[0]
    for one in turn.messages if turn.is_owners else ():
        if one.text.strip() and not str(one.fields.get("sender", "")).startswith(SCHEDULE):
            yield Told(turn.id, platform, one.sent_at, one.text, session.id, turn.first)


def _count_words(text: str, words: Sequence[Word], language: str) -> int:
    """Count the words of a question that a text has, whatever their endings."""
    found = set(terms(text, language))

    def has(term: str) -> bool:
        return any(one.startswith(term[:-1]) for one in found) if term.endswith("*") else term in found

    return sum(any(map(has, word.terms)) for word in words)


def _excerpt(one: Contribution, words: Sequence[Word]) -> Contribution:
    """Let a contribution begin shortly before the first of these words."""
    text = one.said.text
    places = [place for word in words if (place := text.casefold().find(word.text.casefold())) >= 0]
    start = min(places, default=0) - LEAD_CHARS
    return replace(one, said=replace(one.said, text=f"… {text[start:]}")) if start > LEAD_CHARS else one


def masked(one: Contribution) -> Contribution:
    """Mask what looks like a secret in a contribution."""
    text = one.said.text
    return replace(one, said=replace(one.said, text=mask(text, find_secrets(text))))
