"""The order of candidates: a sum of named parts, each of which can be shown.

The words' part is BM25 over a unit's own term counts and a share of its neighbours': in a conversation the answer often
stands beside the question, and a short turn says less by itself than a long one. The shares were found by trying on the
development halves of two public sets of conversations; all of them are flat around the values below.
"""

from __future__ import annotations

import heapq
import math
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import date

from memory.index.port import Entry, Totals
from memory.model import Kind
from memory.recall.query import Word
from memory.recall.search import Asked

K1 = 1.0
B = 0.5
NEAR = 0.5
"""The share of a neighbour's term counts that a very short unit borrows."""
SHORT = 150
"""Characters of a unit that borrows half of `NEAR`."""
ENTITY = 0.1
TIME = 0.3
FADING_DAYS = 7.0
FACT = 0.05
AGAIN = 0.06


@dataclass(frozen=True, slots=True)
class Ranked:
    """A candidate with its score: 1 is the most that words alone give to any candidate."""

    entry: Entry
    score: float


class Ranking:
    """Candidates in order, best first; of equals the newest, then as they stand in their files."""

    def __init__(
        self, asked: Asked, entries: Sequence[Entry], wanted: Collection[int], *, about: Collection[int], totals: Totals
    ) -> None:
        """Score and sort.

        Args:
            asked: the question.
            entries: the candidates and their neighbours.
            wanted: ids of the candidates.
            about: ids of those that are about an entity that the question names.
            totals: of the index.
        """
        self._words = _Words(asked, entries, totals)
        self._extras = _Extras(asked, about)
        ids = frozenset(wanted)
        found = sorted((entry for entry in entries if entry.id in ids), key=lambda entry: (entry.path, entry.order))
        found.sort(key=lambda entry: entry.first or "", reverse=True)
        weights = [self._words.weight(entry) for entry in found]
        self._best = max(weights, default=0.0) or 1.0
        self._waited: dict[int, float] = {}
        self.order = self._spread(
            [
                Ranked(entry, weight / self._best + sum(self._extras.parts(entry).values()))
                for entry, weight in zip(found, weights, strict=True)
            ]
        )

    def parts(self, entry: Entry) -> dict[str, float]:
        """The summands of a candidate's score; a word's is named `word:` and the word."""
        parts = {name: part / self._best for name, part in self._words.parts(entry).items()}
        waited = {"again": self._waited[entry.id]} if entry.id in self._waited else {}
        return parts | self._extras.parts(entry) | waited

    def unseen(self, words: Iterable[Word]) -> list[Word]:
        """Those of these words that no candidate has.

        Whether a word occurs in the index at all is not asked: that would tell one scope what stands in another.
        """
        seen = self._words.seen([one.entry for one in self.order])
        return [word for word in words if word.text not in seen]

    def coverage(self, words: Collection[Word]) -> float:
        """How much of a question's words the first unit holds itself, 0 to 1; 1 if it has none and asks for days."""
        return self._words.coverage(self.order[0].entry, words) if self.order else 0.0

    def _spread(self, ranked: Sequence[Ranked]) -> list[Ranked]:
        """Best first; a further piece of a turn that is already there waits a little."""
        waiting = [(-one.score, place, 0) for place, one in enumerate(ranked)]
        heapq.heapify(waiting)
        seen: Counter[tuple[int, int]] = Counter()
        order: list[Ranked] = []
        while waiting:
            score, place, known = heapq.heappop(waiting)
            one = ranked[place]
            turn = (one.entry.file, one.entry.turn)
            times = min(2, seen[turn])
            if times > known:
                self._waited[one.entry.id] = -AGAIN * times
                heapq.heappush(waiting, (AGAIN * times - one.score, place, times))
                continue
            seen[turn] += 1
            order.append(Ranked(one.entry, -score))
        return order


