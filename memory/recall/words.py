"""What a question's words say for a unit: BM25 over its own term counts and a share of its neighbours'.

Source: Robertson and Zaragoza (2009), "The Probabilistic Relevance Framework: BM25 and Beyond", with the inverse
document frequency that Lucene uses, which is never negative. Counts are borrowed from neighbours, not scores: a word
that both units have is then damped once.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence

from memory.index.port import Totals
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
        needles = [_needles(word) for word in asked.words]
        # The last row is that of nobody, who stands beside the first and the last unit of a file.
        self._own = [_counted(entry.terms, needles) for entry in pool.entries] + [[0] * len(needles)]
        self._lengths = [entry.length for entry in pool.entries] + [0]
        self._mean = max(1.0, totals.terms / units * (1 + 2 * borrowed(totals.characters / units, beside)))

    def weight(self, one: Candidate) -> float:
        """The sum over all words; 0 if neither the unit nor its neighbours have any."""
        counts, damp = self._smoothed(one)
        return (K1 + 1) * sum([idf * n / (n + damp) for idf, n in zip(self._idf, counts, strict=True) if n])

    def parts(self, one: Candidate) -> dict[str, float]:
        """What each word adds that the unit has, named `word:` and the word, and in `near` what neighbours add."""
        counts, damp = self._smoothed(one)
        parts, near = {}, 0.0
        for text, idf, n, mine in zip(self._texts, self._idf, counts, self._own[one.here], strict=True):
            rise = (K1 + 1) * idf / (n + damp) if n else 0.0
            near += (n - mine) * rise
            if mine:
                parts[f"word:{text}"] = mine * rise
        return parts | ({"near": near} if near else {})

    def evidence(self) -> float:
        """How much of what the question tells the best unit of the pool holds itself, 0 to 1."""
        return max(map(self._held, self._own))

    def told(
        self, one: Candidate, words: Collection[Word], *, also: frozenset[str] = frozenset()
    ) -> tuple[float, float]:
        """How much of what some of the question's words tell a unit holds itself, and how much they tell together.

        Args:
            one: the unit.
            words: of the question.
            also: terms that count as the unit's own.
        """
        wanted = {word.text: word for word in words}
        mine = self._own[one.here]
        held = known = 0.0
        for text, idf, count in zip(self._texts, self._idf, mine, strict=True):
            word = wanted.pop(text, None)
            if word is not None:
                known += idf
                held += idf if count or not also.isdisjoint(word.terms) else 0.0
        unknown = _idf(0, self._units)
        held += unknown * sum(1 for word in wanted.values() if not also.isdisjoint(word.terms))
        return held, known + unknown * len(wanted)

    def seen(self, candidates: Iterable[Candidate]) -> set[str]:
        """The words, as asked, that any of these units has."""
        columns = zip(*(self._own[one.here] for one in candidates), strict=True)
        return {word for word, column in zip(self._texts, columns, strict=False) if any(column)}

    def _told(self, words: Collection[Word]) -> float:
        """What all words tell together; one that no unit has tells most."""
        return sum(self._idf) + max(0, len(words) - len(self._idf)) * _idf(0, self._units)

    def _held(self, own: Sequence[int]) -> float:
        if not self._every:
            return 1.0
        return sum([idf for idf, n in zip(self._idf, own, strict=True) if n]) / self._every

    def _smoothed(self, one: Candidate) -> tuple[list[float], float]:
        """Each word's count with what the neighbours lend, and the damping that the length calls for."""
        _, here, before, behind, share = one
        own, lengths = self._own, self._lengths
        counts = [mine + share * (a + b) for mine, a, b in zip(own[here], own[before], own[behind], strict=True)]
        length = lengths[here] + share * (lengths[before] + lengths[behind])
        return counts, K1 * (1 - B + B * length / self._mean)


def _counted(terms: str, needles: Sequence[Sequence[str]]) -> list[int]:
    """How often each word stands in these terms, in any of its forms."""
    count = terms.count
    return [count(forms[0]) if len(forms) == 1 else sum(map(count, forms)) for forms in needles]


def _needles(word: Word) -> list[str]:
    """What is counted in a unit's terms, each of which has a space on both sides."""
    return [f" {term[:-1]}" if term.endswith("*") else f" {term} " for term in word.terms]


def _idf(count: int, units: int) -> float:
    return math.log(1 + (units - min(count, units) + 0.5) / (count + 0.5))
