from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from memory.index.sql import Index
from memory.recall.candidates import find_candidates, read_pool, resolve
from memory.recall.query import parse
from memory.recall.ranking import Ranking, rank
from memory.recall.scoring import OPENCLAW, SCRUBJAY, Ageing, RankingWeights
from memory.recall.spreading import Activation
from memory.types import EVERYWHERE, OWNER
from memory.vectors.collection import Scan
from tests.unit.memory.recall.conftest import TODAY, Collect, scan


def ranking(
    index: Index,
    text: str,
    scan: Scan | None = None,
    weights: RankingWeights = SCRUBJAY,
    active: Mapping[int, Activation] | None = None,
) -> Ranking:
    languages = index.languages(scope=OWNER)
    request = resolve(index, parse(text, languages=languages, today=TODAY), languages, scope=OWNER)
    totals = index.totals()
    found = find_candidates(index, request, scope=OWNER, where=EVERYWHERE, units=totals.units, scan=scan)
    found = replace(found, active=active or {})
    units, voices = read_pool(index, found.ids, scope=OWNER), index.voices(scope=OWNER)
    return rank(request, found, units, totals=totals, voices=voices, scan=scan, weights=weights, ageing=Ageing(TODAY))


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
    assert found.parts(found.order[0].entry)["time"] == pytest.approx(SCRUBJAY.time)


def test_a_day_that_a_fact_names_counts_for_a_day_and_a_month_and_not_for_a_year(collect: Collect) -> None:
    index = collect({"memory/2026-11-20.md": "## Retain\n- The concert is on 3 March 2027.\n"})
    times = {
        asked: ranking(index, f"concert {asked}").parts(entry)["time"]
        for asked in ("on 3 March 2027", "in March 2027", "next year", "next month")
        for entry in [ranking(index, "concert").order[0].entry]
    }
    assert times["on 3 March 2027"] == times["in March 2027"] == pytest.approx(SCRUBJAY.time)
    assert times["next year"] < times["in March 2027"] / 2
    assert times["next month"] < times["in March 2027"] / 2


def test_a_named_entity_and_a_fact_count_a_little(collect: Collect) -> None:
    index = collect({"a.md": "## Retain\n- W @Anna: likes tea.\n", "b.md": "tea\n"})
    found = parts(index, "what tea does Anna like")
    assert (found["entity"], found["fact"]) == (SCRUBJAY.entity, SCRUBJAY.fact)
    assert "fact" not in parts(index, "tea")


def test_further_pieces_of_one_turn_wait(collect: Collect) -> None:
    long = "\n\n".join(f"The harbour, {'word ' * 120} {n}." for n in range(3))
    text = f"Ann: {long}\n\nBob: The harbour is nice.\n\nAnn: Yes.\n\nBob: Yes.\n"
    found = ranking(collect({"a.md": text}), "harbour")
    waited = [found.parts(one.entry).get("again", 0) for one in found.order]
    assert sorted(waited) == pytest.approx([-2 * SCRUBJAY.again, -SCRUBJAY.again, 0, 0])
    scores = [one.score for one in found.order]
    assert scores == sorted(scores, reverse=True)


def test_sorted_again_with_what_is_active_it_is_as_if_that_had_been_known_at_first(collect: Collect) -> None:
    long = "\n\n".join(f"The harbour, {'word ' * 120} {n}." for n in range(3))
    index = collect({"a.md": f"Ann: {long}\n\nBob: The harbour is nice.\n", "b.md": "- W: The harbour froze. ^b1\n"})
    twice, (first, *others) = ranking(index, "harbour"), [one.entry.id for one in ranking(index, "harbour").order]
    active = {unit: Activation(0.8, first) for unit in others[1:]}

    twice.sort(with_zeros=False, active=active)

    once = ranking(index, "harbour", active=active)
    assert twice.order == once.order
    assert [twice.parts(one.entry) for one in twice.order] == [once.parts(one.entry) for one in once.order]
    assert twice.order != ranking(index, "harbour").order


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


def names(index: Index, found: Ranking) -> list[str]:
    return [stored.unit.text for stored in index.stored([one.entry.id for one in found.order], scope=OWNER)]


NOTES = ("the red bicycle", "the blue kettle", "a green boat", "some white paint", "one black cat", "an old clock")
VECTORS = dict(zip(NOTES, ((1, 0.1), (0.1, 1), (0.6, 0.8), (-1, 0.2), (-0.6, -0.7), (-0.2, -1)), strict=True))


def notes(collect: Collect) -> Index:
    return collect({f"{number}.md": f"{note}\n" for number, note in enumerate(NOTES)})


def test_what_is_meant_is_found_without_a_common_word(collect: Collect) -> None:
    index = notes(collect)
    found = ranking(index, "velocipede", scan(index, VECTORS, (1, 0)))
    assert names(index, found)[0] == "the red bicycle"


