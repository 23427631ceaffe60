"""What several platforms need: a bounded dictionary, back-off, an error of a group, safe text, lean imports."""

from __future__ import annotations

import re
import sys
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar, cast

if TYPE_CHECKING:
    from types import ModuleType

K = TypeVar("K")
V = TypeVar("V")

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


class LimitedDict(OrderedDict[K, V]):
    """A dictionary of at most `limit` entries. Setting a key makes it the newest; the oldest one gives way."""

    def __init__(self, limit: int = 1000) -> None:
        super().__init__()
        self._limit = limit

    def __setitem__(self, key: K, value: V) -> None:
        super().__setitem__(key, value)
        self.move_to_end(key)
        if len(self) > self._limit:
            self.popitem(last=False)


def backoff_s(failures: int, *, max_s: float) -> float:
    """Return how long to wait after so many failures in a row: 1, 2, 4, ... seconds, at most `max_s`."""
    return min(2.0 ** min(failures - 1, 30), max_s)


def first_error(group: ExceptionGroup[Exception]) -> Exception:
    """Return the first error of a group, however deeply nested, that is not a group itself."""
    error: Exception = group
    while isinstance(error, ExceptionGroup):
        error = error.exceptions[0]
    return error


def printable(text: str) -> str:
    """Replace what a terminal would obey instead of showing it: escape sequences, changes of the writing direction."""
    return _CONTROL.sub("\ufffd", text)


@contextmanager
def not_imported(*names: str) -> Iterator[None]:
    """Let what is imported inside, and meanwhile in other threads, do without these modules: as if not installed."""
    modules = cast("dict[str, ModuleType | None]", sys.modules)
    absent = [name for name in names if name not in modules]
    modules.update(dict.fromkeys(absent))
    try:
        yield
    finally:
        for name in absent:
            del modules[name]
