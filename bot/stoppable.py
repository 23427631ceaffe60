"""Stopping a turn that is under way."""

from __future__ import annotations

import asyncio

from bot.turn import Reply, Responder, Turn

STOPPED = "(Stopped.)"


class Stoppable:
    """A responder whose turns can be stopped, one for each session.

    What a tool was just writing is finished; what comes after it is not begun.
    """

    def __init__(self, respond: Responder) -> None:
        self._respond = respond
        self._scopes: dict[str, asyncio.Timeout] = {}

    async def __call__(self, turn: Turn) -> Reply:
        """Answer, or say that it was stopped."""
        session = str(turn.session)
        scope = asyncio.timeout(None)
        self._scopes[session] = scope
        try:
            async with scope:
                return await self._respond(turn)
        except TimeoutError:
            if not scope.expired():
                raise
            return Reply(STOPPED)
        finally:
            del self._scopes[session]

    def stop(self, session: str) -> bool:
        """Stop the turn of a session; whether there was one."""
        scope = self._scopes.get(session)
        if scope is None:
            return False
        scope.reschedule(asyncio.get_running_loop().time())
        return True
