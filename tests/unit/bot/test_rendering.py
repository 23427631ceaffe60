from __future__ import annotations

from dataclasses import replace

import pytest

from adapters.port import Button, Capabilities, ChatKind, Happening
from bot.turn import Reply, Turn
from tests.stands import Stand


async def choice(turn: Turn) -> Reply:
    if turn.text == "yes":
        return Reply("Done.")
    return Reply("Sure?", buttons=(Button("Yes", "yes"),))


@pytest.mark.parametrize(
    ("kind", "shown"), [(ChatKind.PRIVATE, ["Done."]), (ChatKind.GROUP, ["Sure?", "Done."])], ids=str
)
async def test_what_a_tap_achieves_takes_the_place_of_the_question_where_nobody_else_is_asked(
    kind: ChatKind, shown: list[str]
) -> None:
    first = Stand(choice, capabilities=Capabilities(4096, edits=True, buttons=True))
    asked = first.adapter.say("go", kind=kind)
    assert await first.run() == ["Sure?"]
    assert [button.data for button in first.adapter.shown[0].buttons] == ["yes"]

    second = Stand(choice, first.coordinator, adapter=first.adapter)
    tap = replace(asked, update="tap", text="yes", message="0", happening=Happening.BUTTON)
    second.adapter.repeat(tap)

    assert await second.run() == shown
    assert second.adapter.shown[-1].buttons == ()
    assert second.adapter.shown[-1].reply_to is None
