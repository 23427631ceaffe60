"""What test doubles of the door have in common."""

from __future__ import annotations

from adapters.port import Unreadable


class ReadsAll:
    """A door to which nothing is brought that cannot be read."""

    async def unreadable(self, event: Unreadable) -> None:
        raise AssertionError(event)
