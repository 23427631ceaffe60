"""Unicode's normal forms in time that grows with the length of a text alone."""

from __future__ import annotations

import re
from typing import Literal
from unicodedata import normalize

LONGEST_RUN = 30
"""Combining marks in a row that are sorted together: no writing has more (Stream-Safe Text Format, UAX 15)."""

_SHORT = 1024  # marks that take a millisecond to sort, whatever they are
_SIGN = r"[^\w\s!-~]"  # every combining mark is one, and few other characters
_RUN = re.compile(rf"{_SIGN}{{{LONGEST_RUN + 1}}}")
_PIECE = re.compile(rf"[\w\s!-~]+{_SIGN}{{0,{LONGEST_RUN}}}|{_SIGN}{{1,{LONGEST_RUN}}}")


def normalised(form: Literal["NFC", "NFD", "NFKC"], text: str) -> str:
    """A text in a normal form; of more than `LONGEST_RUN` marks in a row each so many by themselves.

    `unicodedata.normalize` sorts all marks that follow each other, in the square of their number: a message of 40,000
    keeps a core busy for 2 s, one of 400,000 for minutes.
    """
    if text.isascii():
        return text
    if len(text) <= _SHORT or not _RUN.search(text):
        return normalize(form, text)
    return "".join(normalize(form, piece) for piece in _PIECE.findall(text))
