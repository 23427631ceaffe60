from __future__ import annotations

from memory import OWNER, Origin
from tests.support.conversation import Conversation


async def test_what_was_not_to_be_expected_is_shown_with_its_place(here: Conversation) -> None:
    assert await here.say("/surprises") == "Nothing that I have observed was a surprise."
    memory = here.agents["personal"].memory
    await memory.observe("We decided to move.", origin=Origin.OWNER, scope=OWNER, op_id="observe:1", actor="owner")
    shown = await here.say("/surprises")
    assert shown.startswith("Not to be expected was:\n- We decided to move. (`memory/2026-11-21.md#L4`, `^")
