"""Stopping a turn that is under way."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from bot.turn import Principal, Reply, Responder, Turn

STOPPED = "(Stopped.)"


@dataclass(frozen=True, slots=True)
class _UnderWay:
    """A turn that can be stopped: who began it, and what cancels it."""

    by: Principal
    scope: asyncio.Timeout


class Stopping:
    """The turns under way that can be stopped, one for each session.

    Only what a model does is stopped. What code writes in answer to a message is told by that answer, so it is not cut
    short; and what a tool was just writing is finished.
    """

    def __init__(self) -> None:
        self._turns: dict[str, _UnderWay] = {}

    def stoppable(self, respond: Responder) -> Responder:
        """A responder whose turns can be stopped."""

        async def answer(turn: Turn) -> Reply:
            scope = asyncio.timeout(None)
            self._turns[str(turn.session)] = _UnderWay(turn.principal, scope)
            try:
                async with scope:
                    return await respond(turn)
            except TimeoutError:
                if not scope.expired():
                    raise
                return Reply(STOPPED)
            finally:
                self._turns.pop(str(turn.session), None)

        return answer

    def to_its_end(self, respond: Responder) -> Responder:
        """A responder whose turns cannot be stopped once it has been asked, though it is asked within others."""

        async def answer(turn: Turn) -> Reply:
            self._turns.pop(str(turn.session), None)
            await asyncio.sleep(0)  # a stop that came before takes effect here, where nothing has been written
            return await respond(turn)

        return answer

    def stop(self, session: str, *, by: Principal) -> bool:
        """Stop the turn of a session for whoever began it, or for the owner; whether there was one to be stopped."""
        found = self._turns.get(session)
        if found is None or not (by.is_owner or by.id == found.by.id):
            return False
        found.scope.reschedule(asyncio.get_running_loop().time())
        return True
