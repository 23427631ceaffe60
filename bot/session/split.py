"""A conversation's entries -> its sessions: a reset is the last entry of the one that it ends."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from bot.durable.port import EntryKind, Recorded, Session


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
