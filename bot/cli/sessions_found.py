"""Finds sessions in the state file, beside a running service or without one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.durable.archive import open_archive
from bot.errors import Missing, UsageError

if TYPE_CHECKING:
    from bot.cli.invocation import Invocation
    from bot.durable.archive import Archive
    from bot.durable.port import Recorded, Session

SHOWN = 3
"""How many of the sessions that could be meant are named."""


@dataclass(frozen=True, slots=True)
class Found:
    """A session with its entries."""

    session: Session
    recorded: tuple[Recorded, ...]


async def listed(run: Invocation, agent: str | None) -> list[Session]:
    """The sessions of one agent, or of all, the one that was used last first; none before the first chat.

    Raises:
        Missing: there is no such agent, and never was.
        StateError: the state file cannot be read.
    """
    if not run.home.database.exists():
        if agent is not None:
            run.config.agent(agent)
        return []
    async with open_archive(run.home.database) as archive:
        return await _sessions(run, archive, agent)


async def one(run: Invocation, wanted: str | None, agent: str | None) -> Found:
    """The session that is meant, with its entries.

    Args:
        run: whose home.
        wanted: an id, the beginning of one, or a key; None means the one that was used last.
        agent: whose session; anybody's if left out.

    Raises:
        Missing: there is none.
        UsageError: several could be meant.
        StateError: the state file cannot be read.
    """
    if not run.home.database.exists():
        raise _none()
    async with open_archive(run.home.database) as archive:
        session = _meant(await _sessions(run, archive, agent), wanted)
        recorded = await archive.transcript(session.agent, session.key, after=session.first - 1)
        return Found(session, tuple(entry for entry in recorded if entry.seq <= session.last))


async def _sessions(run: Invocation, archive: Archive, agent: str | None) -> list[Session]:
    names = await archive.agents()
    if agent is not None and agent not in names:
        names = (run.config.agent(agent),)
    elif agent is not None:
        names = (agent,)
    found = [session for name in names for session in await archive.sessions(name)]
    return sorted(found, key=lambda session: (session.used, session.last), reverse=True)


def _meant(sessions: list[Session], wanted: str | None) -> Session:
    """The one that is wanted; of the sessions with one key, the last."""
    if not sessions:
        raise _none()
    if wanted is None:
        return sessions[0]
    by_key = [session for session in sessions if session.key == wanted]
    by_id = [session for session in sessions if wanted and session.id.startswith(wanted.upper())]
    found = by_key[:1] or by_id
    if not found:
        raise Missing(f'No session is called "{wanted}".', hint="Run `scrubjay sessions list` to see which there are.")
    if len(found) > 1:
        names = ", ".join(session.id for session in found[:SHOWN])
        more = f" and {len(found) - SHOWN} more" if len(found) > SHOWN else ""
        raise UsageError(f'{len(found)} sessions begin with "{wanted}": {names}{more}.', hint="Type more of the id.")
    return found[0]


def _none() -> Missing:
    return Missing("There are no sessions yet.", hint="Begin one with: scrubjay chat")
