"""The order of candidates: a sum of named parts, each of which can be shown.

The words' part is BM25 over a unit's own term counts and a share of its neighbours': in a conversation the answer often
stands beside the question, and a short turn says less by itself than a long one. The shares were found by trying on the
development halves of two public sets of conversations; all of them are flat around the values below.
"""

from __future__ import annotations

import heapq
import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from memory.index.entities import entity_key
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
    """A candidate with its parts, whose sum is its score; the words give at most 1."""

    entry: Entry
    parts: Mapping[str, float]

    @property
    def score(self) -> float:
        """The sum of the parts."""
        return sum(self.parts.values())


def rank(
    asked: Asked, entries: Sequence[Entry], wanted: Sequence[int], *, about: Collection[int], totals: Totals
) -> list[Ranked]:
    """Order candidates, best first; of equals the newest, then as they stand in their files.

    Args:
        asked: the question.
        entries: the candidates and their neighbours.
        wanted: ids of the candidates.
        about: ids of those that are about an entity that the question names.
        totals: of the index.
    """
    words = _Words(asked, entries, totals)
    ids = frozenset(wanted)
    found = sorted((entry for entry in entries if entry.id in ids), key=lambda entry: (entry.path, entry.order))
    found.sort(key=lambda entry: entry.first or "", reverse=True)
    weights = {entry.id: words.weights(entry) for entry in found}
    best = max((sum(one.values()) for one in weights.values()), default=0.0) or 1.0
    extras = _Extras(asked, about)
    return _spread(
        [
            Ranked(entry, {name: weight / best for name, weight in weights[entry.id].items()} | extras.parts(entry))
            for entry in found
        ]
    )


class _Words:
    """Smoothed BM25 of each word in a unit."""

    def __init__(self, asked: Asked, entries: Sequence[Entry], totals: Totals) -> None:
        self._words = [
            (f"word:{word.text}", _idf(asked.count(word), totals.units), _needles(word)) for word in asked.words
        ]
        self._at = {(entry.file, entry.order): entry for entry in entries}
        self._counts: dict[int, list[int]] = {}
        units = max(1, totals.units)
        self._mean = max(1.0, totals.terms / units * (1 + 2 * _borrowed(totals.characters / units)))

    def weights(self, entry: Entry) -> dict[str, float]:
        """What each word adds; `near` is what the neighbours' mentions add to it."""
        near = [one for step in (-1, 1) if (one := self._at.get((entry.file, entry.order + step)))]
        share = _borrowed(entry.characters)
        length = entry.length + share * sum(one.length for one in near)
        damp = K1 * (1 - B + B * length / self._mean)
        parts: dict[str, float] = {}
        beside = 0.0
        for place, (name, idf, _) in enumerate(self._words):
            own = self._count(entry)[place]
            borrowed = share * sum(self._count(one)[place] for one in near)
            if own or borrowed:
                weight = idf * (own + borrowed) * (K1 + 1) / (own + borrowed + damp)
                beside += weight * borrowed / (own + borrowed)
                if own:
                    parts[name] = weight * own / (own + borrowed)
        return parts | ({"near": beside} if beside else {})

    def _count(self, entry: Entry) -> list[int]:
        if entry.id not in self._counts:
            self._counts[entry.id] = [sum(map(entry.terms.count, needles)) for _, _, needles in self._words]
        return self._counts[entry.id]


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
        self._names = frozenset(asked.entities)
        self._about = frozenset(about)
        self._days = [days for when in asked.query.when for days in when.days]

    def parts(self, entry: Entry) -> dict[str, float]:
        """The parts that are not zero."""
        found = {}
        if entry.id in self._about or (entry.speaker and entity_key(entry.speaker) in self._names):
            found["entity"] = ENTITY
        if self._days and entry.first and entry.last:
            first, last = date.fromisoformat(entry.first), date.fromisoformat(entry.last)
            distance = min(days.distance(first, last) for days in self._days)
            found["time"] = TIME * math.exp(-distance / FADING_DAYS)
        if entry.kind != Kind.NOTE:
            found["fact"] = FACT
        return found


def _spread(ranked: Sequence[Ranked]) -> list[Ranked]:
    """Best first; a further piece of a turn that is already there waits a little."""
    waiting = [(-one.score, place, 0) for place, one in enumerate(ranked)]
    heapq.heapify(waiting)
    seen: Counter[tuple[int, int]] = Counter()
    order: list[Ranked] = []
    while waiting:
        _, place, known = heapq.heappop(waiting)
        one = ranked[place]
        turn = (one.entry.file, one.entry.turn)
        times = min(2, seen[turn])
        if times:
            one = Ranked(one.entry, {**one.parts, "again": -AGAIN * times})
        if times > known:
            heapq.heappush(waiting, (-one.score, place, times))
            continue
        seen[turn] += 1
        order.append(one)
    return order
