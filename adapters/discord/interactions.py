"""Commands and taps: taken to the door, then announced as being worked on, within the three seconds that there are."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any, cast

import discord

from adapters.discord.failures import UNREADABLE, failures
from adapters.discord.menu import ON_MESSAGE, Menu
from adapters.discord.payload import PREFIX
from adapters.discord.reading import Reader, sender_of
from adapters.discord.ticket import Asked, Ticket
from adapters.port import (
    AdapterError,
    Address,
    Ambiguous,
    ChatKind,
    Door,
    Happening,
    Inbound,
    NotSent,
    Sender,
)

if TYPE_CHECKING:
    from discord.abc import MessageableChannel

UNKNOWN = "This is no longer on offer."
STRANGER = "I do not take this from you here."

log = logging.getLogger(__name__)


class Interactions:
    """Answers each interaction once: by a promise, which the outbox keeps, or by a refusal.

    The promise is given after the event is on disk, so none is given that a crash could break. What comes too late for
    the three seconds is answered by an ordinary message.
    """

    def __init__(self, door: Door, *, reader: Reader, menu: Menu) -> None:
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
            await self._promise(interaction, Ticket.parse(inbound.ticket))
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

    async def _promise(self, interaction: discord.Interaction, ticket: Ticket) -> None:
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


def _ticket(interaction: discord.Interaction, asked: Asked, *, private: bool) -> Ticket:
    return Ticket(str(interaction.user.id), asked, str(interaction.id), interaction.token, private)


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
