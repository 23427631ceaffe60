from __future__ import annotations

from benchmarks.links import drawn, measure


def test_links_are_to_others_and_each_comes_once() -> None:
    one, other, weights = drawn(200, 1200, seed=1)
    assert (one != other).all()
    assert len({*zip(one.tolist(), other.tolist(), strict=True)}) == len(one) == len(weights) > 1000
    assert ((weights >= 0.5) & (weights <= 1)).all()


def test_all_ways_are_timed() -> None:
    found = measure(300, 1800, seed=1)
    timed = {name: value for name, value in found.items() if name.endswith("_ms")}
    assert {*timed} == {"spread_ms", "neighbours_ms", "wander_ms", "rows_spread_ms", "raw_read_ms"}
    assert all(value > 0 for value in timed.values())
    assert found["facts"] == 300
