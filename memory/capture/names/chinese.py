"""Chinese proper names: persons by family name, prefix or title; places and organisations by list."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from memory.capture.languages import language_of
from memory.capture.names.chinese_lexicon import BRANDS, NOT_NAMES, PLACES, SURNAMES, TITLES, TWO_CHARACTER_SURNAMES
from memory.capture.names.name import Name
from memory.capture.sentences import folded

_HAN = "[\u4e00-\u9fff]"
_NO_TITLE = "(?!(?<=总)[是会算共结之体])"
"""`王总是` is not Director Wang but somebody who always does something."""


@cache
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    surname = f"(?:{_longest_first(TWO_CHARACTER_SURNAMES)}|[{''.join(sorted(SURNAMES))}])"
    marks = language_of("zh").marks
    after = f"(?={marks.after_name.pattern})"
    before = f"(?:^|(?:{marks.before_name.pattern}))"
    titles = f"(?:{_longest_first(TITLES)}){_NO_TITLE}"
    nickname = f"(?:[小老]{surname}|阿(?![姨里]){_HAN}){after}"
    titled = re.compile(f"[小老]?{surname}(?:{_HAN}{{1,2}})??{titles}|{nickname}")
    full = re.compile(f"{before}({surname}{_HAN}{{1,2}}?){after}", re.MULTILINE)
    listed = re.compile(_longest_first(PLACES | BRANDS))
    return titled, full, listed


def _longest_first(words: frozenset[str]) -> str:
    return "|".join(sorted(words, key=len, reverse=True))


def chinese_names(text: str) -> Iterator[Name]:
    """The Chinese names in a text, in no order; they may overlap, the likelier first."""
    simple = folded(text)
    titled, full, listed = _patterns()
    for pattern, group in ((listed, 0), (titled, 0), (full, 1)):
        for match in pattern.finditer(simple):
            if match[group][:2] not in NOT_NAMES:
                yield Name(text[match.start(group) : match.end(group)], match.start(group), match.end(group))
