"""What has faded, or was merged, is left out unless it is asked for by its own words or its day."""

from __future__ import annotations

from datetime import date, timedelta

import pytest

from memory.index.sql import Index
from memory.recall.passages import RecallBudget
from memory.recall.recall import Finder, find, with_strength
from memory.strength import Fading, Life, StrengthPolicy
from memory.types import EVERYWHERE, OWNER, Filter, Recall
from memory.vectors.questions import SemanticScan
from tests.unit.memory.recall.conftest import TODAY, Collect, scan

OLD = """## Retain
- W @Peter: Lives in Rome near the station. ^p1
- W @Peter: Keeps bees. ^p2
- T(due=2026-12-05) @Peter: Send him the offer. ^t1
- P: Turn the valve before the pump starts. #rule ^r1
- W(i=0.25) @Peter: Wore a green hat. ^h1
"""
NEW = "## Retain\n- W @Peter: Moved to Oslo. ^n1\n- W(i=0.25) @Peter: Had soup. ^s1\n\nPeter called about the garden.\n"


@pytest.fixture
def index(collect: Collect) -> Index:
    """Facts of 323 days ago and of 33 days ago."""
    return collect({"memory/2026-01-02.md": OLD, "memory/2026-10-19.md": NEW})


FSRS, BUDGET = Fading(), RecallBudget(passages=12)


def ask(index: Index, text: str, where: Filter = EVERYWHERE, fading: Fading = FSRS, today: date = TODAY) -> Recall:
    return Finder(index, fading=fading).recall(text, scope=OWNER, today=today, where=where, budget=BUDGET)


def ids(found: Recall) -> set[str]:
    return {hit.id for hit in found.hits if len(hit.id) == 2}


def test_what_only_a_name_leads_to_is_left_out_when_it_has_faded_and_the_reason_says_so(index: Index) -> None:
    found = ask(index, "What about Peter?")
    assert ids(found) == {"n1", "t1"}
    assert "Left out: 4 facts that have faded (`--faded` shows them)." in found.reason
    assert any("garden" in hit.content for hit in found.hits)  # notes do not fade
    everything = ask(index, "What about Peter?", Filter(faded=True))
    assert ids(everything) == {"n1", "t1", "p1", "p2", "h1", "s1"}
    assert "Left out" not in everything.reason


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Where is the station?", "p1"),
        ("Does Peter keep bees?", "p2"),
        ("green hat", "h1"),
        ("What was on 2 January 2026?", "p1"),
        ("What about Peter on 2 January 2026?", "p2"),
    ],
)
def test_strength_hides_nothing_that_is_named_by_its_own_words_or_its_day(
    index: Index, question: str, expected: str
) -> None:
    assert expected in ids(ask(index, question))


@pytest.mark.parametrize(
    "where", [Filter(until="2026-02-01"), Filter(valid=("2026-03-01", "2026-03-01")), Filter(known="2026-03-01")]
)
def test_whoever_asks_for_days_gets_what_was_of_them(index: Index, where: Filter) -> None:
    assert "p2" in ids(ask(index, "Peter", where))


def test_what_only_meaning_leads_to_is_left_out_when_it_has_faded(index: Index) -> None:
    vectors = dict.fromkeys(OLD.split("\n"), (1.0, 0.0)) | dict.fromkeys(NEW.split("\n"), (0.0, 1.0))
    meant = SemanticScan(scan(index, vectors, (1.0, 0.1)))
    asked = "Where does he reside?"
    found = Finder(index, meant).recall(asked, scope=OWNER, today=TODAY)
    assert "p1" not in ids(found)
    assert "r1" in ids(found)  # rules age at half speed
    found = Finder(index, meant).recall(asked, scope=OWNER, today=TODAY, where=Filter(faded=True))
    assert "p1" in ids(found)
    meant = SemanticScan(scan(index, vectors, (1.0, 0.1)))
    found = Finder(index, meant).recall("Where is the station?", scope=OWNER, today=TODAY)
    assert "p1" in ids(found)


