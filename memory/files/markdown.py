"""Markdown in blocks with line numbers, and its frontmatter."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import StrEnum
from functools import cached_property
from itertools import accumulate
from typing import NamedTuple


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
# Code, or a comment; one that never ends is none, and read only once.
_COMMENT_WITHIN = re.compile(r"(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)|<!--.*?(?:(-->)|\Z)", re.DOTALL)
_PROCEDURE = re.compile(r"\s*(?:[-*+]\s+)?P(?:\s?\(\w+\s*=[^)\n]*\))?(?:\s+@[^\s:：]+)*[:：](?=\s|\Z)")

_MARKS = {
    **dict.fromkeys("-*+0123456789", (BlockKind.BULLET, _BULLET)),
    **dict.fromkeys("`~", (BlockKind.FENCE, _FENCE)),
    "#": (BlockKind.HEADING, _HEADING),
    "|": (BlockKind.TABLE, re.compile(r"\|")),
    "<": (BlockKind.COMMENT, _COMMENT),
}
_RULES = frozenset("-*_")
_PARAGRAPH = BlockKind.PARAGRAPH  # before Python 3.12 a look into an enumeration takes longer than a call
_ENCLOSED = frozenset({BlockKind.FENCE, BlockKind.COMMENT})
_PLAIN = frozenset(BlockKind) - {BlockKind.HEADING, BlockKind.COMMENT}
ID = r"[A-Za-z0-9-]+"
"""The characters of a block id."""
BLOCK_ID = re.compile(rf"(?:^|\s)\^({ID})\s*\Z")
"""A block id at the end of a line or paragraph: behind white space, or alone."""
SPECIAL = frozenset(_MARKS) | _RULES
"""A line that begins with any other character begins or continues a paragraph."""

CONFLICT_MARK = re.compile(r"([<|=>])\1{6}(?:\s|\Z)")
"""A line that git puts before, between or behind two versions that it could not merge."""
MAX_HEADING_CHARS = 300
"""Characters; every block below a heading carries its title, and a longer one is a paragraph by mistake."""
MANAGED = re.compile(r"<!--\s*scrubjay:(begin|end)\s+(\S+)\s*-->")
"""A mark of a generated part: where it begins, or ends, and its name."""


def split_lines(text: str) -> list[str]:
    """Return the lines of a text without their ends; the first is line 1. A final newline begins no further line."""
    if "\r" in text:
        text = text.replace("\r\n", "\n")
    lines = text.removeprefix("\ufeff").split("\n")
    if not lines[-1]:
        lines.pop()
    return lines


def line_start(text: str, number: int) -> int:
    """Return where the line after so many lines begins; the end of the text if it has no more."""
    if text.count("\n") < number:
        return len(text)
    at = 0
    for _ in range(number):
        at = text.find("\n", at) + 1
    return at


def line_kind(bare: str) -> BlockKind | None:
    """Return what a line without its outer space begins, were it not continued; None for a blank line or a rule."""
    first = bare[:1]
    if first not in SPECIAL:
        return _PARAGRAPH if bare else None
    if first in _RULES and bare.count(first) >= 3 and not bare.strip(first + " \t"):
        return None
    kind, pattern = _MARKS.get(first, (_PARAGRAPH, None))
    return kind if pattern and pattern.match(bare) else _PARAGRAPH


def interrupts(bare: str) -> bool:
    """Return whether a line ends the paragraph before it. A numbered one does so only as 1: years begin lines, too."""
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
    """Return whether a heading's title marks a section of facts."""
    return title.casefold() == "retain"


def is_identified(line: str) -> bool:
    """Return whether all indented lines below a bullet belong to it, lists too.

    It ends in a block id, or is a procedure, whose steps stand below it.
    """
    return block_id(line) is not None or _PROCEDURE.match(line) is not None


