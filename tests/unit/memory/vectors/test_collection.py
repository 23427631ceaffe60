"""Every backend finds the same rows, and the fastest that can be had is taken."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterator
from pathlib import Path

import numpy as np
import pytest

from memory.errors import BackendUnavailable, VectorRefused
from memory.index.types import EmbeddedUnit
from memory.ports import Vectors
from memory.types import OWNER, Filter, Kind, Scope, VectorBackend
from memory.vectors.collection import IN_MEMORY, ON_DISK, VectorCollection, open_store
from memory.vectors.metric import Metric, inverse, shifted
from memory.vectors.store import Allow, Packed, VectorStore
from tests.unit.memory.index.corpora import clustered, narrow, nearest

DIMS = 48
ROWS = Packed.of(narrow(600, DIMS)).floats()  # as they are kept
CHAT = Scope("chat:1")


def placed(number: int) -> EmbeddedUnit:
    """Every third unit is a fact, every fifth the chat's; a day for all but every seventh, every fourth names one."""
    kind = Kind.WORLD if number % 3 == 0 else Kind.NOTE
    day = None if number % 7 == 0 else f"2026-{1 + number % 12:02}-05"
    named = f"2027-{1 + number % 11:02}-20" if number % 4 == 0 else None
    return EmbeddedUnit(number, CHAT if number % 5 == 0 else OWNER, kind, day, day, named)


def of_days(since: str = "", until: str = "9") -> Callable[[EmbeddedUnit], bool]:
    """What is of one of these days, or names one."""
    return lambda one: any(day and since <= day <= until for day in (one.first, one.named))


@pytest.fixture(params=[VectorBackend.SIMSIMD, VectorBackend.NUMPY], ids=lambda backend: backend.name)
def meaning(request: pytest.FixtureRequest) -> VectorCollection:
    opened = VectorCollection(
        open_store(DIMS, backend=request.param),
        matching=lambda where: [number for number in range(900) if str(number) in where.entities],
    )
    for start in range(0, 600, 200):
        opened.add([placed(number) for number in range(start, start + 200)], Packed.of(ROWS[start : start + 200]))
    return opened


def expected(question: Vectors, among: list[int]) -> list[int]:
    """The exact answer in float64."""
    metric = Metric.fitted(ROWS)
    direction = metric.direction(shifted(question[None], metric.centre)[0])
    found = direction.similarities(ROWS @ direction.toward, inverse(ROWS, metric.centre))
    return sorted(among, key=lambda number: -float(found[number]))


def best(meaning: VectorCollection, question: Vectors, limit: int = 10, **narrowed: object) -> list[int]:
    scan = meaning.ask(question)
    assert scan is not None
    where = narrowed.get("where", Filter())
    scope = narrowed.get("scope", OWNER)
    assert isinstance(where, Filter)
    assert isinstance(scope, str)
    return [near.id for near in scan.best(limit, scope=Scope(scope), where=where)]


@pytest.mark.parametrize(
    ("where", "holds"),
    [
        (Filter(), lambda one: True),
        (Filter(kinds=(Kind.WORLD,)), lambda one: one.kind == Kind.WORLD),
        (Filter(since="2026-06-01"), of_days("2026-06-01")),
        (Filter(until="2026-06-30"), of_days(until="2026-06-30")),
        (Filter(since="2026-03", until="2026-04-30"), of_days("2026-03", "2026-04-30")),
        (Filter(since="2027-02-20", until="2027-02-20"), of_days("2027-02-20", "2027-02-20")),
        (Filter(entities=("41", "43", "45", "800"), kinds=(Kind.NOTE,)), lambda one: one.id in {41, 43}),
        (Filter(known="2026-01-01"), lambda one: False),
    ],
    ids=["all", "kind", "since", "until", "between", "named", "matching", "matching nothing"],
)
@pytest.mark.parametrize("scope", [OWNER, CHAT])
def test_the_nearest_are_found_among_what_may_be_found(
    meaning: VectorCollection, where: Filter, holds: Callable[[EmbeddedUnit], bool], scope: Scope
) -> None:
    may = [number for number in range(600) if placed(number).scope == scope and holds(placed(number))]

    assert best(meaning, ROWS[42], scope=scope, where=where) == expected(ROWS[42], may)[:10]


def test_an_unknown_scope_finds_nothing(meaning: VectorCollection) -> None:
    assert best(meaning, ROWS[42], scope="chat:2") == []


def test_only_some_units_may_be_asked_for(meaning: VectorCollection) -> None:
    scan = meaning.ask(ROWS[42])
    assert scan is not None

    found = [near.id for near in scan.best(10, scope=OWNER, among=[1, 2, 3, 5, 10_000])]

    assert found == expected(ROWS[42], [1, 2, 3])


