"""Regular expressions that are compiled when they are first looked for: most of them are of other languages."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from typing import Any


class Pattern:
    """A regular expression that is compiled when it is first looked for.

    `source` is its text, or a function that puts it together on first use; what is none raises `re.error` then.
    """

    __slots__ = ("_compiled", "_flags", "_source")

    def __init__(self, source: str | Callable[[], str], flags: int = 0) -> None:
        self._source = source
        self._flags = flags
        self._compiled: re.Pattern[str] | None = None

    @property
    def pattern(self) -> str:
        """The text of the regular expression."""
        return self._source if isinstance(self._source, str) else self._source()

    def compile(self) -> re.Pattern[str]:
        """Return the expression itself, compiled now if it was not before; raises `re.error`."""
        if self._compiled is None:
            self._compiled = re.compile(self.pattern, self._flags)
        return self._compiled

    def match(self, text: str, start: int = 0, end: int = sys.maxsize) -> re.Match[str] | None:
        """As in `re`: found at `start`."""
        return (self._compiled or self.compile()).match(text, start, end)

    def fullmatch(self, text: str, start: int = 0, end: int = sys.maxsize) -> re.Match[str] | None:
        """As in `re`: all from `start` to `end`."""
        return (self._compiled or self.compile()).fullmatch(text, start, end)

    def search(self, text: str, start: int = 0, end: int = sys.maxsize) -> re.Match[str] | None:
        """As in `re`: the first place where it is found."""
        return (self._compiled or self.compile()).search(text, start, end)

    def finditer(self, text: str, start: int = 0, end: int = sys.maxsize) -> Iterator[re.Match[str]]:
        """As in `re`: all places where it is found."""
        return (self._compiled or self.compile()).finditer(text, start, end)

    def findall(self, text: str) -> list[Any]:
        """As in `re`: what is found, or what is found of its groups."""
        return (self._compiled or self.compile()).findall(text)

    def sub(self, replacement: str | Callable[[re.Match[str]], str], text: str) -> str:
        """As in `re`: the text with all places where it is found replaced."""
        return (self._compiled or self.compile()).sub(replacement, text)


NOTHING = Pattern("(?!)")
"""Found nowhere."""
