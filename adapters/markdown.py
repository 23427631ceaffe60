"""Markdown for platforms: split at a limit, fenced blocks, tables as code."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate, zip_longest
from typing import TYPE_CHECKING
from unicodedata import category

if TYPE_CHECKING:
    from markdown_it.token import Token

_LIST_MARK = re.compile(r"[-+*]|\d+[.)]")


@dataclass(frozen=True, slots=True)
class Fence:
    """A fenced block. Positions are offsets in its text.

    Attributes:
        start: where the opening line begins.
        body: where the line after it begins.
        close: where the closing line begins; without one, where the text goes on, or beyond an open block's text.
        end: where the closing line ends; the same as `close` without one.
        is_open: it goes on to the end of the text.
        prefix: what is in front of the closing mark: quote marks and indentation.
        mark: the run of ` or ~.
        info: what follows it in the opening line.
    """

    start: int
    body: int
    close: int
    end: int
    is_open: bool
    prefix: str
    mark: str
    info: str

    @property
    def closer(self) -> str:
        """The closing line, after the block's last line."""
        return f"\n{self.prefix}{self.mark}"

    @property
    def quote(self) -> str:
        """The quote marks around it."""
        return "> " * self.prefix.count(">")

    @property
    def opener(self) -> str:
        """The opening line to continue the block with, outside of any list."""
        return f"{self.quote}{self.mark}{self.info}\n"

    def within(self, size: int) -> Fence | None:
        """Return the block if its two lines take at most `size` characters, else without its info, else None."""
        if len(self.opener) + len(self.closer) <= size:
            return self
        return replace(self, info="").within(size) if self.info else None

    def continued(self, tail: str) -> str:
        """Return the block's remaining lines, and all that follows them, under a new opening line."""
        if self.prefix == self.quote:
            return self.opener + tail
        quotes = rf"(?:[ \t]*>){{{self.prefix.count('>')}}}"
        closing = re.compile(rf"^{quotes}[ \t]*{self.mark[0]}{{{len(self.mark)},}}[ \t]*$", re.MULTILINE)
        closing_line = closing.search(tail)
        inside = tail[: closing_line.end()] if closing_line else tail
        lines = (
            self.quote + line.removeprefix(self.prefix) if line.startswith(self.prefix) else line
            for line in inside.split("\n")
        )
        return self.opener + "\n".join(lines) + tail[len(inside) :]


def fences(text: str) -> list[Fence]:
    """Return the fenced blocks of a text whose lines end in `\\n`, in order."""
    if "```" not in text and "~~~" not in text:
        return []
    from markdown_it import MarkdownIt

    lines = text.split("\n")
    starts = [0, *accumulate(len(line) + 1 for line in lines)]
    tokens = MarkdownIt("commonmark").disable("inline").parse(text)
    return [_fence(token, lines, starts) for token in tokens if token.type == "fence"]


def closed(text: str) -> str:
    """Return a text with the block that is open at its end closed, so that what follows stands outside of it."""
    text = re.sub("\r\n?", "\n", text)  # as the parser counts lines
    return text + "".join(fence.closer for fence in fences(text) if fence.is_open)


def _fence(token: Token, lines: list[str], starts: list[int]) -> Fence:
    first, after = token.map or (0, 0)
    before, mark, info = lines[first].partition(token.markup)
    content_lines = token.content.count("\n") + (not token.content.endswith("\n") and token.content != "")
    closed = after - first - 1 > content_lines
    is_open = not closed and not any(line.strip() for line in lines[after:])
    if closed:
        close, end = starts[after - 1], starts[after] - 1
    else:
        close = end = starts[-1] + 1 if is_open else starts[after]
    prefix = _LIST_MARK.sub(lambda list_mark: " " * len(list_mark[0]), before)
    return Fence(starts[first], starts[first + 1], close, end, is_open, prefix, mark, info)


MIN_LIMIT = 32
"""The shortest limit that leaves room for text between the lines of a fence."""

_MAX_CHARACTER_CODE_POINTS = 256
_EXTENDING = frozenset("\u200c\u200d\U0001f3fb\U0001f3fc\U0001f3fd\U0001f3fe\U0001f3ff")
"""Joiners, and skin tones."""

_BLANK = re.compile(r"\n(?:[ \t]*\n)+")
_LINE = re.compile(r"\n")
_SENTENCE = re.compile(r"(?<=[.!?…])[ \t]+|(?<=[。！？])(?=[^\s。！？])")
_SPACE = re.compile(r"[ \t\u3000]+")
_QUOTE = re.compile(r"(?:[ \t]{0,3}>[ \t]?)*")
_BLOCK_START = re.compile(r"[#>+*=-]|\d+[.)]|`{3}|~{3}")
"""What would begin a block at the start of a line: no line is cut in front of it."""
_BARE_MARK = re.compile(r"[ \t>]*(?:[-+*]|#{1,6}|\d+[.)])?\Z")
"""The beginning of a line that has only quote or list marks: it is not cut there."""


