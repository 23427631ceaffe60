"""The Bot API's methods for what is in a chat already: edits, deletions, reactions, pins, callback answers."""

from __future__ import annotations

from typing import Any

from tests.servers.telegram.call import Call
from tests.servers.telegram.markup import keyboard
from tests.servers.telegram.refusals import bad_request, not_modified
from tests.servers.telegram.sending import chosen_file, media
from tests.servers.telegram.texts import Texts
from tests.servers.telegram.world import Chat, Message, World

REACTIONS = frozenset(
    (
        "❤ 👍 👎 🔥 🥰 👏 😁 🤔 🤯 😱 🤬 😢 🎉 🤩 🤮 💩 🙏 👌 🕊 🤡 🥱 🥴 😍 🐳 ❤‍🔥 🌚 🌭 💯 🤣 "
        "⚡ 🍌 🏆 💔 🤨 😐 🍓 🍾 💋 🖕 😈 😴 😭 🤓 👻 👨‍💻 👀 🎃 🙈 😇 😨 🤝 ✍ 🤗 🫡 🎅 🎄 ☃ 💅 "
        "🤪 🗿 🆒 💘 🙉 🦄 😘 💊 🙊 😎 👾 🤷‍♂ 🤷 🤷‍♀ 😡"
    ).split()
)
ALERT_LIMIT = 200
MEDIA = {"photo", "document", "audio", "video", "animation"}


class Changing:
    """Methods that change messages or answer taps; one Python method for each of the Bot API's."""

    def __init__(self, world: World, texts: Texts) -> None:
        self._world = world
        self._texts = texts

    def edit_message_text(self, call: Call) -> Message:
        chat, message = self._own(call)
        text = self._texts.message(call.get("text", ""), call.get("parse_mode", ""), call.get("entities", ()))
        if "text" not in message:
            raise bad_request("there is no text in the message to edit")
        return self._edit(chat, message, {"text", "entities"}, text.as_content() | keyboard(call.get("reply_markup")))

    def edit_message_caption(self, call: Call) -> Message:
        chat, message = self._own(call)
        caption = self._texts.caption(
            call.get("caption", ""), call.get("parse_mode", ""), call.get("caption_entities", ())
        )
        if "text" in message:
            raise bad_request("there is no caption in the message to edit")
        content = caption.as_content("caption") | keyboard(call.get("reply_markup"))
        return self._edit(chat, message, {"caption", "caption_entities"}, content)

    def edit_message_media(self, call: Call) -> Message:
        """A file in the place of a text, or of another file."""
        chat, message = self._own(call)
        item = call["media"]
        caption = self._texts.caption(
            item.get("caption", ""), item.get("parse_mode", ""), item.get("caption_entities", ())
        )
        content = media(item["type"], chosen_file(self._world, call, item["type"], item["media"]))
        content |= caption.as_content("caption") | keyboard(call.get("reply_markup"))
        return self._edit(chat, message, MEDIA | {"text", "entities", "caption", "caption_entities"}, content)

    def edit_message_reply_markup(self, call: Call) -> Message:
        chat, message = self._own(call)
        return self._edit(chat, message, set(), keyboard(call.get("reply_markup")))

    def delete_message(self, call: Call) -> bool:
        chat = self._world.chat(call["chat_id"])
        message = self._world.message(chat, call["message_id"], "message to delete")
        self._delete(chat, message)
        return True

    def delete_messages(self, call: Call) -> bool:
        """Those that exist are deleted, the others skipped."""
        chat = self._world.chat(call["chat_id"])
        for known in chat.messages.keys() & set(call["message_ids"]):
            self._delete(chat, chat.messages[known])
        return True

    def set_message_reaction(self, call: Call) -> bool:
        chat = self._world.chat(call["chat_id"], writing=False)
        message = self._world.message(chat, call["message_id"], "message to react")
        reactions = call.get("reaction") or []
        if len(reactions) > 1:
            raise bad_request("REACTIONS_TOO_MANY")
        if any(reaction.get("emoji") not in REACTIONS for reaction in reactions):
            raise bad_request("REACTION_INVALID")
        emoji = [reaction["emoji"] for reaction in reactions]
        self._world.ledger.record("reaction", chat=str(chat.id), id=str(message["message_id"]), by="bot", emoji=emoji)
        return True

    def answer_callback_query(self, call: Call) -> bool:
        callback = self._world.callbacks.get(call["callback_query_id"])
        if callback is None:
            raise bad_request("query is too old and response timeout expired or query ID is invalid")
        text = call.get("text", "")
        if len(text) > ALERT_LIMIT:
            raise bad_request("MESSAGE_TOO_LONG")
        call.get("cache_time"), call.get("url")
        answer = {"text": text, "show_alert": bool(call.get("show_alert"))}
        callback["answers"].append(answer)
        self._world.ledger.record("callback_answer", callback=call["callback_query_id"], **answer)
        return True

    def pin_chat_message(self, call: Call) -> bool:
        chat = self._world.chat(call["chat_id"])
        message = self._world.message(chat, call["message_id"], "message to pin")
        if chat.kind != "private" and chat.members.get(self._world.bot.id) != "administrator":
            raise bad_request("not enough rights to manage pinned messages in the chat")
        chat.pinned.append(message["message_id"])
        return True

    def _own(self, call: Call) -> tuple[Chat, Message]:
        """The bot's message that is to be changed."""
        chat = self._world.chat(call["chat_id"])
        message = self._world.message(chat, call["message_id"], "message to edit")
        if message["from"]["id"] != self._world.bot.id:
            raise bad_request("message can't be edited")
        return chat, message

    def _edit(self, chat: Chat, message: Message, replaced: set[str], content: dict[str, Any]) -> Message:
        """New content and keyboard in place of the old; a keyboard that is not given again goes away."""
        stale = replaced | {"reply_markup"}
        if {name: value for name, value in message.items() if name in stale} == content:
            raise not_modified()
        kept = {name: value for name, value in message.items() if name not in stale}
        edited = kept | content | {"edit_date": self._world.now()}
        chat.messages[message["message_id"]] = edited
        self._world.note("edit", edited)
        return edited

    def _delete(self, chat: Chat, message: Message) -> None:
        is_own, status = message["from"]["id"] == self._world.bot.id, chat.members.get(self._world.bot.id)
        if not is_own and chat.kind != "private" and status != "administrator":
            raise bad_request("message can't be deleted")
        del chat.messages[message["message_id"]]
        self._world.ledger.record("delete", chat=str(chat.id), id=str(message["message_id"]), by="bot")
