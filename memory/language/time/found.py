"""What stands where in a text: expressions that rules find, and the longest of those that overlap."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import date
from typing import TypeVar

from memory.language.time.calendar import Days

Meaning = TypeVar("Meaning")
Found = tuple[int, int, list[Days]]
"""Where an expression begins and ends in the text, and the ranges that it can mean."""
Rule = tuple[re.Pattern[str], Callable[[re.Match[str], date], Sequence[Days | None]]]
"""What finds expressions, and the days that they may mean; None for one that the calendar does not have."""


def look_for(rules: Iterable[Rule], text: str, today: date) -> Iterator[Found]:
    """Find expressions, in no certain order; they may overlap."""
    for pattern, meaning in rules:
        for match in pattern.finditer(text):
            if days := [one for one in meaning(match, today) if one]:
                yield match.start(), match.end(), days


def longest(found: Iterable[tuple[int, int, Meaning]]) -> list[tuple[int, int, Meaning]]:
    """Keep the longest of those that overlap, the first of as long ones, in the order of the text."""
    kept: list[tuple[int, int, Meaning]] = []
    for one in sorted(found, key=lambda one: (one[0] - one[1], one[0])):
        if all(one[1] <= other[0] or one[0] >= other[1] for other in kept):
            kept.append(one)
    return sorted(kept, key=lambda one: one[0])
