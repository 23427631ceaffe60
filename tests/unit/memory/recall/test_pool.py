from __future__ import annotations

import pytest

from memory.model import OWNER
from memory.recall.pool import SHORT, Pool, borrowed
from tests.unit.memory.recall.conftest import Collect


def test_a_unit_of_some_length_borrows_half_of_what_an_empty_one_would() -> None:
    assert borrowed(0, 0.5) == 0.5
    assert borrowed(SHORT, 0.5) == pytest.approx(0.25)


def test_neighbours_are_those_of_the_same_file(collect: Collect) -> None:
    index = collect({"a.md": "one\n\ntwo\n\nthree\n", "b.md": "four\n"})
    wanted = index.match([["two"], ["four"]], scope=OWNER, limit=9)
    pool = Pool(index.entries(wanted, scope=OWNER, around=1), wanted, beside=0.5)
    words = [*(entry.terms.strip() for entry in pool.entries), ""]
    beside = {words[one.here]: (words[one.before], words[one.behind]) for one in pool.candidates}
    assert beside == {"two": ("one", "three"), "four": ("", "")}


def test_a_fact_borrows_nothing(collect: Collect) -> None:
    index = collect({"a.md": "## Retain\n- W: two.\n- W: three.\n"})
    ids = index.listed(scope=OWNER, limit=9)
    pool = Pool(index.entries(ids, scope=OWNER, around=1), ids, beside=0.5)
    assert [one.share for one in pool.candidates] == [0, 0]
