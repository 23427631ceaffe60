"""The parts of a candidate's score: words (BM25), meaning, and what else speaks for it; and the weights of them all.

`ranking` sums them. Source of the words' part: S. Robertson and H. Zaragoza (2009), "The Probabilistic Relevance
Framework: BM25 and Beyond"; a unit counts as longer by what it borrows of its neighbours.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from datetime import date
from typing import TYPE_CHECKING

from memory.index.types import Entry, Totals, Voice
from memory.index.units import LASTING
from memory.language.guidance import GUIDING, TextFlags, is_first_person, turns_to_agent
from memory.language.time.calendar import Days
from memory.recall.candidates import Candidate, CandidateSet, SearchRequest, borrowed
from memory.recall.query import Word
from memory.strength import Fading
from memory.types import Kind, RankingProfile

if TYPE_CHECKING:  # numpy takes 0.1 s to import, which a search by words need not pay
    from memory.vectors.collection import Scan

K1 = 1.0
B = 0.5
FLOOR = 0.5
"""Deviations above the mean at which nearness in meaning begins."""
_MIN_LENGTH = 1e-9

FADING_DAYS = 7.0
"""After so many days beside those that were asked for, closeness in time has fallen to 1/e."""
MONTH = 31
"""Days of the longest range for which a fact is of the day that its words name."""
OVERLAPPING = 0.75
"""Nearness in time of a fact that is of more days than were asked for, or tells how the world is since."""
HOLDING = 0.4
"""Nearness in time of what was so before, and holds on a day that was asked for."""
OF_ANOTHER_DAY = 0.3
"""What is left of closeness for a fact that is of another day."""
HALF_LIFE = 30
"""Days after which a unit is half as new: e^(-ln 2 d / 30). "Cortex" wrote e^(-d / 30), which is .37 then."""
OFTEN = 10
"""Uses from which access is 1: min(1, ln(1 + n) / ln 11)."""
ALIKE = 0.4
"""Share of terms from which one fact is taken for a newer version of another."""
COMPARED = 100
"""Facts of which that is looked at, the newest."""
_LITTLE_HEARD = 5
"""Units of silence that every speaker is credited with: who has said two things is not known yet."""
_GUIDING = int(GUIDING)
_NOTE = Kind.NOTE  # a look into an enumeration takes longer than a call


@dataclass(frozen=True, slots=True)
class RankingWeights:
    """The weights of one way to rank.

    Attributes:
        words: of the words, 1 for the unit that they fit best.
        meaning: of the similarity in meaning, 1 for the nearest unit.
        metric: whether nearness is measured in the collection's own metric, or by the bare cosine.
        certain: words count in full when one unit holds this share of what the question tells; 0 trusts them always.
        beside: what a very short unit borrows of its neighbours' words and nearness.
        feedback: how far the question is moved towards the best units before it is asked again.
        time: closeness to the days that the question names.
        standing: a standing instruction, by its nearness.
        preference: a preference, by its nearness, if the question turns to the agent.
        asker: a unit of somebody who speaks of themself, if the question does.
        entity: an entity that the question names.
        fact: written down as a fact.
        present: a fact that holds and that no newer one replaces, if the question asks how things are now.
        strength: how likely a fact is at hand.
        recency: how new a unit is, halved every 30 days.
        access: how often a fact was used, full at ten times.
        freshness: share of its score that a unit of today gains, and one that is very old loses.
        spread: what is linked to the first hits, by how active they make it.
        again: taken off for every further piece of the same turn, at most twice.
        widened: so many of the first passages grow over any neighbour.
        min_score: what scores less is not handed over, unless the question has no words to score by.
    """

    words: float = 0.5
    meaning: float = 0.5
    metric: bool = True
    certain: float = 0.4
    beside: float = 0.5
    feedback: float = 0.5
    time: float = 0.5
    standing: float = 0.2
    preference: float = 0.2
    asker: float = 0.25
    entity: float = 0.1
    fact: float = 0.05
    present: float = 0.2
    strength: float = 0.0
    recency: float = 0.0
    access: float = 0.0
    freshness: float = 0.0
    spread: float = 0.5
    again: float = 0.06
    widened: int = 5
    min_score: float = 0.0


SCRUBJAY = RankingWeights()

OPENCLAW = RankingWeights(
    words=0.3,
    meaning=0.7,
    metric=False,
    certain=0,
    beside=0,
    feedback=0,
    time=0,
    standing=0,
    preference=0,
    asker=0,
    entity=0,
    fact=0,
    present=0,
    spread=0,
    again=0,
    min_score=0.35,
)
"""Three parts of words and seven of the bare cosine, from the score that OpenClaw asks for, and nothing else."""

CORTEX = replace(OPENCLAW, words=0, meaning=0.4, strength=0.3, recency=0.2, access=0.1, min_score=0)
"""The weights of "Cortex on Convex"; what has no vector, and what is asked by words alone, counts by its words."""

_NAMED: Mapping[RankingProfile, RankingWeights] = {
    RankingProfile.SCRUBJAY: SCRUBJAY,
    RankingProfile.OPENCLAW: OPENCLAW,
    RankingProfile.CORTEX: CORTEX,
}


def weights_of(ranking: RankingProfile | RankingWeights) -> RankingWeights:
    """Return the weights of a profile; weights are returned as they are."""
    return ranking if isinstance(ranking, RankingWeights) else _NAMED[ranking]


class LexicalScorer:
    """How well the candidates of a pool fit the words of a question."""

    def __init__(self, asked: SearchRequest, pool: CandidateSet, totals: Totals, *, beside: float) -> None:
        """Count the words in all units of the pool; an empty one would borrow `beside` of its neighbours' counts."""
        self._texts = [word.text for word in asked.words]
        units = max(1, totals.units)
        self._idf = [_idf(asked.count(word), units) for word in asked.words]
        self._idf_absent = _idf(0, units)
        # What all words tell together; one that no unit has tells most.
        absent = max(0, len(asked.query.words) - len(self._idf))
        self._every = sum(self._idf) + absent * self._idf_absent
        # The last row stands for the neighbour that the first and the last unit of a file do not have.
        self._counts = [*pool.counts(asked), (0,) * len(asked.words)]
        self._credit_days(asked, pool)
        self._has_some = [*map(any, self._counts)]
        self._lengths = [*pool.lengths, 0]
        self._mean = max(1.0, totals.terms / units * (1 + 2 * borrowed(totals.characters / units, beside)))

    def _credit_days(self, asked: SearchRequest, pool: CandidateSet) -> None:
        """Count a fact of the days that were asked for as one that names them: what it says is of its own day.

        In a fact that has no other word of the question, a number or a month counts for nothing.
        """
        columns = [place for place, word in enumerate(asked.words) if word.text in asked.query.calendar]
        ranges = asked.query.days
        if not columns or asked.query.calendar.issuperset(word.text for word in asked.query.words):
            return
        for row, entry in enumerate(pool.entries):
            if entry.kind == _NOTE:
                continue
            counts = [*self._counts[row]]
            has_others = any(count for place, count in enumerate(counts) if place not in columns)
            is_of_days = nearness_in_time(entry, ranges) >= HOLDING
            for place in columns:
                counts[place] = int(has_others and (is_of_days or counts[place] > 0))
            self._counts[row] = tuple(counts)

    def weight(self, candidate: Candidate) -> float:
        """Return the sum over all words; 0 if neither the unit nor its neighbours have any."""
        has_some = self._has_some
        if not (has_some[candidate.here] or has_some[candidate.before] or has_some[candidate.behind]):
            return 0.0
        counts, damp = self._smoothed(candidate)
        return (K1 + 1) * sum([idf * n / (n + damp) for idf, n in zip(self._idf, counts, strict=True) if n])

    def parts(self, candidate: Candidate) -> dict[str, float]:
        """Return what each word adds that the unit has, as `word:` and the word, and in `near` what neighbours add."""
        counts, damp = self._smoothed(candidate)
        parts, near = {}, 0.0
        for text, idf, n, own in zip(self._texts, self._idf, counts, self._counts[candidate.here], strict=True):
            rise = (K1 + 1) * idf / (n + damp) if n else 0.0
            near += (n - own) * rise
            if own:
                parts[f"word:{text}"] = own * rise
        return parts | ({"near": near} if near else {})

    def evidence(self) -> float:
        """Return how much of what the question tells the best unit of the pool holds itself, 0 to 1."""
        if not self._every:
            return 1.0
        rows = {*self._counts}
        return max(sum([idf for idf, n in zip(self._idf, row, strict=True) if n]) / self._every for row in rows)

    def coverage(self, candidate: Candidate, words: Collection[Word], also: frozenset[str]) -> tuple[float, float]:
        """Return how much of what some of the question's words tell a unit holds, and how much they tell together.

        The terms in `also` count as its own.
        """
        wanted = {word.text: word for word in words}
        held = known = 0.0
        for text, idf, count in zip(self._texts, self._idf, self._counts[candidate.here], strict=True):
            word = wanted.pop(text, None)
            if word is not None:
                known += idf
                held += idf if count or not also.isdisjoint(word.terms) else 0.0
        held += self._idf_absent * sum([not also.isdisjoint(word.terms) for word in wanted.values()])
        return held, known + self._idf_absent * len(wanted)

    def seen(self, candidates: Iterable[Candidate]) -> set[str]:
        """Return the words, as asked, that any of these units has."""
        columns = zip(*(self._counts[candidate.here] for candidate in candidates), strict=True)
        return {word for word, column in zip(self._texts, columns, strict=False) if any(column)}

    def _smoothed(self, candidate: Candidate) -> tuple[Sequence[float], float]:
        """Return each word's count with what the neighbours lend, and the damping that the length calls for."""
        _, here, before, behind, share = candidate
        rows, lengths = self._counts, self._lengths
        counts: Sequence[float] = rows[here]
        if self._has_some[before] or self._has_some[behind]:
            counts = [own + share * (a + b) for own, a, b in zip(counts, rows[before], rows[behind], strict=True)]
        length = lengths[here] + share * (lengths[before] + lengths[behind])
        return counts, K1 * (1 - B + B * length / self._mean)