def test_similarities_are_those_of_the_search(meaning: VectorCollection) -> None:
    scan = meaning.ask(ROWS[42])
    assert scan is not None
    near = scan.best(50, scope=OWNER)

    found = scan.similarities([*(one.id for one in near), 10_000])

    assert found == pytest.approx({one.id: one.score for one in near}, abs=1e-6)


def test_what_is_far_above_the_mean_is_near(meaning: VectorCollection) -> None:
    scan = meaning.ask(ROWS[42])
    assert scan is not None
    all_of_them = [*scan.similarities(range(600)).values()]

    assert scan.direction.mean == pytest.approx(float(np.mean(all_of_them)), abs=1e-3)
    assert scan.direction.deviation == pytest.approx(float(np.std(all_of_them)), abs=1e-3)


def test_a_question_moves_towards_the_units_that_it_is_nudged_to(meaning: VectorCollection) -> None:
    scan = meaning.ask(ROWS[42])
    assert scan is not None
    before = scan.similarities([7])[7]

    after = scan.nudged({7: 1.0}, by=0.5).similarities([7])[7]

    assert after > before


@pytest.mark.parametrize("weights", [{}, {10_000: 1.0}, {7: 0.0}])
def test_a_nudge_to_nothing_changes_nothing(meaning: VectorCollection, weights: dict[int, float]) -> None:
    scan = meaning.ask(ROWS[42])
    assert scan is not None

    assert scan.nudged(weights, by=0.5).similarities([7, 8]) == pytest.approx(scan.similarities([7, 8]), abs=1e-6)


def test_what_is_removed_is_not_found(meaning: VectorCollection) -> None:
    first = best(meaning, ROWS[42])[0]
    meaning.remove([first, 10_000])

    assert first not in best(meaning, ROWS[42], 600)
    assert len(meaning) == 599


def test_a_unit_that_changes_hands_is_found_by_its_new_owner_only(meaning: VectorCollection) -> None:
    first = best(meaning, ROWS[42])[0]
    meaning.rescope({first: CHAT})

    assert first not in best(meaning, ROWS[42], 600)
    assert first == best(meaning, ROWS[42], scope=CHAT)[0]


def test_units_that_come_one_by_one_are_found_like_those_that_come_at_once(meaning: VectorCollection) -> None:
    slowly = VectorCollection(open_store(DIMS))
    for number in range(600):
        slowly.add([placed(number)], Packed.of(ROWS[number : number + 1]))
        if number in {3, 10, 300, 590}:
            assert slowly.ask(ROWS[42]) is not None

    meaning.ask(ROWS[42])
    assert best(slowly, ROWS[42], 3) == best(meaning, ROWS[42], 3)


def test_an_empty_collection_has_nothing_to_ask() -> None:
    assert VectorCollection(open_store(DIMS)).ask(ROWS[0]) is None


@pytest.mark.parametrize("question", [np.zeros(DIMS), np.full(DIMS, np.nan), np.ones(DIMS + 1), np.ones((1, DIMS))])
def test_a_question_that_is_no_vector_of_this_size_is_refused(meaning: VectorCollection, question: Vectors) -> None:
    with pytest.raises(VectorRefused):
        meaning.ask(question.astype(np.float32))


def test_vectors_of_another_size_are_refused(meaning: VectorCollection) -> None:
    with pytest.raises(VectorRefused):
        meaning.add([placed(600)], Packed.of(np.ones((1, DIMS + 1), np.float32)))
    assert len(meaning) == 600


ROWS_METRIC = narrow(2000, 48)


@pytest.mark.parametrize("metric", [Metric.fitted(ROWS_METRIC), Metric.plain(ROWS_METRIC)], ids=["fitted", "plain"])
def test_mean_and_deviation_are_those_of_all_similarities(metric: Metric) -> None:
    direction = metric.direction(shifted(ROWS_METRIC[7][None], metric.centre)[0])
    found = direction.similarities(ROWS_METRIC @ direction.toward, inverse(ROWS_METRIC, metric.centre))

    assert direction.mean == pytest.approx(float(found.mean()), abs=1e-4)
    assert direction.deviation == pytest.approx(float(found.std()), abs=1e-4)


def test_the_plain_metric_is_the_cosine() -> None:
    metric = Metric.plain(ROWS_METRIC)
    direction = metric.direction(ROWS_METRIC[7])

    found = direction.similarities(ROWS_METRIC @ direction.toward, inverse(ROWS_METRIC, metric.centre))

    assert np.allclose(found, ROWS_METRIC @ ROWS_METRIC[7], atol=1e-5)


