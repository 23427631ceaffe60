"""A collection tells what a question is near to, in any narrowing, and keeps up with what comes and goes."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from memory.errors import VectorRefused
from memory.index.columns import Placed
from memory.index.meaning import Meaning
from memory.index.metric import Metric
from memory.index.packed import Packed
from memory.model import OWNER, Kind, Link, Scope, Where
from memory.ports import Vectors
from tests.unit.memory.index.corpora import narrow

DIMS = 48
ROWS = narrow(600, DIMS)
CHAT = Scope("chat:1")


def placed(number: int) -> Placed:
    """Every third unit is a fact, every fifth the chat's; a file for every hundred; a day for all but every seventh."""
    day = None if number % 7 == 0 else f"2026-{1 + number % 12:02}-05"
    kind = Kind.WORLD if number % 3 == 0 else Kind.NOTE
    return Placed(number, number // 100, CHAT if number % 5 == 0 else OWNER, kind, day, day)


@pytest.fixture(params=[Link.SIMSIMD, Link.NUMPY], ids=lambda link: link.name)
def meaning(request: pytest.FixtureRequest) -> Meaning:
    opened = Meaning(DIMS, folder=lambda under: [int(under)] if under else [], link=request.param)
    for start in range(0, 600, 200):
        opened.add([placed(number) for number in range(start, start + 200)], Packed.of(ROWS[start : start + 200]))
    return opened


def expected(question: Vectors, among: list[int]) -> list[int]:
    """The exact answer in float64."""
    metric = Metric.fitted(ROWS)
    direction = metric.direction(metric.shifted(question[None])[0])
    found = direction.similarities(ROWS @ direction.toward, metric.inverse(ROWS))
    return sorted(among, key=lambda number: -float(found[number]))


def best(meaning: Meaning, question: Vectors, limit: int = 10, **narrowed: object) -> list[int]:
    scan = meaning.ask(question)
    assert scan is not None
    where = narrowed.get("where", Where())
    scope = narrowed.get("scope", OWNER)
    assert isinstance(where, Where)
    assert isinstance(scope, str)
    return [near.id for near in scan.best(limit, scope=Scope(scope), where=where)]


@pytest.mark.parametrize(
    ("where", "holds"),
    [
        (Where(), lambda one: True),
        (Where(kinds=(Kind.WORLD,)), lambda one: one.kind == Kind.WORLD),
        (Where(since="2026-06-01"), lambda one: (one.last or "") >= "2026-06-01"),
        (Where(until="2026-06-30"), lambda one: "" < (one.first or "") <= "2026-06-30"),
        (Where(since="2026-03", until="2026-04-30"), lambda one: "2026-03" <= (one.first or "") <= "2026-04-30"),
        (Where(under="2"), lambda one: one.file == 2),
        (Where(under="99"), lambda one: False),
    ],
    ids=["all", "kind", "since", "until", "between", "under", "under nothing"],
)
@pytest.mark.parametrize("scope", [OWNER, CHAT])
def test_the_nearest_are_found_among_what_may_be_found(
    meaning: Meaning, where: Where, holds: Callable[[Placed], bool], scope: Scope
) -> None:
    may = [number for number in range(600) if placed(number).scope == scope and holds(placed(number))]

    assert best(meaning, ROWS[42], scope=scope, where=where) == expected(ROWS[42], may)[:10]


def test_an_unknown_scope_finds_nothing(meaning: Meaning) -> None:
    assert best(meaning, ROWS[42], scope="chat:2") == []


def test_only_some_units_may_be_asked_for(meaning: Meaning) -> None:
    scan = meaning.ask(ROWS[42])
    assert scan is not None

    found = [near.id for near in scan.best(10, scope=OWNER, among=[1, 2, 3, 5, 10_000])]

    assert found == expected(ROWS[42], [1, 2, 3])


def test_similarities_are_those_of_the_search(meaning: Meaning) -> None:
    scan = meaning.ask(ROWS[42])
    assert scan is not None
    near = scan.best(50, scope=OWNER)

    found = scan.similarities([*(one.id for one in near), 10_000])

    assert found[-1] is None
    assert found[:-1] == pytest.approx([one.score for one in near], abs=1e-6)


def test_what_is_far_above_the_mean_is_near(meaning: Meaning) -> None:
    scan = meaning.ask(ROWS[42])
    assert scan is not None
    all_of_them = [found for found in scan.similarities(range(600)) if found is not None]

    assert scan.mean == pytest.approx(float(np.mean(all_of_them)), abs=1e-3)
    assert scan.deviation == pytest.approx(float(np.std(all_of_them)), abs=1e-3)


def test_a_question_moves_towards_the_units_that_it_is_nudged_to(meaning: Meaning) -> None:
    scan = meaning.ask(ROWS[42])
    assert scan is not None
    before = scan.similarities([7])[0]

    after = scan.nudged({7: 1.0}, by=0.5).similarities([7])[0]

    assert before is not None
    assert after is not None
    assert after > before


@pytest.mark.parametrize("weights", [{}, {10_000: 1.0}, {7: 0.0}])
def test_a_nudge_to_nothing_changes_nothing(meaning: Meaning, weights: dict[int, float]) -> None:
    scan = meaning.ask(ROWS[42])
    assert scan is not None

    assert scan.nudged(weights, by=0.5).similarities([7, 8]) == pytest.approx(scan.similarities([7, 8]), abs=1e-6)


def test_what_is_removed_is_not_found(meaning: Meaning) -> None:
    first = best(meaning, ROWS[42])[0]
    meaning.remove([first, 10_000])

    assert first not in best(meaning, ROWS[42], 600)
    assert len(meaning) == 599


def test_a_unit_that_changes_hands_is_found_by_its_new_owner_only(meaning: Meaning) -> None:
    first = best(meaning, ROWS[42])[0]
    meaning.rescope({first: CHAT})

    assert first not in best(meaning, ROWS[42], 600)
    assert first == best(meaning, ROWS[42], scope=CHAT)[0]


def test_units_that_come_one_by_one_are_found_like_those_that_come_at_once(meaning: Meaning) -> None:
    slowly = Meaning(DIMS)
    for number in range(600):
        slowly.add([placed(number)], Packed.of(ROWS[number : number + 1]))
        if number in {3, 10, 300, 590}:
            assert slowly.ask(ROWS[42]) is not None

    meaning.ask(ROWS[42])
    assert best(slowly, ROWS[42], 5) == best(meaning, ROWS[42], 5)


def test_an_empty_collection_has_nothing_to_ask() -> None:
    assert Meaning(DIMS).ask(ROWS[0]) is None


@pytest.mark.parametrize("question", [np.zeros(DIMS), np.full(DIMS, np.nan), np.ones(DIMS + 1), np.ones((1, DIMS))])
def test_a_question_that_is_no_vector_of_this_size_is_refused(meaning: Meaning, question: Vectors) -> None:
    with pytest.raises(VectorRefused):
        meaning.ask(question.astype(np.float32))


def test_vectors_of_another_size_are_refused(meaning: Meaning) -> None:
    with pytest.raises(VectorRefused):
        meaning.add([placed(600)], Packed.of(np.ones((1, DIMS + 1), np.float32)))
    assert len(meaning) == 600