def _idf(count: int, units: int) -> float:
    return math.log(1 + (units - min(count, units) + 0.5) / (count + 0.5))


class SemanticScorer:
    """How near the candidates of a pool are to a question in meaning.

    `known` says of each whether it has a vector. Its value is 0 if it has none or is no nearer than most, 1 if nearest.
    """

    def __init__(self, scan: Scan, pool: CandidateSet) -> None:
        """Measure how similar the pool is to the question that was scanned for."""
        import numpy as np

        self._ids = np.array(pool.ids, np.int64)
        _, here, before, behind, share = zip(*pool.candidates, strict=True) if pool.candidates else ((),) * 5
        self._places = np.array((here, before, behind), np.int64)
        self._share = np.array(share, np.float64)
        self._floor = scan.direction.mean + FLOOR * scan.direction.deviation
        self._scan = scan
        self.known, self.values = self._measured(scan)

    def moved(self, weights: Mapping[int, float], *, by: float) -> SemanticScorer:
        """Score for the question moved towards units (by id, with weights); nearness begins where it did."""
        moved = copy(self)
        moved.known, moved.values = self._measured(self._scan.nudged(weights, by=by))
        return moved

    def _measured(self, scan: Scan) -> tuple[list[bool], list[float]]:
        is_known, similar = scan.measured(self._ids)  # behind the last is a neighbour that is missing
        here, before, behind = similar[self._places]
        known = is_known[self._places[0]]
        smoothed = here + self._share * (before + behind)
        best = max(smoothed[known].tolist(), default=0.0)
        # A lone unit is at the mean, and one far off can push the floor above all others: the nearest is near even so.
        floor = self._floor if best > self._floor else best - _MIN_LENGTH
        return known.tolist(), (((smoothed - floor) / (best - floor)).clip(0.0) * known).tolist()