def split(text: str, limit: int, *, unit: str = "characters") -> tuple[str, ...]:
    """Cut Markdown into parts.

    Cuts are made at a blank line, else a line, a sentence, a space, as late as that allows, and never inside what a
    reader sees as one character. A fenced block that has to be cut is closed, and opened again with the same info
    string; quoted text stays quoted.

    Args:
        limit: the longest part, in units; at least 32.
        unit: `characters` (code points) or `utf16`.

    Returns:
        Parts that are not blank; none if the text is.
    """
    if limit < MIN_LIMIT:
        raise ValueError(f"A limit of {limit} leaves no room for text; the smallest is {MIN_LIMIT}.")
    fit, parts = _RULERS[unit], list[str]()
    rest, repeated = re.sub("\r\n?", "\n", text).strip("\n"), 0
    while rest[repeated:].strip():
        part, rest, repeated = _Cutter(rest, repeated, limit, fit).cut()
        parts.append(part)
    return tuple(part for part in parts if part.strip())


def _utf16(text: str, limit: int) -> int:
    head = text[:limit]
    if not head or max(head) <= "\uffff":
        return len(head)
    units = 0
    for position, character in enumerate(head):
        units += 2 if character > "\uffff" else 1
        if units > limit:
            return position
    return min(len(text), limit)


_Ruler = Callable[[str, int], int]
"""Returns how many characters from the beginning of a text fit into so many units."""

_RULERS: dict[str, _Ruler] = {"characters": lambda text, limit: min(len(text), limit), "utf16": _utf16}


@dataclass(frozen=True, slots=True)
class _Place:
    """A cut: the part ends before `end`, the next one begins at `resume`, perhaps inside a line or fence."""

    end: int
    resume: int
    fence: Fence | None = None
    in_line: bool = False


@dataclass(frozen=True, slots=True)
class _Kind:
    """A kind of place for a cut: between lines, inside a fence or not; or inside a line."""

    pattern: re.Pattern[str]
    fenced: bool = False
    in_line: bool = False


_KINDS = (
    _Kind(_BLANK),
    _Kind(_LINE),
    _Kind(_LINE, fenced=True),
    _Kind(_SENTENCE, in_line=True),
    _Kind(_SPACE, in_line=True),
)
"""In order of preference."""


