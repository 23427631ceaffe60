"""Blocks of Markdown grouped into paragraphs and speakers' turns, dated, and cut into pieces small enough to rank."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from contextlib import suppress
from datetime import date
from functools import lru_cache
from typing import NamedTuple

from memory.files.markdown import Block, BlockKind, heading, is_retain, separated
from memory.types import ChunkSize

_LABEL = re.compile(
    r"(?:[-*+]\s+)?(?:\[[^\]\n]{1,30}\]\s*)?(?P<mark>\*\*|__|)(?P<name>[^\W\d_][^:：\n*_\[\]()]{0,39}?)"
    r"(?:(?P=mark)\s?[:：]|[:：](?P=mark))(?:\s|$|(?<=：))"
)
_NOT_NAMES = frozenset(
    "todo fixme note notes ps nb tip hint warning important example update http https see also".split()
)

TOKENS = 160
"""The longest unit; small units rank better, and neighbours are handed over with them.

A token is taken for four bytes of UTF-8, which errs on the safe side for prose in any script.
"""
_TOKEN_BYTES = 4
_BYTES = TOKENS * _TOKEN_BYTES
WHOLE = 4 * _BYTES
"""Bytes of the longest fact that is handed over whole; of a longer one it is the passage that fits the question."""
Piece = tuple[int, int, str]
"""First line, last line, text. Several pieces of one line have the same numbers; joined they are that line."""
_OPENING_LEVEL = 2
"""A heading of this level or above ends a speaker's turn; deeper ones belong to what is said."""


def label(text: str) -> str:
    """Return the name that a paragraph begins with, if it begins like one of a conversation; else empty."""
    match = _LABEL.match(text) if ":" in text or "：" in text else None
    name = match["name"].strip() if match else ""
    return name if len(name.split()) <= 4 and name.casefold() not in _NOT_NAMES else ""


def speakers(openings: Iterable[str]) -> frozenset[str]:
    """Return the labels of speakers in a file: each opens two paragraphs or more, and a fifth of all labelled ones."""
    labels = Counter(filter(None, map(label, openings)))
    total = labels.total()
    if total < 3:
        return frozenset()
    return frozenset(name for name, count in labels.items() if count >= 2 and count * 5 >= total)


_DAYS = (
    re.compile(r"(?<!\d)(?P<year>\d{4})-(?P<month>\d{2})-(?P<day>\d{2})(?!\d)"),
    re.compile(r"(?<!\d)(?P<year>\d{4})年(?P<month>\d{1,2})月(?P<day>\d{1,2})[日号]"),
    re.compile(r"(?<!\d)(?P<day>\d{1,2})\.(?P<month>\d{1,2})\.(?P<year>\d{4})(?!\d)"),
)


@lru_cache(maxsize=4096)
def day_in(text: str) -> str | None:
    """Return the first calendar day written in a text as 2026-01-20, 20.1.2026 or 2026年1月20日, in ISO form."""
    for match in (match for pattern in _DAYS for match in pattern.finditer(text)):
        with suppress(ValueError):  # there is no such day
            return date(int(match["year"]), int(match["month"]), int(match["day"])).isoformat()
    return None


def day_of_file(path: str) -> str | None:
    """Return the day that a file's name carries: `memory/2026-01-20.md`, `memory/2026-01-20-dentist.md`."""
    return day_in(path.rsplit("/", 1)[-1])


@lru_cache(maxsize=64)
def day_of_section(headings: tuple[str, ...]) -> str | None:
    """Return the day in the innermost dated heading."""
    return next((day for title in reversed(headings) if (day := day_in(title))), None)


_HEADING, _PARAGRAPH, _BULLET = BlockKind.HEADING, BlockKind.PARAGRAPH, BlockKind.BULLET
_PROSE = (_PARAGRAPH, _BULLET)


