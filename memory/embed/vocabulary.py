"""The pieces that a tokenizer may cut words into: 250,000 of them, found by how they begin."""

from __future__ import annotations

from array import array
from collections.abc import Collection, Mapping
from functools import lru_cache, partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

SPACE = "\u2581"
"""What stands in a piece for the space before a word."""

_BITS = 21  # of a code point
_MAX_GROUPS = 2048
"""Groups that are kept as dictionaries. All together would take 45 MB, and a fifth of a second to make."""


class Group(NamedTuple):
    """Pieces that begin alike, by their texts, and the characters of the longest; 1 if there are none."""

    pieces: dict[str, int]
    longest: int


class Vocabulary:
    """Pieces of text, and what the tokenizer needs beside them.

    The pieces lie in one text, in groups of those that begin alike; a group becomes a dictionary when it is asked for.

    Attributes:
        scores: log probability by id.
        characters: replacement by code point, as `str.translate` takes it.
        begin, end, unknown: the ids with a meaning of their own; no text spells them.
        longest: characters of the longest piece.
    """

    def __init__(
        self,
        text: bytes,
        ends: NDArray[np.uint32],
        scores: array[float],
        characters: Mapping[int, str],
        *,
        special: Collection[int],
    ) -> None:
        """Put the pieces into groups.

        Args:
            text: all pieces, in the order of their ids, in UTF-8.
            ends: where each begins, in bytes, and where the last one ends; shape (pieces + 1,).
            special: the ids of what is no piece: begin, end, unknown, in this order, and any others.
        """
        self.begin, self.end, self.unknown, *_ = special
        self.scores, self.characters = scores, characters
        heads, lengths = _heads(text, ends)
        lengths[list(special)] = 0
        order = np.flatnonzero(lengths)
        self.longest = int(lengths.max(initial=0))
        by_head: NDArray[np.int32] = order[np.argsort(heads[order], kind="stable")].astype(np.int32)
        # No method: a cache of its own methods would keep the vocabulary in memory when nobody has it any more.
        self.starting = lru_cache(_MAX_GROUPS)(partial(_group, text, ends, heads[by_head], by_head))
        """The pieces that a text may begin with, by its head: the mark of a space, if it has one, two characters."""


def _group(
    text: bytes, ends: NDArray[np.uint32], heads: NDArray[np.uint64], order: NDArray[np.int32], head: str
) -> Group:
    """Return the pieces with this head or a part of it, out of all, which are in the `order` of their `heads`."""
    pieces: dict[str, int] = {}
    for size in range(1, len(head) + 1):
        is_marked = head[:1] == SPACE
        one, other, *_ = (*map(ord, head[is_marked:size]), 0, 0)
        wanted = np.uint64(is_marked << 2 * _BITS | one << _BITS | other)
        first, last = np.searchsorted(heads, wanted), np.searchsorted(heads, wanted, side="right")
        pieces |= {text[ends[piece] : ends[piece + 1]].decode(): piece for piece in order[first:last].tolist()}
    return Group(pieces, max(map(len, pieces), default=1))


def _heads(text: bytes, ends: NDArray[np.uint32]) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """Return each piece's head as one number (the mark, two code points), and its length in characters."""
    codes = np.frombuffer((text.decode() + "\0\0\0").encode("utf-32-le"), np.uint32)
    begun = np.cumsum(np.frombuffer(text, np.int8) >= -0x40, dtype=np.uint32)  # characters, up to each byte
    bounds = np.append(0, begun)[ends]
    starts, lengths = bounds[:-1], np.diff(bounds)
    is_marked = (codes[starts] == ord(SPACE)) & (lengths > 0)
    starts, left = starts + is_marked, lengths - is_marked
    first = np.where(left > 0, codes[starts], 0).astype(np.uint64)
    second = np.where(left > 1, codes[starts + 1], 0)
    return is_marked.astype(np.uint64) << np.uint64(2 * _BITS) | first << np.uint64(_BITS) | second, lengths
