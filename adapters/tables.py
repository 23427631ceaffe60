"""Markdown's tables as blocks of code with aligned columns, for platforms that show no tables."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markdown_it.token import Token

LONGEST_TEXT = 20_000
"""Characters; in a longer text tables stay as they are written. Reading them takes some 10 µs for each."""

_TICKS = re.compile(r"`{3,}")
_GAP = "  "


@dataclass(slots=True)
class _Table:
    """A table at the top level of a text: the lines that it takes up there, and what it says."""

    first: int
    end: int
    rows: list[list[str]] = field(default_factory=list)
    is_right: list[bool] = field(default_factory=list)


def as_code(text: str) -> str:
    """The text with its tables as fenced blocks; those inside quotes and lists, and in long texts, stay as they are.

    >>> print(as_code("| Seed | Days |\\n|---|--:|\\n| **beans** | 9 |"))
    ```
    Seed   Days
    -----  ----
    beans     9
    ```
    """
    if "|" not in text or len(text) > LONGEST_TEXT:
        return text
    lines = text.split("\n")
    for table in reversed(list(_tables(text))):
        lines[table.first : table.end] = _drawn(table)
    return "\n".join(lines)


def _tables(text: str) -> Iterator[_Table]:
    from markdown_it import MarkdownIt

    table: _Table | None = None
    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    for position, token in enumerate(tokens):
        if token.type == "table_open" and token.level == 0 and token.map:
            first, end = token.map
            table = _Table(first, end)
        elif table and token.type == "tr_open":
            table.rows.append([])
        elif table and token.type in {"th_open", "td_open"}:
            table.rows[-1].append(_plain(tokens[position + 1]))
            if len(table.rows) == 1:
                table.is_right.append("right" in str(token.attrGet("style")))
        elif table and token.type == "table_close":
            yield table
            table = None


def _plain(cell: Token) -> str:
    """What a cell says, without marks that a block of code would show as they are."""
    return "".join(child.content for child in cell.children or ()).strip()


def _drawn(table: _Table) -> list[str]:
    columns = list(zip_longest(*table.rows, fillvalue=""))
    widths = [max(map(_width, column)) for column in columns]
    drawn = [_row(row, widths, table.is_right) for row in table.rows]
    rule = _GAP.join("-" * width for width in widths)
    longest = max((len(ticks) for row in drawn for ticks in _TICKS.findall(row)), default=2)
    fence = "`" * (longest + 1)
    return [fence, drawn[0], rule, *drawn[1:], fence]


def _row(cells: Sequence[str], widths: Sequence[int], is_right: Sequence[bool]) -> str:
    padded = []
    for cell, width, right in zip(cells, widths, is_right, strict=True):
        space = " " * (width - _width(cell))
        padded.append(space + cell if right else cell + space)
    return _GAP.join(padded).rstrip()


def _width(text: str) -> int:
    if text.isascii() and text.isprintable():
        return len(text)
    from wcwidth import wcswidth

    return max(0, wcswidth(text))
