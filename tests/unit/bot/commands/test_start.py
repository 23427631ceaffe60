from __future__ import annotations

from tests.support.conversation import Conversation


async def test_it_greets_and_says_what_to_do_next(here: Conversation) -> None:
    greeting = await here.say("/start")

    assert greeting.startswith("Hello")
    assert "`/help`" in greeting
    assert await here.say("/start ABCD2345") == greeting
