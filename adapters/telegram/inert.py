"""Takes the power from Markdown that would make words vanish when it is rendered for Telegram.

A backslash in front of a mark makes it a character like any other. It is put where the renderer, or Telegram itself,
would otherwise drop what somebody wrote: HTML, link definitions, links that lead nowhere, cells outside of a table.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any, NamedTuple

import pyromark

OPTIONS = (
    pyromark.Options.ENABLE_TABLES
    | pyromark.Options.ENABLE_STRIKETHROUGH
    | pyromark.Options.ENABLE_TASKLISTS
    | pyromark.Options.ENABLE_MATH
)
"""What counts as Markdown; the same as in telegramify-markdown."""

PASSES = 20
"""An escaped mark can give another one its power, so the text is looked at again, but not for ever."""

_DEFINITION = re.compile(rb"\\.|(\[)(?:[^\[\]\\]|\\.)+\]:", re.DOTALL)
_WEB = re.compile(r"https?://[\w.\[\]:%-]+(?:[/?#]\S*)?", re.IGNORECASE)
_LINE = re.compile(rb"\n[ \t>]*")
_BLANK = frozenset(b"| \t\r\n>")


def inert(markdown: str, *, strict: bool = False) -> str:
    """The same text, with a backslash in front of every mark that would lose some of it.

    Args:
        markdown: whatever a model wrote.
        strict: take the power from all tables and formulas, too.
    """
    source = markdown.encode()
    for _ in range(PASSES):
        marks = set(_Scan(source, strict=strict).marks())
        if not marks:
            break
        bounds = [0, *sorted(marks), len(source)]
        source = b"\\".join(source[start:end] for start, end in pairwise(bounds))
    return source.decode()


class _Event(NamedTuple):
    """A step of the parser: `kind` is Start, End, Text, ...; `value` its text or tag. Positions are in bytes."""

    kind: str
    value: Any
    start: int
    end: int

    @property
    def tag(self) -> str:
        """The name of what starts or ends here."""
        value = next(iter(self.value)) if isinstance(self.value, Mapping) else self.value
        return str(value) if self.kind in {"Start", "End"} else ""

    @property
    def link(self) -> Mapping[str, str] | None:
        """The link or image that starts here."""
        is_link = self.kind == "Start" and self.tag in {"Link", "Image"}
        return self.value[self.tag] if is_link else None

    @property
    def is_code(self) -> bool:
        """Whether it is a span or a whole block of code."""
        return self.kind == "Code" or (self.kind == "Start" and self.tag == "CodeBlock")


class _Scan:
    """One look at a text."""

    def __init__(self, source: bytes, *, strict: bool) -> None:
        self._source = source
        self._strict = strict
        self._events = list(_events(source))

    def marks(self) -> Iterator[int]:
        """Where a backslash is needed, in bytes."""
        yield from self._definitions()
        yield from self._links()
        yield from self._tables()
        yield from self._empty_blocks()
        for event in self._events:
            if event.kind == "InlineHtml":
                yield event.start
            elif event.kind == "Html" and event.value.lstrip().startswith("<"):
                yield self._source.index(b"<", event.start)
            elif self._strict and event.kind in {"InlineMath", "DisplayMath"}:
                yield event.start

    def _definitions(self) -> Iterator[int]:
        """`[name]: target` is not shown at all, wherever it stands, unless it is code."""
        code = [event for event in self._events if event.is_code]
        for found in _DEFINITION.finditer(self._source):
            start = found.start(1)
            if found[1] and not any(event.start <= start < event.end for event in code):
                yield start

    def _links(self) -> Iterator[int]:
        """A link that Telegram would not keep, that shows no text or hides its title, or that stands in another."""
        depth = 0
        for event, after in pairwise(self._events):
            if event.link is not None:
                is_kept = _WEB.fullmatch(event.link["dest_url"]) and not event.link["title"] and after.kind != "End"
                if depth or not is_kept:
                    yield event.start
                depth += 1
            elif event.kind == "End" and event.tag in {"Link", "Image"}:
                depth -= 1

    def _tables(self) -> Iterator[int]:
        """Links in tables lose their targets, and what stands beyond the last column is dropped."""
        table, last = None, 0
        for event in self._events:
            if event.tag == "Table":
                table = event.start if event.kind == "Start" else None
            elif event.tag == "TableCell":
                last = event.end
            is_spilled = event.kind == "End" and event.tag == "TableRow" and self._has_text(last, event.end)
            if table is not None and (self._strict or event.link is not None or is_spilled):
                yield self._delimiter_row(table)

    def _empty_blocks(self) -> Iterator[int]:
        """A block of code without any would take its language with it; so would one whose first line is yet to come."""
        is_empty = False
        for event in self._events:
            if event.kind == "Text" and event.value.strip():
                is_empty = False
            elif event.tag == "CodeBlock" and event.kind == "Start":
                is_empty = True
            elif event.tag == "CodeBlock" and is_empty:
                yield event.start

    def _has_text(self, start: int, end: int) -> bool:
        return not _BLANK.issuperset(self._source[start:end])

    def _delimiter_row(self, table: int) -> int:
        """Where a table's second line begins, behind quote marks: escaped there, it is lines of text."""
        found = _LINE.search(self._source, table)
        return found.end() if found else table


def _events(source: bytes) -> Iterator[_Event]:
    for event, span in pyromark.events_with_range(source.decode(), options=OPTIONS):
        kind, value = (event, None) if isinstance(event, str) else next(iter(event.items()))
        yield _Event(kind, value, span["start"], span["end"])