def block_id(text: str) -> str | None:
    """Return the block id (without `^`) at the end of a line or paragraph; None if there is none."""
    match = BLOCK_ID.search(text) if "^" in text else None
    return match[1] if match else None


def is_evidence(line: str) -> bool:
    """Return whether a line is the comment under an opinion that holds its evidence, readable or not."""
    return "scrubjay:evidence" in line and line.lstrip().startswith("<!--")


def without_comments(text: str) -> str:
    """Return the text of a block without comments but in code, in as many lines."""
    return _COMMENT_WITHIN.sub(lambda found: "\n" * found[0].count("\n") if found[2] else found[0], text)


def fence_mark(bare: str) -> str:
    """Return the backticks or tildes that open a fence; empty if the line opens none."""
    match = _FENCE.match(bare)
    return match[0] if match else ""


def clean(text: str) -> str:
    """Text that can be written as UTF-8: surrogates become question marks."""
    return text.encode(errors="replace").decode()


def given_id(given: str) -> str:
    """Return an id as people give it, without the `^` before it."""
    return clean(given).strip().removeprefix("^")


Properties = dict[str, str | list[str]]

FENCE = "---"
_ITEM = re.compile(r"\s*-(?:\s+(.*))?\Z", re.DOTALL)
_FLOW_ITEM = re.compile(r"\s*(\"[^\"]*\"|'[^']*'|[^,]*)\s*(?:,|\Z)")


def frontmatter_end(lines: Sequence[str]) -> int:
    """Return how many of these lines are frontmatter, both `---` included; 0 if the note begins otherwise.

    Two rules with prose, headings or bullets between them are not taken for properties.
    """
    if not lines or lines[0].rstrip() != FENCE:
        return 0
    has_key = False
    for count, line in enumerate(lines[1:], 2):
        bare = line.rstrip()
        if bare in {FENCE, "..."}:
            return count
        if _pair(bare):
            has_key = True
        elif bare and not (has_key and bare.startswith((" ", "\t", "-", "<!--"))) and not CONFLICT_MARK.match(bare):
            return 0
    return 0


def properties(text: str) -> Properties:
    """Read a frontmatter block, with or without its `---`. What is not flat is left out; nothing raises."""
    values_by_key: Properties = {}
    key = ""
    for line in text.splitlines():
        bare = line.rstrip()
        if item := _ITEM.match(bare) if key and bare != FENCE else None:
            values = values_by_key[key]
            if isinstance(values, str):
                values_by_key[key] = values = [values] if values else []
            if plain := _plain(item[1] or ""):
                values.append(plain)
        elif pair := _pair(bare):
            key, raw = pair[0], pair[1].strip()
            is_list = raw.startswith("[") and raw.endswith("]")
            items = [_plain(item[1]) for item in _FLOW_ITEM.finditer(raw[1:-1])] if is_list else []
            values_by_key[key] = [*filter(None, items)] if is_list else _plain(raw)
    return values_by_key


def page_properties(text: str) -> Properties:
    """Return the properties in the frontmatter of a page; empty if it has none."""
    lines = split_lines(text)
    return properties("\n".join(lines[: frontmatter_end(lines)]))


def _pair(line: str) -> tuple[str, str] | None:
    """Return the key and the value of a line; None for any other line."""
    key, colon, value = line.partition(":")
    if not colon or not key or key[0].isspace() or key[0] in "#[{" or not (value[:1].isspace() or not value):
        return None
    return key.rstrip(), value.lstrip()


def _plain(raw: str) -> str:
    """Return a scalar without its quotes, or without the comment after it."""
    raw = raw.strip()
    if len(raw) >= 2 and raw[0] == raw[-1] and raw[0] in "\"'":
        return raw[1:-1]
    return raw.split(" #", 1)[0].rstrip()


