"""The menu of commands that Telegram's apps show beside the text field."""

from __future__ import annotations

import re
from collections.abc import Sequence

from telegram import BotCommand

from adapters.offer import MenuEntry
from adapters.telegram.account import Account

MOST = 100
LONGEST_SUMMARY = 256
_NAME = re.compile(r"[a-z0-9_]{1,32}")


async def publish(account: Account, entries: Sequence[MenuEntry]) -> None:
    """Make the menu what it should be, unless it is already. Names that Telegram does not take are left out."""
    wanted = tuple(
        BotCommand(entry.name, entry.summary[:LONGEST_SUMMARY]) for entry in entries if _NAME.fullmatch(entry.name)
    )[:MOST]
    with account.asking("show the menu of commands"):
        if await account.bot.get_my_commands() != wanted:
            await account.bot.set_my_commands(wanted)
