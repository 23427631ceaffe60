"""A conversation's entries in pages, and its sessions: a reset is the last entry of the one that it ends."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from dataclasses import replace

from bot.durable.port import Coordinator, EntryKind, Recorded, Session

PAGE = 200
"""Entries that are read at a time."""


async def pages(
    coordinator: Coordinator, agent: str, key: str, *, after: int = 0
) -> AsyncIterator[tuple[Recorded, ...]]:
    """A conversation's entries with a `seq` above `after`, in order, in pages that end with a turn."""
    held: tuple[Recorded, ...] = ()
    is_last = False
    while not is_last:
        page = await coordinator.transcript(agent, key, after=after, limit=PAGE)
        is_last = len(page) < PAGE
        read = (*held, *page)
        whole = len(read)
        while whole and not is_last and read[whole - 1].entry.turn == read[-1].entry.turn:
            whole -= 1
        held, after = read[whole:], page[-1].seq if page else after
        if whole:
            yield read[:whole]


def split(recorded: Iterable[Recorded]) -> Iterator[list[Recorded]]:
    """The entries of each session, in order."""
    part: list[Recorded] = []
    for one in recorded:
        part.append(one)
        if one.entry.kind is EntryKind.RESET:
            yield part
            part = []
    if part:
        yield part


def summed_up(agent: str, key: str, recorded: Sequence[Recorded]) -> Session:
    """The session that these entries, at least one, make."""
    first, last = recorded[0], recorded[-1]
    return Session(
        agent=agent,
        key=key,
        first=first.seq,
        last=last.seq,
        began=first.entry.at,
        used=last.entry.at,
        entries=len(recorded),
        messages=sum(one.entry.kind is EntryKind.MESSAGE for one in recorded),
        is_over=last.entry.kind is EntryKind.RESET,
    )


def continued(session: Session, recorded: Sequence[Recorded]) -> Session:
    """The session with further entries, at least one, behind those that it has."""
    more = summed_up(session.agent, session.key, recorded)
    return replace(
        more,
        first=session.first,
        began=session.began,
        entries=session.entries + more.entries,
        messages=session.messages + more.messages,
    )