class Block(NamedTuple):
    """A run of lines.

    Attributes:
        kind: what it is.
        start, end: 1-based lines, both included.
        text: the lines as they stand, joined by newlines.
        headings: the titles above it, outermost first, cut to `MAX_HEADING_CHARS`; a heading is not above itself.
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
    """Return the blocks of a text, in order; a fence or comment that nothing ends runs to the end of the text."""
    return _Scan(split_lines(text)).blocks()


def separated(text: str, is_turn: Callable[[str], bool] = lambda _: False) -> Iterator[Block]:
    """Return the blocks of a text as recall reads it: nothing that was left open swallows what follows.

    A fence or comment that nothing ends gets its first line only. A fence that was left open in one speaker's turn runs
    on to the next fence: it ends where, after a blank line, a line begins another turn. All blocks are closed.
    """
    return _Separating(split_lines(text), is_turn).blocks()


def code_lines(text: str) -> set[int]:
    """Return the numbers of the lines in fences, 1-based."""
    if "```" not in text and "~~~" not in text:
        return set()
    fenced = (block for block in blocks(text) if block.kind is BlockKind.FENCE)
    return {number for block in fenced for number in range(block.start, block.end + 1)}


def conflicts(text: str) -> list[list[int]]:
    """Return, for each conflict that git has left outside of code, the 1-based numbers of the lines with its marks.

    One that a person has mended in part may have a single mark.
    """
    found: list[list[int]] = []
    if "<<<<<<< " not in text:
        return found
    code, is_open = code_lines(text), False
    for number, line in enumerate(split_lines(text), 1):
        mark = CONFLICT_MARK.match(line)
        if not mark or number in code:
            continue
        if mark[1] == "<":
            found.append([])
        if mark[1] == "<" or is_open:
            found[-1].append(number)
            is_open = mark[1] != ">"
    return found


def without_conflict_marks(text: str) -> str:
    """Return a text with blank lines in the place of the marks of conflicts: both versions are there to be read."""
    marks = {number for marks in conflicts(text) if len(marks) > 1 for number in marks}
    lines = enumerate(text.split("\n"), 1) if marks else ()
    return "\n".join("" if number in marks else line for number, line in lines) if marks else text


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
            if kind in _PLAIN:
                yield self._block(kind, at, end)
            elif kind is BlockKind.COMMENT:
                yield self._comment(at, end)
            else:
                level, title = heading(lines[at]) or (0, "")
                above = [found for found in self._above if found[0] < level]
                self._stand_under(above)
                yield self._block(kind, at, end)
                self._stand_under([*above, (level, title[:MAX_HEADING_CHARS])])
            at = abs(end)

    def _end(self, kind: BlockKind, at: int) -> int:
        """Return the line after a block; negative if it runs to the end of the text because nothing closes it."""
        return _END[kind](self._lines, at)

    def _block(self, kind: BlockKind, at: int, end: int) -> Block:
        """Return lines `at` up to `end`, counted from 0; a negative end says that nothing closes the block."""
        stop = abs(end)
        text = self._lines[at] if stop == at + 1 else "\n".join(self._lines[at:stop])
        return Block(kind, at + 1, stop, text, self._headings, self._retain, self._managed, end > 0)

    def _stand_under(self, above: list[tuple[int, str]]) -> None:
        self._above = above
        self._headings = tuple(title for _, title in above)
        self._retain = any(is_retain(title) for title in self._headings)

    def _comment(self, at: int, end: int) -> Block:
        """Return a comment's block; both marks of a generated part belong to it. Without an end it is no such part."""
        mark = MANAGED.fullmatch(self._lines[at].strip())
        if mark and mark[1] == "begin":
            if self._last_ends is None:
                found = ((number, MANAGED.fullmatch(line.strip())) for number, line in enumerate(self._lines))
                self._last_ends = {end[2]: number for number, end in found if end and end[1] == "end"}
            if self._last_ends.get(mark[2], -1) > at:
                self._managed = mark[2]
        block = self._block(BlockKind.COMMENT, at, end)
        if mark and mark[1] == "end":
            self._managed = ""
        return block


