from __future__ import annotations

from tests.support.conversation import Conversation


async def test_a_walk_shows_facts_with_their_places(here: Conversation) -> None:
    for number in range(8):
        await here.say(f"/remember Lamp number {number} hangs in the cellar.")

    told = await here.say("/wander")
    facts, places = told.splitlines()[::2], told.splitlines()[1::2]

    assert len({*facts}) == len(places) == 5
    assert all("hangs in the cellar." in fact for fact in facts)
    assert all("memory/2026-11-21.md#L" in place for place in places)
    assert await here.say("/wander") != told


async def test_an_empty_memory_has_nothing_to_wander_over(here: Conversation) -> None:
    assert await here.say("/wander") == "There are no facts to wander over yet."
