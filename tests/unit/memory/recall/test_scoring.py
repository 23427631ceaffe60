from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest

from memory.index.sql import Index
from memory.index.types import Entry
from memory.recall.candidates import CandidateSet, read_pool, resolve
from memory.recall.query import parse
from memory.recall.scoring import (
    CORTEX,
    OPENCLAW,
    SCRUBJAY,
    Ageing,
    Boosts,
    LexicalScorer,
    RankingWeights,
    SemanticScorer,
    weights_of,
)
from memory.strength import Life
from memory.types import OWNER, RankingProfile
from tests.unit.memory.recall.conftest import TODAY, Collect, scan


def words(index: Index, question: str, *, beside: float = 0.5) -> tuple[LexicalScorer, CandidateSet]:
    asked = resolve(index, parse(question, languages=("en",), today=TODAY), ("en",), scope=OWNER)
    ids = index.newest(scope=OWNER, limit=99)
    pool = CandidateSet(read_pool(index, ids, scope=OWNER), ids, beside=beside)
    return LexicalScorer(asked, pool, index.totals(), beside=beside), pool


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


VECTORS = {"red": (1.0, 0.1), "blue": (0.1, 1.0), "green": (0.7, 0.7), "white": (-1.0, 0.2)}
RED = (1.0, 0.0)


@pytest.fixture
def index(collect: Collect) -> Index:
    return collect({f"{word}.md": f"{word}\n" for word in (*VECTORS, "unknown")})


def pool(index: Index, *, beside: float = 0.5) -> CandidateSet:
    ids = index.newest(scope=OWNER, limit=99)
    return CandidateSet(read_pool(index, ids, scope=OWNER), ids, beside=beside)


def by_word(found: SemanticScorer, among: CandidateSet) -> dict[str, float]:
    return {one.entry.terms.strip(): value for one, value in zip(among.candidates, found.values, strict=True)}


def test_the_nearest_has_one_and_what_is_no_nearer_than_most_has_nothing(index: Index) -> None:
    among = pool(index)
    near = by_word(SemanticScorer(scan(index, VECTORS, RED), among), among)
    assert near["red"] == pytest.approx(1)
    assert 0 < near["green"] < 1
    assert near["white"] == near["blue"] == 0


def test_the_only_unit_with_a_vector_is_as_near_as_can_be_and_no_nearer(index: Index) -> None:
    among = pool(index)
    for tenths in range(1, 100):  # by chance of rounding it was a little more, and came before a newer one without
        near = by_word(SemanticScorer(scan(index, {"red": (1.0, tenths / 10)}, RED), among), among)
        assert near["red"] == 1


def test_a_unit_without_a_vector_is_known_to_have_none(index: Index) -> None:
    among = pool(index)
    found = SemanticScorer(scan(index, VECTORS, RED), among)
    known = {one.entry.terms.strip(): is_known for one, is_known in zip(among.candidates, found.known, strict=True)}
    assert known == {"red": True, "blue": True, "green": True, "white": True, "unknown": False}
    assert by_word(found, among)["unknown"] == 0


def test_a_question_is_moved_towards_what_it_is_given(index: Index) -> None:
    among = pool(index)
    first = SemanticScorer(scan(index, VECTORS, RED), among)
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
            for one, value in zip(
                among.candidates, SemanticScorer(scan(index, vectors, RED), among).values, strict=True
            )
        }
        assert (near["and so"] > near["or else"]) is is_nearer


TALK = "".join(f"Ada: I saw film {n}, and my friend did.\n\nBot: Film {n} is from 1990.\n\n" for n in range(8))


@pytest.fixture
def index_evidence(collect: Collect) -> Index:
    return collect({"talk.md": TALK, "own.md": "Always be brief.\n\nI prefer tea.\n"})


def evidence(index_evidence: Index, question: str, recipe: RankingWeights = SCRUBJAY) -> Boosts:
    asked = resolve(index_evidence, parse(question, languages=("en",), today=TODAY), ("en",), scope=OWNER)
    return Boosts(asked, recipe, about=(), voices=index_evidence.voices(scope=OWNER), ageing=Ageing(TODAY))


def entry(index_evidence: Index, word: str) -> Entry:
    found = index_evidence.entries(index_evidence.match([[word]], scope=OWNER, limit=1), scope=OWNER)
    assert found
    return found[0]


