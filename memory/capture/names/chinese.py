"""Chinese proper names: persons by family name, prefix or title; places and organisations by list."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from memory.capture.languages import language_of
from memory.capture.names.chinese_lexicon import (
    BRANDS,
    GIVEN_CHARACTERS,
    NOT_NAMES,
    PLACES,
    SURNAMES,
    TITLES,
    TRANSCRIBED,
    TWO_CHARACTER_SURNAMES,
)
from memory.capture.names.name import Name
from memory.capture.sentences import folded

_HAN = "[\u4e00-\u9fff]"
_NO_TITLE = "(?!(?<=总)[是会算共结之体])"
"""`王总是` is not Director Wang but somebody who always does something."""


@cache
def _patterns() -> tuple[re.Pattern[str], ...]:
    """The patterns, likeliest first; each has the name as its only group."""
    surname = f"(?:{_longest_first(TWO_CHARACTER_SURNAMES)}|{_any(SURNAMES)})"
    marks = language_of("zh").marks
    before, after = f"(?:^|{marks.before_name.pattern})", f"(?={marks.after_name.pattern})"
    titled = f"([小老]?{surname}(?:{_HAN}{{1,2}})??(?:{_longest_first(TITLES)}){_NO_TITLE})"
    nicknamed = f"(?<!{_any(SURNAMES)})([小老]{surname}|小{_any(GIVEN_CHARACTERS)}|阿(?![姨里]){_HAN}){after}"
    called = f"(?<=叫)(?![我你他她它什做啥人])({_HAN}{{2,3}})(?=[,。!;]|$)"
    listed = f"({_longest_first(PLACES | BRANDS | TRANSCRIBED)})(?![语文菜])"
    full = f"{before}({surname}{_HAN}{{1,2}}?){after}"
    return tuple(re.compile(pattern, re.MULTILINE) for pattern in (called, listed, titled, nicknamed, full))


def _longest_first(words: frozenset[str]) -> str:
    return "|".join(sorted(words, key=len, reverse=True))


def _any(characters: frozenset[str]) -> str:
    return f"[{''.join(sorted(characters))}]"


def chinese_names(text: str) -> Iterator[Name]:
    """The Chinese names in a text, in no order; they may overlap, the likelier first."""
    simple = folded(text)
    for pattern in _patterns():
        for match in pattern.finditer(simple):
            if match[1][:2] not in NOT_NAMES:
                yield Name(text[match.start(1) : match.end(1)], match.start(1), match.end(1))
