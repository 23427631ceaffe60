from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory import OWNER, Recall
from memory.index.sql import Index
from memory.index.types import FactLink, LinkKind
from memory.recall import spreading
from memory.recall.recall import Finder
from memory.recall.scoring import SCRUBJAY, RankingWeights
from memory.recall.spreading import MAX_FRONTIER, Activation, spread
from memory.strength import Life
from memory.types import Filter
from tests.unit.memory.recall.conftest import TODAY, Collect


class Graph:
    """Links by number; it notes what it is asked."""

    def __init__(self, links: Mapping[int, Mapping[int, float]]) -> None:
        self.links = links
        self.asked: list[Sequence[int]] = []

    def neighbours(self, units: Sequence[int]) -> list[FactLink]:
        self.asked.append(units)
        return [
            FactLink(unit, other, weight, LinkKind.MEANING)
            for unit in units
            for other, weight in self.links.get(unit, {}).items()
        ]


def test_activation_falls_with_every_link_and_ends_after_two(monkeypatch: pytest.MonkeyPatch) -> None:
    chain = Graph({1: {2: 0.8}, 2: {1: 0.8, 3: 1.0}, 3: {4: 1.0}})
    assert spread({1: 1.0}, chain.neighbours) == {2: Activation(0.4, 1), 3: Activation(0.2, 1)}
    monkeypatch.setattr(spreading, "HOPS", 1)
    monkeypatch.setattr(spreading, "DECAY", 0.6)
    assert spread({1: 0.5}, chain.neighbours) == {2: Activation(0.24, 1)}


def test_of_several_ways_the_strongest_counts() -> None:
    ways = Graph({1: {3: 0.5}, 2: {3: 1.0}})
    assert spread({1: 1.0, 2: 0.8}, ways.neighbours) == {3: Activation(0.4, 2)}


def test_a_hit_activates_another_hit_but_never_itself() -> None:
    pair = Graph({1: {2: 1.0}, 2: {1: 1.0}})
    assert spread({1: 1.0, 2: 0.2}, pair.neighbours) == {2: Activation(0.5, 1), 1: Activation(0.1, 2)}


def test_of_many_facts_only_the_most_active_are_followed_further() -> None:
    many = Graph({1: {n: 1 - n / 1000 for n in range(2, 400)}})
    spread({1: 1.0}, many.neighbours)
    assert list(map(len, many.asked)) == [1, MAX_FRONTIER]
    assert many.asked[1] == list(range(2, 2 + MAX_FRONTIER))


@settings(max_examples=50)
@given(
    links=st.dictionaries(st.integers(0, 9), st.dictionaries(st.integers(0, 9), st.floats(0, 1), max_size=9)),
    hits=st.dictionaries(st.integers(0, 9), st.floats(0, 1), max_size=5),
)
def test_no_cycle_makes_anything_more_active_than_its_hit_allows(
    links: dict[int, dict[int, float]], hits: dict[int, float]
) -> None:
    for unit, (strength, source) in spread(hits, Graph(links).neighbours).items():
        assert strength <= 0.5 * hits[source]
        assert unit != source


FILES = {
    "memory/2026-11-20.md": "## Retain\n- Ana's sister runs the bakery. ^a1\n- Closed on Mondays. ^b1\n- Else. ^c1\n"
}


@pytest.fixture
def linked(collect: Collect) -> Index:
    index = collect(FILES)
    index.lives.write([Life("a1", links={"b1": 0.9}), Life("b1", links={"a1": 0.9, "gone": 0.9})])
    return index


def ask(index: Index, where: Filter | None = None, weights: RankingWeights = SCRUBJAY) -> Recall:
    return Finder(index, weights=weights).recall(
        "What of Ana's sister?", scope=OWNER, today=TODAY, where=where or Filter()
    )


def test_what_a_hit_is_linked_to_is_found_without_a_word_of_the_question(linked: Index) -> None:
    first, second = ask(linked).hits
    assert (first.id, second.id) == ("a1", "b1")
    assert "spread" not in first.parts
    assert 0 < second.parts["spread"] < first.score
    assert second.score == pytest.approx(sum(second.parts.values()), abs=0.001)
    assert [hit.id for hit in ask(linked, weights=RankingWeights(spread=0)).hits] == ["a1"]


def test_however_active_it_comes_behind_the_hit_that_it_came_from(linked: Index) -> None:
    assert [hit.id for hit in ask(linked, weights=RankingWeights(spread=100)).hits] == ["a1", "b1"]


def test_what_a_question_is_narrowed_to_is_not_widened(linked: Index) -> None:
    linked.lives.write([Life("b1", links={"a1": 0.9})])
    assert [hit.id for hit in ask(linked, Filter(until="2026-11-20")).hits] == ["a1"]


def test_a_fact_that_another_stands_for_does_not_come_up_by_its_links(linked: Index) -> None:
    linked.lives.write([Life("b1", merged_into="c1", links={"a1": 0.9})])
    assert [hit.id for hit in ask(linked).hits] == ["a1"]


def test_what_related_hits_are_linked_to_is_related_and_else_it_is_not(linked: Index) -> None:
    found = ask(linked)
    assert [hit.id for hit in found.related] == ["a1", "b1"]
    assert found.hits[1].relevance < found.hits[0].relevance
    unrelated = Recall("", "words", "", 0, (found.hits[1],))
    assert unrelated.related == () or found.hits[1].relevance >= 0.003
