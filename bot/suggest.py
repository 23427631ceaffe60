"""The nearest word that would have been right."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The known word that looks most like this one, whatever its case; None when none does.

    >>> nearest("persnal", ["personal", "work"])
    'personal'
    """
    by_fold = {name.casefold(): name for name in known}
    found = difflib.get_close_matches(word.casefold(), by_fold, n=1, cutoff=0.6)
    return by_fold[found[0]] if found else None


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """A question with the nearest known word, for the end of a message; empty when none is near."""
    near = nearest(word, known)
    return f'Did you mean "{near}"?' if near else ""
