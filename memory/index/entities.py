"""Names of people, places and projects as keys, so that `@The-Castle`, `the castle` and `The_Castle` are one."""

from __future__ import annotations

import re

from memory.index.terms import fold
from memory.language.detect import COMBINING

_PARTS = re.compile(rf"[^\W_]+(?:[{COMBINING}]+[^\W_]*)*")

LONGEST_NAME = 4
"""Words of a name that is looked for in a question."""


def entity_key(name: str) -> str:
    """The parts of a name without case, accents and punctuation, with spaces between them; empty for none."""
    return " ".join(map(fold, _PARTS.findall(name)))
