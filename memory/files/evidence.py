"""The evidence of an opinion: a comment under its bullet, which Obsidian hides."""

from __future__ import annotations

import re
from collections.abc import Iterable
from urllib.parse import unquote

from memory.files.markdown import ID, is_evidence
from memory.files.notation import is_day
from memory.types import Evidence

_COMMENT = re.compile(
    rf"\s*<!--\s*scrubjay:evidence\s+\^{ID}\s+from\s+(?P<start>[0-9]+(?:\.[0-9]+)?)\s*(?P<entries>;.*?)?;?\s*-->\s*"
)
_ENTRY = re.compile(
    rf"\s*(?P<day>[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}})\s+(?P<step>[+-][0-9]+(?:\.[0-9]+)?)\s+(?P<path>\S.*)#\^(?P<id>{ID})\s*"
)
_ESCAPES = str.maketrans({character: f"%{ord(character):02X}" for character in "%;<>"})


def parse_evidence(line: str) -> tuple[float, tuple[Evidence, ...]] | None:
    """Read such a comment: the confidence before all evidence, from 0 to 1, and the evidence in its order.

    None for any other line, and for one with a number or a day that there is not.
    """
    comment = _COMMENT.fullmatch(line) if is_evidence(line) else None
    if comment is None or float(comment["start"]) > 1:
        return None
    entries = [_ENTRY.fullmatch(part) for part in (comment["entries"] or "").split(";")[1:]]
    read = filter(None, entries)
    evidence = [Evidence(one["day"], float(one["step"]), unquote(one["path"]), one["id"]) for one in read]
    if len(evidence) < len(entries) or not all(is_day(piece.day) for piece in evidence):
        return None
    return float(comment["start"]), tuple(evidence)


def format_evidence(id: str, confidence: float, evidence: Iterable[Evidence]) -> str:
    """Return the line to put under an opinion's bullet, without a newline; `parse_evidence` reads it.

    `id` is the opinion's, without `^`. The confidence is that before all evidence, from 0 to 1, kept to six places.
    """
    parts = [f"from {_decimal(confidence)}"]
    for piece in evidence:
        step = f"{'+' if piece.step >= 0 else ''}{_decimal(piece.step)}"
        parts.append(f"{piece.day} {step} {piece.path.translate(_ESCAPES)}#^{piece.id}")
    return f"  <!-- scrubjay:evidence ^{id} {'; '.join(parts)} -->"


def _decimal(number: float) -> str:
    """Format a number with two to six places."""
    whole, _, places = f"{number:.6f}".partition(".")
    return f"{whole}.{places.rstrip('0').ljust(2, '0')}"
