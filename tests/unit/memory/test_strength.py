"""Strength: reviews folded by FSRS-6, and what time takes away."""

from __future__ import annotations

import math
from datetime import UTC, date, datetime, timedelta
from typing import NamedTuple

import fsrs
import fsrs.scheduler
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory import strength
from memory.journal.state import LifeEvent
from memory.strength import Fading, Rating, Review, StrengthPolicy, fold, fold_life, speed_of
from memory.types import Kind

WRITTEN = datetime(2026, 1, 1, 12, tzinfo=UTC)
DAYS = st.integers(0, 4000)
RATINGS = st.sampled_from([*Rating])
REVIEWS = st.lists(st.builds(Review, st.datetimes(timezones=st.just(UTC)), RATINGS), min_size=1, max_size=12)


def after(days: float, rating: Rating = Rating.GOOD) -> Review:
    return Review(WRITTEN + timedelta(days=days), rating)


FSRS, LINEAR = Fading(), Fading(StrengthPolicy.LINEAR)


class Aged(NamedTuple):
    speed: float | None = 1.0
    stability: float | None = None
    reviewed: str | None = WRITTEN.isoformat()


def likely(days: int, *, stability: float | None = None, speed: float | None = 1.0, fading: Fading = FSRS) -> float:
    return fading.retrievability(Aged(speed, stability), WRITTEN.date() + timedelta(days=days))


def test_the_constants_are_those_of_the_package() -> None:
    scheduler = fsrs.Scheduler()
    assert strength.DECAY == fsrs.scheduler.FSRS_DEFAULT_DECAY
    assert scheduler._FACTOR == strength.FACTOR
    assert scheduler.parameters[fsrs.Rating.Good - 1] == strength.FIRST_STABILITY


@given(days=DAYS, stability=st.floats(0.001, 36500))
def test_retrievability_is_what_the_package_computes(days: int, stability: float) -> None:
    card = fsrs.Card(card_id=1, due=WRITTEN, stability=stability, last_review=WRITTEN)
    expected = fsrs.Scheduler().get_card_retrievability(card, WRITTEN + timedelta(days=days))
    assert likely(days, stability=stability) == pytest.approx(expected, abs=1e-12)


def test_stability_is_the_days_after_which_nine_in_ten_are_at_hand() -> None:
    assert likely(0) == 1
    assert likely(100, stability=100) == pytest.approx(0.9)


@given(first=DAYS, later=DAYS, speed=st.floats(0.1, 200), policy=st.sampled_from([*StrengthPolicy]))
def test_time_never_strengthens_and_the_figure_is_always_one_between_0_and_1(
    first: int, later: int, speed: float, policy: StrengthPolicy
) -> None:
    early, late = (likely(days, speed=speed, fading=Fading(policy)) for days in sorted((first, later)))
    assert 1 >= early >= late >= 0


@given(reviews=REVIEWS)
def test_any_reviews_add_up_to_finite_figures(reviews: list[Review]) -> None:
    found = fold(reviews)
    assert found
    assert 0 < found.stability < math.inf
    assert 1 <= found.difficulty <= 10
    assert found.reviewed.date() == max(review.at for review in reviews).date()


@given(reviews=REVIEWS, rest=st.integers(1, 20_000), rating=st.sampled_from([Rating.GOOD, Rating.EASY]))
def test_a_review_on_a_later_day_never_weakens_unless_it_is_a_correction(
    reviews: list[Review], rest: int, rating: Rating
) -> None:
    begun = [Review(review.at.replace(year=2000 + review.at.year % 100), review.rating) for review in reviews
             if (review.at.month, review.at.day) != (2, 29)] or [after(0)]  # fmt: skip
    before = fold(begun)
    assert before
    last = fold([*begun, Review(before.reviewed + timedelta(days=rest), rating)])
    assert last
    assert last.stability >= before.stability


@given(reviews=REVIEWS, data=st.data())
def test_the_order_in_which_reviews_are_told_does_not_matter(reviews: list[Review], data: st.DataObject) -> None:
    day = [Review(WRITTEN + timedelta(hours=n / 2), review.rating) for n, review in enumerate(reviews)]
    for told in (reviews, day):
        one, other = fold(told), fold(data.draw(st.permutations(told)))
        assert one
        assert other
        assert (one.stability, one.difficulty) == (other.stability, other.difficulty)


def test_one_review_a_day_counts_and_a_correction_before_any_other() -> None:
    assert fold([after(0), after(0.1), after(0.2)]) == fold([after(0.2)])
    approved = fold([after(0), after(0.1, Rating.EASY)])
    corrected = fold([after(0), after(0.1, Rating.EASY), after(0.2, Rating.AGAIN)])
    assert approved
    assert corrected
    assert corrected.stability < strength.FIRST_STABILITY < approved.stability
    assert fold([]) is None