class _Cutter:
    """Makes one cut in a text; up to `floor` it repeats the part before: the opening line of a fence."""

    def __init__(self, text: str, floor: int, limit: int, fit: _Ruler) -> None:
        self._text = text
        self._floor = floor
        self._limit = limit
        self._fit = fit
        self._size = fit(text, limit)
        self._first = floor + len(head := text[floor : self._size]) - len(head.lstrip())
        self._rooms: dict[Fence, int] = {}
        self._fences = [short for fence in fences(text[: self._size]) if (short := fence.within(limit // 2))]

    def cut(self) -> tuple[str, str, int]:
        """Return the first part, what remains, and up to where that repeats the part."""
        whole = self._text + (self._fences[-1].closer if self._fences and self._fences[-1].is_open else "")
        if self._fit(whole, self._limit) == len(whole):
            return whole, "", 0
        place = self._best()
        part, tail = self._text[: place.end], self._text[place.resume :]
        if place.fence is None:
            marks = _QUOTE.match(self._text, self._text.rfind("\n", 0, place.end) + 1)
            is_quoted = place.in_line and marks and len(marks[0]) <= self._limit // 4  # too many are not repeated
            quote = marks[0] if marks and is_quoted else ""
            return part, quote + tail, len(quote)
        prefix = place.fence.prefix if place.in_line else ""
        return part + place.fence.closer, place.fence.continued(prefix + tail), len(place.fence.opener)

    def _best(self) -> _Place:
        """Return the best kind of place in the second half; else the last of any kind; else between two characters."""
        latest = None
        for kind in _KINDS:
            matches = reversed([*kind.pattern.finditer(self._text, self._floor, self._size + 2)])
            places = (self._place(*match.span(), in_line=kind.in_line) for match in matches)
            suitable = (place for place in places if place and (kind.in_line or bool(place.fence) == kind.fenced))
            place = next(suitable, None)
            if place and place.end >= self._size // 2:
                return place
            latest = max(filter(None, (latest, place)), key=lambda place: place.end, default=None)
        if latest:
            return latest
        fence = next((fence for fence in self._fences if fence.start < self._size < fence.end), None)
        if fence is None:
            return self._forced(self._size)
        inside = self._forced(min(self._room(fence), fence.close - 2), fence)
        return inside if inside.end > fence.body else self._forced(fence.start or self._size)

    def _place(self, end: int, resume: int, *, in_line: bool) -> _Place | None:
        """Return a cut there if it is allowed: behind the floor, with room for a fence's end, not at its own lines."""
        fence = next((fence for fence in self._fences if fence.start < end < fence.end), None)
        if not self._first < end <= self._size:
            return None
        if in_line and self._breaks(end, resume):
            return None
        if fence is None:
            return _Place(end, resume, in_line=in_line)
        if fence.body < end < fence.close - 1 and end <= self._room(fence):
            return _Place(end, resume, fence, in_line)
        return None

    def _room(self, fence: Fence) -> int:
        """Return how much text fits before the closing line of a fence that is cut."""
        if fence not in self._rooms:
            self._rooms[fence] = self._fit(self._text, self._limit - len(fence.closer))
        return self._rooms[fence]

    def _breaks(self, end: int, resume: int) -> bool:
        """Whether a cut inside a line would separate a mark from its line, begin a block, or split a character."""
        after = self._text[resume : resume + 1]
        is_extending = after != "" and (after in _EXTENDING or category(after)[0] == "M")  # saves a look back
        is_bare = _BARE_MARK.match(self._text, self._text.rfind("\n", 0, end) + 1, end) is not None
        if is_bare or is_extending or _BLOCK_START.match(self._text, resume):
            return True
        return _boundary(self._text, resume) != resume

    def _forced(self, size: int, fence: Fence | None = None) -> _Place:
        end = _boundary(self._text, size)
        if end <= self._floor:
            end = size
        return _Place(end, end, fence, in_line=True)


def _boundary(text: str, position: int) -> int:
    """Return the last place at or before `position` that is not inside what a reader sees as one character.

    One of more than `_MAX_CHARACTER_CODE_POINTS` is cut: looking further back for each place takes too long.
    """
    from wcwidth.grapheme import grapheme_boundary_before

    if position >= len(text):
        return position
    start = max(0, position - _MAX_CHARACTER_CODE_POINTS)
    boundary = start + grapheme_boundary_before(text[start : position + 1], position + 1 - start)
    return position if boundary == start > 0 else boundary


MAX_TABLE_TEXT_CHARS = 20_000
"""In a longer text tables stay as they are written. Parsing takes some 10 µs for each character."""

_MARKS = re.compile(r"(?:[ \t]*(?:>|(?:[-+*]|\d{1,9}[.)])(?=[ \t])))*[ \t]*")
_TICKS = re.compile(r"`{3,}")
_GAP = "  "


@dataclass(slots=True)
class _Table:
    """A table: its lines in the text, what stands before them there, and its cells."""

    first: int
    end: int
    before: str = ""
    prefix: str = ""
    rows: list[list[str]] = field(default_factory=list)
    is_right: list[bool] = field(default_factory=list)


def as_code(text: str) -> str:
    """Return the text with its tables as fenced blocks, except in long texts.

    >>> print(as_code("| Seed | Days |\\n|---|--:|\\n| **beans** | 9 |"))
    ```
    Seed   Days
    -----  ----
    beans     9
    ```
    """
    if "|" not in text or len(text) > MAX_TABLE_TEXT_CHARS:
        return text
    text = re.sub("\r\n?", "\n", text)  # as the parser counts lines
    lines = text.split("\n")
    for table in reversed(list(_tables(text, lines))):
        drawn = draw_table(table.rows, table.is_right)
        fence = "`" * (max((len(ticks) for row in drawn for ticks in _TICKS.findall(row)), default=2) + 1)
        lines[table.first : table.end] = [table.before + fence, *(table.prefix + line for line in (*drawn, fence))]
    return "\n".join(lines)


def _tables(text: str, lines: Sequence[str]) -> Iterator[_Table]:
    from markdown_it import MarkdownIt

    table: _Table | None = None
    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    for position, token in enumerate(tokens):
        if token.type == "table_open" and token.map:
            first, end = token.map
            rule, marks = lines[first + 1], _MARKS.match(lines[first])
            prefix = rule[: len(rule) - len(rule.lstrip(" \t>"))]
            table = _Table(first, end, marks[0], prefix) if token.level and marks else _Table(first, end)
        elif table and token.type == "tr_open":
            table.rows.append([])
        elif table and token.type in {"th_open", "td_open"}:
            cell = tokens[position + 1].children or ()  # without marks, which code would show
            table.rows[-1].append("".join(child.content for child in cell).strip())
            if len(table.rows) == 1:
                table.is_right.append("right" in str(token.attrGet("style")))
        elif table and token.type == "table_close":
            yield table
            table = None


def draw_table(rows: Sequence[Sequence[str]], is_right: Sequence[bool]) -> list[str]:
    """Return a table's lines: its columns are as wide as their cells are shown, and a rule is below the first row.

    Args:
        rows: cells without marks; the first row is the heading.
        is_right: for each column, whether its cells stand at the right.
    """
    columns = list(zip_longest(*rows, fillvalue=""))
    widths = [max(map(_width, column)) for column in columns]
    drawn = []
    for row in rows:
        cells = []
        for cell, width, right in zip(row, widths, is_right, strict=True):
            space = " " * (width - _width(cell))
            cells.append(space + cell if right else cell + space)
        drawn.append(_GAP.join(cells).rstrip())
    rule = _GAP.join("-" * width for width in widths)
    return [drawn[0], rule, *drawn[1:]]


def _width(text: str) -> int:
    if text.isascii() and text.isprintable():
        return len(text)
    from wcwidth import wcswidth

    return max(0, wcswidth(text))