class _Words:
    """BM25 of a question's words in a unit and beside it."""

    def __init__(self, asked: Asked, entries: Sequence[Entry], totals: Totals) -> None:
        self._texts = [word.text for word in asked.words]
        self._idf = [_idf(asked.count(word), totals.units) for word in asked.words]
        self._none = (0, [0] * len(self._texts))
        needles = [_needles(word) for word in asked.words]
        self._counts = {(entry.file, entry.order): (entry.length, _counts(entry.terms, needles)) for entry in entries}
        self._units = units = max(1, totals.units)
        self._mean = max(1.0, totals.terms / units * (1 + 2 * _borrowed(totals.characters / units)))

    def weight(self, entry: Entry) -> float:
        """The sum over all words."""
        counts, damp, _ = self._smoothed(entry)
        return (K1 + 1) * sum(idf * n / (n + damp) for idf, n in zip(self._idf, counts, strict=True) if n)

    def coverage(self, entry: Entry, words: Collection[Word]) -> float:
        """The share of the words that the unit holds, each weighted by how rare it is; those that no unit has, too."""
        _, own = self._counts[entry.file, entry.order]
        every = sum(self._idf) + (len(words) - len(self._idf)) * _idf(0, self._units)
        return sum(idf for idf, n in zip(self._idf, own, strict=True) if n) / every if every else 1.0

    def parts(self, entry: Entry) -> dict[str, float]:
        """What each word adds that the unit has, and in `near` what its neighbours' mentions add."""
        counts, damp, own = self._smoothed(entry)
        parts, near = {}, 0.0
        for text, idf, n, mine in zip(self._texts, self._idf, counts, own, strict=True):
            rise = (K1 + 1) * idf / (n + damp)
            near += (n - mine) * rise
            if mine:
                parts[f"word:{text}"] = mine * rise
        return parts | ({"near": near} if near else {})

    def seen(self, entries: Iterable[Entry]) -> set[str]:
        """The words, as asked, that any of these units has."""
        counts = zip(*(self._counts[entry.file, entry.order][1] for entry in entries), strict=True)
        return {word for word, column in zip(self._texts, counts, strict=False) if any(column)}

    def _smoothed(self, entry: Entry) -> tuple[list[float], float, list[int]]:
        """Each word's count with what the neighbours lend, the damping that the length calls for, the own counts."""
        length, own = self._counts[entry.file, entry.order]
        before_length, before = self._counts.get((entry.file, entry.order - 1), self._none)
        behind_length, behind = self._counts.get((entry.file, entry.order + 1), self._none)
        share = _borrowed(entry.characters)
        counts = [mine + share * (one + two) for mine, one, two in zip(own, before, behind, strict=True)]
        return counts, K1 * (1 - B + B * (length + share * (before_length + behind_length)) / self._mean), own


def _counts(terms: str, needles: Sequence[Sequence[str]]) -> list[int]:
    """How often each word stands in these terms, in any of its forms."""
    count = terms.count
    return [count(forms[0]) if len(forms) == 1 else sum(map(count, forms)) for forms in needles]


def _needles(word: Word) -> list[str]:
    """What is counted in a unit's terms, each of which has a space on both sides."""
    return [f" {term[:-1]}" if term.endswith("*") else f" {term} " for term in word.terms]


def _idf(count: int, units: int) -> float:
    """Okapi's inverse document frequency, kept above zero (Lucene's form)."""
    return math.log(1 + (units - min(count, units) + 0.5) / (count + 0.5))


def _borrowed(characters: float) -> float:
    """The share of its neighbours' counts that a unit of this length borrows."""
    return NEAR * SHORT / (SHORT + characters)


class _Extras:
    """What speaks for a unit besides its words."""

    def __init__(self, asked: Asked, about: Collection[int]) -> None:
        self._about = frozenset(about)
        self._days = [days for when in asked.query.when for days in when.days]

    def parts(self, entry: Entry) -> dict[str, float]:
        """The parts that are not zero."""
        found = {}
        if entry.id in self._about:
            found["entity"] = ENTITY
        if self._days and entry.first and entry.last:
            first, last = date.fromisoformat(entry.first), date.fromisoformat(entry.last)
            distance = min(days.distance(first, last) for days in self._days)
            found["time"] = TIME * math.exp(-distance / FADING_DAYS)
        if entry.kind != Kind.NOTE:
            found["fact"] = FACT
        return found
