from __future__ import annotations

from memory import OWNER, Citation, Hit, Kind, Origin, Recall
from memory.types import ANSWERS, BESIDE, RELATED

PLACE = Citation("a.md", 1, 1)


def hit(name: str, relevance: float) -> Hit:
    return Hit(name, Kind.WORLD, None, (), name, PLACE, PLACE, OWNER, Origin.OWNER, 1.0, relevance=relevance)


def names(hits: tuple[Hit, ...]) -> list[str]:
    return [one.id for one in hits]


def recall(*hits: Hit) -> Recall:
    return Recall("q", "words", "", 1.0, hits)


def test_what_reaches_the_floor_is_an_answer_the_likeliest_first() -> None:
    found = recall(hit("b", 0.8), hit("low", ANSWERS - 0.01), hit("a", 0.9))

    assert names(found.answers) == ["a", "b"]
    assert names(found.hits) == ["b", "low", "a"]


def test_passengers_of_a_sure_answer_are_left_out() -> None:
    found = recall(hit("sure", 0.95), hit("passenger", 0.95 * BESIDE - 0.01), hit("second", 0.95 * BESIDE + 0.01))

    assert names(found.answers) == ["sure", "second"]


def test_nothing_that_reaches_the_floor_is_unknown() -> None:
    assert recall(hit("a", ANSWERS - 0.01)).answers == ()
    assert recall().answers == ()


def test_what_may_be_related_keeps_its_order() -> None:
    found = recall(hit("b", RELATED), hit("none", RELATED / 2), hit("a", 0.9))

    assert names(found.related) == ["b", "a"]


def test_a_hit_without_a_relevance_is_no_answer() -> None:
    bare = Hit("a", Kind.WORLD, None, (), "a", PLACE, PLACE, OWNER, Origin.OWNER, 1.0)

    assert (bare.relevance, bare.grounds) == (0.0, {})
    assert recall(bare).answers == ()
