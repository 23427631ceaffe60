"""The order of candidates: a sum of named parts, each of which can be shown.

    words x trust x W / max W  +  meaning x V  +  what else speaks for a unit (`Boosts`)

W is `LexicalScorer.weight`, V one of `SemanticScorer.values`. Words are trusted as far as one unit holds what the
question tells: a question whose rare words stand nowhere is left to its meaning. A unit without a vector is taken to
mean what its words say.
"""

from __future__ import annotations

import heapq
from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from memory.index.types import Entry, Totals, Voice
from memory.recall.candidates import Candidates, CandidateSet, SearchRequest, UnitPool
from memory.recall.query import Word
from memory.recall.scoring import SCRUBJAY, Ageing, Boosts, LexicalScorer, RankingWeights, SemanticScorer
from memory.recall.spreading import Activation

if TYPE_CHECKING:  # numpy takes 0.1 s to import, which a search by words need not pay
    from memory.vectors.collection import Scan

BEHIND = 0.95
"""Of what a fact lacks to the hit that activated it, it can gain so much."""
FIRST = 8
"""So many of the best units move the question, but no more than a quarter of those that are ranked."""


class Ranked(NamedTuple):
    """A candidate with its score. A tuple, because a question makes some hundreds of them."""

    entry: Entry
    score: float


def rank(
    request: SearchRequest,
    candidates: Candidates,
    units: UnitPool,
    *,
    totals: Totals,
    voices: Mapping[str, Voice],
    ageing: Ageing,
    scan: Scan | None = None,
    weights: RankingWeights = SCRUBJAY,
    spoken: bool = False,
) -> Ranking:
    """Score and sort candidates, which are among the `units` with their neighbours; without a `scan`, by words alone.

    With `spoken`, only what is said in a conversation borrows of its neighbours.
    """
    pool = CandidateSet(units, candidates.ids, beside=weights.beside, spoken=spoken)
    lexical = LexicalScorer(request, pool, totals, beside=weights.beside)
    boosts = Boosts(request, weights, about=candidates.about, voices=voices, ageing=ageing, entries=units.entries)
    ranking = Ranking(pool, lexical, boosts, weights, ageing)
    if scan:
        ranking.add_meaning(SemanticScorer(scan, pool))
    ranking.sort(with_zeros=not request.query.words, active=candidates.active)
    return ranking


