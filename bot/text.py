"""Text that every store and platform can take."""

from __future__ import annotations

import re
import unicodedata

LONGEST_NAME = 40
"""Characters of a display name that are shown."""

_MARKUP = re.compile(r"[`*_~|<>\[\]()#@\\\s]+")


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


def plain_name(name: str) -> str:
    """A display name that can stand in a sentence: no markup, no control or direction characters, not too long.

    >>> plain_name("**Ada**\\n`/link yes`\\u202e"), plain_name("\\u200b")
    ('Ada /link yes', 'no name')
    """
    visible = "".join(
        " " if unicodedata.category(one) in {"Zl", "Zp", "Zs", "Cc"} else one
        for one in unicodedata.normalize("NFC", well_formed(name))
        if unicodedata.category(one) not in {"Cf", "Co", "Cn", "Cs"}
    )
    return _MARKUP.sub(" ", visible).strip()[:LONGEST_NAME].strip() or "no name"