@dataclass(frozen=True, slots=True)
class Ageing:
    """The day of a question, on which units are old or new, and how facts fade."""

    today: date
    fading: Fading = field(default_factory=Fading)

    def recency(self, entry: Entry) -> float | None:
        """Return how new a unit is by the last day that it is about, or of its last review; None without a day."""
        day = entry.last or entry.reviewed
        if not day:
            return None
        days = max(0, self.today.toordinal() - date.fromisoformat(day[:10]).toordinal())
        return float(0.5 ** (days / HALF_LIFE))

    def parts(self, entry: Entry, weights: RankingWeights) -> dict[str, float]:
        """Return the parts of a score that age and use make; none is zero."""
        parts = {
            "strength": weights.strength * self.fading.retrievability(entry, self.today),
            "recency": weights.recency * (self.recency(entry) or 0.0),
            "access": weights.access * min(1.0, math.log1p(entry.uses) / math.log1p(OFTEN)),
        }
        return {name: part for name, part in parts.items() if part}

    def freshness(self, entry: Entry) -> float:
        """Return 1 for a unit of today, 0 for one of 30 days ago or without a day, down to -1 for what is very old."""
        return 0.0 if (recency := self.recency(entry)) is None else 2 * recency - 1


class Boosts:
    """The parts of a score besides words and meaning, as far as the question calls for them."""

    def __init__(
        self,
        asked: SearchRequest,
        weights: RankingWeights,
        *,
        about: Collection[int],
        voices: Mapping[str, Voice],
        ageing: Ageing,
        entries: Sequence[Entry] = (),
    ) -> None:
        """Read what the question calls for; `about` are the units that are about an entity which it names."""
        self._weights = weights
        self._ageing = ageing
        self._ages = bool(weights.strength or weights.recency or weights.access)
        self._standing = standing_facts(asked, entries)
        self._about = frozenset(about)
        self._ranges = asked.query.days
        self._preference = weights.preference if turns_to_agent(asked.query.text) else 0.0
        is_asker_sought = weights.asker > 0 and is_first_person(asked.query.text)
        self._asking = asking(voices) if is_asker_sought else {}

    def fixed(self, entry: Entry) -> dict[str, float]:
        """Return the parts that do not depend on how near the unit is; none is zero."""
        weights, parts = self._weights, {}
        if entry.id in self._about:
            parts["entity"] = weights.entity
        if self._ranges and (nearness := nearness_in_time(entry, self._ranges)):
            parts["time"] = weights.time * nearness
        if self._asking and (likeness := self._asking.get(entry.speaker, 0.0)):
            parts["asker"] = weights.asker * likeness
        if entry.kind != _NOTE:
            parts["fact"] = weights.fact
        if entry.id in self._standing:
            parts["present"] = weights.present
        return parts | self._ageing.parts(entry, weights) if self._ages else parts

    def guiding(self, entry: Entry) -> dict[str, float]:
        """Return the parts of the nearest unit that guides; others have them by how near they are. None is zero."""
        if not entry.marks & _GUIDING:
            return {}
        parts = {
            "standing": self._weights.standing * bool(entry.marks & TextFlags.STANDING),
            "preference": self._preference * bool(entry.marks & TextFlags.PREFERENCE),
        }
        return {name: part for name, part in parts.items() if part}


