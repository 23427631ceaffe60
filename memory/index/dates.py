"""The day that a file or a heading is dated with."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import date
from functools import lru_cache

_ISO = re.compile(r"(?<!\d)(\d{4})-(\d{2})-(\d{2})(?!\d)")
_DOTTED = re.compile(r"(?<!\d)(\d{1,2})\.(\d{1,2})\.(\d{4})(?!\d)")
_CHINESE = re.compile(r"(?<!\d)(\d{4})年(\d{1,2})月(\d{1,2})[日号]")


@lru_cache(maxsize=4096)
def day_in(text: str) -> str | None:
    """The first calendar day written in a text as 2026-01-20, 20.1.2026 or 2026年1月20日, in ISO form."""
    for pattern in (_ISO, _CHINESE):
        for match in pattern.finditer(text):
            if day := _day(*match.groups()):
                return day
    for match in _DOTTED.finditer(text):
        if day := _day(*reversed(match.groups())):
            return day
    return None


def day_of_file(path: str) -> str | None:
    """The day that a file's name carries: `memory/2026-01-20.md`, `memory/2026-01-20-dentist.md`."""
    return day_in(path.rsplit("/", 1)[-1])


def day_of_section(headings: Iterable[str]) -> str | None:
    """The day in the innermost dated heading."""
    return next((day for title in reversed(tuple(headings)) if (day := day_in(title))), None)


def _day(year: str, month: str, day: str) -> str | None:
    try:
        return date(int(year), int(month), int(day)).isoformat()
    except ValueError:
        return None
