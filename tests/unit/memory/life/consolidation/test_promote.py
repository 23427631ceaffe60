from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from memory import OWNER, Filter, Origin
from memory.journal.records import Action
from memory.knowledge.reflection.reflect import reflect
from tests.support.consolidating import AGENT, Listener, listening

WORK = "W @Nina: Nina works at the harbour."


@pytest.fixture
async def life(tmp_path: Path) -> AsyncIterator[Listener]:
    async with listening(tmp_path) as one:
        yield one


async def test_a_fact_that_was_cited_three_times_on_two_days_comes_into_the_bank_as_it_stands(life: Listener) -> None:
    name = await life.tell(f"{WORK} #fact")
    log = life.page("memory/2026-11-09.md")
    await life.cite(name)
    found = await life.consolidate()
    ((new, text),) = found.promoted.items()
    assert text == "Nina works at the harbour."
    assert life.page("bank/world.md") == (
        f"- W(since=2026-11-09) @Nina: Nina works at the harbour. #fact ^{new}\n"
        f"  <!-- scrubjay:evidence ^{new} from 0.80; 2026-11-09 +0.00 memory/2026-11-09.md#^{name} -->\n"
    )
    assert life.page("memory/2026-11-09.md") == log
    assert [hit.id for hit in (await life.memory.recall("Where does Nina work?", scope=OWNER)).hits] == [new]
    await life.cite(new)
    assert not (await life.consolidate()).promoted


@pytest.mark.parametrize(("days", "times"), [(1, 5), (2, 2), (0, 0)])
async def test_fewer_uses_or_one_day_are_not_enough(life: Listener, days: int, times: int) -> None:
    await life.cite(await life.tell(WORK), days=days, times=times)
    assert not (await life.consolidate()).promoted


@pytest.mark.parametrize(
    ("text", "origin", "page"),
    [
        (WORK, Origin.OWNER, "bank/world.md"),
        ("S @Nina: Nina hums.", Origin.OWNER, "bank/world.md"),
        ("B @Nina: Nina fell.", Origin.OWNER, "bank/experience.md"),
        ("P(i=0.8): Boil the eggs.", Origin.OWNER, "bank/procedures.md"),
        ("W(c=0.9) @Nina: Nina rows.", Origin.AGENT, "bank/world.md"),
        ("W(c=0.7) @Nina: Nina rows.", Origin.OWNER, ""),
        (WORK, Origin.AGENT, ""),
        ("O(c=0.9) @Nina: Nina likes tea.", Origin.OWNER, ""),
        ("T(due=2027-01-01) @Nina: Call Nina.", Origin.OWNER, ""),
        ("W(c=0.9) @Nina: Nina rows.", Origin.UNTRUSTED, ""),
        ("W(c=0.9) @Nina: Nina rows.", Origin.IMPORT, ""),
    ],
)
async def test_kind_origin_and_confidence_decide_where_a_fact_goes(
    life: Listener, text: str, origin: Origin, page: str
) -> None:
    await life.cite(await life.tell(text, origin=origin))
    assert len((await life.consolidate()).promoted) == bool(page)
    written = {str(path.relative_to(life.folder)) for path in life.folder.rglob("bank/*.md")}
    assert written == ({page} if page else set())


async def test_a_fact_that_was_corrected_after_its_last_use_is_not_promoted(life: Listener) -> None:
    name = await life.tell(WORK)
    await life.cite(name)
    await life.note(name, Action.REVIEW, {"rating": "again", "reason": "corrected"})
    assert not (await life.consolidate()).promoted
    await life.cite(name, times=1)
    assert (await life.consolidate()).promoted


async def test_a_fact_whose_place_a_newer_one_took_is_not_promoted(life: Listener) -> None:
    name = await life.tell("W @Petra: My boss is called Petra.")
    await life.cite(name)
    await life.tell("W @Martin: My boss is called Martin now.")
    assert not (await life.consolidate()).promoted


async def test_a_promotion_that_is_taken_back_is_not_made_again(life: Listener) -> None:
    name = await life.tell(WORK)
    await life.cite(name)
    await life.consolidate()
    await life.take_back()
    assert life.page("bank/world.md") == ""
    assert [hit.id for hit in (await life.memory.recall("Where does Nina work?", scope=OWNER)).hits] == [name]
    await life.cite(name)
    assert not (await life.consolidate()).promoted


async def test_forgetting_a_promoted_fact_forgets_where_it_came_from(life: Listener) -> None:
    name = await life.tell(WORK)
    await life.cite(name)
    (new,) = (await life.consolidate()).promoted
    await life.memory.run(reflect, op_id="r", actor=AGENT)
    lines = await life.memory.forget_facts([name], op_id="f", scope=OWNER, actor=AGENT)
    assert {line.id for line in lines} == {name, new}
    await life.memory.purge(at_once=True)
    assert not any(b"harbour" in text for text in life.tree().values())


async def test_the_generated_part_of_a_page_does_not_repeat_what_was_promoted_to_it(life: Listener) -> None:
    await life.cite(await life.tell(WORK))
    await life.tell("W @Omar: Omar works at the mill.")
    await life.consolidate()
    await life.memory.run(reflect, op_id="r", actor=AGENT)
    page = life.page("bank/world.md")
    assert page.count("harbour") == 1
    assert page.count("mill") == 1
    assert (await life.memory.run(reflect, op_id="r2", actor=AGENT)).pages == []


async def test_what_names_another_day_stays_with_the_day_that_it_is_counted_from(life: Listener) -> None:
    await life.cite(await life.tell("W(c=0.9): Dentist tomorrow at 9"))
    assert not (await life.consolidate()).promoted
    (found,) = (await life.memory.recall("", scope=OWNER, where=Filter(since="2026-11-10", until="2026-11-10"))).hits
    assert found.content == "Dentist tomorrow at 9"


@pytest.mark.parametrize(
    "text", ["Anna's birthday is on 12 May.", "Anna was born on 3 March 1990.", "The passport expires on 3 June 2031."]
)
async def test_a_day_that_is_written_out_keeps_no_fact_from_the_bank(life: Listener, text: str) -> None:
    await life.cite(await life.tell(f"W(c=0.9) @Anna: {text}"))
    assert [*(await life.consolidate()).promoted.values()] == [text]