def test_words_that_stand_in_a_note_outweigh_nearness_to_another(collect: Collect) -> None:
    index = notes(collect)
    found = ranking(index, "kettle", scan(index, VECTORS, (0.8, 0.6)))
    assert names(index, found)[0] == "the blue kettle"


def test_a_word_that_says_little_of_the_question_does_not_lead(collect: Collect) -> None:
    index = notes(collect)
    question = "velocipede penny-farthing tandem handlebar kettle"
    found = ranking(index, question, scan(index, VECTORS, (1, 0)))
    assert names(index, found)[0] == "the red bicycle"
    weights = replace(SCRUBJAY, certain=0.0, feedback=0.0)
    trusting = ranking(index, question, scan(index, VECTORS, (0.75, 0.66)), weights)
    assert names(index, trusting)[0] == "the blue kettle"


def test_a_note_that_has_no_vector_yet_is_ranked_by_its_words(collect: Collect) -> None:
    index = notes(collect)
    known = {text: vector for text, vector in VECTORS.items() if text != "the blue kettle"}
    found = ranking(index, "kettle", scan(index, known, (1, 0)))
    assert names(index, found)[0] == "the blue kettle"


def test_the_parts_of_a_hybrid_score_add_up_and_name_the_meaning(collect: Collect) -> None:
    index = notes(collect)
    found = ranking(index, "Always a red velocipede", scan(index, VECTORS, (1, 0)))
    for one in found.order:
        assert sum(found.parts(one.entry).values()) == pytest.approx(one.score)
    assert found.parts(found.order[0].entry)["meaning"] > 0


def test_the_plain_weights_leave_all_else_out(collect: Collect) -> None:
    index = notes(collect)
    found = ranking(index, "red velocipede", scan(index, VECTORS, (1, 0)), OPENCLAW)
    assert found.order[0].score == pytest.approx(1)
    assert found.parts(found.order[0].entry) == pytest.approx({"word:red": 0.3, "meaning": 0.7})


def test_days_without_words_are_not_left_for_what_is_meant(collect: Collect) -> None:
    index = collect({"memory/2026-11-20.md": "the red bicycle\n", "memory/2026-10-01.md": "the blue kettle\n"})
    found = ranking(index, "what did I do yesterday?", scan(index, VECTORS, (0, 1)))
    assert names(index, found) == ["the red bicycle"]


def test_guidance_is_a_candidate_however_far_away_it_is(collect: Collect) -> None:
    far = "Never paint the boat."
    texts_ = [f"note {number}" for number in range(130)]
    index = collect({f"{number}.md": f"{text}\n" for number, text in enumerate([*texts_, far])})
    vectors = {text: (1.0, number / 1000) for number, text in enumerate(texts_)} | {far: (-1.0, 0.1)}
    request = resolve(index, parse("velocipede", languages=("en",), today=TODAY), ("en",), scope=OWNER)
    near = scan(index, vectors, (1, 0))
    ids = find_candidates(index, request, scope=OWNER, where=EVERYWHERE, units=131, scan=near).ids
    found = [stored.unit.text for stored in index.stored(ids, scope=OWNER)]
    assert far in found
    assert "note 129" not in found


def test_a_lone_note_is_found_by_what_it_means(collect: Collect) -> None:
    index = collect({"a.md": "the red bicycle\n"})
    found = ranking(index, "velocipede", scan(index, VECTORS, (1, 0)))
    assert names(index, found) == ["the red bicycle"]


def test_what_nothing_speaks_for_is_left_out(collect: Collect) -> None:
    index = notes(collect)
    found = ranking(index, "velocipede", scan(index, VECTORS, (1, 0)))
    assert {"some white paint", "one black cat"}.isdisjoint(names(index, found))
    assert all(one.score > 0 for one in found.order)


def test_days_without_words_are_shown_whatever_the_weights(collect: Collect) -> None:
    index = collect({"memory/2026-11-20.md": "the red bicycle\n", "memory/2026-10-01.md": "the blue kettle\n"})
    found = ranking(index, "what did I do yesterday?", scan(index, VECTORS, (0, 1)), OPENCLAW)
    assert names(index, found) == ["the red bicycle"]


def test_how_new_something_is_moves_its_score_by_a_bounded_named_part(collect: Collect) -> None:
    index = collect({f"memory/{day}.md": "## Retain\n- W: The lamp is here.\n" for day in ("2026-11-21", "2016-11-21")})
    plain, found = ranking(index, "lamp"), ranking(index, "lamp", weights=RankingWeights(freshness=0.2))
    usual = {one.entry.path: one.score for one in plain.order}
    for one, share in zip(found.order, (0.2, -0.2), strict=True):
        part = found.parts(one.entry)["recency"]
        assert part == pytest.approx(share * usual[one.entry.path])
        assert one.score == pytest.approx(usual[one.entry.path] + part)
