"""Intentions that come up by themselves when what they wait for is spoken of, not too often."""

from __future__ import annotations

import asyncio
from datetime import datetime, timedelta

import structlog

from adapters.port import AdapterState, ChatKind
from bot.access.permissions import Taint
from bot.reminders import Quiet, quiet_end
from bot.turn import Turn
from memory import OWNER, Clock, Error
from memory.life.intentions import Intention, triggered

COOL_DOWN = timedelta(days=1)
"""Between two times that the same intention comes up."""

A_DAY = 3
"""So many come up for an agent in a day, whatever triggers they have."""

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)


class Triggers:
    """Chooses the intentions that join a turn, and keeps what has come up, also over restarts.

    Args:
        marks: where that is kept.
        clock: source of time.
        quiet: from when to when nothing is brought up, on the owner's clock; None for never.
    """

    def __init__(self, marks: AdapterState, *, clock: Clock, quiet: Quiet | None = None) -> None:
        self._marks = marks
        self._clock = clock
        self._quiet = quiet
        self._choosing = asyncio.Lock()

    async def join(self, turn: Turn) -> tuple[Intention, ...]:
        """Return what comes up in a turn; the same for a turn that is repeated.

        Nothing of the owner's where others read along, and nothing that others have written where they are not at home.
        """
        if (
            turn.is_job
            or not turn.text.strip()
            or quiet_end(self._clock.now().astimezone(turn.agent.zone), self._quiet)
        ):
            return ()
        try:
            waiting = await turn.agent.memory.waiting(turn.scope)
        except Error as error:
            log.warning("triggers.not_read", turn=turn.id, reason=str(error))
            return ()
        found = triggered(waiting, turn.text) if waiting else ()
        sees_own = turn.is_owners and turn.session.address.kind is ChatKind.PRIVATE
        seen = (one for one in found if sees_own or one.scope != OWNER)
        found = tuple(one for one in seen if Taint.of([one.origin], is_owners=turn.is_owners) is Taint.CLEAN)
        if not found:
            return ()
        account = f"triggers.{turn.agent.name}"
        async with self._choosing:  # sessions are answered side by side
            marks = await self._marks.load(account)
            parted = {name: mark.partition(" ") for name, mark in marks.items()}
            fired = {name: (datetime.fromisoformat(at), by) for name, (at, _, by) in parted.items()}
            now, joining = self._clock.now(), list[Intention]()
            today = now.astimezone(turn.agent.zone).date()
            count = sum(at.astimezone(turn.agent.zone).date() == today for at, _ in fired.values())
            for one in found:
                at, by = fired.get(one.id, (None, ""))
                if by == turn.id:
                    joining.append(one)
                elif count < A_DAY and (at is None or now - at >= COOL_DOWN):
                    await self._marks.save(account, one.id, f"{now.isoformat()} {turn.id}", lasting=True)
                    joining.append(one)
                    count += 1
        return tuple(joining)


def brought_up(intention: Intention) -> str:
    """Return an intention that has come up as people are shown it."""
    return f"💡 {intention.text} (`{intention.source}`)"
