"""How strong a fact is: what its reviews add up to by FSRS-6, and how likely it is still at hand on a day.

    R = (1 + F t / S) ^ -D,  D = w20,  F = .9 ^ (-1 / D) - 1

R is retrievability, S stability: the days after which R is .9, t the days since the last review, w20 one of the
constants of FSRS-6 (https://github.com/open-spaced-repetition/awesome-fsrs/wiki/The-Algorithm). The `fsrs` package
folds the reviews. For a fact, days pass at its `speed`. Nothing is written when a fact ages: R is computed on reading.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from enum import StrEnum
from typing import Any, NamedTuple, Protocol

from memory.journal.records import Action
from memory.journal.state import LifeEvent
from memory.types import Kind

DECAY = 0.1542
"""D: w20 of FSRS-6, and `fsrs.scheduler.FSRS_DEFAULT_DECAY`."""
FACTOR: float = 0.9 ** (-1 / DECAY) - 1
"""F."""
FIRST_STABILITY = 2.3065
"""Days: w2 of FSRS-6, the stability of what was written and not reviewed since."""
LINEAR_RATE = 0.02
"""What the policy `linear` takes off for every day."""
EMOTIONAL = 0.7
"""A fact with more valence, of either sign, and more arousal than this ages at half speed."""
USUAL_IMPORTANCE = 0.7
_MIN_IMPORTANCE = 0.05
_SLOWER = frozenset("rule person preference decision lesson workflow".split())
_FASTER = frozenset("event topic other".split())
_SLOW, _FAST = 0.5, 1.5
_LAST_INSTANT = datetime.max.replace(tzinfo=UTC) - timedelta(days=36_501)
"""The package's longest interval is 36,500 days."""
_USES = ("cited", "shown", "approved")
_AGELESS = (Kind.NOTE, Kind.INTENTION)
_LAST_DAY = date.max.toordinal()
_NEVER = 1e-6
_ROUNDING = 1e-9
"""Days that floating-point numbers may lose: at the threshold itself nothing has faded."""


class Rating(StrEnum):
    """What a review says of a fact. The package has `hard`, too, which nobody says of a fact."""

    AGAIN = "again"
    GOOD = "good"
    EASY = "easy"


class Review(NamedTuple):
    """One review: an aware instant, and what it says."""

    at: datetime
    rating: Rating


@dataclass(frozen=True, slots=True)
class Strength:
    """What reviews add up to: stability in days, difficulty from 1 to 10, the instant of the last review in UTC."""

    stability: float
    difficulty: float
    reviewed: datetime


_TELLING = (Rating.GOOD, Rating.EASY, Rating.AGAIN)
"""Of several reviews on a day the last in this order counts."""


def fold(reviews: Iterable[Review]) -> Strength | None:
    """Return what reviews add up to, in whatever order they are given; None if there are none.

    One review a day (UTC) counts: a correction before any other, otherwise the one that strengthens most.
    """
    days: dict[date, Review] = {}
    for review in sorted(reviews, key=lambda review: (_TELLING.index(review.rating), review.at)):
        at = review.at.astimezone(UTC)
        days[at.date()] = Review(at, review.rating)
    if not days:
        return None
    import fsrs  # 26 ms, which only somebody with new reviews pays

    scheduler = fsrs.Scheduler(learning_steps=(), relearning_steps=(), enable_fuzzing=False)
    first = min(days)
    card = fsrs.Card(card_id=1, due=days[first].at)  # without these the package asks the machine's clock, and waits
    for day in sorted(days):
        # It is due behind the interval; that is not looked at, and must not lie beyond the last day that there is.
        at = min(days[day].at, _LAST_INSTANT)
        card, _ = scheduler.review_card(card, fsrs.Rating[days[day].rating.capitalize()], at)
    return Strength(card.stability or FIRST_STABILITY, card.difficulty or 0.0, days[max(days)].at)