class Group(NamedTuple):
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
    """Yield the groups of a file. Comments, frontmatter, bare `Retain` headings and generated parts are in none."""
    blocks = _written(separated(text))
    paragraphs = [block.text for block in blocks if block.kind is _PARAGRAPH]
    bullets = (block.text for block in blocks if block.kind is _BULLET and not is_fact(block))
    known = speakers(paragraphs) or speakers(bullets)
    if known:
        blocks = _written(separated(text, lambda line: label(line) in known))
    return _Grouping(known, is_fact).run(blocks)


def _written(blocks: Iterable[Block]) -> list[Block]:
    """Leave out comments, frontmatter and generated parts."""
    hidden = (BlockKind.COMMENT, BlockKind.FRONTMATTER)
    return [block for block in blocks if block.kind not in hidden and not block.managed]


class _Grouping:
    """One pass over a file's blocks: headings wait for what follows them, a turn stays open for what belongs to it."""

    def __init__(self, known: frozenset[str], is_fact: Callable[[Block], bool]) -> None:
        self._speakers = known
        self._is_fact = is_fact
        self._waiting: list[Block] = []
        self._turn: Group | None = None

    def run(self, blocks: Iterable[Block]) -> Iterator[Group]:
        for block in blocks:
            if block.kind is _HEADING:
                yield from self._heading(block)
            elif self._is_fact(block):
                yield from self._close()
                titles = [heading(above.text) for above in self._waiting if not _is_bare(above)]
                self._waiting = []
                lead = " ".join(title[1] for title in titles if title)
                yield Group(block.start, block.end, block.headings, fact=block, lead=lead)
            else:
                yield from self._note(block)
        yield from self._close()
        yield from self._alone()

    def _heading(self, block: Block) -> Iterator[Group]:
        level, title = heading(block.text) or (1, "")
        if self._turn and level > _OPENING_LEVEL and not is_retain(title):
            self._turn = self._turn._replace(end=block.end)
            return
        yield from self._close()
        above = heading(self._waiting[-1].text) if self._waiting else None
        if self._waiting and level <= (above[0] if above else 1):
            yield from self._alone()
        self._waiting.append(block)

    def _note(self, block: Block) -> Iterator[Group]:
        who = label(block.text) if self._speakers and block.kind in _PROSE else ""
        if who in self._speakers:
            yield from self._close()
            self._turn = self._opened(block, who)
        elif self._turn:
            self._turn = self._turn._replace(end=block.end)
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


def _is_bare(block: Block) -> bool:
    """Return whether a block is a heading that says nothing to be found by: `Retain`, or a day."""
    _, title = heading(block.text) or (0, "")
    return is_retain(title) or (day_in(title) is not None and not any(map(str.isalpha, title)))


_SENTENCE = re.compile(r"(?<=[.!?…])\s+|(?<=[。！？；])")
_WORD = re.compile(r"(?<=\s)(?=\S)")


def join_notes(
    found: Iterable[Group], lines: Sequence[str], chunks: ChunkSize, like: Callable[[Group], Hashable | None]
) -> Iterator[Group]:
    """Yield the groups of a file, notes joined to chunks of whole lines, each of which may repeat lines of the last.

    Joined is what stands side by side and is alike by `like`; what is like None stands by itself.
    """
    run: list[Group] = []
    for group in found:
        is_near = bool(run) and not any(map(str.strip, lines[run[-1].end : group.start - 1]))
        if run and not (is_near and like(group) is not None and like(group) == like(run[-1])):
            yield from _chunks(run, lines, chunks)
            run = []
        run.append(group)
    if run:
        yield from _chunks(run, lines, chunks)


def _chunks(run: Sequence[Group], lines: Sequence[str], chunks: ChunkSize) -> Iterator[Group]:
    if run[0].fact:
        yield run[0]
        return
    speaker = run[0].speaker if len({group.speaker for group in run}) == 1 else ""
    most, start, length = chunks.tokens * _TOKEN_BYTES, run[0].start, 0
    sizes = {number: size(lines[number - 1]) + 1 for number in range(run[0].start, run[-1].end + 1)}
    for number, added in sizes.items():
        if length and length + added > most and lines[number - 1].strip():
            yield _chunk(run, lines, start, number - 1, speaker)
            before, start, length = start, number, 0
            while start - 1 > before and length + sizes[start - 1] <= min(chunks.overlap * _TOKEN_BYTES, most - added):
                start -= 1
                length += sizes[start]
        length += added
    yield _chunk(run, lines, start, run[-1].end, speaker)


