"""Text that every store and platform can take."""

from __future__ import annotations


def sized(count: int) -> str:
    """Bytes for a person to read.

    >>> sized(5), sized(120 * 1024), sized(3 * 2**19)
    ('5 B', '120 KB', '1.5 MB')
    """
    if count < 2**20:
        return f"{count} B" if count < 1024 else f"{count / 1024:.0f} KB"
    return f"{count / 2**20:.1f}".removesuffix(".0") + " MB"


def well_formed(text: str) -> str:
    """The text with surrogate pairs joined and lone halves replaced by U+FFFD; those cannot be written as UTF-8.

    >>> well_formed("a\\ud83d\\ude00b\\ud83d") == "a😀b\\ufffd"
    True
    """
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