@dataclass(frozen=True, slots=True)
class Life:
    """How a fact lives on, as the journal tells it.

    Attributes:
        name: its id.
        stability, difficulty, reviewed: of `Strength`, the last as ISO instant; None without a review.
        uses: how often it was cited, shown or approved.
        used_days: on how many days (UTC) that was.
        restated: how often it was said again.
        pinned: it does not age.
        merged_into: the id of the fact that stands for it, or empty.
        links: weights by the ids of the facts that it is linked to.
    """

    name: str
    stability: float | None = None
    difficulty: float | None = None
    reviewed: str | None = None
    uses: int = 0
    used_days: int = 0
    restated: int = 0
    pinned: bool = False
    merged_into: str = ""
    links: Mapping[str, float] = field(default_factory=dict)


def fold_life(name: str, events: Sequence[LifeEvent], written: str = "") -> Life:
    """Return what the events of a fact, in the order of the journal, add up to.

    The ISO instant at which it was written counts as its first review; empty if it is not known.
    """
    reviews = [review for review in map(_review, events) if review]
    strength = None
    if reviews:
        begun = [Review(datetime.fromisoformat(written), Rating.GOOD)] if written else []
        strength = fold([*begun, *reviews])
    used = [event.at[:10] for event in events if event.action == Action.REVIEW and event.details.get("reason") in _USES]
    links: Mapping[str, float] = {}
    pinned, merged_into = False, ""
    for event in events:
        if event.action in {Action.PIN, Action.UNPIN}:
            pinned = event.action == Action.PIN
        elif event.action == Action.MERGE:
            merged_into = _id(event.details.get("into"))
        elif event.action == Action.LINK:
            links = _weights(event.details.get("links"), name)
    return Life(
        name=name,
        stability=strength.stability if strength else None,
        difficulty=strength.difficulty if strength else None,
        reviewed=strength.reviewed.isoformat() if strength else None,
        uses=len(used),
        used_days=len({*used}),
        restated=sum(map(is_restatement, events)),
        pinned=pinned,
        merged_into=merged_into if merged_into != name else "",
        links=links,
    )


def is_restatement(event: LifeEvent) -> bool:
    """Return whether a fact was said again, by an observation or by somebody who told it once more."""
    return event.action == Action.RESTATE or event.details.get("reason") == "restated"


def _review(event: LifeEvent) -> Review | None:
    """Return an event as a review; None if it is none, or one of a rating that this version does not know."""
    if event.action == Action.RESTATE:
        return Review(datetime.fromisoformat(event.at), Rating.GOOD)
    rating = next((rating for rating in Rating if rating == event.details.get("rating")), None)
    if event.action != Action.REVIEW or rating is None:
        return None
    return Review(datetime.fromisoformat(event.at), rating)


def _weights(links: Any, name: str) -> Mapping[str, float]:
    """Return the weights among what a record says of links: numbers from 0 to 1, to other facts."""
    items = links.items() if isinstance(links, Mapping) else ()
    return {
        other: float(weight)
        for other, weight in items
        if _id(other) not in {"", name} and isinstance(weight, int | float) and 0 <= weight <= 1
    }


def _id(named: Any) -> str:
    """Return what may be the id of a fact as it is, and otherwise nothing."""
    return named if isinstance(named, str) and named.isascii() else ""


def speed_of(kind: Kind, category: str | None, attributes: Iterable[tuple[str, str]]) -> float | None:
    """Return how many days pass for a fact in a day; None for what does not age: notes, and what is still to come.

    Emotional facts age at half speed, some categories slower and some faster than others, and by importance i at
    (.7 / i)^2: a trifle (i = .25) about eight times as fast as what is as important as most.
    """
    if kind in _AGELESS:
        return None
    said = dict(attributes)
    speed = 0.5 if abs(number(said.get("v"), 0.0)) > EMOTIONAL and number(said.get("a"), 0.0) > EMOTIONAL else 1.0
    speed *= _SLOW if category in _SLOWER else _FAST if category in _FASTER else 1.0
    importance = min(1.0, max(_MIN_IMPORTANCE, number(said.get("i"), USUAL_IMPORTANCE)))
    return speed * (USUAL_IMPORTANCE / importance) ** 2


