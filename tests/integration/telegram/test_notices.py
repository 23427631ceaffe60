"""Notices to the owner in the chat: who asks to be let in, and what was given up; their buttons, also later."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.integration.telegram.test_power import said, serving
from tests.servers.telegram.client import Telegram


def shown(telegram: Telegram, chat: int, text: str) -> dict[str, Any]:
    """The bot's newest message of a chat that contains this."""
    found = [one for one in telegram.history(chat) if one["from"]["is_bot"] and text in one["text"]]
    return found[-1]


async def test_a_stranger_is_let_in_by_a_button_after_a_restart_and_hears_of_it_once(
    telegram: Telegram, tmp_path: Path
) -> None:
    owner, eve = telegram.user(7, "Owner"), telegram.user(9, "**Eve** [x](http://evil.example)")
    async with serving(tmp_path, telegram):
        owner.says("/whoami")
        await said(telegram, 7, lambda text: "You are my owner" in text)
        eve.says("hello")
        notice = await said(telegram, 7, lambda text: "got the code" in text)
        await said(telegram, 9, lambda text: "I do not know you yet" in text)
    async with serving(tmp_path, telegram):
        message = shown(telegram, 7, "got the code")
        for _ in range(2):  # a double tap
            owner.taps(message["message_id"], "/guests approve telegram:9")
        await said(telegram, 7, lambda text: "is let in" in text)
        await said(telegram, 9, lambda text: "You are let in now" in text)
        eve.says("/whoami")
        await said(telegram, 9, lambda text: "You are a guest" in text)

    assert "The Telegram account 9, called Eve x http://evil.example, wrote to me" in notice
    assert {entity["type"] for entity in message["entities"]} == {"code"}
    assert len([one for one in telegram.history(9) if "You are let in now" in one["text"]]) == 1
    replaced = next(one for one in telegram.history(7) if one["message_id"] == message["message_id"])
    assert "is let in" in replaced["text"]


async def test_what_could_not_be_delivered_to_a_guest_is_told_to_the_owner_and_sent_when_they_say_so(
    telegram: Telegram, tmp_path: Path
) -> None:
    owner, guest = telegram.user(7, "Owner"), telegram.user(8, "Guest")
    async with serving(tmp_path, telegram):
        owner.says("/whoami")
        await said(telegram, 7, lambda text: "You are my owner" in text)
        telegram.fault("sendMessage", "status", status=403, message="Forbidden: bot was blocked by the user")
        guest.says("/whoami")
        await said(telegram, 7, lambda text: "I gave something up" in text)
        message = shown(telegram, 7, "I gave something up")["message_id"]
        owner.taps(message, "Retry")
        await said(telegram, 8, lambda text: "You are a guest" in text)
        await said(telegram, 7, lambda text: "Tried again" in text)
        owner.says("/dead")
        await said(telegram, 7, lambda text: "Nothing was given up" in text)
