"""What one line of Markdown begins, and how a text is cut into lines.

Lines end at a newline (a carriage return before it is dropped) and nowhere else, so that line numbers are those of an
editor.
"""

from __future__ import annotations

import re
from enum import StrEnum


class BlockKind(StrEnum):
    """What a block is. A bullet with its indented continuation is one block, a nested bullet another."""

    HEADING = "heading"
    PARAGRAPH = "paragraph"
    BULLET = "bullet"
    FENCE = "fence"
    TABLE = "table"
    COMMENT = "comment"
    FRONTMATTER = "frontmatter"


_HEADING = re.compile(r"(#{1,6})(?:\s+(.*)|)\Z", re.DOTALL)
_BULLET = re.compile(r"(?:[-*+]|[0-9]{1,9}[.)])(?:\s|\Z)")
_FENCE = re.compile(r"`{3,}(?=[^`]*\Z)|~{3,}")
_COMMENT = re.compile(r"<!--(?:(?!-->).)*(?:-->)?\Z", re.DOTALL)  # with prose after it on its line it is a paragraph

_MARKS = {
    **dict.fromkeys("-*+0123456789", (BlockKind.BULLET, _BULLET)),
    **dict.fromkeys("`~", (BlockKind.FENCE, _FENCE)),
    "#": (BlockKind.HEADING, _HEADING),
    "|": (BlockKind.TABLE, re.compile(r"\|")),
    "<": (BlockKind.COMMENT, _COMMENT),
}
_RULES = frozenset("-*_")
ID = r"[A-Za-z0-9-]+"
"""The characters of a block id."""
BLOCK_ID = re.compile(rf"(?:^|\s)\^({ID})\s*\Z")
"""A block id at the end of a line or paragraph: behind white space, or alone."""

SPECIAL = frozenset(_MARKS) | _RULES
"""A line that begins with any other character begins or continues a paragraph."""


def split_lines(text: str) -> list[str]:
    """The lines of a text without their ends; the first is line 1. A final newline begins no further line."""
    if "\r" in text:
        text = text.replace("\r\n", "\n")
    lines = text.removeprefix("\ufeff").split("\n")
    if not lines[-1]:
        lines.pop()
    return lines


def line_start(text: str, number: int) -> int:
    """Where the line after so many lines begins; the end of the text if it has no more."""
    at = 0
    for _ in range(number):
        at = text.find("\n", at) + 1
        if not at:
            return len(text)
    return at


def line_kind(bare: str) -> BlockKind | None:
    """What a line without its outer space begins, were it not continued; None for a blank line or a rule."""
    first = bare[:1]
    if first not in SPECIAL:
        return BlockKind.PARAGRAPH if bare else None
    if first in _RULES and bare.count(first) >= 3 and not bare.strip(first + " \t"):
        return None
    kind, pattern = _MARKS.get(first, (BlockKind.PARAGRAPH, None))
    return kind if pattern and pattern.match(bare) else BlockKind.PARAGRAPH


def interrupts(bare: str) -> bool:
    """Whether a line ends the paragraph before it. A numbered one does so only as 1: years begin lines, too."""
    kind = line_kind(bare)
    if kind is BlockKind.BULLET and bare[0].isdigit():
        return bare.startswith(("1.", "1)"))
    return kind is not BlockKind.PARAGRAPH


def heading(line: str) -> tuple[int, str] | None:
    """Level and title of a heading's line (`## Retain` is 2 and `Retain`); None for any other line."""
    match = _HEADING.match(line.strip())
    if match is None:
        return None
    title = match[2] or ""
    unclosed = title.rstrip("#")
    return len(match[1]), unclosed.rstrip() if not unclosed or unclosed[-1].isspace() else title


def is_retain(title: str) -> bool:
    """Whether a heading's title marks a section of facts."""
    return title.casefold() == "retain"


def is_identified(line: str) -> bool:
    """Whether a bullet's first line ends in a block id, so that all indented lines below it belong to it."""
    return block_id(line) is not None


def block_id(text: str) -> str | None:
    """The block id (without `^`) at the end of a line or paragraph; None if there is none."""
    match = BLOCK_ID.search(text) if "^" in text else None
    return match[1] if match else None


def fence_mark(bare: str) -> str:
    """The backticks or tildes that open a fence; empty if the line opens none."""
    match = _FENCE.match(bare)
    return match[0] if match else ""


def clean(text: str) -> str:
    """Text that can be written as UTF-8: surrogates become question marks."""
    return text.encode(errors="replace").decode()
