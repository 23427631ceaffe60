"""The unigram tokenizer of the built-in embedder."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from math import inf
from unicodedata import normalize

import numpy as np

from memory.embed.vocabulary import SPACE, Group, Vocabulary

_FIRST_MARK = "\u0300"  # nothing before it joins the character in front of it

_UNKNOWN_PENALTY = 10.0  # below the rarest piece, as sentencepiece has it
_MAX_CACHED_CHARS = 24  # longer "words" are whole sentences of scripts without spaces: they do not come twice
_MAX_CACHED_WORDS = 8192


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
