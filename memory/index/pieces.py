"""Cutting what is too long for one unit: at blank lines, else at lines, else at sentences, else anywhere."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

TOKENS = 160
"""The longest unit; small units rank better, and neighbours are handed over with them.

A token is taken for four bytes of UTF-8, which errs on the safe side for prose in any script.
"""

_BYTES = TOKENS * 4

WHOLE = 4 * _BYTES
"""Bytes of the longest fact that is handed over whole; of a longer one it is the passage that fits the question."""

_SENTENCE = re.compile(r"(?<=[.!?…])\s+|(?<=[。！？；])")
_WORD = re.compile(r"(?<=\s)(?=\S)")

Piece = tuple[int, int, str]
"""First line, last line, text. Several pieces of one line have the same numbers; joined they are that line."""


def cut(lines: Sequence[str], *, first: int, last: int) -> list[Piece]:
    """The lines `first` to `last` (1-based, both included) in pieces of at most `TOKENS`."""
    whole = "\n".join(lines[first - 1 : last])
    if size(whole) <= _BYTES:
        return [(first, last, whole)]
    found: list[Piece] = []
    for start, end in _packed(_atoms(lines, first, last)):
        text = "\n".join(lines[start - 1 : end])
        found += [(start, end, part) for part in split_line(text)] if start == end else [(start, end, text)]
    return found


def split_line(line: str) -> list[str]:
    """One line in pieces that joined give it back."""
    if size(line) <= _BYTES:
        return [line]
    return list(_joined(part for sentence in _split(_SENTENCE, line) for part in _words(sentence)))


def size(text: str) -> int:
    """Bytes of UTF-8; what cannot be encoded counts as one each."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "replace"))


def _atoms(lines: Sequence[str], first: int, last: int) -> list[tuple[int, int, int]]:
    """(first line, last line, size) of paragraphs, or of lines where a paragraph is too long."""
    atoms: list[tuple[int, int, int]] = []
    for start, end in _paragraphs(lines, first, last):
        sizes = [size(line) + 1 for line in lines[start - 1 : end]]
        if sum(sizes) <= _BYTES:
            atoms.append((start, end, sum(sizes)))
        else:
            atoms += [(start + n, start + n, length) for n, length in enumerate(sizes)]
    return atoms


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


def _packed(atoms: Iterable[tuple[int, int, int]]) -> list[tuple[int, int]]:
    """Neighbouring atoms put together while they fit."""
    packed: list[tuple[int, int, int]] = []
    for start, end, length in atoms:
        if packed and packed[-1][2] + length + (start - packed[-1][1] - 1) <= _BYTES:
            packed[-1] = (packed[-1][0], end, packed[-1][2] + length + (start - packed[-1][1] - 1))
        else:
            packed.append((start, end, length))
    return [(start, end) for start, end, _ in packed]


def _split(pattern: re.Pattern[str], text: str) -> Iterator[str]:
    """Cut behind every match, so that the parts joined are the text."""
    start = 0
    for match in pattern.finditer(text):
        if start < match.end():
            yield text[start : match.end()]
        start = match.end()
    if start < len(text):
        yield text[start:]


def _words(sentence: str) -> Iterator[str]:
    """A sentence as it is, or one too long for a unit cut at words, or at characters where it has none."""
    if size(sentence) <= _BYTES:
        yield sentence
        return
    step = _BYTES // 4
    for word in _split(_WORD, sentence):
        yield from (word[i : i + step] for i in range(0, len(word), step))


def _joined(parts: Iterable[str]) -> Iterator[str]:
    """Neighbouring parts put together while they fit."""
    joined: list[str] = []
    room = _BYTES
    for part in parts:
        length = size(part)
        if joined and length > room:
            yield "".join(joined)
            joined, room = [], _BYTES
        joined.append(part)
        room -= length
    yield "".join(joined)