def test_a_similarity_is_the_cosine_of_what_sets_texts_apart() -> None:
    metric = Metric.fitted(ROWS_METRIC, ridge=1e4)  # so strong a ridge leaves the directions as they are
    direction = metric.direction(shifted(ROWS_METRIC[7][None], metric.centre)[0])

    found = direction.similarities(ROWS_METRIC @ direction.toward, inverse(ROWS_METRIC, metric.centre))

    apart = ROWS_METRIC - ROWS_METRIC.mean(axis=0)
    apart /= np.linalg.norm(apart, axis=1, keepdims=True)
    assert np.allclose(found, apart @ apart[7], atol=1e-3)


def test_unrelated_texts_are_not_near_although_all_look_alike() -> None:
    plain, fitted = Metric.plain(ROWS_METRIC), Metric.fitted(ROWS_METRIC)

    assert plain.direction(ROWS_METRIC[7]).mean > 0.7
    assert abs(fitted.direction(shifted(ROWS_METRIC[7][None], fitted.centre)[0]).mean) < 0.05


@pytest.mark.parametrize("count", [1, 2, 7])
def test_a_few_texts_are_measured_by_their_cosine(count: int) -> None:
    metric = Metric.fitted(ROWS_METRIC[:count])

    assert not metric.centre.any()
    assert np.isfinite(metric.direction(ROWS_METRIC[0]).toward).all()


def test_a_text_in_the_very_centre_has_a_finite_similarity() -> None:
    metric = Metric.fitted(np.repeat(ROWS_METRIC[:1], 20, axis=0))
    direction = metric.direction(shifted(ROWS_METRIC[:1], metric.centre)[0])

    assert np.isfinite(
        direction.similarities(ROWS_METRIC[:1] @ direction.toward, inverse(ROWS_METRIC[:1], metric.centre))
    ).all()


ROWS_STORES = Packed.of(clustered(600, DIMS)).floats()
PACKED = Packed.of(ROWS_STORES)


@pytest.fixture(params=IN_MEMORY + ON_DISK, ids=lambda backend: backend.name)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[VectorStore]:
    """An empty store, one for each backend."""
    opened = open_store(DIMS, low_memory=tmp_path / "vectors.sqlite", backend=request.param)
    assert opened.backend is request.param
    yield opened
    opened.close()


@pytest.fixture
def full(store: VectorStore) -> VectorStore:
    """All rows, the newest first."""
    for start in range(500, -1, -100):
        store.add(range(start + 99, start - 1, -1), Packed.of(ROWS_STORES[start : start + 100][::-1]))
    return store


def found(store: VectorStore, query: int, limit: int, allow: Allow | None = None) -> list[int]:
    return [near.id for near in store.search(ROWS_STORES[query], limit, allow=allow)]


@pytest.mark.parametrize("limit", [1, 10, 50])
def test_the_nearest_are_found_exactly(full: VectorStore, limit: int) -> None:
    for query in (0, 299, 599):
        assert found(full, query, limit) == nearest(ROWS_STORES, ROWS_STORES[query], limit)


@pytest.mark.parametrize("limit", [600, 5000])
def test_all_are_found_in_order_as_far_as_sixteen_bits_tell_them_apart(full: VectorStore, limit: int) -> None:
    exact = ROWS_STORES.astype(np.float64) @ ROWS_STORES[299]

    order = found(full, 299, limit)

    assert sorted(order) == list(range(len(ROWS_STORES)))
    assert np.diff(exact[order]).max() < 1e-5


def test_the_cosine_is_that_of_the_float_rows(full: VectorStore) -> None:
    best, second = full.search(ROWS_STORES[7], 2)

    assert best.id == 7
    assert best.score == pytest.approx(1, abs=1e-5)
    assert second.score == pytest.approx(float(ROWS_STORES[second.id] @ ROWS_STORES[7]), abs=1e-5)


def test_the_length_of_a_query_does_not_matter(full: VectorStore) -> None:
    assert [near.id for near in full.search(ROWS_STORES[7] * 1000, 5)] == found(full, 7, 5)


def test_an_empty_store_finds_nothing(store: VectorStore) -> None:
    assert len(store) == 0
    assert store.search(ROWS_STORES[0], 10) == []


def test_nothing_is_found_when_nothing_is_wanted(full: VectorStore) -> None:
    assert full.search(ROWS_STORES[0], 0) == []


@pytest.mark.parametrize("wanted", [range(0, 600, 2), range(300, 304), [5], [], [-1, 700]], ids=str)
def test_a_filter_holds_before_the_best_are_chosen(full: VectorStore, wanted: Collection[int]) -> None:
    allowed = [number for number in wanted if 0 <= number < 600]

    places = nearest(ROWS_STORES[allowed], ROWS_STORES[9], 10) if allowed else []

    assert found(full, 9, 10, lambda ids: np.isin(ids, [*wanted])) == [allowed[place] for place in places]