def test_a_question_about_oneself_favours_whoever_speaks_of_themself(index_evidence: Index) -> None:
    asked = evidence(index_evidence, "which films did I see?")
    ada, bot, note = (asked.fixed(entry(index_evidence, word)).get("asker", 0) for word in ("friend", "1990", "tea"))
    assert (ada, bot, note) == (SCRUBJAY.asker, 0, SCRUBJAY.asker)


def test_a_question_about_the_world_favours_nobody(index_evidence: Index) -> None:
    assert evidence(index_evidence, "which films did Ada see?").fixed(entry(index_evidence, "friend")) == {}


def test_without_conversations_nobody_is_favoured(collect: Collect) -> None:
    index_evidence = collect({"own.md": "I saw a film.\n"})
    assert evidence(index_evidence, "which films did I see?").fixed(entry(index_evidence, "film")) == {}


def test_a_standing_instruction_guides_every_question(index_evidence: Index) -> None:
    assert evidence(index_evidence, "capital of Peru").guiding(entry(index_evidence, "brief")) == {
        "standing": SCRUBJAY.standing
    }


def test_a_preference_guides_what_is_asked_of_the_agent(index_evidence: Index) -> None:
    tea = entry(index_evidence, "tea")
    assert evidence(index_evidence, "what should I drink?").guiding(tea) == {"preference": SCRUBJAY.preference}
    assert evidence(index_evidence, "capital of Peru").guiding(tea) == {}


def test_a_weight_of_nothing_switches_a_part_off(index_evidence: Index) -> None:
    off = replace(SCRUBJAY, asker=0.0, standing=0.0, preference=0.0)
    asked = evidence(index_evidence, "what should I see?", off)
    for word in ("friend", "brief", "tea"):
        assert asked.fixed(entry(index_evidence, word)) == asked.guiding(entry(index_evidence, word)) == {}


@pytest.mark.parametrize(
    ("profile", "recipe"),
    [(RankingProfile.SCRUBJAY, SCRUBJAY), (RankingProfile.OPENCLAW, OPENCLAW), (RankingProfile.CORTEX, CORTEX)],
)
def test_every_profile_has_its_weights(profile: RankingProfile, recipe: object) -> None:
    assert weights_of(profile) == recipe


def test_weights_of_ones_own_are_taken_as_they_are() -> None:
    own = replace(SCRUBJAY, time=0.0)
    assert weights_of(own) is own


def aged(collect: Collect) -> tuple[Index, dict[str, Entry]]:
    """Facts of today, of 30 days ago, of long ago, and one without a day."""
    days = {"new": "2026-11-21", "month": "2026-10-22", "old": "2016-11-21"}
    files = {f"memory/{day}.md": f"## Retain\n- W: The lamp is here. ^{name}\n" for name, day in days.items()}
    index = collect(files | {"a.md": "## Retain\n- W: The lamp is here. ^never\n"})
    ids = {name: index.find(name, scope=OWNER) for name in (*days, "never")}
    entries = {one.id: one for one in index.entries([one.id for one in ids.values() if one], scope=OWNER)}
    return index, {name: entries[one.id] for name, one in ids.items() if one}


def test_what_is_new_gains_as_much_as_what_is_very_old_loses_and_half_way_lies_a_month(collect: Collect) -> None:
    _, entries = aged(collect)
    ageing = Ageing(TODAY)
    assert {name: round(ageing.freshness(entry), 3) for name, entry in entries.items()} == {
        "new": 1.0,
        "month": 0.0,
        "old": -1.0,
        "never": 0.0,
    }
    assert ageing.recency(entries["month"]) == pytest.approx(0.5)
    assert Ageing(date(2016, 1, 1)).recency(entries["new"]) == 1.0  # what is to come is not older than today


def test_the_profile_cortex_adds_strength_recency_and_use(collect: Collect) -> None:
    index, _ = aged(collect)
    index.lives.write([Life("old", uses=10, stability=1000.0, reviewed="2026-11-21")])
    _, entries = index, {one.id: one for one in index.entries(index.newest(scope=OWNER, limit=9), scope=OWNER)}
    named = {name: found.id for name in ("old", "month") for found in [index.find(name, scope=OWNER)] if found}
    ageing = Ageing(TODAY)
    assert ageing.parts(entries[named["old"]], CORTEX) == {
        "strength": pytest.approx(0.3),
        "recency": pytest.approx(0.0, abs=1e-6),
        "access": pytest.approx(0.1),
    }
    month = ageing.parts(entries[named["month"]], CORTEX)
    assert month["recency"] == pytest.approx(0.1)
    assert "access" not in month
    assert ageing.parts(entries[named["month"]], SCRUBJAY) == {}
