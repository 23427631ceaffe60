"""Words in one form: Unicode's normal forms, simplified Chinese characters, and stems by Snowball's algorithms."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping
from functools import cache
from threading import Lock
from typing import Literal

from memory.language.detect import BY_SCRIPT, script
from memory.language.words import read_lists

MAX_MARKS = 30
"""Combining marks in a row that are sorted together: no writing has more (Stream-Safe Text Format, UAX 15)."""
MAX_WORD_LETTERS = 100
"""Letters. What is longer is no word of any language, and taking it apart would take long."""
_LISTS = read_lists("memory.language", "lexicon", "scripts.toml")
ALGORITHMS: Mapping[str, str] = _LISTS["stemmers"]
_STEMMING = Lock()
"""Held while a word is stemmed: a stemmer keeps the word in itself, and each memory has a thread of its own."""
_SHORT = 1024  # marks that take a millisecond to sort, whatever they are
_SIGN = r"[^\w\s!-~]"  # every combining mark is one, and few other characters
_RUN = re.compile(rf"{_SIGN}{{{MAX_MARKS + 1}}}")
_PIECE = re.compile(rf"[\w\s!-~]+{_SIGN}{{0,{MAX_MARKS}}}|{_SIGN}{{1,{MAX_MARKS}}}")


def normalize(form: Literal["NFC", "NFD", "NFKC"], text: str) -> str:
    """Bring a text into a normal form; of more than `MAX_MARKS` marks in a row each so many by themselves.

    `unicodedata.normalize` sorts all marks that follow each other, in the square of their number: a message of 40,000
    keeps a core busy for 2 s, one of 400,000 for minutes.
    """
    if text.isascii():
        return text
    if len(text) <= _SHORT or not _RUN.search(text):
        return unicodedata.normalize(form, text)
    return "".join(unicodedata.normalize(form, piece) for piece in _PIECE.findall(text))


SIMPLIFIED: dict[str, str] = {
    pair[0]: pair[1] for pair in read_lists("memory.language", "lexicon", "hanzi.toml")["pairs"].split()
}
"""Traditional Chinese character to simplified, for those that occur in what the rules look for."""


_LIST_MARK = re.compile(r"\([^()\n]*\)|(?<![\w.,:/-])\d{1,2}(?=\)\s?\w)")
"""What stands in brackets as a whole, or else the number of a list before its bracket."""
_GREETING = re.compile("|".join(_LISTS["greetings"]), re.IGNORECASE)


def blank_list_marks(text: str) -> str:
    """Return a text with spaces for the numbers of a list that stands in one line: "by May 2) pay" names no second."""
    return _LIST_MARK.sub(lambda mark: mark[0] if "(" in mark[0] else " " * len(mark[0]), text) if ")" in text else text


def blank_no_times(text: str) -> str:
    """Return a text with spaces for what names no time: the numbers of a list, and greetings as "good evening"."""
    return _GREETING.sub(lambda greeting: " " * len(greeting[0]), blank_list_marks(text))


def stem(word: str, language: str) -> str:
    """Return the stem of one lower-case word; one longer than `MAX_WORD_LETTERS` stays as it is.

    A word in another script than its text's language (a Latin name in Russian) goes by the commonest language of its
    own script. A language without an algorithm leaves words as they are.
    """
    shorten = _stemmer(language, script(word[:1]))
    if shorten is None or len(word) > MAX_WORD_LETTERS:
        return word
    with _STEMMING:
        return shorten(word) or word


def script_of_language(code: str) -> str:
    """Return the script that a language is written in; `latin` unless we know better."""
    return str(_LISTS["written"].get(code, "latin"))


@cache
def _stemmer(language: str, written: str) -> Callable[[str], str] | None:
    """Return what shortens the words of a language that are written in a script; None for nothing."""
    algorithm = ALGORITHMS.get(language if written == script_of_language(language) else BY_SCRIPT.get(written, ""))
    if algorithm is None:
        return None
    from Stemmer import Stemmer  # not needed by a program that only starts

    shorten: Callable[[str], str] = Stemmer(algorithm, 0).stemWord  # who needs many stems keeps them
    return shorten
