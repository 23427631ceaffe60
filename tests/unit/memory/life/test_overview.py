"""A memory to look around in."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memory import OWNER, FactSource, Filter, FrozenClock, Kind, Memory, Origin, chat_scope
from memory.errors import NotFound
from memory.index.types import EntityOrder, FactOrder, FactQuery, FactState
from memory.journal.records import Action, Operation
from memory.knowledge.context import KnowledgeContext
from memory.life import overview
from memory.life.overview import (
    count_days,
    entity_graph,
    life_stats,
    list_entities,
    list_facts,
    list_opinions,
    on_this_day,
    strength_curve,
    strength_overview,
)
from memory.life.reviews import pin, review
from memory.strength import Rating

CHAT = chat_scope("x.y:1")
TOLD = ("W @Ada @Bo: The key hangs in the shed.", "B @Ada: We met at the lake.", "O(c=0.6) @Bo: Tea is better.")


@asynccontextmanager
async def opened(folder: Path, clock: FrozenClock) -> AsyncIterator[tuple[Memory, list[str]]]:
    """A memory with three facts of the owner, a day apart, and one of a chat."""
    async with await Memory.open(folder / "w", index=folder / "i.sqlite", clock=clock) as memory:
        ids = []
        for text in TOLD:
            written = await memory.remember(text, origin=Origin.OWNER, scope=OWNER, op_id=text, actor="o")
            ids.append(written.fact.id or "")
            clock.advance(days=1)
        await memory.remember("W @Cy: A guest's secret.", origin=Origin.GUEST, scope=CHAT, op_id="g", actor="g")
        yield memory, ids


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock(datetime(2026, 1, 10, 9, tzinfo=UTC))


def operation(name: str) -> Operation:
    return Operation(name, "o", Origin.OWNER, OWNER)


def merge(context: KnowledgeContext, id: str, into: str) -> None:
    context.writer.note({id: ""}, operation("merge"), Action.MERGE, {id: {"into": into}})
    context.index_manager.refresh([])


async def test_a_list_is_narrowed_ordered_and_paged(tmp_path: Path, clock: FrozenClock) -> None:
    async with opened(tmp_path, clock) as (memory, ids):

        async def listed(query: FactQuery) -> list[str]:
            return [hit.id for hit in (await memory.run(list_facts, query, scope=OWNER)).facts]

        page = await memory.run(list_facts, FactQuery(limit=2, offset=1), scope=OWNER)
        assert ([hit.id for hit in page.facts], page.total) == ([ids[1], ids[0]], 3)
        assert page.facts[0].strength is not None
        assert await listed(FactQuery(order=FactOrder.OLDEST)) == ids
        assert await listed(FactQuery(Filter(kinds=(Kind.OPINION,)))) == [ids[2]]
        assert await listed(FactQuery(Filter(entities=("ada",)))) == [ids[1], ids[0]]
        assert await listed(FactQuery(sources=(FactSource.CRON,))) == []
        behind = await memory.run(list_facts, FactQuery(offset=50), scope=OWNER)
        assert behind.facts == ()


async def test_a_list_knows_what_has_faded_is_pinned_or_was_merged(tmp_path: Path, clock: FrozenClock) -> None:
    async with opened(tmp_path, clock) as (memory, ids):
        await memory.run(review, {ids[1]: Rating.GOOD}, operation("r"), reason="cited")
        await memory.run(pin, ids[2], operation("p"))
        clock.advance(days=300)

        async def listed(
            state: FactState, *, weaker_than: float | None = None, as_strong_as: float | None = None
        ) -> list[str]:
            query = FactQuery(state=state, weaker_than=weaker_than, as_strong_as=as_strong_as, order=FactOrder.WEAKEST)
            return [hit.id for hit in (await memory.run(list_facts, query, scope=OWNER)).facts]

        assert await listed(FactState.FADED) == [ids[0]]
        assert await listed(FactState.ALIVE) == [ids[1], ids[2]]
        assert await listed(FactState.PINNED) == [ids[2]]
        hits = (await memory.run(list_facts, FactQuery(order=FactOrder.WEAKEST), scope=OWNER)).facts
        middle = sorted(hit.strength.retrievability for hit in hits if hit.strength)[1]
        assert await listed(FactState.ALL, weaker_than=middle - 0.001) == [ids[0]]
        assert await listed(FactState.ALL, as_strong_as=middle - 0.001) == [ids[1], ids[2]]
        used = await memory.run(list_facts, FactQuery(order=FactOrder.MOST_USED, limit=1), scope=OWNER)
        assert used.facts[0].id == ids[1]

        await memory.run(merge, ids[0], ids[1])
        assert await listed(FactState.MERGED) == [ids[0]]
        assert await listed(FactState.FADED) == []


async def test_days_and_this_day(tmp_path: Path, clock: FrozenClock) -> None:
    async with opened(tmp_path, clock) as (memory, ids):
        assert await memory.run(count_days, scope=OWNER) == {"2026-01-10": 1, "2026-01-11": 1, "2026-01-12": 1}
        clock.advance(days=(datetime(2027, 1, 11, 9, tzinfo=UTC) - clock.now()).days)
        assert [hit.id for hit in await memory.run(on_this_day, scope=OWNER)] == [ids[1]]
        clock.advance(days=30)  # 10 February
        assert [hit.id for hit in await memory.run(on_this_day, scope=OWNER)] == [ids[0]]


async def test_strength_in_numbers_agrees_with_every_fact(tmp_path: Path, clock: FrozenClock) -> None:
    async with opened(tmp_path, clock) as (memory, ids):
        await memory.run(review, {ids[1]: Rating.EASY}, operation("r"), reason="cited")
        clock.advance(days=200)

        found = await memory.run(strength_overview, scope=OWNER, days=400)
        hits = (await memory.run(list_facts, FactQuery(), scope=OWNER)).facts
        strengths = [hit.strength for hit in hits if hit.strength]
        assert found.facts == sum(found.retrievability) == sum(found.stability) == 3
        assert sum(found.difficulty) == 1
        assert found.mean == pytest.approx(sum(one.retrievability for one in strengths) / 3, abs=1e-3)
        due = [one.due for one in strengths if one.due]
        assert found.faded + sum(found.fading.values()) == sum(day <= max(found.fading) for day in due)

        empty = await memory.run(strength_overview, scope=chat_scope("x.y:2"))
        assert (empty.facts, empty.mean, sum(empty.fading.values())) == (0, 0.0, 0)


async def test_a_curve_falls_between_reviews_and_rises_at_them(tmp_path: Path, clock: FrozenClock) -> None:
    async with opened(tmp_path, clock) as (memory, ids):
        clock.advance(days=40)
        await memory.run(review, {ids[0]: Rating.GOOD}, operation("r"), reason="cited")
        at = clock.now().date().isoformat()

        found = await memory.run(strength_curve, f"^{ids[0]}", scope=OWNER)
        points = dict(found.points)
        assert [reason for _, reason in found.reviews] == ["written", "cited"]
        assert points["2026-01-10"] == points[at] == 1.0
        assert points["2026-01-30"] < 1
        later = [value for day, value in found.points if day >= at]
        assert later == sorted(later, reverse=True)
        assert found.fades is not None
        assert found.fades > at
        for unknown in ("nobody", ""):
            with pytest.raises(NotFound):
                await memory.run(strength_curve, unknown, scope=OWNER)
        with pytest.raises(NotFound):
            await memory.run(strength_curve, ids[0], scope=CHAT)


async def test_names_with_their_facts_and_who_is_named_beside_them(tmp_path: Path, clock: FrozenClock) -> None:
    async with opened(tmp_path, clock) as (memory, _):
        entities, _ = await memory.run(list_entities, scope=OWNER)
        assert [(one.name, one.facts, one.last) for one in entities] == [
            ("Ada", 2, "2026-01-11"),
            ("Bo", 2, "2026-01-12"),
        ]
        newest, total = await memory.run(list_entities, scope=OWNER, order=EntityOrder.NEWEST, limit=1)
        assert ([one.name for one in newest], total) == (["Bo"], 2)
        assert [one.name for one in (await memory.run(list_entities, scope=OWNER, words="AD"))[0]] == ["Ada"]

        graph = await memory.run(entity_graph, "Ada", scope=OWNER, depth=3)
        assert (graph.centre, dict(graph.names)) == ("ada", {"ada": "Ada", "bo": "Bo"})
        assert graph.edges == (("ada", "bo", 1),)
        alone = await memory.run(entity_graph, "Cy", scope=OWNER, depth=3)
        assert (dict(alone.distances), alone.edges) == ({"cy": 0}, ())


async def test_an_opinion_tells_how_sure_it_was(tmp_path: Path, clock: FrozenClock) -> None:
    async with opened(tmp_path, clock) as (memory, ids):
        (course,), older = await memory.run(list_opinions, scope=OWNER)
        assert (course.opinion.id, older) == (ids[2], 0)
        assert course.confidences == (("", 0.6),)
        assert course.conflict == 0


async def test_opinions_beyond_the_most_that_are_looked_at_are_counted(
    tmp_path: Path, clock: FrozenClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(overview, "MAX_OPINIONS", 2)
    async with await Memory.open(tmp_path / "w", index=tmp_path / "i.sqlite", clock=clock) as memory:
        for text in ("O(c=0.6): Likes tea.", "O(c=0.6): Likes rain.", "O(c=0.6): Likes trams."):
            await memory.remember(text, origin=Origin.OWNER, scope=OWNER, op_id=text, actor="o")

        courses, older = await memory.run(list_opinions, scope=OWNER)

    assert (len(courses), older) == (2, 1)


async def test_stores_strength_links_and_decisions_are_counted(tmp_path: Path) -> None:
    clock = FrozenClock(datetime(2026, 1, 1, tzinfo=UTC))
    async with await Memory.open(tmp_path / "w", index=tmp_path / "i.sqlite", clock=clock) as memory:
        ids = []
        for text in ("W @A: One.", "B @A: Two.", "O(c=0.5): Three.", "P @A: Four.", "T @A: Five.", "W(i=0.25): Six."):
            written = await memory.remember(text, origin=Origin.OWNER, scope=OWNER, op_id=text, actor="o")
            ids.append(written.fact.id or "")
        clock.advance(days=15)

        def note(context: KnowledgeContext, action: Action, number: int, details: dict[str, object]) -> None:
            operation = Operation(f"{action}{number}", "o", Origin.OWNER, OWNER)
            context.writer.note({ids[number]: ""}, operation, action, {ids[number]: details})
            context.index_manager.refresh([])

        await memory.run(note, Action.LINK, 0, {"links": {ids[1]: 0.7, ids[2]: 0.6}})
        await memory.run(note, Action.LINK, 1, {"links": {ids[0]: 0.7}})
        await memory.run(note, Action.MERGE, 2, {"into": ids[0]})
        await memory.run(note, Action.GATE, 1, {"decision": "link"})
        await memory.run(note, Action.RESTATE, 1, {"similarity": 0.9})
        await memory.run(note, Action.PIN, 3, {})
        operation = Operation("r1", "o", Origin.OWNER, OWNER)
        await memory.run(review, {ids[0]: Rating.GOOD}, operation, reason="cited")
        for number in range(2):
            trifle = f"Saw bird number {number} today."
            await memory.observe(trifle, origin=Origin.OWNER, scope=OWNER, op_id=f"observe:{number}", actor="o")

        found = await memory.run(life_stats, scope=OWNER)
        assert found.stores == {"sensory": 2, "episodic": 1, "semantic": 2, "procedural": 1, "prospective": 1}
        assert found.strength["0.9"] == 4  # reviewed twice, said again, pinned, to come
        assert sum(found.strength.values()) == 5
        assert (found.faded, found.pinned, found.merged, found.due) == (0, 1, 1, 1)
        assert (found.links, found.linked) == (2, 3)
        assert found.gate == {"link": 1, "merge": 1}
        assert found.reviews == {"cited": 1}

        nothing = await memory.run(life_stats, scope=chat_scope("x.y:1"))
        assert "sensory" not in nothing.stores
        assert (sum(nothing.stores.values()), nothing.links, nothing.gate) == (0, 0, {})
