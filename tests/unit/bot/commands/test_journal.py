from __future__ import annotations

from adapters.port import ChatKind
from memory import OWNER, Origin
from memory.journal.records import Operation
from memory.life.reviews import review
from memory.strength import Rating
from tests.support.conversation import Conversation
from tests.support.factories import chat


async def test_the_last_changes_stand_there_newest_first(here: Conversation) -> None:
    await here.say("/remember The spare key is under the blue pot.")
    await here.say("/remember Ana has the other one.")

    shown = await here.reply("/journal")

    first, second = shown.text.index("Ana has"), shown.text.index("blue pot")
    assert first < second
    assert "noted · memory/2026-11-21.md · ^" in shown.text
    assert [button.data for button in shown.buttons] == ["/undo"]


async def test_what_was_taken_back_says_so(here: Conversation) -> None:
    await here.say("/remember Not this.")
    undo = (await here.reply("/journal")).buttons[0]
    await here.say(undo.data)

    shown = await here.reply("/journal")

    assert "taken back" in shown.text
    assert "(taken back)" in shown.text
    assert shown.buttons == ()


async def test_one_file_or_one_fact(here: Conversation) -> None:
    await here.say("/remember One.")
    receipt = await here.say("/remember Two.")
    name = receipt.splitlines()[0].rsplit(" ", 1)[1]

    assert "One." not in await here.say(f"/journal {name}")
    assert "One." in await here.say("/journal memory/2026-11-21.md")
    assert "One." not in await here.say("/journal 1")
    assert (await here.say("/journal USER.md")).startswith("Nothing was done about `USER.md`.")


async def test_an_edit_of_a_page_shows_the_lines_that_changed(here: Conversation) -> None:
    await here.say("/remember Always answer me in metric units.")
    await here.say((await here.reply("/review")).buttons[0].data)

    shown = await here.say("/journal 2")

    assert "edited · USER.md" in shown
    assert "+ - Always answer me in metric units." in shown


async def test_a_group_sees_its_own_and_nothing_else(here: Conversation) -> None:
    await here.say("/remember The safe opens with 4711.")
    group = chat("-100", kind=ChatKind.GROUP)
    assert "4711" not in await here.say("/journal", at=group)

    await here.say("/remember The meeting is at ten.", at=group)
    shown = await here.say("/journal", at=group)
    assert "The meeting is at ten." in shown
    assert "4711" not in shown


async def test_what_happens_by_the_way_takes_no_line_but_of_a_fact_that_is_named(here: Conversation) -> None:
    receipt = await here.say("/remember The spare key is under the blue pot.")
    name = receipt.splitlines()[0].rsplit("^", 1)[1]
    operation = Operation("op", "owner", Origin.OWNER, OWNER)
    await here.agents["personal"].memory.run(review, {name: Rating.GOOD}, operation, reason="cited")

    assert "reviewed" not in await here.say("/journal")
    assert "reviewed" in await here.say(f"/journal ^{name}")
