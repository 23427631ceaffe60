"""What some adapters can do beyond the port; asked for with `isinstance`."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol, runtime_checkable

from adapters.port import Address, Attachment


@runtime_checkable
class ShowsProgress(Protocol):
    """An adapter whose person watches: it shows a growing answer without sending anything."""

    async def progress(self, to: Address, text: str, doing: str) -> None:
        """Show how far the answer has come, from its beginning, and what goes on; best effort."""
        ...


@runtime_checkable
class Fetches(Protocol):
    """An adapter whose people can send files."""

    async def fetch(self, attachment: Attachment, into: Path, *, limit: int) -> None:
        """Write an attachment's bytes into this file, whole or not at all; only for messages that were let in.

        Raises:
            FileRefused: it is larger than `limit` bytes or than the platform hands over, or gone.
            NotSent: no way to the platform; also `SlowDown`, `LoginRefused`, `Ambiguous`.
        """
        ...
