from __future__ import annotations

import pytest

from memory.index.port import Index
from memory.model import OWNER
from memory.recall.pool import Pool
from memory.recall.query import parse
from memory.recall.search import ask
from memory.recall.words import Words
from tests.unit.memory.recall.conftest import TODAY, Collect


def words(index: Index, question: str, *, beside: float = 0.5) -> tuple[Words, Pool]:
    asked = ask(index, parse(question, languages=("en",), today=TODAY), scope=OWNER)
    ids = index.listed(scope=OWNER, limit=99)
    pool = Pool(index.entries(ids, scope=OWNER), ids, beside=beside)
    return Words(asked, pool, index.totals(), beside=beside), pool


def weights(index: Index, question: str, *, beside: float = 0.5) -> dict[str, float]:
    found, pool = words(index, question, beside=beside)
    return {" ".join(one.entry.terms.split()): found.weight(one) for one in pool.candidates}


def test_of_two_units_with_the_word_the_shorter_weighs_more(collect: Collect) -> None:
    index = collect({"a.md": "key\n", "b.md": "key pot door lamp rug\n"})
    found = weights(index, "key")
    assert found["key"] > found["key pot door lamp rug"] > 0


def test_a_word_that_comes_again_adds_less_each_time(collect: Collect) -> None:
    index = collect({"a.md": "key pot rug\n", "b.md": "key key rug\n", "c.md": "key key key\n"})
    one, two, three = (weights(index, "key")[terms] for terms in ("key pot rug", "key key rug", "key key key"))
    assert one < two < three
    assert two - one > three - two


def test_what_stands_beside_a_unit_counts_as_far_as_it_may_borrow(collect: Collect) -> None:
    index = collect({"a.md": "lamp\n\nkey\n", "b.md": "rug\n"})
    assert weights(index, "key")["lamp"] > weights(index, "key", beside=0.1)["lamp"] > 0
    assert weights(index, "key", beside=0.0)["lamp"] == weights(index, "key")["rug"] == 0


def test_words_are_evidence_as_far_as_one_unit_holds_what_the_question_tells(collect: Collect) -> None:
    index = collect({"a.md": "red key\n", "b.md": "blue pot\n"})
    assert words(index, "red key")[0].evidence() == pytest.approx(1)
    assert words(index, "red pot")[0].evidence() == pytest.approx(0.5)
    assert words(index, "red unicorn saddle")[0].evidence() < 0.34
    assert words(index, "unicorn")[0].evidence() == 0


def test_a_question_without_words_gives_no_unit_any_weight(collect: Collect) -> None:
    found, pool = words(collect({"a.md": "red key\n"}), "yesterday")
    assert found.weight(pool.candidates[0]) == 0
