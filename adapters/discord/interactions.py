"""Slash commands and buttons, and the registration of commands."""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, cast

import discord
from discord import AppCommandOptionType, ComponentType, InteractionResponseType, TextStyle
from discord.http import Route

from adapters.discord.backfill import ReadPositions
from adapters.discord.errors import translate_errors
from adapters.discord.inbound import InboundParser, sender_of
from adapters.discord.outbound import CUSTOM_ID_PREFIX, EPHEMERAL, Asked, InteractionToken
from adapters.port import (
    AdapterError,
    Address,
    Ambiguous,
    Audience,
    ChatKind,
    Happening,
    Inbound,
    InboundHandler,
    MenuEntry,
    NotSent,
    Sender,
)

if TYPE_CHECKING:
    from discord.abc import MessageableChannel

log = logging.getLogger(__name__)

SLASH_COMMAND, MESSAGE_COMMAND = 1, 3
"""Types of commands: typed after a slash, or chosen in the menu of a message."""

FORM_PREFIX = f"{CUSTOM_ID_PREFIX}/"
"""Begins the custom id of a form; the command's name follows."""

MAX_FORM_CHARS = 4000
MAX_LABEL_CHARS = 45
MAX_SUMMARY_CHARS = 100
MAX_SUGGESTIONS = 25
SUGGEST_TIMEOUT_S = 2
"""Suggestions that take longer come too late: Discord waits for three seconds."""

MAX_OPTION_NAME_CHARS = 32
IN_SERVERS, IN_DIRECT_MESSAGES = 0, 1
FOR_SERVERS = 0

DIGEST = "commands"
"""The name under which the digest of the commands that were published last is kept."""


class CommandMenu:
    """The commands that Discord offers: after a slash, and in the menu of a message."""

    def __init__(self, entries: Sequence[MenuEntry]) -> None:
        self._slash_commands = {entry.name: entry for entry in entries}
        self._message_commands = {entry.on_message: entry for entry in entries if entry.on_message}

    def find(self, data: Mapping[str, Any]) -> tuple[MenuEntry, str] | None:
        """Return the command of an interaction and its text as if typed; None if it is not offered any more.

        A command of the same name with parts of its own is another program's, under the same application.
        """
        entries = self._message_commands if data.get("type") == MESSAGE_COMMAND else self._slash_commands
        entry, options = entries.get(str(data["name"])), data.get("options", ())
        if entry is None or any("value" not in option for option in options):
            return None
        values = [str(option["value"]) for option in options]
        return entry, " ".join([f"/{entry.name}", *values])

    def form(self, data: Mapping[str, Any]) -> dict[str, Any] | None:
        """Return the form for a command whose long text was left out; None if it needs none."""
        entry = self._slash_commands.get(str(data["name"])) if data.get("type") == SLASH_COMMAND else None
        if entry is None or not entry.is_long or data.get("options"):
            return None
        field = {"type": ComponentType.text_input.value, "style": TextStyle.paragraph.value, "custom_id": "text"}
        field |= {"label": entry.summary[:MAX_LABEL_CHARS].capitalize(), "required": True, "max_length": MAX_FORM_CHARS}
        rows = [{"type": ComponentType.action_row.value, "components": [field]}]
        return {"custom_id": f"{FORM_PREFIX}{entry.name}", "title": f"/{entry.name}", "components": rows}

    def find_form(self, data: Mapping[str, Any]) -> tuple[MenuEntry, str] | None:
        """Return the command of a form that was filled in and its text as if typed; None if it is not offered."""
        entry = self._slash_commands.get(str(data["custom_id"]).removeprefix(FORM_PREFIX))
        return (entry, f"/{entry.name} {data['components'][0]['components'][0]['value']}") if entry else None

    def payload(self) -> list[dict[str, Any]]:
        """Return all commands in the form in which they are registered."""
        where = {"contexts": [IN_SERVERS, IN_DIRECT_MESSAGES], "integration_types": [FOR_SERVERS]}
        commands: list[dict[str, Any]] = []
        for entry in self._slash_commands.values():
            summary = entry.summary[:MAX_SUMMARY_CHARS]
            command = {"name": entry.name, "type": SLASH_COMMAND, "description": summary} | where
            if entry.argument:
                name = re.sub(r"[^\w-]+", "-", entry.argument.lower()).strip("-")[:MAX_OPTION_NAME_CHARS]
                command["options"] = [
                    {
                        "type": AppCommandOptionType.string.value,
                        "name": name or "text",
                        "description": (entry.hint or entry.argument)[:MAX_SUMMARY_CHARS],
                        "required": entry.required,
                        "autocomplete": entry.suggests,
                    }
                ]
            commands.append(command)
        return [*commands, *({"name": name, "type": MESSAGE_COMMAND} | where for name in self._message_commands)]

    async def publish(self, client: discord.Client, positions: ReadPositions) -> None:
        """Register the commands unless they are registered already; a failure is logged, and the next start retries."""
        payload = self.payload()
        digest = hashlib.sha256(json.dumps([client.application_id, payload]).encode()).hexdigest()
        if digest == positions.values.get(DIGEST) or client.application_id is None:
            return
        try:
            with translate_errors("Announcing the commands"):
                await client.http.bulk_upsert_global_commands(client.application_id, payload=payload)
        except AdapterError as error:
            log.warning("%s The menu stays as it was; it is announced again at the next start.", error)
        else:
            await positions.save(DIGEST, digest)


