"""Reviews, pins and what fades next, on a real memory."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import ExitStack
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import pytest

from memory import OWNER, Filter, FrozenClock, Memory, Origin, Recall, chat_scope
from memory.engine import MemoryEngine
from memory.errors import NotFound
from memory.index.sql import Index
from memory.journal.records import Operation
from memory.knowledge.history import fact_record
from memory.life.reviews import cited_facts, due, find_same, pin, restate_same, review
from memory.strength import Rating
from memory.types import Scope

GROUP = chat_scope("volatile.bot:-5")
PLUMBER = [(day, hour) for day in (11, 12, 13, 14) for hour in ("eight", "nine", "ten")]
Remember = Callable[..., Awaitable[str]]


def operation(op_id: str) -> Operation:
    return Operation(op_id, "owner", Origin.OWNER, OWNER)


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock(datetime(2026, 1, 1, 12, tzinfo=UTC))


@pytest.fixture
async def memory(tmp_path: Path, clock: FrozenClock) -> AsyncIterator[Memory]:
    async with await Memory.open(tmp_path / "w", index=tmp_path / "i.sqlite", clock=clock) as memory:
        yield memory


@pytest.fixture
def remember(memory: Memory) -> Remember:
    async def write(text: str, scope: str = OWNER) -> str:
        found = await memory.remember(
            text, origin=Origin.OWNER, scope=chat_scope(scope) if scope != OWNER else OWNER, op_id=text, actor="owner"
        )
        return found.fact.id or ""

    return write


async def strength(memory: Memory, id: str) -> float:
    found = (await memory.find(id, scope=OWNER)).strength
    assert found
    return found.retrievability


async def about_peter(memory: Memory, *, faded: bool = False) -> Recall:
    return await memory.recall("What about Peter?", scope=OWNER, where=Filter(faded=faded))


async def test_an_ordinary_fact_fades_after_seven_months_and_a_review_brings_it_back(
    memory: Memory, clock: FrozenClock, remember: Remember
) -> None:
    fact = await remember("W @Peter: Keeps bees.")
    clock.advance(days=200)
    assert (await about_peter(memory)).hits
    clock.advance(days=20)
    assert not (await about_peter(memory)).hits
    assert (await about_peter(memory, faded=True)).hits
    assert (await memory.recall("Who keeps bees?", scope=OWNER)).hits
    faded = await strength(memory, fact)
    assert await memory.run(review, {fact: Rating.GOOD}, operation("r1"), reason="cited") == {fact}
    assert await strength(memory, fact) == 1 > faded
    clock.advance(days=220)
    assert (await about_peter(memory)).hits  # it fades more slowly now
    await memory.rebuild()
    assert (await about_peter(memory)).hits


async def test_a_correction_lets_a_fact_fade_sooner(memory: Memory, clock: FrozenClock, remember: Remember) -> None:
    good, bad = await remember("W @Peter: Keeps bees."), await remember("W @Peter: Is afraid of bees.")
    clock.advance(days=30)
    await memory.run(review, {good: Rating.GOOD, bad: Rating.AGAIN}, operation("r1"), reason="cited")
    clock.advance(days=60)
    assert await strength(memory, bad) < 0.7 < await strength(memory, good)


async def test_a_review_of_what_is_not_there_or_of_another_scope_is_not_written(
    memory: Memory, remember: Remember
) -> None:
    theirs = await remember("Ours.", "volatile.bot:-5")
    gone = await remember("Soon gone.")
    await memory.forget_facts([gone], op_id="f", scope=OWNER, actor="owner")
    ratings = dict.fromkeys([theirs, gone, "nobody12"], Rating.GOOD)
    assert await memory.run(review, ratings, operation("r1"), reason="cited") == frozenset()
    assert not await memory.is_done("r1")


async def test_what_an_answer_names_is_found_by_id_and_by_place(memory: Memory, remember: Remember) -> None:
    one, two, three = [await remember(text) for text in ("One.", "Two.", "Three.")]
    log = "memory/2026-01-01.md"
    first = (await memory.find(one, scope=OWNER)).unit.start
    answer = f"As `{log}#L{first}-L{first + 1}` says; see ^{three}, ^unknown1 and {log}:9999, other/{log}#L{first}."
    assert await memory.run(cited_facts, answer, scope=OWNER) == (three, one, two)
    assert await memory.run(cited_facts, answer, scope=GROUP) == ()
    assert await memory.run(cited_facts, "Nothing is named, not even in 2026.", scope=OWNER) == ()


async def test_telling_again_counts_once_a_day_and_not_on_the_first(
    memory: Memory, clock: FrozenClock, remember: Remember
) -> None:
    fact = await remember("The key is under the pot.")
    for number, expected in enumerate(["", "", fact, ""]):
        if number == 2:
            clock.advance(days=3)
        told = await memory.run(restate_same, "the key is under the pot", operation(f"r{number}"))
        assert told == expected
    assert await memory.run(restate_same, "The key is under the red pot.", operation("r9")) == ""
    found = (await memory.find(fact, scope=OWNER)).strength
    assert found
    assert (found.restated, found.uses, found.reviewed and found.reviewed[:10]) == (1, 0, "2026-01-04")


async def test_telling_again_is_counted_among_many_facts_that_have_most_words_in_common(
    memory: Memory, clock: FrozenClock, remember: Remember
) -> None:
    told = [f"On the {day}th the plumber comes to the house at {hour} and mends the tap." for day, hour in PLUMBER]
    facts = [await remember(text) for text in told]
    clock.advance(days=3)

    again = [await memory.run(restate_same, text.upper(), operation(f"r{n}")) for n, text in enumerate(told)]

    assert again == facts
    assert await memory.run(restate_same, "The plumber comes.", operation("r-none")) == ""
    assert await memory.run(restate_same, "Unheard, all of it.", operation("r-unknown")) == ""


async def test_a_pinned_fact_does_not_age_until_it_is_let_go_or_the_pin_is_undone(
    memory: Memory, clock: FrozenClock, remember: Remember
) -> None:
    fact = await remember("W @Peter: Keeps bees.")
    hit = await memory.run(pin, f" ^{fact} ", operation("p1"))
    assert hit.strength
    assert (hit.strength.pinned, hit.strength.due) == (True, None)
    clock.advance(days=3000)
    assert await strength(memory, fact) == 1
    await memory.run(pin, fact, operation("p2"), is_pinned=False)
    assert await strength(memory, fact) < 0.5
    await memory.run(pin, fact, operation("p3"))
    await memory.undo(op_id="u1", scope=OWNER, actor="owner")
    assert await strength(memory, fact) < 0.5


@pytest.mark.parametrize("id", ["nobody12", "", "^", "memory/2026-01-01.md"])
async def test_only_a_fact_that_is_there_is_pinned(memory: Memory, id: str) -> None:
    with pytest.raises(NotFound):
        await memory.run(pin, id, operation("p1"))
    assert not await memory.is_done("p1")


async def test_what_fades_next_comes_first_and_the_rest_is_counted(
    memory: Memory, clock: FrozenClock, remember: Remember
) -> None:
    for text in ("Plain.", "W(i=0.25): A trifle.", "W(i=0.3): Less of one.", "T(due=2026-05-05): Later.", "Pin."):
        await remember(text)
    pinned = (await memory.recall("Pin", scope=OWNER)).hits[0].id
    await memory.run(pin, pinned, operation("p1"))
    found = await memory.run(due, scope=OWNER, days=60)
    assert [(hit.content, hit.strength and hit.strength.due) for hit in found.facts] == [
        ("A trifle.", "2026-01-28"), ("Less of one.", "2026-02-09"),
    ]  # fmt: skip
    assert (found.faded, found.pinned) == (0, 1)
    assert len((await memory.run(due, scope=OWNER, days=60, limit=1)).facts) == 1
    clock.advance(days=30)
    found = await memory.run(due, scope=OWNER)
    assert ([hit.content for hit in found.facts], found.faded) == (["Less of one."], 1)
    assert (await memory.run(due, scope=GROUP)).facts == ()
    assert len((await memory.run(due, scope=OWNER, days=10**12)).facts) == 2


async def test_what_is_superseded_and_what_stands_for_it_are_both_known_at_once(
    memory: Memory, remember: Remember
) -> None:
    old = await remember("The key is under the pot.")
    done = await memory.supersede(
        old, "The key is in the shed.", origin=Origin.OWNER, scope=OWNER, op_id="s", actor="owner"
    )
    assert [hit.id for hit in await memory.recent(scope=OWNER)] == [done.written.fact.id]


async def test_what_takes_the_place_of_a_pinned_fact_is_pinned_until_that_is_there_again(
    memory: Memory, remember: Remember
) -> None:
    async def is_pinned(id: str | None) -> bool:
        found = (await memory.find(id or "", scope=OWNER)).strength
        return found is not None and found.pinned

    old, free = await remember("The key is under the pot."), await remember("The bin is green.")
    await memory.run(pin, old, operation("p1"))
    supersede = partial(memory.supersede, origin=Origin.OWNER, scope=OWNER, actor="owner")
    new = (await supersede(old, "The key is in the shed.", op_id="s1")).written.fact.id
    other = (await supersede(free, "The bin is blue.", op_id="s2")).written.fact.id
    assert (await is_pinned(new), await is_pinned(other)) == (True, False)
    record = await memory.run(fact_record, new or "", scope=OWNER)
    assert (record.events, [one.id for one in record.replaces]) == ((), [old])
    await memory.run(pin, new or "", operation("p2"), is_pinned=False)
    newest = (await supersede(new or "", "The key is in the car.", op_id="s3")).written.fact.id
    assert not await is_pinned(newest)
    await memory.undo(op_id="u1", scope=OWNER, actor="owner", only={"s3", "s3/old"})
    await memory.undo(op_id="u2", scope=OWNER, actor="owner", only={"s1", "s1/old"})
    assert await is_pinned(old)


async def test_an_appointment_of_another_day_is_not_known_though_its_words_are(
    memory: Memory, clock: FrozenClock, remember: Remember
) -> None:
    texts = ("Dentist tomorrow at 9", "Am Freitag kommt der Klempner.", "明天去看牙医。", "Closed on Mondays.")
    for text in texts:
        await remember(text)
    clock.advance(days=35)
    found = [await memory.run(find_same, text, origin=Origin.OWNER, scope=OWNER) for text in texts]
    assert [hit.content if hit else None for hit in found] == [None, None, None, texts[-1]]


async def test_the_fact_before_is_known_though_the_index_need_not_take_it_in_first(
    tmp_path: Path, clock: FrozenClock
) -> None:
    with ExitStack() as resources:
        engine = MemoryEngine(tmp_path / "w", tmp_path / "i.sqlite", {"clock": clock}, resources=resources)

        def look(text: str, scope: Scope = OWNER) -> tuple[str, int]:
            found = engine.run(partial(find_same, text=text, origin=Origin.OWNER, scope=scope))
            return found.content if found else "", engine.index_manager.ask(Index.totals).facts

        engine.remember("W @Ana: Has a dog.", operation("1"), keep_secrets=False)
        assert [look("W @Ben: Has a dog."), look("The bin is blue.")] == [("", 0), ("", 0)]
        assert [look("W @Ana: has a DOG"), look("W @Ana: Has a dog.", GROUP)] == [("Ana: Has a dog.", 1), ("", 1)]


async def test_a_fact_that_was_just_noted_is_known(memory: Memory, remember: Remember) -> None:
    await remember("The key is under the pot.")
    found = await memory.find_same("the key is under the pot", origin=Origin.OWNER, scope=OWNER)
    assert found
    assert found.content == "The key is under the pot."


async def test_what_has_a_day_of_its_own_is_compared_by_the_day_on_which_it_was_said(
    memory: Memory, clock: FrozenClock, remember: Remember
) -> None:
    await remember("T(due=2026-01-02): Call the dentist tomorrow")
    again = await memory.run(find_same, "Call the dentist tomorrow", origin=Origin.OWNER, scope=OWNER)
    clock.advance(days=1)
    later = await memory.run(find_same, "Call the dentist tomorrow", origin=Origin.OWNER, scope=OWNER)
    assert (again is not None, later) == (True, None)
