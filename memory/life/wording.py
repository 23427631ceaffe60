"""How statements compare by their words: how much two share, whether they say the same, and one counted for several.

Similar is not the same: "moved to Graz" and "moved to Linz" have nearly all in common. Whatever the similarity, two
statements say the same only if they have the same words, but for empty ones, and for the place of a day or of "I".
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache, lru_cache

from memory.capture import same, statement
from memory.capture.grammar import FUNCTION_WORDS, SIGN, SIGNS, WHEN, Shape, content, values
from memory.language.detect import language
from memory.language.normalize import normalize
from memory.language.patterns import Pattern
from memory.language.words import ALL_WEAK, read_lists

COMPARED_CHARS = 2000
"""Characters at the beginning of a text whose words are compared."""
PIECE = 4
"""Characters of the pieces of a word that are shared by its forms and compounds."""

_WORDS = Pattern(rf"[{SIGN}]|[^\W{SIGN}]+")
_APOSTROPHES = str.maketrans({"’": "'", "‘": "'"})


@dataclass(frozen=True, slots=True)
class _Wording:
    """The lists of `wording.toml`, as patterns and words; `contractions` as pairs."""

    empty: re.Pattern[str]
    first_person: re.Pattern[str]
    before_day: frozenset[str]
    contractions: tuple[tuple[str, str], ...]


@cache
def _wording() -> _Wording:
    lists = read_lists("memory.life", "wording.toml")

    def pattern(name: str) -> re.Pattern[str]:
        words, signs = "|".join(lists[name].split()), "|".join(lists[f"{name}_signs"].split())
        return re.compile(rf"(?<!\w)(?:{words})(?!\w)|{signs}")

    before_day = frozenset(f"{lists['before_day']} {lists['before_day_signs']}".split())
    return _Wording(pattern("empty"), pattern("first_person"), before_day, tuple(lists["contractions"].items()))


def overlap(one: str, other: str) -> float:
    """Return what two texts share of their words: 0 to 1, by Dice's coefficient.

    Counted are content words by their stems, pieces of longer words, and single characters of Chinese and Japanese.
    Source: L. R. Dice (1945), "Measures of the amount of ecologic association between species".
    """
    first, second = _pieces(one[:COMPARED_CHARS]), _pieces(other[:COMPARED_CHARS])
    return 2 * len(first & second) / (len(first) + len(second)) if first and second else 0.0


def say_the_same(one: str, other: str) -> bool:
    """Return whether two statements have the same words, so that one of them is enough.

    Every number, name, negation, unit, day, preposition and pronoun counts; when in doubt they say different things.
    """
    one, other = statement(one.strip()), statement(other.strip())
    if same(one, other):
        return True
    first, second = _words(one), _words(other)
    if not first or sorted(first) != sorted(second):
        return False
    return first == second or _without_movable(one) == _without_movable(other)


@lru_cache(maxsize=1024)
def _pieces(text: str) -> frozenset[str]:
    pieces = {key for key, _, _ in content(text, language(text, "en"))}
    for word in _WORDS.findall(normalize("NFKC", text).casefold()):
        if SIGNS.match(word):
            pieces |= {word} - ALL_WEAK
        elif len(word) >= PIECE and word not in FUNCTION_WORDS:
            pieces |= {f" {word} "[at : at + PIECE] for at in range(len(word) - 1)}
    return frozenset(pieces)


@lru_cache(maxsize=1024)
def _words(text: str) -> tuple[str, ...]:
    simple = normalize("NFKC", text.translate(_APOSTROPHES)).casefold()
    for short, full in _wording().contractions:
        simple = simple.replace(short, full)
    return tuple(_WORDS.findall(_wording().empty.sub(" ", simple)))


def _without_movable(text: str) -> tuple[Sequence[str], Sequence[str]]:
    """Return the words without days, times, what goes before these, and first persons; and the days and times."""
    moved = [value for value in values(text) if value.shape in WHEN or value.shape is Shape.TIME]
    rest: list[str] = []
    at = 0
    for value in moved:
        before = _words(text[at : value.start])
        rest += before[:-1] if before and before[-1] in _wording().before_day else before
        at = value.end
    kept = [*rest, *_words(text[at:])]
    return [word for word in kept if not _wording().first_person.fullmatch(word)], [
        " ".join(_words(value.text)) for value in moved
    ]


@dataclass(frozen=True, slots=True)
class Repeated:
    """A statement that an episode is made of: its text, how often it was said, and on which ISO days."""

    text: str
    days: tuple[str, ...]


def with_count(medoid: str, lines: Sequence[Repeated]) -> str:
    """Return the statement in the middle, to the letter but for line ends, with how often its like was said, and when.

    It is said that they are the same only if they are (`say_the_same`).
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
    """Return a statement without what `with_count` has put behind it."""
    return _counts().sub("", text)


@cache
def _counts() -> re.Pattern[str]:
    by_language = read_lists("memory.life", "counting.toml")
    phrases = (re.escape(phrases[name]) for phrases in by_language.values() for name in ("same", "alike"))
    patterns = (phrase.replace(r"\{count\}", r"\d+").replace(r"\{days\}", "[^()]{4,60}") for phrase in phrases)
    return re.compile(rf" \((?:{'|'.join(patterns)})\)\Z")
