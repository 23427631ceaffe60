"""Proper names in Latin letters, told by capitals, by what stands around them, and by lists of common ones."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from memory.capture.languages import language_of
from memory.capture.names.lexicon import BRANDS, GIVEN_NAMES, NOT_NAMES, PLACES
from memory.capture.names.name import Name
from memory.capture.sentences import folded
from memory.language.stopwords import STOP_WORDS

_LETTER = "A-Za-zÀ-ÖØ-öø-ɏ"
_WORD = re.compile(rf"[{_LETTER}][{_LETTER}\d]*(?:[-'’&][{_LETTER}\d]+)*")
_OWNED = re.compile(r"['’]s$")
_LISTED = PLACES | BRANDS
_MOST_WORDS = 3
_BEGINS_ANEW = frozenset('.!?:;…\n-–—•*"“„»«。！？：；')
_EVERYDAY = STOP_WORDS["en"] | STOP_WORDS["de"]
_VERB = re.compile(r"(?!nicht)\w+t|\w+te|hat|ist|war|mag|kann|will|muss|soll|darf|und")
_BEFORE_FULL_NAME = frozenset("mit von bei für an und oder zu zum zur nach gegen ohne über frau herr herrn".split())


@dataclass(frozen=True, slots=True)
class _Word:
    """A word without a possessive ending.

    Attributes:
        first: whether a sentence begins with it, so that its capital says nothing.
        owns: whether it had a possessive ending.
    """

    text: str
    start: int
    end: int
    first: bool
    owns: bool

    @property
    def capital(self) -> bool:
        """Whether it has the look of a name: a capital and no digits."""
        written = self.text[0].isupper() and not any(map(str.isdigit, self.text))
        return written and self.text not in NOT_NAMES and self.text.casefold() not in _EVERYDAY

    @property
    def mixed(self) -> bool:
        """Whether it has a capital inside (`GitHub`, `iPhone`) or is an acronym of two to four letters."""
        if self.text in NOT_NAMES or self.text.casefold() in _EVERYDAY:
            return False
        inside = any(letter.isupper() for letter in self.text[1:])
        acronym = self.text.isupper() and self.text.isalpha() and 2 <= len(self.text) <= 4
        return acronym or (inside and not self.text.isupper() and "-" not in self.text)


def latin_names(text: str, codes: Sequence[str]) -> Iterator[Name]:
    """The names in a text that may be in these languages."""
    return _Reader(text, codes).names()


class _Reader:
    """Reads one text from left to right."""

    def __init__(self, text: str, codes: Sequence[str]) -> None:
        self._text = text
        self._folded = folded(text)
        self._words = list(_words(text))
        self._marks = [language_of(code).marks for code in codes]
        capitals = sum(word.text[0].isupper() for word in self._words)
        self._titled = capitals > 3 and capitals > 0.6 * len(self._words)
        self._nouns_are_capital = "de" in codes or self._titled
        self._chinese = "zh" in codes
        self._introduced = {
            _next_word(text, match.end()) for marks in self._marks for match in marks.before_name.finditer(self._folded)
        }

    def names(self) -> Iterator[Name]:
        at = 0
        while at < len(self._words):
            count = self._listed(at) or self._named(at)
            if count:
                first, last = self._words[at], self._words[at + count - 1]
                yield Name(_nominative(self._text[first.start : last.end]), first.start, last.end)
            at += count or 1

    def _listed(self, at: int) -> int:
        """How many words from here make a listed place or brand."""
        for count in range(_MOST_WORDS, 0, -1):
            run = self._words[at : at + count]
            if len(run) == count and _nominative(self._text[run[0].start : run[-1].end]) in _LISTED:
                return count
        return 0

    def _named(self, at: int) -> int:
        """How many words from here make a name by its look or its surroundings."""
        if not self._begins_name(self._words[at]):
            return 0
        count = 1
        while at + count < len(self._words) and self._continues(at + count):
            count += 1
        return count

    def _begins_name(self, word: _Word) -> bool:
        if word.mixed and not self._titled:
            return True
        if not word.capital:
            return False
        if _nominative(word.text) in GIVEN_NAMES or word.start in self._introduced:
            return True
        if word.first and not self._chinese:
            rest = _next_word(self._text, word.end)
            return any(marks.after_name.match(self._folded, rest) for marks in self._marks)
        return not self._nouns_are_capital and len(word.text) > 1

    def _continues(self, at: int) -> bool:
        """Whether a word goes on with the name that ends before it."""
        before, word = self._words[at - 1], self._words[at]
        if before.owns or self._text[before.end : word.start] != " " or not word.capital:
            return False
        if self._nouns_are_capital:
            # "dass Mia Nüsse mag": two nouns are one name only before a verb or after a preposition.
            held = self._before_verb(at) if before.first else self._after_preposition(at - 1)
            return held and before.text in GIVEN_NAMES and word.text not in GIVEN_NAMES
        return word.text not in GIVEN_NAMES or before.text in GIVEN_NAMES

    def _before_verb(self, at: int) -> bool:
        following = self._words[at + 1 : at + 2]
        return bool(following) and _VERB.fullmatch(following[0].text) is not None

    def _after_preposition(self, at: int) -> bool:
        return self._words[at - 1].text.casefold() in _BEFORE_FULL_NAME


def _words(text: str) -> Iterator[_Word]:
    for match in _WORD.finditer(text):
        bare = _OWNED.sub("", match[0])
        before = _before(text, match.start())
        first = not before or before in _BEGINS_ANEW
        yield _Word(bare, match.start(), match.start() + len(bare), first=first, owns=bare != match[0])


def _before(text: str, at: int) -> str:
    """The last character before a place that is neither a space nor an opening mark; empty at the beginning."""
    while at > 0 and text[at - 1] in " ([{'‘\t":
        at -= 1
    return text[at - 1 : at]


def _next_word(text: str, at: int) -> int:
    while at < len(text) and text[at] in " ,:.":
        at += 1
    return at


def _nominative(name: str) -> str:
    """A listed name without a German genitive: `Lenas` is Lena."""
    bare = name.removesuffix("s")
    return bare if name not in GIVEN_NAMES | _LISTED and bare in GIVEN_NAMES | _LISTED else name
