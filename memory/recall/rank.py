"""The order of candidates: a sum of named parts, each of which can be shown.

    words x trust x W / max W  +  meaning x V  +  what else speaks for a unit (`evidence`)

W is `words`, V is `nearness`. Words are trusted as far as one unit holds what the question tells: a question whose rare
words stand nowhere is left to its meaning. A unit without a vector is taken to mean what its words say.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from memory.index.port import Entry, Totals, Voice
from memory.recall.evidence import Evidence
from memory.recall.nearness import Nearness
from memory.recall.pool import Pool
from memory.recall.query import Word
from memory.recall.recipe import SCRUBJAY, Recipe
from memory.recall.search import Asked, Candidates
from memory.recall.words import Words

if TYPE_CHECKING:  # numpy takes 0.1 s to import, which a search by words need not pay
    from memory.index.meaning import Scan

FIRST = 8
"""So many of the best units move the question."""


@dataclass(frozen=True, slots=True)
class Material:
    """What the index has on a question.

    Attributes:
        found: the candidates.
        entries: these and their neighbours.
        totals: of the index.
        voices: the speakers in it.
    """

    found: Candidates
    entries: Sequence[Entry]
    totals: Totals
    voices: Mapping[str, Voice] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Ranked:
    """A candidate with its score."""

    entry: Entry
    score: float


class Ranking:
    """Candidates in order, best first; of equals the newest, then as they stand in their files."""

    def __init__(
        self, asked: Asked, material: Material, *, scan: Scan | None = None, recipe: Recipe = SCRUBJAY
    ) -> None:
        """Score and sort.

        Args:
            asked: the question.
            material: the candidates.
            scan: the question's meaning; None ranks by words.
            recipe: the weights.
        """
        pool = Pool(material.entries, material.found.ids, beside=recipe.beside)
        self._recipe = recipe
        self._asked = asked
        self._words = Words(asked, pool, material.totals, beside=recipe.beside)
        self._evidence = Evidence(asked, recipe, about=material.found.about, voices=material.voices)
        self._candidates = {one.entry.id: one for one in pool.candidates}
        weights = {one.entry.id: self._words.weight(one) for one in pool.candidates}
        best = max(weights.values(), default=0.0) or 1.0
        self._fit = {unit: weight / best for unit, weight in weights.items()}
        self._rise = 1 / best
        self._trust = self._trusted()
        self._first = self._near = Nearness(scan, pool) if scan else None
        if self._near and recipe.feedback and len(pool.candidates) > 1:
            self._near = self._near.moved(self._leading(), by=recipe.feedback)
        self._waited: dict[int, float] = {}
        self.order = self._spread()

    def parts(self, entry: Entry) -> dict[str, float]:
        """The summands of a candidate's score; a word's is named `word:` and the word."""
        rise = self._share(entry) * self._rise
        parts = {name: rise * part for name, part in self._words.parts(self._candidates[entry.id]).items()}
        if self._first and self._near:
            before, after = (self._recipe.meaning * near.of(entry) for near in (self._first, self._near))
            parts |= {"meaning": before, "feedback": after - before}
        parts |= self._evidence.parts(entry, near=self._likeness(entry))
        if entry.id in self._waited:
            parts["again"] = self._waited[entry.id]
        return {name: part for name, part in parts.items() if part}

    def unseen(self, words: Iterable[Word]) -> list[Word]:
        """Those of these words that no candidate has.

        Whether a word occurs in the index at all is not asked: that would tell one scope what stands in another.
        """
        seen = self._words.seen([one.entry for one in self.order])
        return [word for word in words if word.text not in seen]

    def coverage(self) -> float:
        """How much of a question's words the first unit holds itself, 0 to 1; 1 if it has none and asks for days."""
        return self._words.coverage(self.order[0].entry) if self.order else 0.0

    def _trusted(self) -> float:
        certain = self._recipe.certain
        return min(1.0, self._words.evidence() / certain) if certain else 1.0

    def _share(self, entry: Entry) -> float:
        """The weight of the words for a unit."""
        if self._near and self._near.knows(entry):
            return self._recipe.words * self._trust
        return 1.0

    def _likeness(self, entry: Entry) -> float:
        """How near a unit is to the question, 0 to 1: in meaning, or in words if it has no vector."""
        if self._near and self._near.knows(entry):
            return self._near.of(entry)
        return self._fit[entry.id]

    def _score(self, entry: Entry) -> float:
        score = self._share(entry) * self._fit[entry.id]
        if self._near:
            score += self._recipe.meaning * self._near.of(entry)
        return score + sum(self._evidence.parts(entry, near=self._likeness(entry)).values())

    def _leading(self) -> dict[int, float]:
        """The best units so far, with their scores."""
        scores = {unit: self._score(one.entry) for unit, one in self._candidates.items()}
        return {unit: scores[unit] for unit in heapq.nlargest(FIRST, scores, key=scores.__getitem__)}

    def _spread(self) -> list[Ranked]:
        """Best first; a further piece of a turn that is already there waits a little."""
        found = [one.entry for one in self._candidates.values()]
        waiting = [(-self._score(entry), place, 0) for place, entry in enumerate(found)]
        heapq.heapify(waiting)
        seen: Counter[tuple[int, int]] = Counter()
        order: list[Ranked] = []
        while waiting:
            score, place, known = heapq.heappop(waiting)
            entry = found[place]
            times = min(2, seen[entry.file, entry.turn])
            if times > known:
                self._waited[entry.id] = -self._recipe.again * times
                heapq.heappush(waiting, (score + self._recipe.again * (times - known), place, times))
                continue
            seen[entry.file, entry.turn] += 1
            order.append(Ranked(entry, -score))
        return order
