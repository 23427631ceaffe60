"""The unigram tokenizer of the built-in embedder, and the 250,000 pieces that it may cut words into."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import lru_cache, partial
from math import inf
from typing import NamedTuple
from unicodedata import normalize

import numpy as np
from numpy.typing import NDArray

SPACE = "\u2581"
"""What stands in a piece for the space before a word."""

_BITS = 21  # of a code point
_MAX_GROUPS = 2048
"""Groups that are kept as dictionaries. All together would take 45 MB, and a fifth of a second to make."""
_FIRST_MARK = "\u0300"  # nothing before it joins the character in front of it

_UNKNOWN_PENALTY = 10.0  # below the rarest piece, as sentencepiece has it
_MAX_CACHED_CHARS = 24  # longer "words" are whole sentences of scripts without spaces: they do not come twice
_MAX_CACHED_WORDS = 8192


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


def normal_form(text: str, characters: Mapping[int, str]) -> str:
    """Replace single characters by the model's own table, then join letters with the marks that follow them.

    `unicodedata.normalize` on the whole text would sort the marks, which takes time in the square of their number:
    a message of 160,000 marks kept a core busy for 20 s. Here each is looked at once. Lone surrogates are unreadable,
    which the table turns into a space.
    """
    if not text.isascii():
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    text = text.translate(characters)
    return text if text.isascii() else _compose(text)


def _compose(text: str) -> str:
    """Join letters and marks that are spelled out (`e` + acute), but no mark to a joined letter, as the model does."""
    letters: list[str] = []
    spelled = ""
    for character in text:
        joined = normalize("NFC", letters[-1] + character) if letters and character >= _FIRST_MARK else ""
        if len(joined) == 1 and normalize("NFD", joined) == spelled + character:
            letters[-1] = joined
            spelled += character
        else:
            letters.append(character)
            spelled = character
    return "".join(letters)


class Tokenizer:
    """Splits text into the pieces whose probabilities multiply to the most.

    The ids are those of the sentencepiece library with this vocabulary (Kudo 2018, "Subword Regularization"), found
    in time that grows with the length of the text alone.
    """

    def __init__(self, vocabulary: Vocabulary) -> None:
        scores = vocabulary.scores[:]
        scores[vocabulary.unknown] = float(np.frombuffer(scores, np.float32).min()) - _UNKNOWN_PENALTY
        self._characters = vocabulary.characters
        self.longest = vocabulary.longest
        # Functions, no methods, as in the vocabulary: what is closed is to leave the memory at once.
        self._segment = partial(_segment, vocabulary.starting, scores, vocabulary.unknown)
        self._cached_segment: Callable[[str], tuple[int, ...]] = lru_cache(maxsize=_MAX_CACHED_WORDS)(self._segment)

    def encode(self, text: str, *, limit: int) -> list[int]:
        """Return the first `limit` ids of a text, without the marks of beginning and end."""
        ids: list[int] = []
        # No piece has a space inside, so that the best path goes through every one of them.
        words = (SPACE + word for word in normal_form(text, self._characters).split(" ") if word)
        for word in words:
            room = limit - len(ids)
            if room <= 0:
                break
            if len(word) <= _MAX_CACHED_CHARS:
                ids += self._cached_segment(word)
            else:
                ids += self._segment(word[: (room + 1) * self.longest])
        return ids[:limit]


def _segment(starting: Callable[[str], Group], scores: Sequence[float], unknown: int, word: str) -> tuple[int, ...]:
    """Find the most probable pieces of a word, by the Viterbi algorithm."""
    size = len(word)
    best, came_from, by = [0.0] + [-inf] * size, [0] * (size + 1), [0] * (size + 1)
    for start in range(size):
        so_far = best[start]
        pieces, longest = starting(word[start : start + (3 if word[start] == SPACE else 2)])
        for end in range(start + 1, min(size, start + longest) + 1):
            token = pieces.get(word[start:end])
            if token is None:
                if end > start + 1:
                    continue
                token = unknown
            if so_far + scores[token] > best[end]:
                best[end], came_from[end], by[end] = so_far + scores[token], start, token
    ids: list[int] = []
    at = size
    while at:
        # Unknown characters in a row are one unknown token.
        if not (by[at] == unknown and ids and ids[-1] == unknown):
            ids.append(by[at])
        at = came_from[at]
    return tuple(reversed(ids))
