from __future__ import annotations

from adapters.port import ChatKind
from bot.storage.keys import Principal
from tests.support.conversation import Conversation
from tests.support.factories import chat


async def test_the_owner_in_private_sees_everything(here: Conversation) -> None:
    told = await here.say("/whoami")

    assert "You are my owner, Ada (`terminal:owner`)." in told
    assert "personal answers here and searches everything that is private to the owner (scope `owner`)." in told
    assert "Session `agent:personal:terminal.local:private:owner`." in told


async def test_in_a_group_everybody_sees_that_chat_only(here: Conversation) -> None:
    guest = Principal("volatile:7", "", is_owner=False)

    told = await here.say("/whoami", who=guest, at=chat("-100", kind=ChatKind.GROUP))

    assert "You are a guest (`volatile:7`)." in told
    assert "only what was said in this chat (scope `chat:volatile.bot:-100`)" in told
