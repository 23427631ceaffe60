"""How much people have asked, as it is kept: counted by person, by chat and of all guests together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol


class Span(StrEnum):
    """What is counted together."""

    SHORT = "short"
    DAY = "day"
    REPORT = "report"


@dataclass(frozen=True, slots=True)
class Count:
    """What was counted of somebody in one span.

    Attributes:
        subject: `sender ID`, `chat ACCOUNT:CHAT`, `guests` or `owner`.
        span: which one.
        began: its ISO instant, or its day.
        turns: that were let through.
        tokens: that models took for them.
        refused: messages that were not.
        is_told: they have been told so.
    """

    subject: str
    span: Span
    began: str
    turns: int = 0
    tokens: int = 0
    refused: int = 0
    is_told: bool = False


class Counts(Protocol):
    """Where counts are kept."""

    async def load(self, since: str) -> Sequence[Count]:
        """Those that began at that day or later, and the report; older ones are dropped."""
        ...

    async def save(self, counts: Sequence[Count]) -> None:
        """Put counts in the place of those of the same subject and span. A power cut may take it back."""
        ...