def number(text: str | None, default: float) -> float:
    """Return the finite number that an attribute says; the default if it says none."""
    try:
        value = float(text or default)
    except ValueError:
        return default
    return value if math.isfinite(value) else default


class AgeingFact(Protocol):
    """What of a fact tells how it ages.

    `speed`: as `speed_of` has it; None does not age. `stability`: in days; None for what was not reviewed since it was
    written. `reviewed`: ISO day or instant of the last review, or else of the writing; None, unknown, does not age.
    """

    @property
    def speed(self) -> float | None: ...

    @property
    def stability(self) -> float | None: ...

    @property
    def reviewed(self) -> str | None: ...


class StrengthPolicy(StrEnum):
    """How a fact that is not reviewed ages: by the power law of FSRS-6, or by the same amount every day."""

    FSRS = "fsrs"
    LINEAR = "linear"


_FADED = {StrengthPolicy.FSRS: 0.5, StrengthPolicy.LINEAR: 0.1}


@dataclass(frozen=True, slots=True)
class Fading:
    """When a fact that ages by a policy has faded: its retrievability is under a threshold, or the policy's own.

    By the power law of FSRS-6 .1 would be reached after some 20,000 years; .5 is after seven months without a review.
    """

    policy: StrengthPolicy = StrengthPolicy.FSRS
    threshold: float | None = None

    @property
    def least(self) -> float:
        """The retrievability that has not faded."""
        return _FADED[self.policy] if self.threshold is None else self.threshold

    def retrievability(self, fact: AgeingFact, today: date) -> float:
        """Return how likely a fact is at hand on a day, 0 to 1; whole days count, and none before the last review."""
        if fact.speed is None or not fact.reviewed:
            return 1.0
        days = max(0, today.toordinal() - date.fromisoformat(fact.reviewed[:10]).toordinal()) * fact.speed
        if self.policy is StrengthPolicy.LINEAR:
            return max(0.0, 1 - LINEAR_RATE * days)
        return float((1 + FACTOR * days / (fact.stability or FIRST_STABILITY)) ** -DECAY)

    def age_at(self, retrievability: float) -> float:
        """Return the age, as `relative` has it, at which a fact is that strong; infinite for 0 by the power law."""
        if self.policy is StrengthPolicy.LINEAR:
            return (1 - retrievability) / LINEAR_RATE + _ROUNDING
        return float(max(_NEVER, retrievability) ** (-1 / DECAY) - 1) / FACTOR + _ROUNDING

    def relative(self, days: str, stability: str) -> str:
        """Return the SQL of an age that tells the strength: days that passed for a fact, by its stability or bare."""
        return days if self.policy is StrengthPolicy.LINEAR else f"({days}) / coalesce({stability}, {FIRST_STABILITY})"

    def has_faded(self, fact: AgeingFact, today: date) -> bool:
        """Return whether a fact has faded on a day."""
        day = self.fades_on(fact)
        return day is not None and day <= today

    def fades_on(self, fact: AgeingFact) -> date | None:
        """Return the first day on which a fact has faded if it is not reviewed before; None if there is none."""
        if fact.speed is None or not fact.reviewed or self.least < _NEVER:
            return None
        days = (1 - self.least) / LINEAR_RATE / fact.speed
        if self.policy is not StrengthPolicy.LINEAR:
            days = float(self.least ** (-1 / DECAY) - 1) / FACTOR * (fact.stability or FIRST_STABILITY) / fact.speed
        begun = date.fromisoformat(fact.reviewed[:10]).toordinal()
        on = begun + math.floor(min(days, _LAST_DAY) + _ROUNDING) + 1
        return date.fromordinal(on) if on <= _LAST_DAY else None
