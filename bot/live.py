"""What a person sees of a turn before its answer is there."""

from __future__ import annotations

from typing import Protocol

from adapters.abilities import ShowsProgress
from adapters.port import Address


class Live(Protocol):
    """A view that is best effort: nothing is lost when it fails, and the answer itself comes through the outbox."""

    async def text(self, so_far: str) -> None:
        """The answer as far as it has come, whole from its beginning."""
        ...

    async def doing(self, what: str) -> None:
        """What the agent is busy with, in a few words; empty for nothing in particular."""
        ...


class Silent:
    """Shows nothing."""

    async def text(self, so_far: str) -> None:
        pass

    async def doing(self, what: str) -> None:
        pass


SILENT = Silent()


class Watched:
    """A view through an adapter that shows progress."""

    def __init__(self, adapter: ShowsProgress, to: Address) -> None:
        self._adapter = adapter
        self._to = to
        self._text = ""
        self._doing = ""

    async def text(self, so_far: str) -> None:
        self._text = so_far
        await self._adapter.progress(self._to, self._text, self._doing)

    async def doing(self, what: str) -> None:
        self._doing = what
        await self._adapter.progress(self._to, self._text, self._doing)
