from __future__ import annotations

from adapters.port import ChatKind
from tests.support.conversation import Conversation
from tests.support.factories import chat

WISH = "Always answer me in metric units."
OTHER = "I prefer short answers."


async def test_there_is_nothing_to_look_through_at_first(here: Conversation) -> None:
    assert (await here.say("/review")).startswith("Nothing waits for you.")


async def test_a_proposal_is_shown_as_a_diff_and_accepted_by_its_button(here: Conversation) -> None:
    await here.say(f"/remember {WISH}")

    shown = await here.reply("/review")
    assert f"+ - {WISH}" in shown.text
    assert "`memory/2026-11-21.md#L4`" in shown.text
    assert [button.label for button in shown.buttons] == ["Accept", "Edit", "Reject"]
    told = await here.say(shown.buttons[0].data)

    assert told.startswith("Done in `USER.md`; `/undo` takes it back.")
    assert "Nothing waits" in told
    assert here.lines("USER.md") == [f"- {WISH}", ""]


async def test_after_a_decision_the_next_one_is_shown(here: Conversation) -> None:
    await here.say(f"/remember {WISH}")
    await here.say(f"/remember {OTHER}")
    first = await here.reply("/review")
    assert "1 more behind it." in first.text

    second = await here.reply(next(one.data for one in first.buttons if one.label == "Later"))
    assert second.text != first.text
    told = await here.say(next(one.data for one in second.buttons if one.label == "Reject"))

    assert told.startswith("Not taken; I shall not propose it again.")
    assert "1 more" not in told


async def test_a_proposal_is_taken_in_other_words(here: Conversation) -> None:
    await here.say(f"/remember {WISH}")
    shown = await here.reply("/review")
    edit = next(one.data for one in shown.buttons if one.label == "Edit")

    assert edit in await here.say(edit)
    await here.say(f"{edit} Metric   units, please.")

    assert here.lines("USER.md") == ["- Metric units, please.", ""]


async def test_what_is_not_there_is_said(here: Conversation) -> None:
    assert "No proposal `p0000000` waits." in await here.say("/review accept p0000000")
    assert "I did not understand that." in await here.say("/review maybe")


async def test_it_shows_nothing_where_others_read_along(here: Conversation) -> None:
    await here.say(f"/remember {WISH}")

    assert "private chat" in await here.say("/review", at=chat("-100", kind=ChatKind.GROUP))
