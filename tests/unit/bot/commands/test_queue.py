from __future__ import annotations

from pathlib import Path

import pytest

from bot.access.access import Access, AccessRules
from bot.access.chat_settings import QueueMode
from bot.storage.keys import Principal
from bot.storage.sqlite import SqliteCoordinator
from memory import FrozenClock
from tests.support.conversation import Conversation
from tests.support.factories import HOME, NOON


async def test_it_shows_what_holds_with_a_button_for_each_other_mode(here: Conversation) -> None:
    reply = await here.reply("/queue")

    assert "answered together, afterwards. `collect`" in reply.text
    assert [button.data for button in reply.buttons] == ["/queue follow_up", "/queue steer", "/queue interrupt"]


@pytest.mark.parametrize(
    ("typed", "mode"), [("follow", QueueMode.FOLLOW_UP), ("STEER", QueueMode.STEER), ("interrupt", QueueMode.INTERRUPT)]
)
async def test_a_mode_wins_over_the_configuration_until_it_is_taken_back(
    here: Conversation, typed: str, mode: QueueMode
) -> None:
    reply = await here.reply(f"/queue {typed}")

    assert f"`{mode}` (set here)" in reply.text
    assert here.context.access.settings(HOME).queue is mode
    assert "set here" not in (await here.reply("/queue default")).text
    assert here.context.access.settings(HOME).queue is QueueMode.COLLECT


@pytest.mark.parametrize("typed", ["later", "c x", "steer now"])
async def test_a_word_that_is_no_mode_changes_nothing(here: Conversation, typed: str) -> None:
    assert "There is no such mode" in await here.say(f"/queue {typed}")
    assert not here.context.register.settings(HOME)


async def test_a_guest_may_not_change_it(here: Conversation) -> None:
    guest = Principal("volatile:7", "Grace", is_owner=False)

    assert await here.say("/queue steer", who=guest) == "Only my owner may use `/queue`."


async def test_a_mode_is_kept_over_a_restart_and_platforms_have_their_own(tmp_path: Path) -> None:
    rules = AccessRules(queue={"telegram": QueueMode.STEER, "terminal": QueueMode.INTERRUPT})
    async with SqliteCoordinator.open(tmp_path / "state.sqlite", clock=FrozenClock(NOON)) as state:
        assert Access(rules, register=state.register).settings(HOME).queue is QueueMode.INTERRUPT
        await state.register.set(HOME, "queue", "follow_up")

    async with SqliteCoordinator.open(tmp_path / "state.sqlite", clock=FrozenClock(NOON)) as state:
        assert Access(rules, register=state.register).settings(HOME).queue is QueueMode.FOLLOW_UP