class _Separating(_Scan):
    def __init__(self, lines: Sequence[str], is_turn: Callable[[str], bool]) -> None:
        super().__init__(lines)
        self._is_turn = is_turn

    def _end(self, kind: BlockKind, at: int) -> int:
        if kind in _ENCLOSED:
            if kind is BlockKind.FENCE:
                return self._fence_end(at)
            if self._closers.comment <= at:
                return at + 1
        return super()._end(kind, at)

    def _fence_end(self, at: int) -> int:
        """Find the line after a fence.

        Each line is looked at once: whether the fence is ever closed is known before it is followed.
        """
        lines, mark = self._lines, fence_mark(self._lines[at].strip())
        if self._closers.fence(mark) <= at:
            return at + 1
        for end in range(at + 1, len(lines)):
            if not lines[end - 1].strip() and self._is_turn(lines[end]):
                return end
            if closes(lines[end], mark):
                return end + 1
        return at + 1

    @cached_property
    def _closers(self) -> Closers:
        return Closers(self._lines)


class Closers:
    """The last lines, counted from 0, that can end a `comment` or a fence; -1 where there is none."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.comment = -1
        last: dict[str, dict[int, int]] = {"`": {}, "~": {}}
        for number, line in enumerate(lines):
            if "-->" in line:
                self.comment = number
            bare = line.strip()
            if bare[:1] in last and not bare.strip(bare[0]):
                last[bare[0]][len(bare)] = number
        self._fences: dict[str, list[int]] = {}  # for each length, the last line of that length or a longer one
        for character, found in last.items():
            lines_by_length = [found.get(length, -1) for length in range(max(found, default=0), -1, -1)]
            self._fences[character] = list(accumulate(lines_by_length, max))[::-1]

    def fence(self, mark: str) -> int:
        """Return the last line that can end the fence which these backticks or tildes open."""
        found = self._fences[mark[0]]
        return found[len(mark)] if len(mark) < len(found) else -1


def _paragraph_end(lines: Sequence[str], at: int) -> int:
    for end in range(at + 1, len(lines)):
        bare = lines[end].strip()
        if not bare or (bare[0] in SPECIAL and interrupts(bare)):
            return end
    return len(lines)


def _bullet_end(lines: Sequence[str], at: int) -> int:
    """Past the continuation lines; a bullet whose first line ends in an id has all that is indented below it.

    Its evidence, unless it stands in code, is no part of it.
    """
    if is_identified(lines[at]):
        indent = lines[at][: len(lines[at]) - len(lines[at].lstrip())]
        last, fence = at, ""
        for end in range(at + 1, len(lines)):
            if lines[end].startswith((f"{indent}  ", f"{indent}\t")) and lines[end].strip():
                if not fence and is_evidence(lines[end]):
                    break
                fence = fence_mark(lines[end].strip()) if not fence else "" if closes(lines[end], fence) else fence
                last = end
            elif lines[end].strip():
                break
        return last + 1
    for end in range(at + 1, len(lines)):
        line = lines[end]
        if not line[:1].isspace() or line_kind(line.strip()) is not BlockKind.PARAGRAPH:
            return end
    return len(lines)


def _fence_end(lines: Sequence[str], at: int) -> int:
    """Past the closing fence: the same character, at least as often, and nothing else."""
    mark = fence_mark(lines[at].strip())
    for end in range(at + 1, len(lines)):
        if closes(lines[end], mark):
            return end + 1
    return -len(lines)


def closes(line: str, mark: str) -> bool:
    """Return whether a line ends the fence that these backticks or tildes open."""
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
    BlockKind.TABLE: lambda lines, at: next(
        (end for end in range(at + 1, len(lines)) if not lines[end].lstrip().startswith("|")), len(lines)
    ),
    BlockKind.COMMENT: _comment_end,
}
