"""What an endpoint says when it refuses: the many shapes of error bodies -> one value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from math import isfinite
from typing import Any, Self

LONGEST = 300
"""Characters of a provider's own words that are worth repeating."""

STATUS_OF = {
    "authentication_error": 401,
    "invalid_api_key": 401,
    "permission_error": 403,
    "insufficient_quota": 429,
    "rate_limit_error": 429,
    "rate_limit_exceeded": 429,
    "invalid_request_error": 400,
    "context_length_exceeded": 400,
}
"""What an error inside a stream would have had as its status; any other is the server's trouble."""


@dataclass(frozen=True, slots=True)
class Complaint:
    """An endpoint's refusal.

    Attributes:
        status: of HTTP.
        code: a name for the reason, if it gave one.
        words: its own words, on one line, cut; empty for a web page.
        is_page: whether a web page came where an error body belongs.
        seconds: when to ask again, if it said so.
    """

    status: int
    code: str = ""
    words: str = ""
    is_page: bool = False
    seconds: float | None = None

    @classmethod
    def of_response(cls, status: int, body: object, *, headers: Mapping[str, str], now: datetime) -> Self:
        """Out of an error response; `body` is its JSON, or its text if it is none."""
        text, code = _read(body)
        is_page = text.lstrip()[:1] == "<"
        return cls(status, code, "" if is_page else _line(text), is_page, _retry_after(headers, now))

    @classmethod
    def of_event(cls, body: object) -> Self:
        """Out of an error that came inside a stream, where there is no status any more."""
        text, code = _read(body)
        if code.isdecimal() and 400 <= int(code[:4]) < 600:
            return cls(int(code), "", _line(text))
        return cls(STATUS_OF.get(code, 500), code, _line(text))


def _read(body: object) -> tuple[str, str]:
    """The words and the code of an error body, whatever it looks like."""
    if isinstance(body, list) and body:  # Google wraps it into a list
        return _read(body[0])
    if not isinstance(body, Mapping):
        return ("" if body is None else str(body)), ""
    inner = body.get("error")
    if isinstance(inner, Mapping | list):
        return _read(inner)
    text = body.get("message") or inner or body.get("detail") or body.get("msg") or ""
    return (text if isinstance(text, str) else repr(text)), _code(body)


def _code(body: Mapping[str, Any]) -> str:
    """The most telling name: `code` where it is one, else `type` (vLLM and llama.cpp put the status into `code`)."""
    code, kind = body.get("code"), body.get("type")
    named = [value for value in (code, kind) if isinstance(value, str) and value]
    return named[0] if named else str(code or "")


def _line(text: str) -> str:
    line = " ".join("".join(sign if sign.isprintable() else " " for sign in text[: 4 * LONGEST]).split())
    return line if len(line) <= LONGEST else f"{line[:LONGEST]}…"


def _retry_after(headers: Mapping[str, str], now: datetime) -> float | None:
    """Seconds until the provider wants to be asked again: `Retry-After` holds a number or a date (RFC 9110 §10.2.3)."""
    milliseconds, value = _number(headers.get("retry-after-ms")), headers.get("retry-after")
    if milliseconds is not None:
        return milliseconds / 1000
    if value is None or (number := _number(value)) is not None:
        return None if value is None else number
    try:
        at = parsedate_to_datetime(value)
    except ValueError:
        return None
    return max(0.0, (at.replace(tzinfo=at.tzinfo or UTC) - now).total_seconds())


def _number(value: str | None) -> float | None:
    try:
        number = float(value or "")
    except ValueError:
        return None
    return max(0.0, number) if isfinite(number) else None
