from __future__ import annotations

import json
from collections import Counter
from itertools import chain

import pytest

from benchmarks.two_hop import CHAINS, Asked, measure, questions
from memory import RankingWeights
from memory.index.terms import terms
from memory.language.words import STOP_WORDS


def test_there_are_enough_chains_and_direct_questions_and_none_comes_twice() -> None:
    facts, asked = questions()
    kinds = Counter(one.kind.partition(" ")[0] for one in asked)
    assert kinds["chain"] >= 60
    assert kinds["direct"] >= 100
    assert max(Counter(facts).values()) == max(Counter(one.text for one in asked).values()) == 1
    assert {one.kind for one in asked if one.kind.startswith("chain")} == {"chain en", "chain de", "chain zh"}


def test_the_question_of_a_chain_shares_hardly_a_word_with_the_fact_that_answers_it() -> None:
    shared = []
    for line in map(json.loads, CHAINS.read_text(encoding="utf-8").splitlines()):
        if line["lang"] != "en":
            continue
        asked, told = ({*terms(text, "en")} - STOP_WORDS["en"] for text in (line["chain"], line["facts"][1]))
        shared.append(len(asked & told))
    assert sum(shared) / len(shared) < 0.5


@pytest.mark.parametrize("spread", [0.5])
async def test_spreading_finds_second_facts_and_loses_no_direct_one(spread: float) -> None:
    facts, asked = questions()
    some: list[Asked] = [*chain(asked[:12], asked[62:74])]
    found = await measure(facts[:24], some, RankingWeights(spread=spread), None)
    assert found["gain"]["chain @6"] > 0
    assert found["gain"]["direct @6"] == found["gain"]["direct @1"] == 0
