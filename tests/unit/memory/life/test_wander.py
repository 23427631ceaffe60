from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping
from datetime import date
from functools import partial
from pathlib import Path

import pytest

from memory import OWNER, FrozenClock, Memory, Origin, Scope
from memory.index.sql import Index
from memory.index.sqlite import SqliteIndex
from memory.index.types import FileChange, FileState
from memory.index.units import chunk
from memory.life.wander import MAX_STEPS, walk, wander
from memory.strength import Fading, Life
from tests.support.factories import NOON
from tests.unit.memory.index.conftest import owners

TODAY = date(2026, 11, 21)
NEVER = "2020-01-01"


def collected(text: str, lives: list[Life]) -> Index:
    index = SqliteIndex.open(Path(":memory:"))
    path = "memory/2026-11-20.md"
    index.write([FileChange(path, FileState(1, 1, text), chunk(path, text, owners=owners(path, {})))])
    index.lives.write(lives)
    return index


def ways(index: Index, steps: int, count: int = 100) -> list[list[str]]:
    names = {fact.id: fact.name for fact in index.lives.facts(scope=OWNER)}
    found = [
        walk(index, random.Random(seed), scope=OWNER, today=TODAY, fading=Fading(), steps=steps)
        for seed in range(count)
    ]
    return [[names[unit] for unit in way] for way in found]


def fresh(name: str, *, links: Mapping[str, float] | None = None, merged_into: str = "") -> Life:
    return Life(name, stability=100.0, reviewed="2026-11-20", merged_into=merged_into, links=links or {})


def stale(name: str) -> Life:
    return Life(name, stability=2.0, reviewed=NEVER)


FACTS = "## Retain\n" + "".join(f"- Thing {n}. ^f{n}\n" for n in range(5))


def test_a_walk_begins_with_what_is_overdue() -> None:
    index = collected(FACTS, [*(fresh(f"f{n}") for n in range(4)), stale("f4")])
    assert {way[0] for way in ways(index, 1)} == {"f4"}


def test_from_a_strong_fact_two_of_five_steps_jump_to_an_overdue_one_and_the_others_follow_a_link() -> None:
    lives = [fresh("f0", links={"f1": 0.9}), fresh("f1"), fresh("f2"), stale("f3")]
    index = collected(FACTS.replace("- Thing 4. ^f4\n", ""), lives)
    begun = [way for way in ways(index, 3, 1200) if way[:2] == ["f3", "f0"]]
    after = Counter(way[2] for way in begun)
    assert after["f1"] / len(begun) == pytest.approx(0.6 + 0.4 / 2, abs=0.1)  # or drawn: nothing else is overdue
    assert after["f1"] + after["f2"] == len(begun) > 300


def test_no_fact_comes_twice_and_a_walk_ends_where_there_are_no_more() -> None:
    index = collected(FACTS, [fresh("f0", links={"f1": 1.0}), fresh("f1", links={"f0": 1.0})])
    assert all(sorted(way) == ["f0", "f1", "f2", "f3", "f4"] for way in ways(index, 20, 40))
    assert ways(collected("", []), 5, 1) == [[]]


def test_a_walk_passes_by_what_is_merged() -> None:
    index = collected(FACTS, [fresh("f0", merged_into="f1", links={"f2": 1.0})])
    assert all("f0" not in way for way in ways(index, 5, 40))


def test_a_walk_is_bounded() -> None:
    many = "## Retain\n" + "".join(f"- Thing {n}. ^f{n}\n" for n in range(2 * MAX_STEPS))
    assert len(ways(collected(many, []), 10**6, 1)[0]) == MAX_STEPS


async def test_the_same_seed_takes_the_same_way_in_its_own_scope_and_strengthens_nothing(tmp_path: Path) -> None:
    clock = FrozenClock(NOON)
    async with await Memory.open(tmp_path / "w", index=tmp_path / "i.sqlite", clock=clock) as memory:
        for number in range(20):
            text = f"Thing number {number}."
            await memory.remember(text, origin=Origin.OWNER, scope=OWNER, op_id=text, actor="a")
        guests = Scope("chat:7")
        await memory.remember("Theirs.", origin=Origin.GUEST, scope=guests, op_id="g", actor="b")
        head = await memory.head()
        first, again, other = [await memory.run(partial(wander, scope=OWNER, seed=seed)) for seed in (1, 1, 2)]
        theirs = await memory.run(partial(wander, scope=guests, seed=1))
        assert [hit.content for hit in theirs] == ["Theirs."]
        assert await memory.head() == head
    assert [hit.id for hit in first] == [hit.id for hit in again] != [hit.id for hit in other]
    assert len({hit.id for hit in first}) == 5
    assert all(hit.scope == OWNER and hit.strength for hit in first)
