"""The notation in which phrases are listed, and its translation into patterns."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping

_BREAK = re.compile(r"\s*\n\s*")
_GROUP = re.compile(r"(?<!\\)\((?!\?)")
_SPACE = re.compile(" (?![*?+{])")
_OPTIONAL = re.compile(r"\([^()]*\)[?*]|\[[^]]*\]")
_PART = re.compile(r"(?<!\?P)<([a-z_]+)>")
_GAP = ".{0,60}?"
_WORDS = f" (?:{_GAP} )??"
_STOP = r"(?=\W*$| *[,.!?:;~…–—，、。！？：；¿¡])"


class Pattern:
    """A regular expression that is compiled when it is first looked for: most texts need few of those that are known.

    Args:
        pattern: the text of the regular expression.
        flags: as in `re.compile`.

    Raises:
        re.error: on first use, the text is no regular expression.
    """

    __slots__ = ("_compiled", "_flags", "pattern")

    def __init__(self, pattern: str, flags: int = 0) -> None:
        self.pattern = pattern
        self._flags = flags
        self._compiled: re.Pattern[str] | None = None

    def match(self, text: str, start: int = 0, end: int = sys.maxsize) -> re.Match[str] | None:
        """As in `re`: found at `start`."""
        return self._ready().match(text, start, end)

    def fullmatch(self, text: str, start: int = 0, end: int = sys.maxsize) -> re.Match[str] | None:
        """As in `re`: all from `start` to `end`."""
        return self._ready().fullmatch(text, start, end)

    def search(self, text: str, start: int = 0, end: int = sys.maxsize) -> re.Match[str] | None:
        """As in `re`: the first place where it is found."""
        return self._ready().search(text, start, end)

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        """As in `re`: all places where it is found."""
        return self._ready().finditer(text)

    def _ready(self) -> re.Pattern[str]:
        if self._compiled is None:
            self._compiled = re.compile(self.pattern, self._flags)
        return self._compiled


NOTHING = Pattern("(?!)")
"""Found nowhere."""


def phrases(block: str, parts: Mapping[str, str] | None = None) -> Pattern:
    """A pattern for any of the phrases in a block, as whole words.

    Phrases stand on lines of their own or between ` | `; the first that fits wins, so longer ones go first. They are
    lower case and are regular expressions with four shorthands: a space is one or more spaces, `...` is at most 60
    characters, `<name>` is any phrase of that part, and `<stop>` is a place where the sentence pauses or ends.
    A phrase may be broken over lines inside its parentheses.

    >>> phrases("good (morning|day)<stop> | hi+").match("hiii there")
    <re.Match object; span=(0, 4), match='hiii'>
    """
    return Pattern(rf"(?<!\w)(?:{pattern_of(block, parts or {})})(?!\w)")


def signs(block: str, parts: Mapping[str, str] | None = None) -> Pattern:
    """The same for scripts that put no spaces between words: a phrase counts inside a run of letters, too."""
    return Pattern(pattern_of(block, parts or {}))


def vocabulary(block: str) -> frozenset[str]:
    """The words or names in a block, as they are written: separated by commas or line ends."""
    return frozenset(filter(None, (name.strip() for name in block.replace("\n", ",").split(","))))


def pattern_of(block: str, parts: Mapping[str, str], *, longest_first: bool = False) -> str:
    """The alternatives of a block as the text of a regular expression, in the order in which they are tried."""
    listed = sorted(_listed(block), key=_surely_read, reverse=True) if longest_first else _listed(block)
    return "|".join(_pattern(phrase, parts) for phrase in listed)


def _surely_read(phrase: str) -> int:
    """How long a phrase is without what may be missing."""
    return len(_OPTIONAL.sub("", phrase))


def _listed(block: str) -> Iterator[str]:
    start = depth = 0
    for at, character in enumerate(f"{block}\n"):
        depth += (character == "(") - (character == ")")
        if depth == 0 and (character == "\n" or block[at - 1 : at + 2] == " | "):
            phrase = _BREAK.sub("", block[start:at].strip())
            if phrase:
                yield phrase
            start = at + 1


def _pattern(phrase: str, parts: Mapping[str, str]) -> str:
    grouped = _GROUP.sub("(?:", phrase).replace(" ... ", _WORDS)
    pattern = _SPACE.sub(" +", grouped).replace("...", _GAP).replace("<stop>", _STOP)
    return _PART.sub(lambda found: f"(?:{pattern_of(parts[found[1]], parts)})", pattern)