class Ranking:
    """Candidates in `order`, best first; of equals the newest, then as they stand in their files."""

    def __init__(
        self, pool: CandidateSet, lexical: LexicalScorer, boosts: Boosts, weights: RankingWeights, ageing: Ageing
    ) -> None:
        """Score the candidates by words; `rank` does the rest."""
        self.order: list[Ranked] = []
        self._weights = weights
        self._candidates = pool.candidates
        entries = [candidate.entry for candidate in pool.candidates]
        self._place = {entry.id: place for place, entry in enumerate(entries)}
        self._turns = [(entry.file, entry.turn) for entry in entries]
        self._lexical = lexical
        by_words = [lexical.weight(candidate) for candidate in pool.candidates]
        self._best = max(by_words, default=0.0) or 1.0
        self._fit = [weight / self._best for weight in by_words]
        self._trust = min(1.0, lexical.evidence() / weights.certain) if weights.certain else 1.0
        self._boosts = boosts
        self._fixed = [sum(boosts.fixed(entry).values()) for entry in entries]
        self._guiding = [sum(boosts.guiding(entry).values()) for entry in entries]
        self._freshness = [weights.freshness * ageing.freshness(entry) for entry in entries if weights.freshness]
        self._unmoved: SemanticScorer | None = None  # for the question as it was asked, before feedback
        self._near: SemanticScorer | None = None
        # What is gained or lost by the last `sort`, by place.
        self._fresh: dict[int, float] = {}
        self._waiting: dict[int, float] = {}
        self._spread: dict[int, float] = {}

    def add_meaning(self, near: SemanticScorer) -> None:
        """Add nearness in meaning, and move the question towards the best units (feedback)."""
        self._unmoved = self._near = near
        leading = min(FIRST, len(self._candidates) // 4)
        if self._weights.feedback and leading:
            scores = self._scores()
            best = sorted(range(len(scores)), key=scores.__getitem__, reverse=True)[:leading]
            toward = {self._candidates[place].entry.id: scores[place] for place in best}
            self._near = near.moved(toward, by=self._weights.feedback)

    def sort(self, *, with_zeros: bool, active: Mapping[int, Activation]) -> None:
        """Sort, best first; a further piece of a turn that is already there waits a little. May be called again.

        What nothing speaks for is kept `with_zeros`, for a question that asks for all of some days. What hits have
        activated comes behind the hit that it came from, however active it is.
        """
        self.order, self._waiting = [], {}
        scores = self._scores()
        self._fresh = {place: scores[place] * share for place, share in enumerate(self._freshness) if share}
        for place, gained in self._fresh.items():
            scores[place] += gained
        self._spread = {}
        for unit, (strength, source) in active.items():
            if unit in self._place and source in self._place:
                lacking = scores[self._place[source]] - scores[self._place[unit]]
                gained = min(self._weights.spread * strength, BEHIND * lacking)
                if gained > 0:
                    self._spread[self._place[unit]] = gained
        for place, gained in self._spread.items():
            scores[place] += gained
        ready = [(-score, place) for place, score in enumerate(scores) if score > 0 or with_zeros]
        ready.sort(reverse=True)
        self._take_in_order(ready)

    def _take_in_order(self, ready: list[tuple[float, int]]) -> None:
        """Put candidates into `order`: those at the end of `ready` come first, and each waits for those of its turn."""
        again = self._weights.again
        taken: dict[tuple[int, int], int] = {}  # units, by file and turn
        late: list[tuple[float, int, int]] = []  # with how many of its turn each has waited for
        while ready or late:
            if late and (not ready or late[0][:2] < ready[-1]):
                score, place, waited = heapq.heappop(late)
            else:
                (score, place), waited = ready.pop(), 0
            turn = self._turns[place]
            before = taken.get(turn, 0)
            times = min(2, before)
            if times > waited:
                self._waiting[place] = -again * times
                heapq.heappush(late, (score + again * (times - waited), place, times))
                continue
            taken[turn] = before + 1
            self.order.append(Ranked(self._candidates[place].entry, -score))

    def parts(self, entry: Entry) -> dict[str, float]:
        """Return the summands of a candidate's score; a word's is named `word:` and the word."""
        place = self._place[entry.id]
        near = self._near if self._near and self._near.known[place] else None
        rise = (self._weights.words * self._trust if near else 1.0) / self._best
        likeness = near.values[place] if near else self._fit[place]
        parts = {name: rise * part for name, part in self._lexical.parts(self._candidates[place]).items()}
        if self._unmoved and self._near:
            before, after = (self._weights.meaning * by.values[place] for by in (self._unmoved, self._near))
            parts |= {"meaning": before, "feedback": after - before}
        parts |= self._boosts.fixed(entry)
        parts |= {name: likeness * part for name, part in self._boosts.guiding(entry).items()}
        if place in self._fresh:
            parts["recency"] = parts.get("recency", 0.0) + self._fresh[place]
        parts["spread"] = self._spread.get(place, 0.0)
        parts["again"] = self._waiting.get(place, 0.0)
        return {name: part for name, part in parts.items() if part}

    def unseen(self, words: Iterable[Word]) -> list[Word]:
        """Return those of these words that no candidate has.

        Whether a word occurs in the index at all is not asked: that would tell one scope what stands in another.
        """
        seen = self._lexical.seen(self._candidates)
        return [word for word in words if word.text not in seen]

    def coverage(self, entry: Entry, words: Collection[Word], also: frozenset[str]) -> tuple[float, float]:
        """See `LexicalScorer.coverage`."""
        return self._lexical.coverage(self._candidates[self._place[entry.id]], words, also)

    def _scores(self) -> list[float]:
        if self._near is None:
            columns = zip(self._fit, self._guiding, self._fixed, strict=True)
            return [fit * (1 + guiding) + fixed for fit, guiding, fixed in columns]
        trusted, meaning = self._weights.words * self._trust, self._weights.meaning
        rows = zip(self._fit, self._near.values, self._near.known, self._guiding, self._fixed, strict=True)
        return [
            (trusted if known else 1.0) * fit + meaning * near + guiding * (near if known else fit) + fixed
            for fit, near, known, guiding, fixed in rows
        ]
