"""When an endpoint fails: what is worth a second request, and how long to wait for it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from math import isfinite
from typing import TYPE_CHECKING

from memory.errors import EmbeddingFailed

if TYPE_CHECKING:  # half a second to import
    import openai

_DAY_S = 86_400.0

Backoff = Callable[[Exception], bool | float]
"""What stamina asks after a failure: whether to try again, or after how many seconds."""


@dataclass(frozen=True, slots=True)
class Patience:
    """How long one answer may take, in seconds, with all its tries."""

    attempts: int
    request_s: float
    deadline_s: float
    first_wait_s: float = 0.5
    longest_wait_s: float = 20


FOR_QUERIES = Patience(attempts=2, request_s=3, deadline_s=4, first_wait_s=0.2, longest_wait_s=1)
"""Somebody is waiting, and the words answer meanwhile."""

FOR_PASSAGES = Patience(attempts=5, request_s=60, deadline_s=180)


def backoff(patience: Patience, *, now: Callable[[], datetime]) -> Backoff:
    """Decide after each failure: the endpoint's own wish comes first, as long as it is within our patience."""
    import openai

    def wait(error: Exception) -> bool | float:
        if isinstance(error, (EmbeddingFailed, openai.APIConnectionError)):
            return True
        if not isinstance(error, openai.APIStatusError) or not _passing(error):
            return False
        asked = retry_after(error.response.headers.get("retry-after"), now())
        return asked is None or (asked <= patience.longest_wait_s and asked)

    return wait


def retry_after(header: str | None, now: datetime) -> float | None:
    """Seconds that a `Retry-After` header asks for, at most a day; None if it says nothing.

    RFC 9110 10.2.3 has whole seconds or a date; fractions are common too.
    """
    seconds = _number(header or "")
    if seconds is None:
        seconds = _until(header or "", now)
    return None if seconds is None else min(max(0.0, seconds), _DAY_S)


def _number(header: str) -> float | None:
    try:
        seconds = float(header)
    except ValueError:
        return None
    return seconds if isfinite(seconds) else None


def _until(header: str, now: datetime) -> float | None:
    try:
        return (parsedate_to_datetime(header).astimezone(UTC) - now).total_seconds()
    except (ValueError, OverflowError):
        return None


def _passing(error: openai.APIStatusError) -> bool:
    """Whether the same request may succeed later. A used-up quota answers 429 too, and no wait brings it back."""
    return error.status_code in {408, 409, 429} | set(range(500, 600)) and error.code != "insufficient_quota"