def test_a_word_that_many_facts_have_is_no_facts_own(collect: Collect) -> None:
    facts = "".join(f"- The garden is number {n}. ^g{n}\n" for n in range(30))
    index = collect({"memory/2026-01-02.md": f"## Retain\n{facts}- The garden has a swing. ^s1\n"})
    assert not ask(index, "garden").hits
    assert ids(ask(index, "a swing in the garden")) == {"s1"}


def test_what_has_not_faded_is_found_behind_however_much_that_has(collect: Collect) -> None:
    """Few candidates are ranked for few passages; where they have all faded, more are."""
    faded = "".join(f"- Garden. ^g{n}\n" for n in range(60))
    alive = "- The garden of the neighbours has been sold, and a wall is to be built there. ^w1\n"
    index = collect({"memory/2026-01-02.md": f"## Retain\n{faded}", "memory/2026-11-20.md": f"## Retain\n{alive}"})
    found = Finder(index).recall("garden", scope=OWNER, today=TODAY, budget=RecallBudget(passages=6))
    assert ids(found) == {"w1"}
    assert "Left out: 60 facts that have faded" in found.reason


def test_a_review_or_a_pin_brings_a_fact_back(index: Index) -> None:
    reviewed = (TODAY - timedelta(days=9)).isoformat()
    index.lives.write([Life("p1", 30.0, 5.0, reviewed), Life("p2", pinned=True)])
    assert ids(ask(index, "What about Peter?")) == {"n1", "t1", "p1", "p2"}


def test_a_merged_fact_is_represented_by_the_other_even_by_its_own_words(index: Index) -> None:
    index.lives.write([Life("p1", merged_into="n1"), Life("p2", merged_into="forgotten", pinned=True)])
    found = ask(index, "Where is the station?")
    assert "p1" not in ids(found)
    assert "1 fact that has been merged into others" in found.reason
    assert "p1" in ids(ask(index, "Where is the station?", Filter(faded=True)))
    assert "p2" in ids(ask(index, "What about Peter?"))  # what stood for it is gone


def test_the_policy_and_the_threshold_decide(index: Index) -> None:
    assert "n1" in ids(ask(index, "What about Peter?", fading=Fading(StrengthPolicy.LINEAR, 0.1)))
    assert "n1" not in ids(ask(index, "What about Peter?", fading=Fading(StrengthPolicy.LINEAR, 0.5)))
    assert ids(ask(index, "What about Peter?", fading=Fading(threshold=0))) >= {"p1", "p2", "h1"}


def test_of_a_course_of_events_all_is_told(index: Index) -> None:
    told = " ".join(hit.content for hit in ask(index, "In which order did things come up with Peter?").hits)
    assert "bees" in told


def test_a_clock_that_was_set_back_hides_nothing(index: Index) -> None:
    found = ask(index, "What about Peter?", today=date(2020, 1, 1))
    assert ids(found) == {"n1", "t1", "p1", "p2", "h1", "s1"}


def test_a_hit_tells_how_strong_it_is(index: Index) -> None:
    index.lives.write([Life("p1", 30.0, 5.0, "2026-11-12T08:00:00+00:00", uses=2, used_days=2, restated=1)])
    hit = next(hit for hit in ask(index, "Where is the station?").hits if hit.id == "p1")
    assert hit.strength
    assert (hit.strength.uses, hit.strength.restated, hit.strength.pinned) == (2, 1, False)
    assert hit.strength.retrievability == pytest.approx(0.96, abs=0.01)
    assert (hit.strength.due or "") > "2030"
    by_id = [find(index, name, scope=OWNER) for name in ("t1", "p2")]
    intention, faded = with_strength(index, by_id, Fading(), scope=OWNER, today=TODAY)  # fmt: skip
    assert intention.strength
    assert faded.strength
    assert (intention.strength.retrievability, intention.strength.due) == (1, None)
    assert faded.strength.due == "2026-07-30"
