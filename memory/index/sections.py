"""Blocks put together: a paragraph or bullet alone, a speaker's turn with all of it, each with the heading above."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from memory.files.lines import BlockKind, heading, is_retain
from memory.files.markdown import Block, separated
from memory.index.dates import day_in
from memory.index.speakers import label, speakers

_PROSE = (BlockKind.PARAGRAPH, BlockKind.BULLET)
_OPENING_LEVEL = 2
"""A heading of this level or above ends a speaker's turn; deeper ones belong to what is said."""


@dataclass(frozen=True, slots=True)
class Group:
    """Blocks that belong together.

    Attributes:
        start, end: 1-based lines, headings above included.
        headings: the titles above, outermost first.
        speaker: whose turn it is, else empty.
        fact: the bullet, if this is one that may be a fact.
        lead: titles above a fact that open with it; those of a note are among its lines.
    """

    start: int
    end: int
    headings: tuple[str, ...]
    speaker: str = ""
    fact: Block | None = None
    lead: str = ""


def groups(text: str, is_fact: Callable[[Block], bool]) -> Iterator[Group]:
    """The groups of a file, in order. Comments, frontmatter and bare `Retain` headings are in none."""
    found = _spoken(separated(text))
    paragraphs = [block.text for block in found if block.kind is BlockKind.PARAGRAPH]
    known = speakers(paragraphs) or speakers(
        block.text for block in found if block.kind is BlockKind.BULLET and not is_fact(block)
    )
    if known:
        found = _spoken(separated(text, lambda line: label(line) in known))
    return _Grouping(known, is_fact).run(found)


_SILENT = (BlockKind.COMMENT, BlockKind.FRONTMATTER)


def _spoken(found: Iterable[Block]) -> list[Block]:
    return [block for block in found if block.kind not in _SILENT]


class _Grouping:
    """One pass over a file's blocks: headings wait for what follows them, a turn stays open for what belongs to it."""

    def __init__(self, known: frozenset[str], is_fact: Callable[[Block], bool]) -> None:
        self._speakers = known
        self._is_fact = is_fact
        self._waiting: list[Block] = []
        self._turn: Group | None = None

    def run(self, found: Iterable[Block]) -> Iterator[Group]:
        for block in found:
            if block.kind is BlockKind.HEADING:
                yield from self._heading(block)
            elif self._is_fact(block):
                yield from self._close()
                yield Group(block.start, block.end, block.headings, fact=block, lead=self._lead())
            else:
                yield from self._note(block)
        yield from self._close()
        yield from self._alone()

    def _heading(self, block: Block) -> Iterator[Group]:
        level, title = heading(block.text) or (1, "")
        if self._turn and level > _OPENING_LEVEL and not is_retain(title):
            self._turn = replace(self._turn, end=block.end)
            return
        yield from self._close()
        if self._waiting and level <= _level(self._waiting[-1]):
            yield from self._alone()
        self._waiting.append(block)

    def _note(self, block: Block) -> Iterator[Group]:
        who = label(block.text) if block.kind in _PROSE else ""
        if who in self._speakers:
            yield from self._close()
            self._turn = self._opened(block, who)
        elif self._turn:
            self._turn = replace(self._turn, end=block.end)
        else:
            yield self._opened(block, "")

    def _opened(self, block: Block, who: str) -> Group:
        above = [title for title in self._waiting if not _is_bare(title)]
        self._waiting = []
        return Group(above[0].start if above else block.start, block.end, block.headings, who)

    def _close(self) -> Iterator[Group]:
        if self._turn:
            yield self._turn
        self._turn = None

    def _alone(self) -> Iterator[Group]:
        """Headings that nothing follows are text of their own."""
        for block in self._waiting:
            if not _is_bare(block):
                yield Group(block.start, block.end, block.headings)
        self._waiting = []

    def _lead(self) -> str:
        titles = [heading(block.text) for block in self._waiting if not _is_bare(block)]
        self._waiting = []
        return " ".join(title[1] for title in titles if title)


def _level(block: Block) -> int:
    found = heading(block.text)
    return found[0] if found else 1


def _is_bare(block: Block) -> bool:
    """A heading that says nothing to be found by: `Retain`, or a day."""
    found = heading(block.text)
    if found is None:
        return False
    return is_retain(found[1]) or (day_in(found[1]) is not None and not any(map(str.isalpha, found[1])))
