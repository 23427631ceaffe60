from __future__ import annotations

from bot.turn import Principal
from tests.rooms import Room
from tests.samples import OWNER

THERE = Principal("discord:9", "Ada", is_owner=False)


async def test_both_sides_agree_and_are_told_what_to_do_next(here: Room) -> None:
    code = (await here.say("/link")).partition("`/link ")[2][:8]

    assert "telegram" not in code
    assert f"`{OWNER.id}` writes `/link yes`" in await here.say(f"/link {code}", who=THERE)
    assert (await here.say("/link yes")).startswith("From now on, `discord:9` (Ada) is you.")


async def test_without_the_other_side_nothing_is_linked(here: Room) -> None:
    assert "Nobody has answered" in await here.say("/link yes")
    assert "There is no such code" in await here.say("/link AAAAAAAA", who=THERE)
