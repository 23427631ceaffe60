from __future__ import annotations

import pytest

from memory.index.port import Index
from memory.model import EVERYWHERE, OWNER
from memory.recall.query import parse
from memory.recall.rank import AGAIN, ENTITY, FACT, TIME, Ranking
from memory.recall.search import ask, candidates
from tests.unit.memory.recall.conftest import TODAY, Collect


def ranking(index: Index, text: str) -> Ranking:
    asked = ask(index, parse(text, languages=index.languages(), today=TODAY), scope=OWNER)
    found = candidates(index, asked, scope=OWNER, where=EVERYWHERE, units=index.totals().units)
    entries = index.entries(found.ids, scope=OWNER, around=1)
    return Ranking(asked, entries, found.ids, about=found.about, totals=index.totals())


def texts(index: Index, text: str) -> list[str]:
    ids = [one.entry.id for one in ranking(index, text).order]
    return [stored.unit.text for stored in index.stored(ids, scope=OWNER)]


def parts(index: Index, question: str, place: int = 0) -> dict[str, float]:
    found = ranking(index, question)
    return found.parts(found.order[place].entry)


def test_rare_words_outweigh_common_ones(collect: Collect) -> None:
    index = collect({"a.md": "\n\n".join(["the penguin", *(f"red thing {n}" for n in range(9))])})
    assert texts(index, "red penguin")[0] == "the penguin"


def test_more_of_the_words_is_better(collect: Collect) -> None:
    index = collect({"a.md": "blue pot\n", "b.md": "key\n", "c.md": "key in the blue pot\n"})
    assert texts(index, "blue pot key")[0] == "key in the blue pot"


def test_a_unit_beside_the_words_is_ranked_above_one_far_off(collect: Collect) -> None:
    index = collect(
        {
            "a.md": "Where do we keep the lamp?\n\nThe oil is in the shed.\n",
            "b.md": "Nothing.\n\nThe oil is in the yard.\n\nNothing.\n",
        }
    )
    order = texts(index, "oil for the lamp")
    assert order.index("The oil is in the shed.") < order.index("The oil is in the yard.")
    assert parts(index, "oil for the lamp", 0)["near"] > 0


def test_the_parts_add_up_to_the_score(collect: Collect) -> None:
    index = collect(
        {
            "memory/2026-11-20.md": "## Retain\n- W @Anna: keeps the key.\n",
            "memory/2026-10-01.md": "The key.\n\nAnna.\n",
        }
    )
    found = ranking(index, "Anna and the key yesterday")
    assert len(found.order) == 3
    for one in found.order:
        assert sum(found.parts(one.entry).values()) == pytest.approx(one.score)


def test_words_alone_give_at_most_one(collect: Collect) -> None:
    found = ranking(collect({"a.md": "red key\n\nblue\n"}), "red blue key")
    assert max(one.score for one in found.order) == pytest.approx(1)


def test_each_word_is_a_part_of_its_own(collect: Collect) -> None:
    index = collect({"a.md": "red key\n"})
    assert parts(index, "the red keys").keys() == {"word:red", "word:keys"}


def test_nearness_to_the_days_that_were_asked_for_counts(collect: Collect) -> None:
    index = collect({f"memory/2026-11-{day:02}.md": "Rain.\n" for day in (2, 13, 20)})
    found = ranking(index, "rain yesterday")
    days = [one.entry.first for one in found.order]
    assert days == ["2026-11-20", "2026-11-13", "2026-11-02"]
    assert found.parts(found.order[0].entry)["time"] == pytest.approx(TIME)


def test_a_named_entity_and_a_fact_count_a_little(collect: Collect) -> None:
    index = collect({"a.md": "## Retain\n- W @Anna: likes tea.\n", "b.md": "tea\n"})
    found = parts(index, "what tea does Anna like")
    assert (found["entity"], found["fact"]) == (ENTITY, FACT)
    assert "fact" not in parts(index, "tea")


def test_further_pieces_of_one_turn_wait(collect: Collect) -> None:
    long = "\n\n".join(f"The harbour, {'word ' * 120} {n}." for n in range(3))
    text = f"Ann: {long}\n\nBob: The harbour is nice.\n\nAnn: Yes.\n\nBob: Yes.\n"
    found = ranking(collect({"a.md": text}), "harbour")
    waited = [found.parts(one.entry).get("again", 0) for one in found.order]
    assert sorted(waited) == pytest.approx([-2 * AGAIN, -AGAIN, 0, 0])
    scores = [one.score for one in found.order]
    assert scores == sorted(scores, reverse=True)


def test_equals_are_ordered_by_day_then_by_place(collect: Collect) -> None:
    index = collect(
        {"memory/2026-11-01.md": "rain\n", "memory/2026-11-09.md": "rain\n", "b.md": "rain\n", "a.md": "rain\n"}
    )
    found = ranking(index, "rain")
    assert [one.entry.path for one in found.order] == ["memory/2026-11-09.md", "memory/2026-11-01.md", "a.md", "b.md"]


def test_words_that_no_candidate_has_are_told(collect: Collect) -> None:
    index = collect({"a.md": "red key\n\nblue door\n"})
    words = parse("the red unicorn", languages=("en",), today=TODAY).words
    assert [word.text for word in ranking(index, "the red unicorn").unseen(words)] == ["unicorn"]
    assert ranking(index, "unicorn").unseen(()) == []


def test_nothing_ranked_is_an_empty_order(collect: Collect) -> None:
    assert ranking(collect({}), "key").order == []
