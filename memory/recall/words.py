"""What a question's words say for a unit: BM25 over its own term counts and a share of its neighbours'.

Source: Robertson and Zaragoza (2009), "The Probabilistic Relevance Framework: BM25 and Beyond", with the inverse
document frequency that Lucene uses, which is never negative. Counts are borrowed from neighbours, not scores: a word
that both units have is then damped once.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from memory.index.port import Entry, Totals
from memory.recall.pool import Candidate, Pool, borrowed
from memory.recall.query import Word
from memory.recall.search import Asked

K1 = 1.0
B = 0.5


class Words:
    """A question's words, held against a pool."""

    def __init__(self, asked: Asked, pool: Pool, totals: Totals, *, beside: float) -> None:
        """Count the words in all units of the pool.

        Args:
            asked: the question.
            pool: the units.
            totals: of the index.
            beside: what an empty unit would borrow of its neighbours' counts.
        """
        self._texts = [word.text for word in asked.words]
        self._units = units = max(1, totals.units)
        self._idf = [_idf(asked.count(word), units) for word in asked.words]
        self._every = self._told(asked.query.words)
        self._none = _Counts(0, [0] * len(self._texts))
        needles = [_needles(word) for word in asked.words]
        self._counts = {entry.id: _Counts(entry.length, _counted(entry.terms, needles)) for entry in pool.entries}
        self._mean = max(1.0, totals.terms / units * (1 + 2 * borrowed(totals.characters / units, beside)))

    def weight(self, one: Candidate) -> float:
        """The sum over all words; 0 if neither the unit nor its neighbours have any."""
        if not self._texts:
            return 0.0
        counts, damp, _ = self._smoothed(one)
        return (K1 + 1) * sum(idf * n / (n + damp) for idf, n in zip(self._idf, counts, strict=True) if n)

    def parts(self, one: Candidate) -> dict[str, float]:
        """What each word adds that the unit has, named `word:` and the word, and in `near` what neighbours add."""
        counts, damp, own = self._smoothed(one)
        parts, near = {}, 0.0
        for text, idf, n, mine in zip(self._texts, self._idf, counts, own, strict=True):
            rise = (K1 + 1) * idf / (n + damp) if n else 0.0
            near += (n - mine) * rise
            if mine:
                parts[f"word:{text}"] = mine * rise
        return parts | ({"near": near} if near else {})

    def evidence(self) -> float:
        """How much of what the question tells the best unit of the pool holds itself, 0 to 1."""
        return max((self._held(counts) for counts in self._counts.values()), default=0.0)

    def coverage(self, entry: Entry) -> float:
        """How much of what the question tells a unit holds itself, 0 to 1; 1 for a question without words."""
        return self._held(self._counts[entry.id])

    def seen(self, entries: Iterable[Entry]) -> set[str]:
        """The words, as asked, that any of these units has."""
        columns = zip(*(self._counts[entry.id].own for entry in entries), strict=True)
        return {word for word, column in zip(self._texts, columns, strict=False) if any(column)}

    def _told(self, words: Collection[Word]) -> float:
        """What all words tell together; one that no unit has tells most."""
        return sum(self._idf) + max(0, len(words) - len(self._idf)) * _idf(0, self._units)

    def _held(self, counts: _Counts) -> float:
        if not self._every:
            return 1.0
        return sum(idf for idf, n in zip(self._idf, counts.own, strict=True) if n) / self._every

    def _smoothed(self, one: Candidate) -> tuple[list[float], float, list[int]]:
        """Each word's count with what the neighbours lend, the damping that the length calls for, the own counts."""
        length, own = self._counts[one.entry.id]
        before = self._counts[one.before.id] if one.before else self._none
        behind = self._counts[one.behind.id] if one.behind else self._none
        share = one.share
        counts = [mine + share * (a + b) for mine, a, b in zip(own, before.own, behind.own, strict=True)]
        return counts, K1 * (1 - B + B * (length + share * (before.length + behind.length)) / self._mean), own


class _Counts(NamedTuple):
    """A unit's number of terms, and how often it has each word."""

    length: int
    own: list[int]


def _counted(terms: str, needles: Sequence[Sequence[str]]) -> list[int]:
    """How often each word stands in these terms, in any of its forms."""
    count = terms.count
    return [count(forms[0]) if len(forms) == 1 else sum(map(count, forms)) for forms in needles]


def _needles(word: Word) -> list[str]:
    """What is counted in a unit's terms, each of which has a space on both sides."""
    return [f" {term[:-1]}" if term.endswith("*") else f" {term} " for term in word.terms]


def _idf(count: int, units: int) -> float:
    return math.log(1 + (units - min(count, units) + 0.5) / (count + 0.5))
