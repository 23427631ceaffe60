"""What people do on Discord, as verbs for tests: they write, run commands, press buttons, and come and go."""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping, Sequence
from itertools import count
from typing import Any

import discord
from simcord import interactions
from simcord.backend import serializers
from simcord.backend.command_access import command_access
from simcord.backend.models import Overwrite
from simcord.backend.models.message import MessageSticker, Poll, PollAnswer
from simcord.components import validate_modal, walk_components
from simcord.enums import AppCommandType, ChannelType, ComponentType, InteractionType, OverwriteType

from tests.servers.discord.backend import RecordedBackend
from tests.servers.ledger import Ledger

VOICE_MESSAGE = 1 << 13
POLL_ENDS = "2099-01-01T00:00:00+00:00"


class People:
    """Verbs of the control interface; arguments and results are JSON. Everything is given by its id."""

    def __init__(self, backend: RecordedBackend, ledger: Ledger) -> None:
        self._backend = backend
        self._ledger = ledger

    def bot(self) -> int:
        return self._backend.bot_user.id

    def user(self, name: str, *, is_bot: bool = False) -> int:
        return self._backend.make_user(name, bot=is_bot).id

    def guild(self, name: str, members: Sequence[int]) -> int:
        """A server with these people and the bot in it."""
        guild = self._backend.create_guild(name)
        for user in members:
            self._backend.add_member(guild.id, user, announce=True)
        return guild.id

    def joins(self, guild: int, user: int) -> None:
        self._backend.add_member(guild, user, announce=True)

    def channel(self, guild: int, name: str) -> int:
        return self._backend.create_channel(guild, name).id

    def thread(self, channel: int, name: str, *, by: int, message: int | None = None, private: bool = False) -> int:
        """A thread that somebody opens, on a message or on its own; a private one is for those who are in it."""
        kind = ChannelType.PRIVATE_THREAD if private else ChannelType.PUBLIC_THREAD
        thread = self._backend.create_thread(channel, name, by, type=kind, message_id=message)
        self._backend.add_thread_member(thread.id, self._backend.bot_user.id)
        return thread.id

    def archives(self, thread: int) -> None:
        """Nobody has written in a thread for a while: it is no longer listed."""
        metadata = self._backend.get_channel(thread).thread_metadata
        assert metadata is not None, "only threads are archived"
        metadata.archived = True

    def direct(self, user: int) -> int:
        """The channel for direct messages between somebody and the bot."""
        return self._backend.get_dm_channel(user).id

    def role(self, guild: int, name: str, members: Sequence[int], *, mentionable: bool = False) -> int:
        """A role of these people, which everybody may mention or nobody."""
        role = self._backend.create_role(guild, name=name, mentionable=mentionable)
        for user in members:
            self._backend.add_member_role(guild, user, role.id)
        return role.id

    def denies(self, channel: int, permissions: Sequence[str]) -> None:
        """Take permissions from the bot in a channel, by their names in discord.py."""
        denied = discord.Permissions(**dict.fromkeys(permissions, True)).value
        bot = self._backend.bot_user.id
        self._backend.edit_channel(channel, {}, overwrites=[Overwrite(bot, OverwriteType.MEMBER, allow=0, deny=denied)])

    def fails(self, guild: int) -> None:
        """Discord cannot serve a server for a while."""
        self._backend.emit("GUILD_DELETE", {"id": str(guild), "unavailable": True})

    def recovers(self, guild: int) -> None:
        """Discord can serve it again."""
        payload = serializers.guild_create_payload(self._backend, self._backend.guilds[guild])
        self._backend.emit("GUILD_CREATE", dict(payload))

    def bot_leaves(self, guild: int) -> None:
        """Somebody removes the bot."""
        self._backend.remove_guild(guild)

    def says(
        self, user: int, channel: int, text: str = "", *, reply_to: int = 0, files: Sequence[Mapping[str, str]] = (),
        is_voice: bool = False, sticker: str = "", poll: Sequence[str] = (),
    ) -> int:  # fmt: skip
        """A message; files as `{"name", "data" (base64)}`, a poll as its question and answers. Gives its id."""
        self._may(user, channel, "send_messages")
        reference = {"channel_id": str(channel), "message_id": str(reply_to)} if reply_to else None
        blobs = [(file["name"], base64.b64decode(file["data"])) for file in files]
        attachments = self._backend.store_attachments(channel, blobs)
        if is_voice:
            attachments = [
                {**one, "duration_secs": 3.0, "waveform": "AAAA", "content_type": "audio/ogg"} for one in attachments
            ]
        message = self._backend.create_message(
            channel,
            user,
            text,
            reference=reference,
            attachments=attachments,
            flags=VOICE_MESSAGE if is_voice else 0,
            stickers=[MessageSticker(1, sticker, 1, 1)] if sticker else None,
            poll=Poll(poll[0], [*map(PollAnswer, count(1), poll[1:])], POLL_ENDS) if poll else None,
        )
        return message.id

    def forwards(self, user: int, channel: int, message: int, *, to: int) -> int:
        """Somebody passes a message on into another channel, or the same. Gives its id there."""
        self._may(user, to, "send_messages")
        reference = {"type": 1, "channel_id": str(channel), "message_id": str(message)}
        return self._backend.create_message(to, user, "", reference=reference).id

    def edits(self, user: int, channel: int, message: int, text: str) -> None:
        if self._backend.get_message(channel, message).author_id != user:
            raise ValueError(f"message {message} is not from user {user}")
        self._backend.edit_message(channel, message, {"content": text})

    def renames_button(self, channel: int, message: int, custom_id: str) -> None:
        """The first button of a message is one that an earlier version of the bot has made."""
        shown = self._backend.get_message(channel, message)
        shown.components[0]["components"][0]["custom_id"] = custom_id

    def unfurls(self, channel: int, message: int) -> None:
        """Discord adds the preview of a link to a message, and says so to everybody."""
        shown = self._backend.get_message(channel, message)
        shown.embeds = [{"type": "link", "url": "https://example.org"}]
        self._backend.emit("MESSAGE_UPDATE", serializers.message_payload(self._backend, shown))

    def garbles(self, channel: int, message: int) -> None:
        """A message is of a form that the library does not know."""
        self._backend.get_message(channel, message).attachments = [{"id": "7"}]

    def webhook_says(self, channel: int, text: str) -> int:
        """Another program writes through a webhook of the channel."""
        sender = self._backend.make_user("webhook")
        return self._backend.create_message(channel, sender.id, text, webhook_id=sender.id).id

    def deletes(self, channel: int, message: int) -> None:
        self._backend.delete_message(channel, message)

    def reacts(self, user: int, channel: int, message: int, emoji: str) -> None:
        self._backend.set_reaction(channel, message, emoji, user, reacted=True)
        self._ledger.record("reaction", chat=str(channel), id=str(message), by="user", emoji=[emoji])

    def slash(self, user: int, channel: int, command: str, options: Mapping[str, Any]) -> int:
        """Run a slash command or subcommand (`memory forget`); options are texts, numbers, booleans. Gives its id."""
        name, *path = command.split()
        root = self._command(user, channel, name, AppCommandType.CHAT_INPUT)
        leaf, nesting = interactions.walk_to_subcommand(root, path)
        given = interactions.check_options(command, leaf, dict(options))
        kinds = {option["name"]: option["type"] for option in leaf.get("options") or ()}
        built = [{"name": key, "type": kinds[key], "value": value} for key, value in given.items()]
        data = {"id": root["id"], "name": name, "type": root["type"]}
        data["options"] = interactions.nest_options(root, nesting, built)
        named = {number for value in options.values() for number in re.findall(r"<@(\d+)>", str(value))}
        users = {number: serializers.user_payload(self._backend.users[int(number)]) for number in named}
        data["resolved"] = {"users": users}
        return self._interact(user, channel, InteractionType.APPLICATION_COMMAND, data)

    def foreign_command(self, user: int, channel: int, data: dict[str, Any]) -> int:
        """Run a command that an earlier program has left on the same application. Gives the interaction's id."""
        return self._interact(user, channel, InteractionType.APPLICATION_COMMAND, data)

    def types(self, user: int, channel: int, command: str, option: str, text: str) -> int:
        """Type into an option of a slash command that suggests something. Gives the interaction's id."""
        root = self._command(user, channel, command, AppCommandType.CHAT_INPUT)
        declared = {one["name"]: one for one in root["options"]}
        if not declared[option].get("autocomplete"):
            raise LookupError(f"option {option} of {command} suggests nothing")
        typed = [{"name": option, "type": declared[option]["type"], "value": text, "focused": True}]
        data = {"id": root["id"], "name": command, "type": root["type"], "options": typed}
        return self._interact(user, channel, InteractionType.APPLICATION_COMMAND_AUTOCOMPLETE, data)

    def fills_in(self, user: int, opened: int, text: str) -> int:
        """Fill in and send the form with one field that an interaction has opened. Gives the new interaction's id."""
        record = self._backend.interactions[opened]
        if record.modal is None or record.user_id != user:
            raise LookupError(f"interaction {opened} has opened no form for user {user}")
        form = validate_modal(record.modal)
        field = form["components"][0]["components"][0]
        if len(text) > field["max_length"]:
            raise ValueError(f"the form takes {field['max_length']} characters")
        value = {"type": field["type"], "custom_id": field["custom_id"], "value": text}
        data = {"custom_id": form["custom_id"], "components": [{"type": 1, "components": [value]}]}
        return self._interact(user, record.channel_id, InteractionType.MODAL_SUBMIT, data)

    def message_command(self, user: int, channel: int, command: str, message: int) -> int:
        """Choose an entry of a message's context menu. Gives the interaction's id."""
        root = self._command(user, channel, command, AppCommandType.MESSAGE)
        target = self._backend.get_message(channel, message)
        resolved = {"messages": {str(message): serializers.message_payload(self._backend, target)}}
        data = {
            "id": root["id"],
            "name": command,
            "type": root["type"],
            "target_id": str(message),
            "resolved": resolved,
        }
        return self._interact(user, channel, InteractionType.APPLICATION_COMMAND, data)

    def clicks(self, user: int, channel: int, message: int, wanted: str) -> int:
        """Press the button with that label or custom id. Gives the interaction's id."""
        shown = self._backend.get_message(channel, message)
        if not shown.visible_to(user):
            raise ValueError(f"user {user} cannot see message {message}")
        button = _button(shown.components, wanted)
        data = {"custom_id": button["custom_id"], "component_type": int(ComponentType.BUTTON)}
        if "id" in button:
            data["id"] = button["id"]
        extra = {"message": serializers.message_payload(self._backend, shown)}
        return self._interact(user, channel, InteractionType.MESSAGE_COMPONENT, data, source=message, **extra)

    def interaction(self, id: int) -> dict[str, Any]:
        """How the bot answered: the kind, whether only the person sees it, the message and what followed."""
        record = self._backend.interactions[id]
        messages = self._backend.messages[record.channel_id]
        shown = [messages[one] for one in [record.message_id, *record.followup_ids] if one in messages]
        kind = record.response_kind.value if record.response_kind else None
        return {
            "kind": kind,
            "ephemeral": record.ephemeral,
            "suggested": record.autocomplete_choices,
            "messages": [serializers.message_payload(self._backend, message) for message in shown],
        }

    def history(self, channel: int) -> list[Any]:
        """The channel's messages as they are now, oldest first, with those that only one person sees."""
        return [serializers.message_payload(self._backend, one) for one in self._backend.messages[channel].values()]

    def commands(self, guild: int | None = None) -> list[Any]:
        """The registered commands."""
        return list(self._backend.commands.get(guild, {}).values())

    def _may(self, user: int, channel: int, permission: str) -> None:
        room = self._backend.get_channel(channel)
        needed = f"{permission}_in_threads" if room.is_thread else permission
        self._backend.require_permissions(room.guild_id, user, channel, needed)

    def _command(self, user: int, channel: int, name: str, kind: AppCommandType) -> dict[str, Any]:
        """A registered command that this person sees here."""
        command = self._backend.find_command(name, self._backend.get_channel(channel).guild_id, type=kind)
        if command is None:
            raise LookupError(f"no command {name!r}; registered: {[one['name'] for one in self.commands()]}")
        access = command_access(self._backend, command, user_id=user, channel_id=channel)
        if not access.allowed:
            raise LookupError(f"command {name!r} is not shown to user {user} here: {access.reason}")
        return command

    def _interact(
        self, user: int, channel: int, kind: InteractionType, data: dict[str, Any], *, source: int | None = None,
        **extra: Any,
    ) -> int:  # fmt: skip
        guild = self._backend.get_channel(channel).guild_id
        record, payload = interactions.base_payload(
            self._backend, type=int(kind), channel_id=channel, guild_id=guild, user_id=user, data=data
        )
        record.source_message_id = source
        self._ledger.record("interaction", id=str(record.id), chat=str(channel), author=str(user), data=data)
        self._backend.emit("INTERACTION_CREATE", payload | extra)
        return record.id


def _button(rows: list[dict[str, Any]], wanted: str) -> dict[str, Any]:
    buttons = [one for one in walk_components(rows) if one.get("type") == ComponentType.BUTTON]
    for button in buttons:
        if wanted in {button.get("label"), button.get("custom_id")} and not button.get("disabled"):
            return button
    raise LookupError(f"no button {wanted!r} to press: {buttons}")
