"""The order of candidates: a sum of named parts, each of which can be shown.

    words x trust x W / max W  +  meaning x V  +  what else speaks for a unit (`evidence`)

W is `words`, V is `nearness`. Words are trusted as far as one unit holds what the question tells: a question whose rare
words stand nowhere is left to its meaning. A unit without a vector is taken to mean what its words say.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from memory.index.port import Entry, Totals, Voice
from memory.recall.candidates import Candidates, CandidateSet, SearchRequest
from memory.recall.query import Word
from memory.recall.scoring import SCRUBJAY, Boosts, LexicalScorer, RankingWeights, SemanticScorer

if TYPE_CHECKING:  # numpy takes 0.1 s to import, which a search by words need not pay
    from memory.vectors.collection import Scan

FIRST = 8
"""So many of the best units move the question, but no more than a quarter of those that are ranked."""


@dataclass(frozen=True, slots=True)
class RankingInput:
    """What the index has on a question.

    Attributes:
        found: the candidates.
        entries: these and their neighbours.
        totals: of what the asker may see.
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
        self,
        asked: SearchRequest,
        material: RankingInput,
        *,
        scan: Scan | None = None,
        recipe: RankingWeights = SCRUBJAY,
    ) -> None:
        """Score and sort.

        Args:
            asked: the question.
            material: the candidates.
            scan: the question's meaning; None ranks by words.
            recipe: the weights.
        """
        pool = CandidateSet(material.entries, material.found.ids, beside=recipe.beside)
        self._recipe = recipe
        self._wordy = bool(asked.query.words)
        self._candidates = pool.candidates
        self._place = {one.entry.id: place for place, one in enumerate(pool.candidates)}
        self._words = LexicalScorer(asked, pool, material.totals, beside=recipe.beside)
        weights = [self._words.weight(one) for one in pool.candidates]
        self._best = max(weights, default=0.0) or 1.0
        self._fit = [weight / self._best for weight in weights]
        self._trust = min(1.0, self._words.evidence() / recipe.certain) if recipe.certain else 1.0
        self._evidence = Boosts(asked, recipe, about=material.found.about, voices=material.voices)
        self._fixed = [sum(self._evidence.fixed(one.entry).values()) for one in pool.candidates]
        self._guiding = [sum(self._evidence.guiding(one.entry).values()) for one in pool.candidates]
        self._first = self._near = SemanticScorer(scan, pool) if scan else None
        leading = min(FIRST, len(pool.candidates) // 4)
        if self._near and recipe.feedback and leading:
            self._near = self._near.moved(self._best_of(leading), by=recipe.feedback)
        self._waited: dict[int, float] = {}
        self.order = self._spread()

    def parts(self, entry: Entry) -> dict[str, float]:
        """The summands of a candidate's score; a word's is named `word:` and the word."""
        place = self._place[entry.id]
        rise, near = self._share(place) / self._best, self._likeness(place)
        parts = {name: rise * part for name, part in self._words.parts(self._candidates[place]).items()}
        if self._first and self._near:
            before, after = (self._recipe.meaning * near.values[place] for near in (self._first, self._near))
            parts |= {"meaning": before, "feedback": after - before}
        parts |= self._evidence.fixed(entry)
        parts |= {name: near * part for name, part in self._evidence.guiding(entry).items()}
        parts["again"] = self._waited.get(place, 0.0)
        return {name: part for name, part in parts.items() if part}

    def unseen(self, words: Iterable[Word]) -> list[Word]:
        """Those of these words that no candidate has.

        Whether a word occurs in the index at all is not asked: that would tell one scope what stands in another.
        """
        seen = self._words.seen(self._candidates)
        return [word for word in words if word.text not in seen]

    def told(self, entry: Entry, words: Collection[Word], *, also: frozenset[str] = frozenset()) -> tuple[float, float]:
        """How much of what some of the question's words tell a candidate holds, and how much they tell together.

        Args:
            entry: the candidate.
            words: of the question.
            also: terms that count as its own.
        """
        return self._words.told(self._candidates[self._place[entry.id]], words, also=also)

    def _share(self, place: int) -> float:
        """The weight of the words for a unit."""
        return self._recipe.words * self._trust if self._near and self._near.known[place] else 1.0

    def _likeness(self, place: int) -> float:
        """How near a unit is to the question, 0 to 1: in meaning, or in words if it has no vector."""
        return self._near.values[place] if self._near and self._near.known[place] else self._fit[place]

    def _scores(self) -> list[float]:
        rows = range(len(self._candidates))
        if self._near is None:
            return [self._fit[n] * (1 + self._guiding[n]) + self._fixed[n] for n in rows]
        meaning, near = self._recipe.meaning, self._near.values
        return [
            self._share(n) * self._fit[n] + meaning * near[n] + self._guiding[n] * self._likeness(n) + self._fixed[n]
            for n in rows
        ]

    def _best_of(self, count: int) -> dict[int, float]:
        """The best units so far, with their scores."""
        scores = self._scores()
        best = heapq.nlargest(count, range(len(scores)), key=scores.__getitem__)
        return {self._candidates[place].entry.id: scores[place] for place in best}

    def _spread(self) -> list[Ranked]:
        """Best first; a further piece of a turn that is already there waits a little.

        What has nothing that speaks for it is left out, unless the question has no words and asks for all of some days.
        """
        waiting = [(-score, place, 0) for place, score in enumerate(self._scores()) if score > 0 or not self._wordy]
        heapq.heapify(waiting)
        again = self._recipe.again
        seen: Counter[tuple[int, int]] = Counter()
        order: list[Ranked] = []
        while waiting:
            score, place, known = heapq.heappop(waiting)
            entry = self._candidates[place].entry
            turn = (entry.file, entry.turn)
            times = min(2, seen[turn])
            if times > known:
                self._waited[place] = -again * times
                heapq.heappush(waiting, (score + again * (times - known), place, times))
                continue
            seen[turn] += 1
            order.append(Ranked(entry, -score))
        return order
