from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from adapters.port import Address, ChatKind
from bot.access.access import Access, AccessRules
from bot.access.chat_settings import ChatRule, Listen, Speakers
from bot.storage.keys import Principal
from bot.storage.sqlite import SqliteCoordinator
from bot.turn import Reply
from memory import FrozenClock
from tests.support.conversation import Conversation, conversation
from tests.support.factories import HOME, NOON

TEAM = Address("terminal", "local", "team", ChatKind.GROUP)
RULES = AccessRules(groups=frozenset({"terminal:team"}), chats=(ChatRule("terminal", "team", {"context": 5}),))


@pytest.fixture
async def here(tmp_path: Path) -> AsyncIterator[Conversation]:
    async with conversation(tmp_path) as talk:
        talk.context.access = Access(RULES, register=talk.context.register)
        yield talk


def labels(reply: Reply) -> dict[str, str]:
    return {button.data: button.label for button in reply.buttons}


async def test_what_holds_in_a_group_is_shown_with_a_button_for_each_change(here: Conversation) -> None:
    reply = await here.reply("/settings", at=TEAM)

    assert "Everybody here may speak to me. `speakers everybody`" in reply.text
    assert "up to 5 messages that were said before" in reply.text
    assert "set here" not in reply.text
    assert labels(reply)["/settings listen all"] == "Listen to all"
    assert labels(reply)["/agent work"] == "Let work answer"
    assert "/settings speakers everybody" not in labels(reply)
    assert reply.in_place
    assert all(len(button.data.encode()) <= 64 for button in reply.buttons), "Telegram takes no longer ones"
    assert len(reply.buttons) <= 25, "Discord takes no more"


async def test_in_private_only_what_means_something_is_shown(here: Conversation) -> None:
    reply = await here.reply("/settings", at=HOME)

    assert "streaming" in reply.text
    assert "speakers" not in reply.text
    assert "Say which of `streaming`" in (await here.reply("/settings speakers owner", at=HOME)).text


async def test_what_telegram_hides_from_a_bot_is_told_where_it_is_to_hear_more_than_what_is_said_to_it(
    here: Conversation,
) -> None:
    family = Address("telegram", "7", "-100", ChatKind.GROUP)

    assert "/setprivacy" not in await here.say("/settings", at=family)
    for change in ("listen all", "context 20"):
        assert "/setprivacy" in await here.say(f"/settings {change}", at=family)
        await here.say("/settings reset", at=family)
    assert "/setprivacy" not in await here.say("/settings listen all", at=TEAM)


async def test_a_change_wins_over_the_configuration_until_it_is_taken_back(here: Conversation) -> None:
    reply = await here.reply("/settings context 0", at=TEAM)
    await here.reply("/settings listen all", at=replace(TEAM, thread="5"))
    now = here.context.access.settings(TEAM)

    assert "(set here)" in reply.text
    assert (now.context, now.listen) == (0, Listen.ALL)
    assert "/settings silence on" in labels(await here.reply("/settings", at=TEAM))

    await here.reply("/settings reset", at=TEAM)

    assert here.context.access.settings(TEAM) == here.context.access.configured(TEAM)
    assert here.context.access.settings(TEAM).context == 5


@pytest.mark.parametrize(
    "typed", ["listen loudly", "context 1000", "context -1", "silence maybe", "owner me", "listen"]
)
async def test_what_makes_no_sense_changes_nothing(here: Conversation, typed: str) -> None:
    reply = await here.reply(f"/settings {typed}", at=TEAM)

    assert "`/settings" in reply.text
    assert not here.context.register.settings(TEAM)


async def test_nobody_but_the_owner_may_change_anything(here: Conversation) -> None:
    guest = Principal("terminal:9", "Eve", is_owner=False)

    reply = await here.reply("/settings speakers everybody", at=TEAM, who=guest)

    assert reply.text == "Only my owner may use `/settings`."
    assert not here.context.register.settings(TEAM)


async def test_what_was_set_outlives_the_process(tmp_path: Path) -> None:
    path, clock = tmp_path / "state", FrozenClock(NOON)
    async with SqliteCoordinator.open(path, clock=clock) as state:
        for name, value in {"speakers": "owner", "listen": "all", "silence": "on", "context": "7"}.items():
            await state.register.set(TEAM, name, value)
        await state.register.set(TEAM, "context", None)
    async with SqliteCoordinator.open(path, clock=clock) as state:
        settings = Access(RULES, register=state.register).settings(TEAM)

    assert (settings.speakers, settings.listen, settings.silence) == (Speakers.OWNER, Listen.ALL, True)
    assert settings.context == 5


async def test_a_setting_of_a_newer_version_is_passed_over(here: Conversation) -> None:
    await here.context.register.set(TEAM, "listen", "telepathically")

    assert here.context.access.settings(TEAM) == here.context.access.configured(TEAM)
