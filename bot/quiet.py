"""While somebody is being answered, nothing is embedded in the background: the answer gets the processor."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import ExitStack

from bot.turn import Reply, Responder, Turn
from memory import Memory


class Quiet:
    """A responder that keeps all memories quiet while another one answers; they share one embedder."""

    def __init__(self, respond: Responder, memories: Iterable[Memory]) -> None:
        self._respond = respond
        self._memories = tuple(memories)

    async def __call__(self, turn: Turn) -> Reply:
        with ExitStack() as stack:
            for memory in self._memories:
                stack.enter_context(memory.quiet())
            return await self._respond(turn)
