from __future__ import annotations

from tests.support.conversation import Conversation


async def test_it_lists_the_day_in_the_order_of_its_lines(here: Conversation) -> None:
    for text in ("First the bread.", "Then the butter."):
        await here.say(f"/remember {text}")

    lines = (await here.say("/today")).splitlines()

    assert lines[0] == "Written on 2026-11-21:"
    assert [line.split("(")[0] for line in lines[1:]] == ["- First the bread. ", "- Then the butter. "]
    assert all("memory/2026-11-21.md#L" in line for line in lines[1:])


async def test_the_day_changes_at_midnight_where_the_owner_lives(here: Conversation) -> None:
    await here.say("/remember Before midnight.")
    here.clock.advance(hours=11)  # 23:00 in UTC, midnight in Berlin

    assert await here.say("/today") == "Nothing has been written today (2026-11-22)."
