from __future__ import annotations

from itertools import pairwise

from memory.index.sql import Index
from memory.recall.passages import RecallBudget
from memory.recall.recall import DEFAULT_BUDGET, Finder
from memory.recall.timeline import ENTRY_CHARS, MAX_ENTRIES, PER_PASSAGE
from memory.types import EVERYWHERE, OWNER, Filter, Recall, RecallForm, chat_scope
from memory.vectors.questions import SemanticScan
from tests.unit.memory.recall.conftest import TODAY, Collect, scan

GUESTS = chat_scope("telegram.1:-5")
LOGS = {
    "memory/2026-09-02.md": "Met Clara about the kitchen; she draws two plans.\n\nRan 8 km in the rain.\n",
    "memory/2026-09-09.md": "- Dentist moved to Thursday\n- Kitchen: the island is too wide, we take the L shape\n",
    "memory/2026-10-01.md": "## Kitchen\n\nTiles: grey ones, because white gets dirty.\n\n## Work\n\nReport done.\n",
    "memory/2026-10-18.md": "The cabinets for the kitchen came, two have scratches.\n\n## Retain\n- B @Tom: Left. ^t1",
    "memory/2026-11-10.md": "First dinner in the new kitchen, with Anna.\n\nBeen to the cinema.\n",
}
TALK = """\
Mia: I want to plant roses, but my soil is heavy. What do I do?

Helper: Great question! Dig in sand and compost first.

Mia: My roses have black spots.

Helper: Remove the leaves.

Mia: The cat is ill.

Helper: Call somebody who treats animals.
"""


def ask(index: Index, text: str, *, where: Filter = EVERYWHERE, budget: RecallBudget = DEFAULT_BUDGET) -> Recall:
    return Finder(index).recall(text, scope=OWNER, today=TODAY, where=where, budget=budget)


def told(found: Recall) -> list[str]:
    return [hit.content for hit in found.hits]


def test_a_summary_of_notes_is_told_in_the_order_of_time(collect: Collect) -> None:
    found = ask(collect(LOGS), "Sum up what happened with the kitchen")
    assert found.form is RecallForm.TIMELINE
    assert told(found) == [
        "Met Clara about the kitchen; she draws two plans.",
        "- Kitchen: the island is too wide, we take the L shape",
        "Tiles: grey ones, because white gets dirty.",
        "The cabinets for the kitchen came, two have scratches.",
        "First dinner in the new kitchen, with Anna.",
    ]
    assert str(found.hits[1].source) == "memory/2026-09-09.md#L2"
    assert found.answers == found.hits


def test_other_questions_get_passages(collect: Collect) -> None:
    found = ask(collect(LOGS), "Which tiles are in the kitchen?")
    assert found.form is RecallForm.PASSAGES
    assert "Tiles" in found.hits[0].content


def test_days_that_are_named_bound_the_course(collect: Collect) -> None:
    index = collect(LOGS)
    assert {hit.time for hit in ask(index, "Summarize what happened in October").hits} == {"2026-10-01", "2026-10-18"}
    nothing = ask(index, "What happened this week?")
    assert not nothing.hits
    assert nothing.reason.startswith("Nothing that it was narrowed to (from 2026-11-16")
    assert [hit.time for hit in ask(index, "Sum up the kitchen in September").hits] == ["2026-09-02", "2026-09-09"]
    # Nothing is known of those days, and of the kitchen much.
    assert ask(index, "Sum up what happened with the kitchen in the past two days").hits
    narrowed = ask(index, "Sum up the kitchen", where=Filter(since="2026-10-02"))
    assert [hit.time for hit in narrowed.hits] == ["2026-10-18", "2026-11-10"]


def test_days_bound_the_course_of_a_place_whatever_its_spelling(collect: Collect) -> None:
    index = collect(LOGS | {"bank/house.md": "The kitchen is on the ground floor.\n"})
    question = "What happened in October 2026 with the kitchen?"

    assert told(ask(index, question, where=Filter(under=("Memory/",)))) == told(ask(index, question))
    assert len(ask(index, question).hits) == 2


