"""Text that every store and platform can take."""

from __future__ import annotations


def well_formed(text: str) -> str:
    """The text with surrogate pairs joined and lone halves replaced by U+FFFD; those cannot be written as UTF-8.

    >>> well_formed("a\\ud83d\\ude00b\\ud83d") == "a😀b\\ufffd"
    True
    """
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
