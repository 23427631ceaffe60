"""Pages that are edited before and while reflection writes them keep every line of both."""

from __future__ import annotations

from tests.chaos.hand_edits import run


async def test_no_line_of_a_person_and_no_entry_of_the_bot_is_lost() -> None:
    found = await run(10, seed=3)

    assert found["edits"] > 10
    assert found["during"] > 3
    assert found["moved"] > 0
    assert (found["human_lost"], found["entries_lost"], found["unflagged"]) == (0, 0, 0)
