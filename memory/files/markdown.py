"""Markdown cut into blocks: a line scanner that knows what memory needs, never raises, and is fast.

Blank lines and rules (`---`) separate; every other line belongs to exactly one block.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

from memory.files.frontmatter import frontmatter_end
from memory.files.lines import (
    SPECIAL,
    BlockKind,
    fence_mark,
    heading,
    interrupts,
    is_identified,
    is_retain,
    line_kind,
    split_lines,
)

LONGEST_TITLE = 300
"""Characters; every block below a heading carries its title, and a longer one is a paragraph by mistake."""


@dataclass(frozen=True, slots=True)
class Block:
    """A run of lines.

    Attributes:
        kind: what it is.
        start, end: 1-based lines, both included.
        text: the lines as they stand, joined by newlines.
        headings: the titles above it, outermost first, `LONGEST_TITLE` characters each; a heading is not above itself.
        retain: whether one of them is `Retain`.
        managed: the name of the generated part that it stands in (`<!-- scrubjay:begin name -->`), or empty.
        closed: False for a fence or a comment that runs to the end of the text because nothing ends it.
    """

    kind: BlockKind
    start: int
    end: int
    text: str
    headings: tuple[str, ...] = ()
    retain: bool = False
    managed: str = ""
    closed: bool = True


def blocks(text: str) -> Iterator[Block]:
    """The blocks of a text, in order; a fence or comment that nothing ends runs to the end of the text."""
    return _Scan(split_lines(text)).blocks()


def separated(text: str, is_turn: Callable[[str], bool] = lambda _: False) -> Iterator[Block]:
    """The blocks of a text as recall reads it: nothing that was left open swallows what follows.

    A fence or comment that nothing ends gets its first line only. A fence that was left open in one speaker's turn runs
    on to the next fence: it ends where, after a blank line, a line begins another turn. All blocks are closed.
    """
    return _Separating(split_lines(text), is_turn).blocks()


_MANAGED = re.compile(r"<!--\s*scrubjay:(begin|end)\s+(\S+)\s*-->")


class _Scan:
    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = lines
        self._above: list[tuple[int, str]] = []
        self._headings: tuple[str, ...] = ()
        self._retain = False
        self._managed = ""
        self._last_ends: dict[str, int] | None = None

    def blocks(self) -> Iterator[Block]:
        lines = self._lines
        at = frontmatter_end(lines)
        if at:
            yield self._block(BlockKind.FRONTMATTER, 0, at)
        while at < len(lines):
            kind = line_kind(lines[at].strip())
            if kind is None:
                at += 1
                continue
            end = self._end(kind, at)
            yield self._any(kind, at, end)
            at = abs(end)

    def _end(self, kind: BlockKind, at: int) -> int:
        """The line after a block, negative if the block runs to the end of the text because nothing closes it."""
        return _END[kind](self._lines, at)

    def _any(self, kind: BlockKind, at: int, end: int) -> Block:
        if kind is BlockKind.HEADING:
            return self._heading(at, end)
        return self._comment(at, end) if kind is BlockKind.COMMENT else self._block(kind, at, end)

    def _block(self, kind: BlockKind, at: int, end: int) -> Block:
        """Lines `at` up to `end`, counted from 0; a negative end says that nothing closes the block."""
        stop = abs(end)
        text = self._lines[at] if stop == at + 1 else "\n".join(self._lines[at:stop])
        return Block(kind, at + 1, stop, text, self._headings, self._retain, self._managed, end > 0)

    def _heading(self, at: int, end: int) -> Block:
        level, title = heading(self._lines[at]) or (0, "")
        above = [found for found in self._above if found[0] < level]
        self._stand_under(above)
        block = self._block(BlockKind.HEADING, at, end)
        self._stand_under([*above, (level, title[:LONGEST_TITLE])])
        return block

    def _stand_under(self, above: list[tuple[int, str]]) -> None:
        self._above = above
        self._headings = tuple(title for _, title in above)
        self._retain = any(is_retain(title) for title in self._headings)

    def _comment(self, at: int, end: int) -> Block:
        """A comment's block; both marks of a generated part belong to it. Without an end it is no such part."""
        mark = _MANAGED.fullmatch(self._lines[at].strip())
        if mark and mark[1] == "begin" and self._ends_after(mark[2], at):
            self._managed = mark[2]
        block = self._block(BlockKind.COMMENT, at, end)
        if mark and mark[1] == "end":
            self._managed = ""
        return block

    def _ends_after(self, name: str, at: int) -> bool:
        if self._last_ends is None:
            found = ((number, _MANAGED.fullmatch(line.strip())) for number, line in enumerate(self._lines))
            self._last_ends = {mark[2]: number for number, mark in found if mark and mark[1] == "end"}
        return self._last_ends.get(name, -1) > at