NOT_OFFERED = "This is no longer on offer."
NOT_ADMITTED = "I do not know you, or do not listen to you here. Try a direct message to me."
NOT_TAKEN = "I have this already, or cannot take it now. If no answer comes, try again in a minute."
FAILED = "Something went wrong with this, and I have not done it. My log says more under `{id}`."

_INTERACTION = re.compile(r"\d{1,20}/[\w.~-]{1,1000}", re.ASCII)
"""Id and token."""


class Interactions:
    """Answers each interaction once: by deferring, so that the outbox answers later, or by a refusal.

    An interaction is deferred after the event is on disk, so that a crash leaves none without an answer. What comes too
    late for the three seconds is answered by an ordinary message.
    """

    def __init__(
        self, handler: InboundHandler, *, parser: InboundParser, menu: CommandMenu, audience: Audience
    ) -> None:
        self._handler = handler
        self._audience = audience
        self._parser = parser
        self._menu = menu

    async def handle(self, interaction: discord.Interaction) -> None:
        """Pass it to the handler and answer; if that fails, say so."""
        what = f"Discord interaction {interaction.id}"
        if await self._handler.isolate(self._pass_on(interaction), what):
            data = {"id": interaction.id, "token": interaction.token, "type": interaction.type.value}
            await self._handler.isolate(self.refuse(interaction.client, data), what)

    async def refuse(self, client: discord.Client, interaction: Mapping[str, object]) -> None:
        """Tell the person that their command or tap came to nothing, if Discord says whose it is.

        Who was typing is told nothing: they are given no suggestions.
        """
        number, token = f"{interaction.get('id')}", f"{interaction.get('token')}"
        if not _INTERACTION.fullmatch(f"{number}/{token}"):
            return
        route = Route("POST", "/interactions/{id}/{token}/callback", id=number, token=token)
        kind, data = InteractionResponseType.autocomplete_result, dict[str, Any](choices=[])
        if interaction.get("type") != discord.InteractionType.autocomplete.value:
            kind = InteractionResponseType.channel_message
            data = {"content": FAILED.format(id=number), "flags": EPHEMERAL}
        try:
            with translate_errors(f"Answering interaction {number}"):
                await client.http.request(route, json={"type": kind.value, "data": data})
        except AdapterError as error:  # most likely it was answered before
            log.info("%s", error)

    async def _pass_on(self, interaction: discord.Interaction) -> None:
        response, data = interaction.response, cast("dict[str, Any]", interaction.data or {})
        if interaction.type is discord.InteractionType.autocomplete:
            await _respond(interaction, partial(response.autocomplete, await self._suggest(interaction)))
            return
        is_command = interaction.type is discord.InteractionType.application_command
        inbound = self._parse(interaction)
        is_admitted = inbound is not None and self._audience.admit(inbound) is not None
        if is_command and is_admitted and (form := self._menu.form(data)):
            await _respond(interaction, partial(_open_form, interaction, form))
        elif inbound is None:
            await _respond(interaction, partial(response.send_message, NOT_OFFERED, ephemeral=True))
        elif await self._handler.receive(inbound):
            reply_token = InteractionToken.parse(inbound.reply_token)
            thinking = reply_token.asked is Asked.COMMAND  # a tap leaves the message with the button as it is
            await _respond(interaction, partial(response.defer, ephemeral=reply_token.private, thinking=thinking))
        else:
            refusal = NOT_TAKEN if is_admitted else NOT_ADMITTED
            await _respond(interaction, partial(response.send_message, refusal, ephemeral=True))

    def _parse(self, interaction: discord.Interaction) -> Inbound | None:
        """Parse a command or a tap; None if it is not offered, or of another kind."""
        data = cast("dict[str, Any]", interaction.data or {})
        if interaction.channel is None:
            return None
        address = self._parser.address(cast("MessageableChannel", interaction.channel))
        match interaction.type:
            case discord.InteractionType.application_command | discord.InteractionType.autocomplete:
                return self._parse_command(interaction, data, self._menu.find(data), address)
            case discord.InteractionType.modal_submit:
                return self._parse_command(interaction, data, self._menu.find_form(data), address)
        custom_id = str(data.get("custom_id", ""))
        is_button = interaction.type is discord.InteractionType.component and custom_id.startswith(CUSTOM_ID_PREFIX)
        if interaction.message is None or not is_button:
            return None
        private = interaction.message.flags.ephemeral
        return Inbound(
            update=str(interaction.id),
            address=address,
            sender=sender_of(interaction.user),
            text=custom_id.removeprefix(CUSTOM_ID_PREFIX),
            message=str(interaction.message.id),
            sent_at=interaction.created_at,
            happening=Happening.BUTTON,
            reply_token=str(InteractionToken.of(interaction, Asked.TAP, private=private)),
        )

    async def _suggest(self, interaction: discord.Interaction) -> list[discord.app_commands.Choice[str]]:
        """Return what the person may mean, for them alone; nothing if nobody knows in time."""
        inbound = self._parse(interaction)
        if inbound is None:
            return []
        try:
            async with asyncio.timeout(SUGGEST_TIMEOUT_S):
                suggestions = await self._handler.suggest(inbound)
        except TimeoutError:
            return []
        return [
            discord.app_commands.Choice(name=meant.label[:MAX_SUMMARY_CHARS], value=meant.value[:MAX_SUMMARY_CHARS])
            for meant in suggestions[:MAX_SUGGESTIONS]
        ]

    def _parse_command(
        self,
        interaction: discord.Interaction,
        data: dict[str, Any],
        command: tuple[MenuEntry, str] | None,
        address: Address,
    ) -> Inbound | None:
        if command is None:
            return None
        entry, text = command
        private = entry.private and address.kind is not ChatKind.PRIVATE
        quote, author, quote_message = self._target(data, interaction.guild)
        users = data.get("resolved", {}).get("users", {})
        accounts = {str(number): str(users[number]["username"]) for number in users}
        return Inbound(
            update=str(interaction.id),
            address=address,
            sender=sender_of(interaction.user),
            text=self._parser.readable(text, accounts, interaction.guild),
            message=str(interaction.id),
            sent_at=interaction.created_at,
            quote=quote,
            quote_by=author,
            quote_message=quote_message,
            awaits_answer=True,
            reply_token=str(InteractionToken.of(interaction, Asked.COMMAND, private=private)),
        )

    def _target(self, data: Mapping[str, Any], guild: discord.Guild | None) -> tuple[str, Sender | None, str]:
        """Return the message in whose menu a command was chosen: text, author, and its id if they wrote it there.

        Of a forwarded message Discord does not say who wrote it.
        """
        if data.get("type") != MESSAGE_COMMAND:
            return "", None, ""
        message = data["resolved"]["messages"][data["target_id"]]
        if forwarded := message.get("message_snapshots"):
            return "\n".join(original["message"]["content"] for original in forwarded), None, ""
        author = message["author"]
        name = author.get("global_name") or author["username"]
        accounts = {str(user["id"]): str(user["username"]) for user in message.get("mentions", ())}
        text = self._parser.readable(message["content"], accounts, guild)
        return text, Sender(str(author["id"]), name, bool(author.get("bot"))), str(message["id"])


async def _open_form(interaction: discord.Interaction, form: Mapping[str, Any]) -> None:
    """Answer with a form. The library would keep each in memory, and know none that was opened before a restart."""
    path = "/interactions/{interaction}/{token}/callback"
    route = Route("POST", path, interaction=interaction.id, token=interaction.token)
    await interaction.client.http.request(route, json={"type": InteractionResponseType.modal.value, "data": form})


async def _respond(interaction: discord.Interaction, respond: Callable[[], Awaitable[Any]]) -> None:
    """Answer, once more if the connection broke; a failure is logged, and Discord tells the person."""
    for is_last in (False, True):
        try:
            with translate_errors(f"Answering interaction {interaction.id}"):
                await respond()
            return
        except (NotSent, Ambiguous) as error:
            log.log(logging.WARNING if is_last else logging.INFO, "%s", error)
        except AdapterError as error:
            log.warning("%s", error)
            return
