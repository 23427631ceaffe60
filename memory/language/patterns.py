"""Regular expressions that are compiled only for a text in which they may be found.

Compiling is most of the cost of the first message of a process, and most patterns are of other languages. Each pattern
is therefore asked first for the pieces of text that it requires, which takes a tenth of the time.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any

MAX_ASKED_CHARS = 1000
"""Characters of a text in which pieces are looked for: a longer one would be read again for each of its places."""


class Pattern:
    """A regular expression that is compiled when it is first looked for in a text that has what it requires.

    `source` is its text, or a function that puts it together on first use; what is none raises `re.error` then.
    """

    __slots__ = ("_compiled", "_flags", "_required", "_source")

    def __init__(self, source: str | Callable[[], str], flags: int = 0) -> None:
        self._source = source
        self._flags = flags
        self._compiled: re.Pattern[str] | None = None
        self._required: frozenset[str] | None = None

    @property
    def pattern(self) -> str:
        """The text of the regular expression."""
        return self._source if isinstance(self._source, str) else self._source()

    def match(self, text: str, start: int = 0, end: int = sys.maxsize) -> re.Match[str] | None:
        """As in `re`: found at `start`."""
        compiled = self._compiled or self._compiled_for(text, end)
        return compiled.match(text, start, end) if compiled else None

    def fullmatch(self, text: str, start: int = 0, end: int = sys.maxsize) -> re.Match[str] | None:
        """As in `re`: all from `start` to `end`."""
        compiled = self._compiled or self._compiled_for(text, end)
        return compiled.fullmatch(text, start, end) if compiled else None

    def search(self, text: str, start: int = 0, end: int = sys.maxsize) -> re.Match[str] | None:
        """As in `re`: the first place where it is found."""
        compiled = self._compiled or self._compiled_for(text, end)
        return compiled.search(text, start, end) if compiled else None

    def finditer(self, text: str, start: int = 0, end: int = sys.maxsize) -> Iterator[re.Match[str]]:
        """As in `re`: all places where it is found."""
        compiled = self._compiled or self._compiled_for(text, end)
        return compiled.finditer(text, start, end) if compiled else iter(())

    def findall(self, text: str) -> list[Any]:
        """As in `re`: what is found, or what is found of its groups."""
        compiled = self._compiled or self._compiled_for(text, len(text))
        return compiled.findall(text) if compiled else []

    def sub(self, replacement: str | Callable[[re.Match[str]], str], text: str) -> str:
        """As in `re`: the text with all places where it is found replaced."""
        compiled = self._compiled or self._compiled_for(text, len(text))
        return compiled.sub(replacement, text) if compiled else text

    def compile(self) -> None:
        """Compile it for whatever text may come; raises `re.error`."""
        self._compiled = self._compiled or re.compile(self.pattern, self._flags)

    def _compiled_for(self, text: str, end: int) -> re.Pattern[str] | None:
        """Compile the expression, unless the text has nothing of what every match has."""
        if self._required is None:
            self._source = self.pattern
            self._required = required_pieces(self._source) if self._flags in {0, re.IGNORECASE} else frozenset()
        if self._required and len(text) <= MAX_ASKED_CHARS and _IOTA_BELOW not in text:
            known = _spaced(text[:end])
            if not any(map(known.__contains__, self._required)):  # without a call for each of hundreds
                return None
        self._compiled = re.compile(self.pattern, self._flags)
        return self._compiled


NOTHING = Pattern("(?!)")
"""Found nowhere."""

_IOTA_BELOW = "\u0345"
"""The one sign that is a letter when case is ignored, and otherwise none."""
_BETWEEN_WORDS = re.compile(r"\W+")
_DIGIT = re.compile(r"\d")


@lru_cache(maxsize=16)
def _spaced(text: str) -> str:
    """Return a text as pieces are, with a space before and after it."""
    return _comparable(f" {text} ")


def _comparable(text: str) -> str:
    """Return a text with one space between its words, zeros for its digits, and its case folded as `re` ignores it."""
    return _BETWEEN_WORDS.sub(" ", _DIGIT.sub("0", text)).replace("İ", "i").replace("ı", "i").casefold()


_TOKEN = re.compile(
    r"(?P<boundary>\(\?<?!(?:\\w|\[\\w[^\\\]]*\])\))|(?P<negative>\(\?<?!)|(?P<around>\(\?<?=)|"
    r"(?P<digit>\\d|\[\d-\d\])|(?P<words>\(\?:[^\\\[()|?*+{.^$]+(?:\|[^\\\[()|?*+{.^$]+)*\))|"
    r"(?P<any>\(\?P=\w+\)|\\(?:u\w{4}|U\w{8}|x\w\w|\d+|N\{[^}]*\}|\w)|\[\^?\]?(?:\\.|[^\]\\])*\]|[.^$]| (?=[?*{]))|"
    r"(?P<open>\((?!\?)|\(\?(?:s|-i)?:|\(\?P<\w+>)|(?P<unknown>\(\?)|(?P<close>\))|(?P<bar>\|)|"
    r"(?P<repeat>[?*+][?+]?|\{\d*,?\d*\}[?+]?)|(?P<text>\\\W|[^\\\[()|?*+{.^$]+|.)",
    re.DOTALL,
)
_ANY_SPACES = re.compile(r"(?<!\\)(?:\\s| )\+")
_EDGE = "\0"
"""Where an alternative begins or ends; whether a word does there depends on what is around it."""


def required_pieces(expression: str) -> frozenset[str]:
    """Return pieces of text of which every match of a regular expression has one; none if that is not known.

    Between words a piece has one space, whatever else stands there, and where it begins or ends in a space, a word
    begins or ends. A zero in it stands for any digit, and its case is folded.

    >>> sorted(required_pieces(r"(?<!\\w)(?:forget|let +go)(?!\\w)"))
    [' forget ', ' let go ']
    """
    single = _ANY_SPACES.sub(" ", expression)
    tokens = [(str(found.lastgroup), found[0]) for found in _TOKEN.finditer(single)]
    if any(kind == "unknown" for kind, _ in tokens):
        return frozenset()
    pieces, _ = _read_alternatives(tokens, 0)
    return frozenset(_comparable(piece.replace(_EDGE, "")) for piece in pieces)


def _read_alternatives(tokens: list[tuple[str, str]], at: int) -> tuple[set[str], int]:
    """Read up to the end of a group; returns its pieces, and where the token after its alternatives is."""
    found: list[set[str]] = []
    while True:
        branch = _Branch()
        while at < len(tokens) and tokens[at][0] not in {"bar", "close"}:
            at = branch.read(tokens, at)
        branch.cut(_EDGE)
        found.append(branch.best)
        if at >= len(tokens) or tokens[at][0] == "close":
            return (set().union(*found) if all(found) else set()), at
        at += 1


class _Branch:
    """One alternative of a regular expression, of which the pieces that are hardest to find are kept."""

    def __init__(self) -> None:
        self.best: set[str] = set()
        self._rank = (0, 0)
        self._run = _EDGE

    def read(self, tokens: list[tuple[str, str]], at: int) -> int:
        """Read one token, or one group with all that is in it; returns where the next one is."""
        kind, token = tokens[at]
        if kind == "text":
            self._run += token[-1] if token[0] == "\\" else token
        elif kind == "digit":
            self._run += "0"
        elif kind == "repeat":
            # Take a character that may be missing off the run; begin a new one with one that may follow itself.
            last = self._run[-1:].strip(_EDGE)
            if last and _may_be_missing(token):
                self._run, last = self._run[:-1], ""
            self.cut()
            self._run = last
        elif kind == "boundary":
            self.cut(" " if "<" not in token else "")
            self._run = " " if "<" in token else ""
        elif kind == "any":
            self.cut()
        else:
            return self._read_group(tokens, at)
        return at + 1

    def cut(self, closing: str = "") -> None:
        """End the run of characters that follow each other."""
        if piece := self._run and self._run + closing:
            if (rank := (_length(piece), -1)) > self._rank:
                self.best, self._rank = {piece}, rank
            self._run = ""

    def _read_group(self, tokens: list[tuple[str, str]], at: int) -> int:
        kind, token = tokens[at]
        if kind == "words":
            pieces = {f"{_EDGE}{words}{_EDGE}" for words in token[3:-1].split("|")}
        else:
            pieces, at = _read_alternatives(tokens, at + 1)
        following, text = tokens[at + 1] if at + 1 < len(tokens) else ("bar", "")
        left, right = "", ""
        if kind in {"open", "words"} and following != "repeat":
            left = self._run[-1:] if self._run[-1:] in {" ", _EDGE} else ""
            is_word_end = (following == "text" and text[0] == " ") or (following == "boundary" and "<" not in text)
            right = _EDGE if following in {"bar", "close"} else " " * is_word_end
        self.cut()
        pieces = {
            (left if piece[0] == _EDGE else "") + piece.strip(_EDGE) + (right if piece[-1] == _EDGE else "")
            for piece in pieces
        }
        easiest = min(map(_length, pieces), default=0), -len(pieces)
        if easiest > self._rank and kind != "negative" and not (following == "repeat" and _may_be_missing(text)):
            self.best, self._rank = pieces, easiest
        return at + 1


def _length(piece: str) -> int:
    """Rate how hard a piece is to find: a letter counts twice as much as a space or an edge, these alone nothing."""
    letters = len(_BETWEEN_WORDS.sub("", piece))
    return len(piece) + letters if letters else 0


def _may_be_missing(repeat: str) -> bool:
    return repeat[0] in "?*" or (repeat[0] == "{" and int(re.findall(r"\d*", repeat[1:])[0] or 0) == 0)
