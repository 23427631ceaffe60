"""Tokens to terms, once and in Python: what the index stores and what a query looks up are made by the same code.

- A word is case-folded, stemmed by its text's language, and loses its accents.
- An identifier (`POSTGRES_URL`, `v2.3.0`, `getUserName`, a path, an address, a phone number) stays whole and is split.
- A run of Han, kana or Hangul becomes overlapping pairs of characters, and its last character alone, so that every
  character begins a term and one of them can be looked up by prefix; Thai and its like become triples.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import cache

from memory.index.tokens import PARTS, tokens
from memory.language.detect import DROPPABLE_COMBINING, HAN, HANGUL, KANA, UNSPACED, script
from memory.language.normalize import normalize, stem

VERSION = 2
"""Raised with every change of the terms that a text gives: an index of another version is rebuilt."""

LONGEST = 64
"""Characters of one term; more are cut off."""

_PAIRED = re.compile(rf"[{HAN}{KANA}{HANGUL}]")
_TRIPLED = re.compile(rf"[{UNSPACED}]")
_LONE_HAN = re.compile(rf"(?<![{HAN}])[{HAN}](?![{HAN}])")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_GROUPED = re.compile(r"\d{1,3}(?:([.,'’])\d{3})(?:\1\d{3})*")
_CLITICS = frozenset("s t d m ll re ve".split())
_LETTERS = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "ħ": "h", "ı": "i", "æ": "ae", "œ": "oe"}
    | {"ى": "ي", "ی": "ي", "ة": "ه", "ک": "ك", "ـ": "", "ي": "ي"}
)
_CACHED_TOKENS = 200_000


def terms(text: str, language: str) -> list[str]:
    """The terms of a text in the language that its words are stemmed by (ISO 639-1), in order, with repetitions."""
    return terms_of(tokens(text), language).split()


def terms_of(found: Iterable[str], language: str) -> str:
    """The terms of these tokens, with spaces between them: the form that full-text search takes."""
    return " ".join(map(_lexicon(language).__getitem__, found))


def token_terms(token: str, language: str) -> tuple[str, ...]:
    """The terms of one token."""
    return tuple(_lexicon(language)[token].split())


def fold(word: str) -> str:
    """A word without case, accents and spelling variants of the same letter."""
    word = word.casefold()
    if word.isascii():
        return word
    word = word.translate(_LETTERS)
    if script(word[:1]) not in DROPPABLE_COMBINING:
        return word
    bare = normalize("NFD", word)
    return "".join(c for c in bare if unicodedata.category(c) != "Mn").translate(_LETTERS)


class _Lexicon(dict[str, str]):
    """Token to its terms in one language; filled as tokens are met."""

    def __init__(self, language: str) -> None:
        super().__init__()
        self._language = language

    def __missing__(self, token: str) -> str:
        found = " ".join(term[:LONGEST] for term in _expand(token, self._language) if term)
        if len(token) <= LONGEST:
            if len(self) >= _CACHED_TOKENS:
                self.clear()
            self[token] = found
        return found


@cache
def _lexicon(language: str) -> _Lexicon:
    return _Lexicon(language)


def _expand(token: str, language: str) -> Iterable[str]:
    if token.isalpha() and token.isascii() and not _CAMEL.search(token):
        return [stem(token.lower(), language)]
    if _PAIRED.match(token):
        return _pairs(token)
    if _TRIPLED.match(token):
        return _triples(token)
    if " " in token or token[0] == "+":
        return _number_to_call(token)
    return dict.fromkeys(_identifier(token.replace("’", "'"), language))


def _pairs(run: str) -> list[str]:
    # In Japanese a Han character between kana is a word of its own.
    lone = [match[0] for match in _LONE_HAN.finditer(run) if match.end() < len(run)]
    return [*(run[i : i + 2] for i in range(len(run) - 1)), *lone, run[-1]]


def _triples(run: str) -> list[str]:
    return [run[i : i + 3] for i in range(max(1, len(run) - 2))]


def _number_to_call(token: str) -> list[str]:
    """Its groups; if it is long enough for a phone, all digits too, and the last eight, which no prefix changes."""
    groups = PARTS.findall(token)
    digits = "".join(groups)
    return [digits, digits[-8:], *groups] if len(digits) >= 7 else groups


def _identifier(token: str, language: str) -> list[str]:
    parts = PARTS.findall(token)[:LONGEST]
    if not parts:  # an emoji
        return [token]
    if "'" in token:
        found, parts = _contraction(token, parts)
    else:
        found = [] if token == parts[0] else [_whole(token)]
    for part in parts:
        found += _word(part, language)
    return found


def _contraction(token: str, parts: list[str]) -> tuple[list[str], list[str]]:
    """What apostrophes join, as (terms, parts that count): `don't` is a word, `Jon's` is Jon, `O'Brien` also obrien."""
    if token.casefold().endswith("n't"):
        return [fold(token.replace("'", ""))], []
    if len(parts) > 1 and parts[-1].casefold() in _CLITICS:
        parts = parts[:-1]
    joined = [fold("".join(parts))] if len(parts) > 1 else []
    return joined, [part for part in parts if len(part) > 1] or parts


def _whole(token: str) -> str:
    """An identifier as one term: `e-mail` is email, `1,250` is 1250, anything else stays as it is."""
    if _GROUPED.fullmatch(token):
        return re.sub(r"\D", "", token)
    if any(map(str.isalpha, token)) and not re.search(r"[^\w\-]|_", token):
        return fold(token.replace("-", ""))
    return fold(token)


def _word(part: str, language: str) -> list[str]:
    """One part of a token: a word, a number, or words in camel case."""
    if any(map(str.isdigit, part)):
        return [fold(part)]
    pieces = _CAMEL.split(part)
    whole = [] if len(pieces) == 1 else [fold(part)]
    return whole + [fold(stem(piece.casefold(), language)) for piece in pieces]
