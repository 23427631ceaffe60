"""What people do on the platform, as verbs for tests: they write, tap, react, send files, and come and go."""

from __future__ import annotations

import base64
import mimetypes
from collections.abc import Mapping, Sequence
from typing import Any

from tests.servers.telegram.account import member, new_topic
from tests.servers.telegram.markup import button
from tests.servers.telegram.sending import media
from tests.servers.telegram.texts import Texts, utf16_length
from tests.servers.telegram.world import Chat, Message, User, World, said


class People:
    """Verbs of the control interface; arguments and results are JSON. Chats and messages are given by their ids."""

    def __init__(self, world: World, texts: Texts) -> None:
        self._world = world
        self._texts = texts

    def user(self, id: int, name: str = "", username: str = "", *, started: bool = True) -> int:
        """A person; whoever has not started the bot cannot be written to."""
        user = self._world.users.setdefault(id, User(id, name or f"User {id}", username))
        user.has_started = user.has_started or started
        self._world.private_chat(user)
        return id

    def group(self, title: str, members: Sequence[int], *, kind: str = "supergroup", bot: str = "member") -> int:
        """A group with these people and the bot; `kind` is group, supergroup or forum, `bot` its status there."""
        serial = self._world.serial()
        number = -serial if kind == "group" else -(1_000_000_000_000 + serial)
        chat = Chat(number, "group" if kind == "group" else "supergroup", title, is_forum=kind == "forum")
        chat.members = dict.fromkeys(members, "member") | {self._world.bot.id: bot}
        self._world.chats[number] = chat
        return number

    def topic(self, chat: int, name: str) -> int:
        """A topic that somebody opened in a forum."""
        return new_topic(self._world, self._world.chats[chat], name).id

    def close_topic(self, chat: int, topic: int) -> None:
        """Somebody who may closes a topic."""
        self._world.chats[chat].topics[topic].is_closed = True

    def says(self, user: int, text: str, *, chat: int = 0, topic: int = 0, **extra: Any) -> int:
        """A message; `_context` says what may go with it. Gives its id."""
        content = self._texts.message(text).as_content()
        return int(self._write(user, chat, content | self._context(chat or user, **extra), topic=topic)["message_id"])

    def edits(self, user: int, message: int, text: str, *, chat: int = 0) -> None:
        room = self._world.chats[chat or user]
        written = room.messages[message]
        if written["from"]["id"] != user:
            raise ValueError(f"message {message} is not from user {user}")
        kept = {name: value for name, value in written.items() if name not in {"text", "entities"}}
        edited = kept | self._texts.message(text).as_content() | {"edit_date": self._world.now()}
        room.messages[message] = edited
        self._world.note("edit", edited)
        self._deliver("edited_message", room, edited)

    def sends(
        self, user: int, files: Sequence[dict[str, Any]], *, caption: str = "", chat: int = 0, topic: int = 0,
        **extra: Any,
    ) -> list[int]:  # fmt: skip
        """Files, several as an album: `{"kind", "name", "data" (base64), "size"?, "duration"?}`. Gives the ids."""
        context = self._context(chat or user, **extra)
        album = {"media_group_id": str(self._world.serial())} if len(files) > 1 else {}
        caption_content = self._texts.caption(caption).as_content("caption") if caption else {}
        ids: list[int] = []
        for at, file in enumerate(files):
            content = self._media(file) | album | context | (caption_content if at == 0 else {})
            ids.append(int(self._write(user, chat, content, topic=topic)["message_id"]))
        return ids

    def taps(self, user: int, message: int, wanted: str, *, chat: int = 0) -> str:
        """A tap on the button with that label or data. Gives the callback's id."""
        room = self._world.chats[chat or user]
        shown = room.messages[message]
        tapped = button(shown, wanted)
        callback = str(4_000_000_000 + self._world.serial())
        self._world.callbacks[callback] = {"user": user, "data": tapped.get("callback_data"), "answers": []}
        query = {
            "id": callback,
            "from": self._world.users[user].shown,
            "chat_instance": str(abs(room.id)),
            "message": shown,
        }
        self._world.ledger.record("tap", callback=callback, chat=str(room.id), id=str(message), author=str(user))
        self._world.queue.push("callback_query", query | {"data": tapped.get("callback_data", "")})
        return callback

    def reacts(self, user: int, message: int, emoji: str, *, chat: int = 0) -> None:
        """A reaction. In groups only an administrator bot hears of it."""
        room = self._world.chats[chat or user]
        self._world.message(room, message, "message to react")
        self._world.ledger.record("reaction", chat=str(room.id), id=str(message), by="user", emoji=[emoji])
        if room.kind != "private" and room.members.get(self._world.bot.id) != "administrator":
            return
        change = {
            "chat": room.shown,
            "message_id": message,
            "user": self._world.users[user].shown,
            "date": self._world.now(),
        }
        new = [{"type": "emoji", "emoji": emoji}] if emoji else []
        self._world.queue.push("message_reaction", change | {"old_reaction": [], "new_reaction": new})

    def blocks(self, user: int) -> None:
        self._set_blocked(user, blocked=True)

    def unblocks(self, user: int) -> None:
        self._set_blocked(user, blocked=False)

    def bot_becomes(self, chat: int, status: str, *, by: int) -> None:
        """The bot is added (`member`, `administrator`), removed (`left`) or banned (`kicked`) by somebody."""
        room = self._world.chats[chat]
        old = member(self._world, room, self._world.bot.id)
        room.members[self._world.bot.id] = status
        self._changed(room, by, old, member(self._world, room, self._world.bot.id))

    def upgrades(self, chat: int, *, by: int) -> int:
        """The group becomes a supergroup, with a new id."""
        old = self._world.chats[chat]
        new = self._world.chats[self.group(old.title, [], kind="supergroup")]
        new.members = dict(old.members)
        leaving = self._world.post(old, self._world.users[by], {"migrate_to_chat_id": new.id})
        arriving = self._world.post(new, self._world.users[by], {"migrate_from_chat_id": old.id})
        old.upgraded_to = new.id
        self._world.queue.push("message", leaving)
        self._world.queue.push("message", arriving)
        return new.id

    def _write(self, user: int, chat: int, content: dict[str, Any], *, topic: int) -> Message:
        person, room = self._world.users[user], self._world.chats[chat or user]
        if room.kind == "private":
            person.has_started = True
        elif user not in room.members:
            raise ValueError(f"user {user} is not in {room.title!r}")
        message = self._world.post(room, person, content, topic=topic or None)
        self._deliver("message", room, message)
        return message

    def _deliver(self, kind: str, chat: Chat, message: Message) -> None:
        """Hand it to the bot, if the bot is there and may read it."""
        if self._world.is_member(chat) and not chat.upgraded_to and self._reads(chat, message):
            self._world.queue.push(kind, message)

    def _reads(self, chat: Chat, message: Message) -> bool:
        """Privacy mode hides what is said in groups, but for commands, mentions of the bot and replies to it."""
        bot = self._world.bot
        if chat.kind == "private" or not self._world.privacy or chat.members.get(bot.id) == "administrator":
            return True
        text = said(message)
        command, _, addressee = text.split(maxsplit=1)[0].partition("@") if text.strip() else ("", "", "")
        if command.startswith("/") and addressee.lower() in {"", bot.username.lower()}:
            return True
        replied = message.get("reply_to_message", {}).get("from", {}).get("id")
        return f"@{bot.username}".lower() in text.lower() or replied == bot.id

    def _context(
        self, chat: int, *, reply_to: int = 0, quote: str = "", forwarded_from: str = "",
        forward_origin: Mapping[str, Any] | None = None, elsewhere: Mapping[str, Any] | None = None,
    ) -> dict[str, Any]:  # fmt: skip
        """What a message refers to.

        Args:
            chat: where it is written.
            reply_to: a message of that chat; `quote` is the passage of it that is marked.
            forwarded_from: who wrote it, somebody who hides their account; `forward_origin` is any other origin.
            elsewhere: the origin of a message of another chat, which is replied to; `quote` is what is shown of it.
        """
        context: dict[str, Any] = {}
        if reply_to:
            target = self._world.chats[chat].messages[reply_to]
            context["reply_to_message"] = {name: value for name, value in target.items() if name != "reply_to_message"}
        if elsewhere:
            context["external_reply"] = {"origin": {"date": self._world.now(), **elsewhere}}
            context["quote"] = {"text": quote, "position": 0, "is_manual": True}
        elif quote:
            before = said(context["reply_to_message"]).partition(quote)[0]
            context["quote"] = {"text": quote, "position": utf16_length(before), "is_manual": True}
        if forwarded_from:
            origin = {"type": "hidden_user", "date": self._world.now(), "sender_user_name": forwarded_from}
            context["forward_origin"] = origin
        if forward_origin:
            context["forward_origin"] = {"date": self._world.now(), **forward_origin}
        return context

    def _media(self, file: dict[str, Any]) -> dict[str, Any]:
        name = file["name"]
        guessed = mimetypes.guess_type(name)[0] or "application/octet-stream"
        mime = "audio/ogg" if file["kind"] == "voice" else guessed
        data, size = base64.b64decode(file["data"]), file.get("size")
        stored = self._world.store(f"{file['kind']}s", name=name, mime=mime, data=data, size=size)
        return media(file["kind"], stored, duration=file.get("duration"))

    def _set_blocked(self, user: int, *, blocked: bool) -> None:
        person = self._world.users[user]
        person.has_blocked = blocked
        states: dict[bool, dict[str, Any]] = {False: {"status": "member"}, True: {"status": "kicked", "until_date": 0}}
        old, new = ({**states[state], "user": self._world.bot.shown} for state in (not blocked, blocked))
        self._changed(self._world.chats[user], user, old, new)

    def _changed(self, chat: Chat, by: int, old: dict[str, Any], new: dict[str, Any]) -> None:
        change = {"chat": chat.shown, "from": self._world.users[by].shown, "date": self._world.now()}
        self._world.queue.push("my_chat_member", change | {"old_chat_member": old, "new_chat_member": new})
