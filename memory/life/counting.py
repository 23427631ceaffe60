"""Counting: one statement for several, the one in the middle, with how often its like was said, and when."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache

from memory.language.detect import language
from memory.language.words import read_lists
from memory.life.wording import say_the_same


@dataclass(frozen=True, slots=True)
class Line:
    """A statement that an episode is made of: its text, how often it was said, and on which ISO days."""

    text: str
    days: tuple[str, ...]


def count(medoid: str, lines: Sequence[Line]) -> str:
    """Return the statement in the middle, to the letter but for line ends, with how often its like was said, and when.

    It is said that they are the same only if they are (`memory.life.wording.say_the_same`).
    """
    text = " ".join(medoid.split())
    days = sorted(day for line in lines for day in line.days)
    by_language = read_lists("memory.life", "counting.toml")
    phrases = by_language[code if (code := language(text)) in by_language else "en"]
    phrase = phrases["same" if all(say_the_same(medoid, line.text) for line in lines) else "alike"]
    months, ends = phrases["months"].split(), map(date.fromisoformat, (days[0], days[-1]))
    first, last = (phrases["day"].format(day=end.day, month=months[end.month - 1], year=end.year) for end in ends)
    span = first if first == last else phrases["span"].format(first=first, last=last)
    return f"{text} ({phrase.format(count=len(days), days=span)})"


def without_count(text: str) -> str:
    """Return a statement without what `count` has put behind it."""
    return _counts().sub("", text)


@cache
def _counts() -> re.Pattern[str]:
    by_language = read_lists("memory.life", "counting.toml")
    phrases = (re.escape(phrases[name]) for phrases in by_language.values() for name in ("same", "alike"))
    patterns = (phrase.replace(r"\{count\}", r"\d+").replace(r"\{days\}", "[^()]{4,60}") for phrase in phrases)
    return re.compile(rf" \((?:{'|'.join(patterns)})\)\Z")
