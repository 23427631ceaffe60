"""Who speaks in a file: labels such as `Anna: ...` or `**Anna:** ...` that open its paragraphs again and again."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

_LABEL = re.compile(
    r"(?:[-*+]\s+)?(?:\[[^\]\n]{1,30}\]\s*)?(?P<mark>\*\*|__|)(?P<name>[^\W\d_][^:：\n*_\[\]()]{0,39}?)"
    r"(?:(?P=mark)\s?[:：]|[:：](?P=mark))(?:\s|$|(?<=：))"
)
_NOT_NAMES = frozenset(
    "todo fixme note notes ps nb tip hint warning important example update http https see also".split()
)


def label(text: str) -> str:
    """The name that a paragraph begins with, if it begins like one of a conversation; else empty."""
    match = _LABEL.match(text)
    name = match["name"].strip() if match else ""
    return name if len(name.split()) <= 4 and name.casefold() not in _NOT_NAMES else ""


def speakers(openings: Iterable[str]) -> frozenset[str]:
    """The labels in a file that are speakers: each opens two paragraphs or more, and a fifth of all labelled ones."""
    labels = Counter(filter(None, map(label, openings)))
    total = labels.total()
    if total < 3:
        return frozenset()
    return frozenset(name for name, count in labels.items() if count >= 2 and count * 5 >= total)