class _Separating(_Scan):
    def __init__(self, lines: Sequence[str], is_turn: Callable[[str], bool]) -> None:
        super().__init__(lines)
        self._is_turn = is_turn

    def _end(self, kind: BlockKind, at: int) -> int:
        if kind is BlockKind.FENCE:
            return self._fence_end(at)
        if kind is BlockKind.COMMENT and self._closers.comment <= at:
            return at + 1
        return super()._end(kind, at)

    def _fence_end(self, at: int) -> int:
        """Each line is looked at once: whether the fence is ever closed is known before it is followed."""
        lines, mark = self._lines, fence_mark(self._lines[at].strip())
        if self._closers.fence(mark) <= at:
            return at + 1
        for end in range(at + 1, len(lines)):
            if not lines[end - 1].strip() and self._is_turn(lines[end]):
                return end
            if _closes(lines[end], mark):
                return end + 1
        return at + 1

    @cached_property
    def _closers(self) -> _Closers:
        return _Closers(self._lines)


class _Closers:
    """The last lines, counted from 0, that can end a comment or a fence; -1 where there is none.

    Attributes:
        comment: the last one with the end of a comment.
    """

    def __init__(self, lines: Sequence[str]) -> None:
        self.comment = -1
        last: dict[str, dict[int, int]] = {"`": {}, "~": {}}
        for number, line in enumerate(lines):
            if "-->" in line:
                self.comment = number
            bare = line.strip()
            if bare[:1] in last and not bare.strip(bare[0]):
                last[bare[0]][len(bare)] = number
        self._fences = {character: _at_least(found) for character, found in last.items()}

    def fence(self, mark: str) -> int:
        """The last line that can end the fence which these backticks or tildes open."""
        found = self._fences[mark[0]]
        return found[len(mark)] if len(mark) < len(found) else -1


def _at_least(last: dict[int, int]) -> list[int]:
    """For each length, the last line of that length or a longer one."""
    found = [last.get(length, -1) for length in range(max(last, default=0), -1, -1)]
    return list(accumulate(found, max))[::-1]


def _paragraph_end(lines: Sequence[str], at: int) -> int:
    for end in range(at + 1, len(lines)):
        bare = lines[end].strip()
        if not bare or (bare[0] in SPECIAL and interrupts(bare)):
            return end
    return len(lines)


def _bullet_end(lines: Sequence[str], at: int) -> int:
    """Past the continuation lines; a bullet whose first line ends in an id has all that is indented below it."""
    if is_identified(lines[at]):
        return _indented_end(lines, at)
    for end in range(at + 1, len(lines)):
        line = lines[end]
        if not line[:1].isspace() or line_kind(line.strip()) is not BlockKind.PARAGRAPH:
            return end
    return len(lines)


def _indented_end(lines: Sequence[str], at: int) -> int:
    indent = lines[at][: len(lines[at]) - len(lines[at].lstrip())]
    last = at
    for end in range(at + 1, len(lines)):
        if lines[end].startswith((f"{indent}  ", f"{indent}\t")) and lines[end].strip():
            last = end
        elif lines[end].strip():
            break
    return last + 1


def _table_end(lines: Sequence[str], at: int) -> int:
    return next((end for end in range(at + 1, len(lines)) if not lines[end].lstrip().startswith("|")), len(lines))


def _fence_end(lines: Sequence[str], at: int) -> int:
    """Past the closing fence: the same character, at least as often, and nothing else."""
    mark = fence_mark(lines[at].strip())
    for end in range(at + 1, len(lines)):
        if _closes(lines[end], mark):
            return end + 1
    return -len(lines)


def _closes(line: str, mark: str) -> bool:
    bare = line.strip()
    return bare.startswith(mark) and not bare.strip(mark[0])


def _comment_end(lines: Sequence[str], at: int) -> int:
    if "-->" in lines[at].strip()[2:]:
        return at + 1
    return next((end + 1 for end in range(at + 1, len(lines)) if "-->" in lines[end]), -len(lines))


_END: Mapping[BlockKind, Callable[[Sequence[str], int], int]] = {
    BlockKind.HEADING: lambda _, at: at + 1,
    BlockKind.PARAGRAPH: _paragraph_end,
    BlockKind.BULLET: _bullet_end,
    BlockKind.FENCE: _fence_end,
    BlockKind.TABLE: _table_end,
    BlockKind.COMMENT: _comment_end,
}
