from __future__ import annotations

import pytest

from tests.support.conversation import Conversation


async def test_what_fades_next_is_listed_with_its_day(here: Conversation) -> None:
    await here.say("/remember W(i=0.25): The bus was late.")
    await here.say("/remember The tent is in the cellar.")

    told = (await here.say("/due")).splitlines()

    assert "The bus was late." in told[0]
    assert told[0].endswith("fades on 2026-12-18")
    assert told[1:] == ["", "1 fact to fade within 30 days; 0 faded, 0 pinned."]
    assert "tent" in await here.say("/due 300")
    here.clock.advance(days=40)
    assert await here.say("/due 30d") == "0 facts to fade within 30 days; 1 faded, 0 pinned."


async def test_all_that_fade_are_counted_and_the_first_are_listed(here: Conversation) -> None:
    for number in range(21):
        await here.say(f"/remember W(i=0.25): Bus {number} was late.")

    told = (await here.say("/due")).splitlines()

    assert len([line for line in told if "was late" in line]) == 20
    assert told[-1].startswith("21 facts to fade within 30 days;")


@pytest.mark.parametrize("days", ["0", "-1", "soon", "99999", "²"])
async def test_a_span_that_makes_no_sense_is_answered_with_an_example(here: Conversation, days: str) -> None:
    assert "`/due 90`" in await here.say(f"/due {days}")


async def test_what_has_faded_is_found_with_an_option(here: Conversation) -> None:
    await here.say("/remember W(i=0.25) @Peter: The bus was late.")
    here.clock.advance(days=40)

    assert (await here.say("/recall Peter")).startswith("Nothing found.")
    assert "The bus was late." in await here.say("/recall --faded Peter")
    assert "The bus was late." in await here.say("/recall Peter —faded")
    assert "The bus was late." in await here.say("/recall the bus")


async def test_telling_a_known_fact_again_on_another_day_counts(here: Conversation) -> None:
    told = await here.say("/remember The tent is in the cellar.")
    fact = told.partition("^")[2][:8]
    here.clock.advance(days=10)

    assert "I know that already" in await here.say("The tent is in the cellar.")
    assert "told again 1 time" in await here.say(f"/why ^{fact}")
    here.clock.advance(days=10)
    assert "I know that already" in await here.say("/remember The tent is in the cellar.")
    assert "told again 2 times" in await here.say(f"/why ^{fact}")