def nearness_in_time(entry: Entry, ranges: Sequence[Days]) -> float:
    """Return 1 for a unit about the days that were asked for, less the further it is from them; 0 if none were.

    A note tells of other days than its own, too. A fact does not: what holds then counts more than what is merely of a
    day close by, and what began later is not meant. Opinions do not answer for a day. What names another day than its
    own is of that one, where a month or less was asked for: a season or a year has the days of very much.
    """
    if not ranges or not entry.first or not entry.last:
        return 0.0
    is_period = entry.kind in LASTING and entry.since and entry.until
    named = entry.named if min((days.last - days.first).days for days in ranges) < MONTH else None
    ends = (entry.since, entry.until) if is_period else (named or entry.first, named or entry.last)
    span = date.fromisoformat(ends[0] or ""), date.fromisoformat(ends[1] or "")
    distance = min(days.distance(*span) for days in ranges)
    closeness = math.exp(-distance / FADING_DAYS)
    if entry.kind == _NOTE:
        return closeness
    if entry.kind == Kind.OPINION:
        return closeness * OF_ANOTHER_DAY
    if distance == 0:
        is_of_them = any(days.first <= span[0] and span[1] <= days.last for days in ranges)
        return 1.0 if is_of_them and entry.kind != Kind.WORLD else OVERLAPPING
    first, last = min(days.first for days in ranges).isoformat(), max(days.last for days in ranges).isoformat()
    if (entry.since or "") > last:
        return 0.0
    holds = entry.kind in {Kind.WORLD, Kind.OBSERVATION} and (entry.until or "9") >= first
    return HOLDING if holds else closeness * OF_ANOTHER_DAY


def standing_facts(asked: SearchRequest, entries: Sequence[Entry]) -> frozenset[int]:
    """Return the ids of facts with a word of the question that hold now and that no newer fact of the kind replaces."""
    if asked.query.now is None:
        return frozenset()
    today = asked.query.now.isoformat()
    needles = [f" {term} " for word in asked.words for term in word.terms]
    facts = [
        entry
        for entry in entries
        if entry.kind in LASTING and (entry.until or "9") >= today and any(needle in entry.terms for needle in needles)
    ]
    facts.sort(key=lambda entry: (entry.first or "", entry.order), reverse=True)
    standing: list[tuple[Entry, frozenset[str]]] = []
    for entry in facts[:COMPARED]:
        terms = frozenset(entry.terms.split())
        newer = (others for other, others in standing if other.kind == entry.kind)
        if not any(len(terms & others) >= ALIKE * len(terms | others) for others in newer):
            standing.append((entry, terms))
    return frozenset(entry.id for entry, _ in standing)


def asking(voices: Mapping[str, Voice]) -> dict[str, float]:
    """Return how much each speaker sounds like the one who asks, 0 to 1: the share of what they say about themselves,
    relative to whoever does so most. What nobody says is the owner's own note. Nothing if there are no speakers.
    """
    shares = {who: voice.first_person / (voice.units + _LITTLE_HEARD) for who, voice in voices.items()}
    most = max(shares.values(), default=0.0)
    return {"": 1.0} | {who: share / most for who, share in shares.items()} if most else {}
