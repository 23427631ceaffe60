from __future__ import annotations

from bot.storage.keys import Principal
from tests.support.conversation import Conversation
from tests.support.factories import HOME


async def test_it_is_off_until_it_is_set_and_a_button_changes_it(here: Conversation) -> None:
    before = await here.reply("/verbose")
    after = await here.reply(before.buttons[0].data)

    assert (before.buttons[0].data, after.buttons[0].data) == ("/verbose on", "/verbose off")
    assert "which tools it took" in after.text
    assert here.context.access.settings(HOME).verbose
    await here.reply(after.buttons[0].data)
    assert not here.context.access.settings(HOME).verbose


async def test_another_word_and_another_person_change_nothing(here: Conversation) -> None:
    guest = Principal("volatile:7", "Grace", is_owner=False)

    assert await here.say("/verbose loud") == "Say `/verbose on` or `/verbose off`."
    assert await here.say("/verbose on", who=guest) == "Only my owner may use `/verbose`."
    assert not here.context.register.settings(HOME)