def _chunk(run: Sequence[Group], lines: Sequence[str], start: int, end: int, speaker: str) -> Group:
    """Return a chunk without blank lines at its ends, below the titles of the group that it begins in."""
    text = [number for number in range(start, end + 1) if lines[number - 1].strip()]
    above = next(group for group in reversed(run) if group.start <= text[0])
    return Group(text[0], text[-1], above.headings, speaker)


def cut(lines: Sequence[str], *, first: int, last: int, chunks: ChunkSize | None = None) -> list[Piece]:
    """Return the lines `first` to `last` (1-based, both included) in pieces as long as a chunk, else of `TOKENS`."""
    whole, most = "\n".join(lines[first - 1 : last]), chunks.tokens * _TOKEN_BYTES if chunks else _BYTES
    if size(whole) <= most:
        return [(first, last, whole)]
    pieces: list[Piece] = []
    for start, end in _pack_lines(lines, first, last, most):
        text = "\n".join(lines[start - 1 : end])
        pieces += [(start, end, part) for part in split_line(text, most)] if start == end else [(start, end, text)]
    return pieces


def split_line(line: str, most: int = _BYTES) -> list[str]:
    """Return one line in pieces of at most so many bytes that joined give it back."""
    if size(line) <= most:
        return [line]
    step = most // 4
    parts: list[str] = []
    for sentence in _split(_SENTENCE, line):
        if size(sentence) <= most:
            parts.append(sentence)
            continue
        for word in _split(_WORD, sentence):  # where there are no words, it is cut at characters
            parts += [word[i : i + step] for i in range(0, len(word), step)]
    pieces: list[list[str]] = [[]]
    room = most
    for part in parts:
        length = size(part)
        if pieces[-1] and length > room:
            pieces.append([])
            room = most
        pieces[-1].append(part)
        room -= length
    return ["".join(piece) for piece in pieces]


def size(text: str) -> int:
    """Count the bytes of a text in UTF-8; what cannot be encoded counts as one each."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "replace"))


def _pack_lines(lines: Sequence[str], first: int, last: int, most: int) -> list[tuple[int, int]]:
    """Return (first line, last line) of neighbouring paragraphs that fit, or of lines where a paragraph is too long."""
    atoms: list[tuple[int, int, int]] = []
    for start, end in _paragraphs(lines, first, last):
        sizes = [size(line) + 1 for line in lines[start - 1 : end]]
        if sum(sizes) <= most:
            atoms.append((start, end, sum(sizes)))
        else:
            atoms += [(start + n, start + n, length) for n, length in enumerate(sizes)]
    packed: list[tuple[int, int, int]] = []
    for start, end, length in atoms:
        if packed and packed[-1][2] + length + (start - packed[-1][1] - 1) <= most:
            packed[-1] = (packed[-1][0], end, packed[-1][2] + length + (start - packed[-1][1] - 1))
        else:
            packed.append((start, end, length))
    return [(start, end) for start, end, _ in packed]


def _paragraphs(lines: Sequence[str], first: int, last: int) -> Iterable[tuple[int, int]]:
    start = 0
    for number in range(first, last + 1):
        if not lines[number - 1].strip():
            if start:
                yield start, number - 1
            start = 0
        elif not start:
            start = number
    if start:
        yield start, last


def _split(pattern: re.Pattern[str], text: str) -> Iterator[str]:
    """Cut behind every match, so that the parts joined are the text."""
    start = 0
    for match in pattern.finditer(text):
        if start < match.end():
            yield text[start : match.end()]
        start = match.end()
    if start < len(text):
        yield text[start:]
