"""The words for time of each language, which days and instants to come are read with."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from memory.language.words import alternatives, read_lists


def numbered(groups: str) -> dict[str, int]:
    """Number the groups of a list: each alternative (`_` for a space in it) with the number of its group.

    A number before a group is its own, and the next ones count on from there; else they count from 0.
    """
    words, number = dict[str, int](), 0
    for group in groups.split("|"):
        for word in group.split():
            if word.removeprefix("-").isdecimal():
                number = int(word)
            else:
                words[word.replace("_", " ")] = number
        number += 1
    return words


_LISTS: Mapping[str, Mapping[str, str]] = read_lists("memory.language", "lexicon", "dates.toml")
_PATTERNS = frozenset({"ago", "lately", "past", "range", "weekday"})
_NAMES = frozenset[str]().union(*_LISTS.values()) - _PATTERNS
PATTERNS = {code: {name: lists.get(name, "") for name in _PATTERNS} for code, lists in _LISTS.items()}
"""Language to what `lexicon/dates.toml` calls a pattern; `cjk` is what Chinese, Japanese and Korean have together."""
WORDS = {code: {name: numbered(lists.get(name, "")) for name in _NAMES} for code, lists in _LISTS.items()}
"""Language to its words for time, each with its number; `daytimes` are among the `days`."""
for _words in WORDS.values():
    _words["days"] |= _words["daytimes"]
EUROPE = {code: words for code, words in WORDS.items() if words["months"]}
"""Those of European languages."""
UNITS = ("day", "week", "month", "year")


def all_words(*names: str) -> frozenset[str]:
    """Return some words of all European languages."""
    return frozenset(word for words in EUROPE.values() for name in names for word in words[name])


def weekdays_of(code: str) -> dict[str, int]:
    """Return the weekdays of a language, from 0, as they are written out: 周一 and 星期一, not 一."""
    forms = (PATTERNS[code]["weekday"] or "{}").split()
    return {form.format(word): day for word, day in WORDS[code]["weekdays"].items() for form in forms}


def number_pattern(numbers: Collection[str], tens: str = "") -> str:
    """Return the pattern of such words; of Chinese digits, that of numbers below 100, or of those with these `tens`."""
    if "十" not in numbers:
        return alternatives(numbers)
    digits = "".join(word for word in numbers if word != "十" and len(word) == 1)
    return f"[{tens or digits}]?十[{digits}]?|[{digits}]"


def number_of(written: str, numbers: Mapping[str, int]) -> int:
    """Return the number that is written in figures, in words, or in Chinese digits; -1 for none."""
    if written.isdecimal() or written in numbers:
        return int(numbers.get(written) or written)
    tens, ten, ones = written.partition("十")
    return 10 * numbers.get(tens, 1) + numbers.get(ones, 0) if ten else -1
