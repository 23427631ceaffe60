"""Phrases of wishes about what is remembered, by language, and how such an order opens and closes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache

from memory.capture.grammar import SIGNS
from memory.capture.lexicon import UMLAUT_SPELLINGS, phrases, read_table, read_toml, signs
from memory.language.detect import HAN_SIGN, KANA
from memory.language.normalize import SIMPLIFIED
from memory.language.patterns import Pattern

MAX_SENTENCES = 4
"""Sentences of a message that are read."""
MAX_LAYERS = 8
"""Courtesies and openings before the matter that are read, and layers around it."""
PLEASE = frozenset({"bitte", "please"})


@dataclass(frozen=True, slots=True)
class Span:
    """Where the matter of a wish stands in a message."""

    start: int
    end: int
    everything: bool = False


@dataclass(frozen=True, slots=True)
class Message:
    """A message as it was written, and folded to lower case; both are equally long."""

    text: str
    simple: str


@dataclass(frozen=True, slots=True)
class WishPhrases:
    """The phrases of one language, as `lexicon/wishes.toml` explains them.

    Attributes:
        patterns: one for all phrases of a list.
        ordered: one for each phrase of a list whose phrases are tried in order.
        closing, after: the lists of these names, at the end of a message.
    """

    code: str
    patterns: Mapping[str, Pattern]
    ordered: Mapping[str, tuple[Pattern, ...]]
    closing: Pattern
    after: Pattern

    def fit(self, name: str, simple: str, place: tuple[int, int]) -> re.Match[str] | None:
        """Match a whole place of a message with the phrases of an ordered list; the first that fits wins."""
        return next((found for pattern in self.ordered[name] if (found := pattern.fullmatch(simple, *place))), None)


_ORDERED = (
    "everything", "inner", "link", "negated", "final", "final_asked", "change", "move", "call_off", "put_off", "remind",
)  # fmt: skip
_UNSPACED = frozenset({"zh", "ja"})
_KANA = re.compile(rf"[{KANA}]")
_CYRILLIC = re.compile("[а-яё]")


def candidate_codes(simple: str) -> Iterable[str]:
    """Return the languages that a message may be in, by its letters."""
    if _KANA.search(simple):
        yield "ja"
    elif HAN_SIGN.search(simple):
        yield from ("zh", "ja")
    if _CYRILLIC.search(simple):
        yield "ru"
    if re.search("[a-z]", simple):
        yield from ("en", "de", "es", "fr", "it", "pt")


_SPELLINGS = {"de": UMLAUT_SPELLINGS, "ru": str.maketrans({"ё": "е"}), "ja": str.maketrans(SIMPLIFIED)}
"""How letters of a phrase are spelled in a folded message."""


@cache
def wish_phrases(code: str) -> WishPhrases:
    """Read the phrases of one language."""
    make = signs if code in _UNSPACED else phrases
    lists = read_table(read_toml("wishes"), code)
    if code in _SPELLINGS:
        lists = {name: block.translate(_SPELLINGS[code]) for name, block in lists.items()}
    patterns = {name: make(block) for name, block in lists.items() if name not in _ORDERED}
    ordered = {name: tuple(map(make, filter(None, lists.get(name, "").splitlines()))) for name in _ORDERED}
    return WishPhrases(code, patterns, ordered, _at_end(patterns["closing"]), _at_end(patterns["after"]))


def _at_end(pattern: Pattern) -> Pattern:
    return Pattern(lambda: rf"(?<![\s,，、。.!;:–—-])[\s,，、。.!;:–—-]*(?:{pattern.pattern})[\s.!?。！？~]*$")


_PAUSE = " \t\n,.!:;…~–—-、，。：；！¡¿\"'"
_CLOSING = " \t\n.!?…。！？~,;:、，；："
_ABBREVIATED = re.compile(r"(?<!\w)\w\.\s?\w\.$")
_QUOTES = ('""', "''", "“”", "„“", "«»", "「」", "‘’")


def skip_pause(simple: str, at: int, end: int) -> int:
    while at < end and simple[at] in _PAUSE:
        at += 1
    return at


def trim(message: Message, start: int, end: int) -> tuple[int, int]:
    """Return a place without the spaces, pauses and quotation marks around it."""
    while start < end and message.simple[start] in " \t\n,:;、，：；":
        start += 1
    while start < end and message.simple[end - 1] in _CLOSING and not _ABBREVIATED.search(message.simple, start, end):
        end -= 1
    if end - start > 2 and message.text[start] + message.text[end - 1] in _QUOTES:
        return start + 1, end - 1
    return start, end


def skip_opening(simple: str, at: int, end: int, words: WishPhrases) -> tuple[int, bool]:
    """Find where an order begins after the courtesies, and whether "please" or "can you" was one of them."""
    asked = False
    for _ in range(MAX_LAYERS):
        at = skip_pause(simple, at, end)
        asking = words.patterns["asking"].match(simple, at, end)
        courtesy = words.patterns["courtesy"].match(simple, at, end)
        found = asking or courtesy
        if not found or found.end() == at:
            break
        asked |= asking is not None or found[0] in PLEASE
        at = found.end()
    return skip_pause(simple, at, end), asked


def cut_closing(simple: str, at: int, end: int, words: WishPhrases) -> int:
    """Find where an order ends before the courtesies."""
    for _ in range(MAX_LAYERS):
        found = words.closing.search(simple, at, end)
        if not found or found.start() <= at:
            break
        end = found.start()
    return end


def count_words(text: str) -> int:
    """Return how long a text is, in words; two Chinese or Japanese characters count as one."""
    return len(SIGNS.findall(text)) // 2 + len(text.split())