def test_a_filter_may_look_the_ids_up_in_columns_of_its_own(full: VectorStore) -> None:
    kind = np.arange(600) % 7

    assert all(number % 7 == 3 for number in found(full, 9, 50, lambda ids: kind[ids] == 3))


def test_removed_rows_are_not_found(full: VectorStore) -> None:
    gone = found(full, 0, 5)

    full.remove([*gone, 9999])

    assert len(full) == 595
    assert found(full, 0, 10) == nearest(ROWS_STORES, ROWS_STORES[0], 15)[5:]


def test_adding_an_id_again_replaces_its_row(full: VectorStore) -> None:
    full.add([3, 4], Packed.of(ROWS_STORES[[4, 3]]))

    assert len(full) == 600
    assert len(found(full, 3, 600)) == 600


def test_rows_come_and_go_as_in_a_list(store: VectorStore) -> None:
    random = np.random.default_rng(7)
    alive: set[int] = set()
    for _ in range(60):
        some = random.choice(600, 20, replace=False)
        if random.random() < 0.6:
            store.add(some.tolist(), Packed.of(ROWS_STORES[some]))
            alive |= set(some.tolist())
        else:
            store.remove(some.tolist())
            alive -= set(some.tolist())
        assert len(store) == len(alive)
    rows = sorted(alive)

    assert found(store, 11, 20) == [rows[place] for place in nearest(ROWS_STORES[rows], ROWS_STORES[11], 20)]


@pytest.mark.parametrize("rows", [ROWS_STORES[:2, :-1], ROWS_STORES[:3]], ids=["short", "too many"])
def test_rows_that_do_not_fit_are_refused_together(store: VectorStore, rows: np.ndarray) -> None:
    with pytest.raises(VectorRefused):
        store.add([1, 2], Packed.of(rows))
    assert len(store) == 0


def test_one_id_twice_in_one_call_is_refused(store: VectorStore) -> None:
    with pytest.raises(VectorRefused, match="different ids"):
        store.add([1, 1], Packed.of(ROWS_STORES[:2]))


@pytest.mark.parametrize(
    "query", [np.zeros(DIMS, np.float32), np.full(DIMS, np.nan, np.float32), ROWS_STORES[0, :-1], ROWS_STORES[:1]]
)
def test_a_query_that_is_no_vector_is_refused(full: VectorStore, query: np.ndarray) -> None:
    with pytest.raises(VectorRefused):
        full.search(query, 10)


def test_another_measure_decides_before_the_best_are_chosen(full: VectorStore) -> None:
    favoured = np.arange(600) % 5 == 0

    near = full.search(ROWS_STORES[9], 5, score=lambda ids, cosines: cosines + np.where(favoured[ids], 0.05, 0))

    wanted = ROWS_STORES @ ROWS_STORES[9] + np.where(favoured, 0.05, 0)
    assert [one.id for one in near] == np.argsort(-wanted)[:5].tolist()
    assert [one.score for one in near] == pytest.approx(np.sort(wanted)[::-1][:5], abs=1e-5)


def test_rows_are_given_back_for_the_ids_that_there_are(full: VectorStore) -> None:
    full.remove([7])

    ids, rows = full.rows(np.array([3, 7, 599, 10_000, -1, 0]))

    assert ids.tolist() == [3, 599, 0]
    assert rows == pytest.approx(ROWS_STORES[[3, 599, 0]], abs=1e-5)


def test_all_ids_are_told(full: VectorStore) -> None:
    full.remove([7])

    assert sorted(full.ids.tolist()) == [number for number in range(600) if number != 7]


def test_without_a_wish_the_vectors_are_in_memory() -> None:
    assert open_store(DIMS).backend is VectorBackend.SIMSIMD


def test_low_memory_takes_the_first_backend_that_loads(tmp_path: Path) -> None:
    store = open_store(DIMS, low_memory=tmp_path / "vectors.sqlite")

    assert store.backend is VectorBackend.SQLITE_VEC
    store.close()


def test_without_simsimd_numpy_takes_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "simsimd", None)

    assert open_store(DIMS).backend is VectorBackend.NUMPY
    with pytest.raises(BackendUnavailable, match="simsimd"):
        open_store(DIMS, backend=VectorBackend.SIMSIMD)


def test_without_sqlite_vec_the_vectors_are_in_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sqlite_vec", None)

    assert open_store(DIMS, low_memory=tmp_path / "vectors.sqlite").backend is VectorBackend.SIMSIMD
    with pytest.raises(BackendUnavailable, match="sqlite-vec is not installed"):
        open_store(DIMS, low_memory=tmp_path / "vectors.sqlite", backend=VectorBackend.SQLITE_VEC)


def test_a_backend_on_disk_needs_a_file() -> None:
    with pytest.raises(BackendUnavailable, match="needs a file"):
        open_store(DIMS, backend=VectorBackend.SQLITE_VEC)
