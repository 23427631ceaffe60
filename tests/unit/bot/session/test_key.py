from __future__ import annotations

from adapters.port import Address, ChatKind
from bot.session.key import SessionKey
from tests.samples import HOME


def test_a_key_says_who_is_spoken_to_and_where() -> None:
    assert str(SessionKey("work", HOME)) == "agent:work:terminal.local:private:owner"


def test_a_thread_has_a_conversation_of_its_own() -> None:
    group = Address("discord", "bot", "42", ChatKind.GROUP)
    thread = Address("discord", "bot", "42", ChatKind.GROUP, thread="7")

    assert str(SessionKey("work", group)) == "agent:work:discord.bot:group:42"
    assert str(SessionKey("work", thread)) == "agent:work:discord.bot:group:42:7"
