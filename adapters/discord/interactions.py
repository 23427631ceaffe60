"""Slash commands and buttons, and the registration of commands."""

from __future__ import annotations

import hashlib
import json
import logging
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

import discord

from adapters.discord.backfill import ReadPositions
from adapters.discord.errors import UNREADABLE, failures
from adapters.discord.inbound import InboundParser, sender_of
from adapters.discord.outbound import PREFIX, Asked, InteractionToken
from adapters.port import (
    AdapterError,
    Address,
    Ambiguous,
    ChatKind,
    Happening,
    Inbound,
    InboundHandler,
    MenuEntry,
    NotSent,
    Sender,
)

SLASH, ON_MESSAGE = 1, 3
"""Kinds of commands: typed after a slash, or chosen in the menu of a message."""

if TYPE_CHECKING:
    from discord.abc import MessageableChannel


TEXT = 3
"""The kind of an option that is a text."""

LONGEST_SUMMARY = 100
IN_SERVERS, IN_DIRECT_MESSAGES = 0, 1
FOR_SERVERS = 0


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

    async def announce(self, client: discord.Client, bookmarks: ReadPositions) -> None:
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


UNKNOWN = "This is no longer on offer."
STRANGER = "I do not take this from you here."

log = logging.getLogger(__name__)


class Interactions:
    """Answers each interaction once: by a promise, which the outbox keeps, or by a refusal.

    The promise is given after the event is on disk, so none is given that a crash could break. What comes too late for
    the three seconds is answered by an ordinary message.
    """

    def __init__(self, door: InboundHandler, *, reader: InboundParser, menu: Menu) -> None:
        self._door = door
        self._reader = reader
        self._menu = menu

    async def take(self, interaction: discord.Interaction) -> None:
        """Bring it to the door and answer."""
        try:
            inbound = self._read(interaction)
        except UNREADABLE:
            log.exception("Interaction %s cannot be read; it is refused.", interaction.id)
            inbound = None
        if inbound is None:
            await self._refuse(interaction, UNKNOWN)
        elif await self._door.receive(inbound):
            await self._promise(interaction, InteractionToken.parse(inbound.ticket))
        else:
            await self._refuse(interaction, STRANGER)

    def _read(self, interaction: discord.Interaction) -> Inbound | None:
        data = cast("dict[str, Any]", interaction.data or {})
        if interaction.channel is None:
            return None
        if interaction.type is discord.InteractionType.application_command:
            return self._command(interaction, data)
        if interaction.type is discord.InteractionType.component:
            return self._tap(interaction, data)
        return None

    def _command(self, interaction: discord.Interaction, data: dict[str, Any]) -> Inbound | None:
        chosen = self._menu.chosen(data)
        if chosen is None:
            return None
        entry, text = chosen
        address = self._address(interaction)
        private = entry.private and address.kind is not ChatKind.PRIVATE
        ticket = _ticket(interaction, Asked.COMMAND, private=private)
        quote, author, written_here = _target(data)
        return Inbound(
            update=str(interaction.id),
            address=address,
            sender=sender_of(interaction.user),
            text=text,
            message=str(interaction.id),
            sent_at=interaction.created_at,
            quote=quote,
            quote_by=author,
            quote_message=written_here,
            ticket=str(ticket),
        )

    def _tap(self, interaction: discord.Interaction, data: dict[str, Any]) -> Inbound | None:
        custom_id = str(data.get("custom_id", ""))
        if interaction.message is None or not custom_id.startswith(PREFIX):
            return None
        return Inbound(
            update=str(interaction.id),
            address=self._address(interaction),
            sender=sender_of(interaction.user),
            text=custom_id.removeprefix(PREFIX),
            message=str(interaction.message.id),
            sent_at=interaction.created_at,
            happening=Happening.BUTTON,
            ticket=str(_ticket(interaction, Asked.TAP, private=interaction.message.flags.ephemeral)),
        )

    def _address(self, interaction: discord.Interaction) -> Address:
        assert interaction.channel is not None
        return self._reader.address(cast("MessageableChannel", interaction.channel))

    async def _promise(self, interaction: discord.Interaction, ticket: InteractionToken) -> None:
        thinking = ticket.asked is Asked.COMMAND  # a tap leaves the message with the button as it is
        await _answer(interaction, lambda: interaction.response.defer(ephemeral=ticket.private, thinking=thinking))

    async def _refuse(self, interaction: discord.Interaction, text: str) -> None:
        await _answer(interaction, lambda: interaction.response.send_message(text, ephemeral=True))


async def _answer(interaction: discord.Interaction, respond: Callable[[], Awaitable[Any]]) -> None:
    """Answer, once more if the line broke; what then fails is said in the log, the person is told by Discord."""
    for is_last in (False, True):
        try:
            with failures(f"Answering interaction {interaction.id}"):
                await respond()
            return
        except (NotSent, Ambiguous) as error:
            log.log(logging.WARNING if is_last else logging.INFO, "%s", error)
        except AdapterError as error:
            log.warning("%s", error)
            return


def _ticket(interaction: discord.Interaction, asked: Asked, *, private: bool) -> InteractionToken:
    return InteractionToken(str(interaction.user.id), asked, str(interaction.id), interaction.token, private)


def _target(data: Mapping[str, Any]) -> tuple[str, Sender | None, str]:
    """The message in whose menu a command was chosen: its text, its author, and its id if they wrote it there.

    Of what it passes on Discord does not say who wrote it.
    """
    if data.get("type") != ON_MESSAGE:
        return "", None, ""
    message = data["resolved"]["messages"][data["target_id"]]
    if forwarded := message.get("message_snapshots"):
        return "\n".join(one["message"]["content"] for one in forwarded), None, ""
    author = message["author"]
    name = author.get("global_name") or author["username"]
    return message["content"], Sender(str(author["id"]), name, bool(author.get("bot"))), str(message["id"])
