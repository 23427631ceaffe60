"""What an adapter has to know again after a restart: how far it has read each chat, which commands it has announced."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import Protocol


class Marks(Protocol):
    """Short texts by name, for each bot account (`Address.account`).

    A mark may be lost by a power cut, as long as the one before it is kept: what lies behind it is then read again,
    and the door recognises it. One that nothing else stands in for is to be `lasting`.
    """

    async def load(self, account: str) -> Mapping[str, str]:
        """All marks of an account."""
        ...

    async def save(self, account: str, name: str, value: str, *, lasting: bool = False) -> None:
        """Set a mark; a `lasting` one, and all before it, is on the disk when this returns."""
        ...


class VolatileMarks:
    """Marks in memory, for tests: adapters that are given the same object live in the same machine."""

    def __init__(self) -> None:
        self._marks: defaultdict[str, dict[str, str]] = defaultdict(dict)
        self._on_disk: dict[str, dict[str, str]] = {}

    async def load(self, account: str) -> Mapping[str, str]:
        return dict(self._marks[account])

    async def save(self, account: str, name: str, value: str, *, lasting: bool = False) -> None:
        self._marks[account][name] = value
        if lasting:
            self._on_disk = {account: dict(marks) for account, marks in self._marks.items()}

    def lose(self) -> None:
        """Take back what a power cut may take back."""
        self._marks = defaultdict(dict, {account: dict(marks) for account, marks in self._on_disk.items()})
