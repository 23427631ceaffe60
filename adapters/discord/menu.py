"""The commands in Discord's own menus: announced when they have changed, and read back from what a person chose."""

from __future__ import annotations

import hashlib
import json
import logging
import re
from collections.abc import Mapping, Sequence
from typing import Any

import discord

from adapters.discord.bookmarks import Bookmarks
from adapters.discord.failures import failures
from adapters.offer import MenuEntry
from adapters.port import AdapterError

SLASH, ON_MESSAGE = 1, 3
"""Kinds of commands: typed after a slash, or chosen in the menu of a message."""

TEXT = 3
"""The kind of an option that is a text."""

LONGEST_SUMMARY = 100
IN_SERVERS, IN_DIRECT_MESSAGES = 0, 1
FOR_SERVERS = 0

log = logging.getLogger(__name__)


class Menu:
    """The commands that are offered."""

    def __init__(self, entries: Sequence[MenuEntry]) -> None:
        self._typed = {entry.name: entry for entry in entries}
        self._on_message = {entry.on_message: entry for entry in entries if entry.on_message}

    def chosen(self, data: Mapping[str, Any]) -> tuple[MenuEntry, str] | None:
        """The command of an interaction, and what was typed after it; None if it is not offered any more."""
        entries = self._on_message if data.get("type") == ON_MESSAGE else self._typed
        entry = entries.get(str(data["name"]))
        if entry is None:
            return None
        values = [str(option["value"]) for option in data.get("options", ())]
        return entry, " ".join([f"/{entry.name}", *values])

    def payload(self) -> list[dict[str, Any]]:
        """All commands as Discord wants to be told of them."""
        typed = [_slash(entry) for entry in self._typed.values()]
        return [*typed, *({"name": name, "type": ON_MESSAGE} | _places() for name in self._on_message)]

    async def announce(self, client: discord.Client, bookmarks: Bookmarks) -> None:
        """Tell Discord, if it was told something else the last time; a failure is logged, and made up for later."""
        payload = self.payload()
        digest = hashlib.sha256(json.dumps([client.application_id, payload]).encode()).hexdigest()
        if digest == bookmarks.commands or client.application_id is None:
            return
        try:
            with failures("Announcing the commands"):
                await client.http.bulk_upsert_global_commands(client.application_id, payload=payload)
        except AdapterError as error:
            log.warning("%s The menu stays as it was; it is announced again at the next start.", error)
        else:
            await bookmarks.announce(digest)


def _slash(entry: MenuEntry) -> dict[str, Any]:
    command = {"name": entry.name, "type": SLASH, "description": entry.summary[:LONGEST_SUMMARY]} | _places()
    if entry.argument:
        command["options"] = [
            {
                "type": TEXT,
                "name": _option_name(entry.argument),
                "description": entry.argument[:LONGEST_SUMMARY],
                "required": entry.required,
            }
        ]
    return command


def _places() -> dict[str, Any]:
    return {"contexts": [IN_SERVERS, IN_DIRECT_MESSAGES], "integration_types": [FOR_SERVERS]}


def _option_name(argument: str) -> str:
    """Lower-case letters, digits, - and _, at most 32 of them."""
    return re.sub(r"[^\w-]+", "-", argument.lower()).strip("-")[:32] or "text"
