from __future__ import annotations

import pytest

from memory.index.port import Index
from memory.model import OWNER
from memory.recall.nearness import Nearness
from memory.recall.pool import Pool
from tests.unit.memory.recall.conftest import Collect, scan

VECTORS = {"red": (1.0, 0.1), "blue": (0.1, 1.0), "green": (0.7, 0.7), "white": (-1.0, 0.2)}
RED = (1.0, 0.0)


@pytest.fixture
def index(collect: Collect) -> Index:
    return collect({f"{word}.md": f"{word}\n" for word in (*VECTORS, "unknown")})


def pool(index: Index, *, beside: float = 0.5) -> Pool:
    ids = index.listed(scope=OWNER, limit=99)
    return Pool(index.entries(ids, scope=OWNER), ids, beside=beside)


def by_word(found: Nearness, among: Pool) -> dict[str, float]:
    return {one.entry.terms.strip(): value for one, value in zip(among.candidates, found.values, strict=True)}


def test_the_nearest_has_one_and_what_is_no_nearer_than_most_has_nothing(index: Index) -> None:
    among = pool(index)
    near = by_word(Nearness(scan(index, VECTORS, RED), among), among)
    assert near["red"] == pytest.approx(1)
    assert 0 < near["green"] < 1
    assert near["white"] == near["blue"] == 0


def test_a_unit_without_a_vector_is_known_to_have_none(index: Index) -> None:
    among = pool(index)
    found = Nearness(scan(index, VECTORS, RED), among)
    known = {one.entry.terms.strip(): is_known for one, is_known in zip(among.candidates, found.known, strict=True)}
    assert known == {"red": True, "blue": True, "green": True, "white": True, "unknown": False}
    assert by_word(found, among)["unknown"] == 0


def test_a_question_is_moved_towards_what_it_is_given(index: Index) -> None:
    among = pool(index)
    first = Nearness(scan(index, VECTORS, RED), among)
    (blue,) = index.match([["blue"]], scope=OWNER, limit=1)
    moved = by_word(first.moved({blue: 1.0}, by=2.0), among)
    assert moved["blue"] > by_word(first, among)["blue"]
    assert moved["blue"] > moved["red"]


def test_a_short_turn_borrows_nearness_from_the_turns_beside_it(collect: Collect) -> None:
    index = collect({"a.md": "red\n\nand so\n", "b.md": "blue\n\nor else\n", "c.md": "white\n"})
    vectors = {"red": (1.0, 0.0), "and so": (0.2, 1.0), "blue": (-1.0, 0.0), "or else": (0.2, 1.0), "white": (0.0, 1.0)}
    for beside, is_nearer in ((0.5, True), (0.0, False)):
        among = pool(index, beside=beside)
        near = {
            index.stored([one.entry.id], scope=OWNER)[0].unit.text: value
            for one, value in zip(among.candidates, Nearness(scan(index, vectors, RED), among).values, strict=True)
        }
        assert (near["and so"] > near["or else"]) is is_nearer
