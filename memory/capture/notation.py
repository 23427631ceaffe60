"""Whether a message is written in the Retain notation already."""

from __future__ import annotations

import re

_LETTERED = re.compile(r"\s*(?:[-*+] +)?[WBOSPT](?:\([^()\n]{0,200}\))?(?: +(?:@\w|\[\[)|\s*[:：]\s)")


def is_notation(text: str) -> bool:
    """Whether a text begins like a fact in the Retain notation: `O(c=0.9) @Peter: ...`, `- W: ...`."""
    return _LETTERED.match(text) is not None
