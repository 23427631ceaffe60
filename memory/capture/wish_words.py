"""A message that may be a wish, the phrases of a language for it, and how an order is opened and closed."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from memory.capture.hanzi import SIMPLIFIED
from memory.capture.phrases import Pattern, phrases, signs
from memory.language.scripts import HAN, KANA

SENTENCES = 4
"""Sentences of a message that are read."""

ROUNDS = 8
"""Courtesies and openings before the matter that are read, and layers around it."""


@dataclass(frozen=True, slots=True)
class Found:
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
class Words:
    """The phrases of one language, as `lexicons/wishes.toml` explains them; a list is tried in order."""

    code: str
    one: Mapping[str, Pattern]
    several: Mapping[str, tuple[Pattern, ...]]
    closing: Pattern
    after: Pattern


_LISTS = ("everything", "inner", "link", "negated", "final", "final_asked", "change", "remind")
_UNSPACED = frozenset({"zh", "ja"})
HAN_SIGN = re.compile(rf"[{HAN}]")
_KANA = re.compile(rf"[{KANA}]")
_CYRILLIC = re.compile("[а-яё]")


def codes(simple: str) -> Iterable[str]:
    """The languages that a message may be in, by its letters."""
    if _KANA.search(simple):
        yield "ja"
    elif HAN_SIGN.search(simple):
        yield from ("zh", "ja")
    if _CYRILLIC.search(simple):
        yield "ru"
    if re.search("[a-z]", simple):
        yield from ("en", "de", "es", "fr", "it", "pt")


@cache
def _lexicon() -> Mapping[str, Mapping[str, str]]:
    read = files("memory.capture").joinpath("lexicons", "wishes.toml").read_text(encoding="utf-8")
    return tomllib.loads(read)


_SPELLINGS = {
    "de": str.maketrans({"ä": "(ä|ae)", "ö": "(ö|oe)", "ü": "(ü|ue)", "ß": "(ß|ss)"}),
    "ru": str.maketrans({"ё": "е"}),
    "ja": str.maketrans(SIMPLIFIED),
}
"""How letters of a phrase are spelled in a folded message."""


@cache
def words_of(code: str) -> Words:
    compiled = signs if code in _UNSPACED else phrases
    read = _lexicon()[code]
    if code in _SPELLINGS:
        read = {name: block.translate(_SPELLINGS[code]) for name, block in read.items()}
    one = {name: compiled(block) for name, block in read.items() if name not in _LISTS}
    several = {name: tuple(map(compiled, filter(None, read.get(name, "").splitlines()))) for name in _LISTS}
    closing, after = (
        Pattern(rf"(?<![\s,，、。.!;:–—-])[\s,，、。.!;:–—-]*(?:{one[name].pattern})[\s.!?。！？~]*$")
        for name in ("closing", "after")
    )
    return Words(code, one, several, closing, after)


_PAUSE = " \t\n,.!:;…~–—-、，。：；！¡¿\"'"
_CLOSING = " \t\n.!?…。！？~,;:、，；："
_ABBREVIATED = re.compile(r"(?<!\w)\w\.\s?\w\.$")
_QUOTES = ('""', "''", "“”", "„“", "«»", "「」", "‘’")


def skip(simple: str, at: int, end: int) -> int:
    while at < end and simple[at] in _PAUSE:
        at += 1
    return at


def trimmed(message: Message, start: int, end: int) -> tuple[int, int]:
    """A place without the spaces, pauses and quotation marks around it."""
    while start < end and message.simple[start] in " \t\n,:;、，：；":
        start += 1
    while start < end and message.simple[end - 1] in _CLOSING and not _ABBREVIATED.search(message.simple, start, end):
        end -= 1
    if end - start > 2 and message.text[start] + message.text[end - 1] in _QUOTES:
        return start + 1, end - 1
    return start, end


PLEASE = frozenset({"bitte", "please"})


def opened(simple: str, at: int, end: int, words: Words) -> tuple[int, bool]:
    """Where an order begins after the courtesies, and whether "please" or "can you" was one of them."""
    asked = False
    for _ in range(ROUNDS):
        at = skip(simple, at, end)
        asking = words.one["asking"].match(simple, at, end)
        courtesy = words.one["courtesy"].match(simple, at, end)
        found = asking or courtesy
        if not found or found.end() == at:
            break
        asked |= asking is not None or found[0] in PLEASE
        at = found.end()
    return skip(simple, at, end), asked


def closed(simple: str, at: int, end: int, words: Words) -> int:
    """Where an order ends before the courtesies."""
    for _ in range(ROUNDS):
        found = words.closing.search(simple, at, end)
        if not found or found.start() <= at:
            break
        end = found.start()
    return end


def length(text: str) -> int:
    """How long a text is, in words; two Chinese or Japanese characters count as one."""
    unspaced = len(HAN_SIGN.findall(text)) + len(_KANA.findall(text))
    return unspaced // 2 + len(text.split())