def test_an_exchange_is_told_by_its_opening_and_the_beginning_of_its_answer(collect: Collect) -> None:
    found = ask(collect({"memory/2026-05-01.md": TALK}), "In which order did I talk about my roses?")
    assert told(found) == [
        "Mia: I want to plant roses, but my soil is heavy. What do I do?\nHelper: Dig in sand and compost first.",
        "Mia: My roses have black spots.\nHelper: Remove the leaves.",
    ]
    assert [str(hit.source) for hit in found.hits] == ["memory/2026-05-01.md#L1-L3", "memory/2026-05-01.md#L5-L7"]


def test_entries_are_short_and_limited(collect: Collect) -> None:
    days = (f"2026-{month:02}-{day:02}" for month in range(1, 5) for day in range(1, 28))
    index = collect({f"memory/{day}.md": f"The garden on {day}: {'digging and planting ' * 20}\n" for day in days})
    found = ask(index, "Sum up what happened in the garden", budget=RecallBudget(60, 10**6))
    assert len(found.hits) == MAX_ENTRIES
    assert all(len(hit.content) <= ENTRY_CHARS and hit.content.endswith("…") for hit in found.hits)
    assert all(str(one.time) < str(other.time) for one, other in pairwise(found.hits))
    assert len(ask(index, "Sum up the garden", budget=RecallBudget(2, 10**6)).hits) == 2 * PER_PASSAGE
    assert len(ask(index, "Sum up the garden", budget=RecallBudget(6, 1000)).hits) == 1000 // ENTRY_CHARS


def test_what_is_new_is_told_before_what_is_repeated(collect: Collect) -> None:
    same = {f"memory/2026-03-{day:02}.md": "The roof leaks again in the attic.\n" for day in range(1, 20)}
    index = collect({**same, "memory/2026-03-28.md": "The roof is repaired, Tom sent an invoice of 900 euros.\n"})
    found = ask(index, "Sum up what happened with the roof", budget=RecallBudget(1, 400))
    assert [hit.time for hit in found.hits] == ["2026-03-01", "2026-03-28"]


def test_a_large_memory_is_searched_by_words_meaning_and_names(collect: Collect) -> None:
    filler = {
        f"memory/2026-01-{day:02}.md": "\n\n".join(f"Note {day}-{n} on rain." for n in range(30))
        for day in range(1, 29)
    }
    index = collect(
        {**filler, **LOGS, "memory/2026-11-15.md": "The stove is lit.\n\n## Retain\n- B @Tom: Came back. ^t2\n"}
    )
    assert len(ask(index, "Sum up what happened with the kitchen").hits) == 5
    assert told(ask(index, "Sum up what happened with Tom")) == ["Tom: Left.", "Tom: Came back."]
    near = SemanticScan(
        scan(index, {"The stove is lit.": [1.0, 0.1], "Note 3-7 on rain.": [-1.0, 0.2]}, [1.0, 0.0]), ""
    )
    found = Finder(index, near).recall("Sum up the hearth", scope=OWNER, today=TODAY)
    assert "The stove is lit." in told(found)
    everything = ask(index, "Sum up what happened so far")
    assert {hit.time[:7] for hit in everything.hits if hit.time} == {"2026-01", "2026-09", "2026-10", "2026-11"}


def test_a_course_is_told_to_its_own_scope_only(collect: Collect) -> None:
    kitchen = "## Retain\n- B: The kitchen burned. ^g1\n- B: The kitchen is new. ^g2\n"
    index = collect({**LOGS, "memory/guests/2026-11-20.md": kitchen}, {"g1": chat_scope("other"), "g2": GUESTS})
    assert told(Finder(index).recall("Sum up the kitchen", scope=GUESTS, today=TODAY)) == ["The kitchen is new."]


def test_a_day_that_may_be_two_bounds_a_course_to_one_of_them(collect: Collect) -> None:
    days = ("17", "18", "19", "23")
    index = collect({f"memory/2026-11-{day}.md": f"Painted fence {day}.\n" for day in days})
    assert told(ask(index, "What happened on Tuesday?")) == ["Painted fence 17."]
    assert told(ask(index, "What happened on Monday?")) == ["Painted fence 23."]
