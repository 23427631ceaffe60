"""What a person sees of a turn before its answer is there."""

from __future__ import annotations

from typing import Protocol


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