def test_reviews_that_come_late_strengthen_more() -> None:
    soon, late = fold([after(0), after(2)]), fold([after(0), after(60)])
    assert soon
    assert late
    assert strength.FIRST_STABILITY < soon.stability < late.stability


def test_a_review_from_a_clock_that_was_wrong_does_no_harm() -> None:
    future = fold([after(0), after(1), Review(datetime.max.replace(tzinfo=UTC), Rating.GOOD)])
    assert future
    fact = Aged(1, future.stability, future.reviewed.isoformat())
    assert FSRS.retrievability(fact, WRITTEN.date()) == 1
    assert FSRS.fades_on(fact) is None


@pytest.mark.parametrize(
    ("attributes", "category", "speed"),
    [
        ((), None, 1),
        ((("i", "0.25"),), None, 7.84),
        ((("i", "1"),), None, 0.49),
        ((("v", "-0.9"), ("a", "0.8")), None, 0.5),
        ((("v", "0.7"), ("a", "0.9")), None, 1),
        ((), "rule", 0.5),
        ((), "event", 1.5),
        ((("i", "much"), ("v", "nan")), "fact", 1),
        ((("i", "0"),), None, 196),
    ],
)
def test_days_pass_by_what_a_fact_says_of_itself(
    attributes: tuple[tuple[str, str], ...], category: str | None, speed: float
) -> None:
    assert speed_of(Kind.WORLD, category, attributes) == pytest.approx(speed)


def test_what_is_still_to_come_does_not_age() -> None:
    assert speed_of(Kind.INTENTION, "event", ()) is None
    assert likely(36_500, speed=None) == 1


@pytest.mark.parametrize(
    ("fading", "speed", "day"),
    [
        (FSRS, 1, date(2026, 7, 29)),  # an ordinary fact after some seven months
        (FSRS, 7.84, date(2026, 1, 28)),  # a trifle after four weeks
        (FSRS, 0.49, date(2027, 3, 3)),
        (LINEAR, 1, date(2026, 2, 16)),  # 45 days take .9 off; on the next it is under .1
        (LINEAR, 0.5, date(2026, 4, 2)),
        (Fading(threshold=0.1), 1, None),  # after some 20,000 years
        (Fading(threshold=0), 1, None),
    ],
)
def test_a_fact_fades_on_the_first_day_under_the_threshold(fading: Fading, speed: float, day: date | None) -> None:
    found = fading.fades_on(Aged(speed, reviewed="2026-01-01"))
    assert found == day
    if found:
        days = (found - WRITTEN.date()).days
        assert likely(days, speed=speed, fading=fading) < fading.least
        assert likely(days - 1, speed=speed, fading=fading) > fading.least - 1e-9


def event(seq: int, action: str, at: str = "2026-02-01T10:00:00.000Z", **details: object) -> LifeEvent:
    return LifeEvent(seq, at, action, details)


def test_the_events_of_a_fact_add_up_to_its_life() -> None:
    events = [
        event(1, "gate", decision="novel"),
        event(2, "review", rating="good", reason="cited"),
        event(3, "review", rating="good", reason="cited"),
        event(4, "review", at="2026-02-03T10:00:00.000Z", rating="easy", reason="approved"),
        event(5, "restate", at="2026-02-04T10:00:00.000Z"),
        event(6, "link", links={"x": 0.9, "me": 0.9, "y": "near", "z": 7}),
        event(7, "pin"),
        event(8, "unpin"),
        event(9, "merge", into="other"),
        event(10, "review", at="2026-02-05T10:00:00.000Z", rating="splendid"),
    ]
    life = fold_life("me", events, "2026-01-01T12:00:00.000Z")
    days = [30 + 22 / 24 + n for n in (0, 2, 3)]  # at ten o'clock
    expected = fold([after(0), after(days[0]), after(days[1], Rating.EASY), after(days[2])])
    assert expected
    assert life.stability == pytest.approx(expected.stability)
    assert (life.reviewed or "")[:10] == "2026-02-04"
    assert (life.uses, life.used_days, life.restated) == (3, 2, 1)
    assert (life.pinned, life.merged_into, life.links) == (False, "other", {"x": 0.9})


def test_what_was_never_reviewed_is_as_strong_as_what_was_just_written() -> None:
    life = fold_life("me", [event(1, "pin")], "2026-01-01T12:00:00.000Z")
    assert (life.stability, life.reviewed, life.pinned) == (None, None, True)
