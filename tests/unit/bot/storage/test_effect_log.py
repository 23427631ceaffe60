from __future__ import annotations

import pytest

from bot.storage.effect_log import EffectLog
from bot.storage.in_memory import InMemoryCoordinator


async def test_a_call_is_known_again_in_every_attempt_whatever_its_order() -> None:
    coordinator = InMemoryCoordinator()
    (grant,) = await coordinator.claim("first", ["personal"])
    first = EffectLog(coordinator, grant, "t")
    one, two = await first.begin("one"), await first.begin("two")
    await first.done("two", "2")

    (grant,) = await coordinator.claim("second", ["personal"])
    second = EffectLog(coordinator, grant, "t")
    three, again, unfinished = await second.begin("three"), await second.begin("two"), await second.begin("one")

    assert [begun.op_id for begun in (one, two, three)] == ["t:t0", "t:t1", "t:t2"]
    assert (again.op_id, again.result) == (two.op_id, "2")
    assert (unfinished.op_id, unfinished.result) == (one.op_id, None)
    assert [effect.call for effect in await coordinator.effects(grant, "t")] == ["one", "two", "three"]


async def test_within_one_attempt_the_same_call_is_one_effect() -> None:
    coordinator = InMemoryCoordinator()
    (grant,) = await coordinator.claim("first", ["personal"])
    effects = EffectLog(coordinator, grant, "t")
    await effects.begin("one")
    await effects.done("one", "1")

    assert (await effects.begin("one")).result == "1"


async def test_turns_know_nothing_of_each_others_effects() -> None:
    coordinator = InMemoryCoordinator()
    (grant,) = await coordinator.claim("first", ["personal"])
    await EffectLog(coordinator, grant, "t").begin("one")

    assert (await EffectLog(coordinator, grant, "u").begin("one")).op_id == "u:t0"


@pytest.mark.parametrize("only_adds", [True, False])
async def test_a_call_is_outdated_once_another_that_does_more_than_add_was_carried_out(*, only_adds: bool) -> None:
    coordinator = InMemoryCoordinator()
    (grant,) = await coordinator.claim("first", ["personal"])
    effects = EffectLog(coordinator, grant, "t")
    for call in ("one", "two"):
        await effects.begin(call, only_adds=only_adds)
        await effects.done(call, "{}", only_adds=only_adds)

    assert [(await effects.begin(call)).is_outdated for call in ("one", "two")] == [not only_adds, False]
