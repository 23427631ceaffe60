"""The Bot API's sending methods."""

from __future__ import annotations

import mimetypes
from typing import Any

from tests.servers.telegram.call import Call, Upload
from tests.servers.telegram.markup import keyboard
from tests.servers.telegram.refusals import bad_request
from tests.servers.telegram.texts import FormattedText, Texts, utf16_length
from tests.servers.telegram.world import Chat, Message, StoredFile, World, said

ALBUM_KINDS = {"photo", "video", "document", "audio"}
DETAILS: dict[str, dict[str, Any]] = {
    "voice": {"duration": 0},
    "audio": {"duration": 0},
    "video": {"duration": 0, "width": 320, "height": 240},
}


class Sending:
    """Methods that put a message into a chat; one Python method for each of the Bot API's."""

    def __init__(self, world: World, texts: Texts) -> None:
        self._world = world
        self._texts = texts

    def send_message(self, call: Call) -> Message:
        text = self._texts.message(call["text"], call.get("parse_mode", ""), call.get("entities", ()))
        return self._send(call, text.as_content())

    def send_photo(self, call: Call) -> Message:
        return self._send_media(call, "photo")

    def send_document(self, call: Call) -> Message:
        call.get("disable_content_type_detection")
        return self._send_media(call, "document")

    def send_voice(self, call: Call) -> Message:
        return self._send_media(call, "voice")

    def send_audio(self, call: Call) -> Message:
        return self._send_media(call, "audio")

    def send_video(self, call: Call) -> Message:
        return self._send_media(call, "video")

    def send_media_group(self, call: Call) -> list[Message]:
        """2 to 10 files as one album; documents and audio only among themselves."""
        items, chat = call["media"], self._world.chat(call["chat_id"])
        kinds = {item["type"] for item in items}
        if not 2 <= len(items) <= 10:
            raise bad_request(
                "Wrong number of media in the album" if len(items) > 10 else "there must be at least 2 media"
            )
        if not kinds <= ALBUM_KINDS or (kinds & {"document", "audio"} and len(kinds) > 1):
            raise bad_request("Can't use the media of the specified type in the album")
        contents = [
            media(item["type"], chosen_file(self._world, call, item["type"], item["media"]))
            | self._caption(item.get("caption", ""), item.get("parse_mode", ""), item.get("caption_entities", ()))
            for item in items
        ]
        frame = self._frame(call, chat) | {"media_group_id": str(self._world.serial())}
        topic = self._world.topic(chat, call.get("message_thread_id"))
        sender = self._world.bot
        return [
            self._world.post(chat, sender, content | frame, topic=topic.id if topic else None) for content in contents
        ]

    def copy_message(self, call: Call) -> dict[str, int]:
        source = self._world.chat(call["from_chat_id"], writing=False)
        message = self._world.message(source, call["message_id"], "message to copy")
        kept = {"text", "entities", "caption", "caption_entities", "photo", "document", "voice", "audio", "video"}
        content = {name: value for name, value in message.items() if name in kept}
        if call.has("caption"):
            content = {name: value for name, value in content.items() if not name.startswith("caption")}
            content |= self._caption(call["caption"], call.get("parse_mode", ""), call.get("caption_entities", ()))
        return {"message_id": self._send(call, content)["message_id"]}

    def send_message_draft(self, call: Call) -> bool:
        """A preview in a private chat; the ledger has it, no message comes of it."""
        chat = self._world.chat(call["chat_id"])
        if chat.kind != "private":
            raise bad_request("method is available only in private chats")
        if not call["draft_id"]:
            raise bad_request("RANDOM_ID_INVALID")
        self._world.topic(chat, call.get("message_thread_id"))
        call.get("can_stop"), call.get("keep_on_stop")
        text = FormattedText("")
        if call.get("text"):
            text = self._texts.message(call["text"], call.get("parse_mode", ""), call.get("entities", ()))
        self._world.ledger.record("draft", chat=str(chat.id), draft=call["draft_id"], text=text.text)
        return True

    def _send_media(self, call: Call, kind: str) -> Message:
        for name in ("duration", "width", "height", "title", "performer", "supports_streaming", "has_spoiler"):
            call.get(name)
        content = media(kind, chosen_file(self._world, call, kind, call[kind]), duration=call.get("duration"))
        caption = self._caption(call.get("caption", ""), call.get("parse_mode", ""), call.get("caption_entities", ()))
        return self._send(call, content | caption)

    def _send(self, call: Call, content: dict[str, Any]) -> Message:
        chat = self._world.chat(call["chat_id"])
        topic = self._world.topic(chat, call.get("message_thread_id"))
        content = content | self._frame(call, chat) | keyboard(call.get("reply_markup"))
        return self._world.post(chat, self._world.bot, content, topic=topic.id if topic else None)

    def _frame(self, call: Call, chat: Chat) -> dict[str, Any]:
        """The message that it answers, and the quotation."""
        reply = call.get("reply_parameters")
        if not reply:
            return {}
        if reply.get("chat_id", chat.id) != chat.id:
            raise bad_request("replies to other chats are not modelled here")
        if reply["message_id"] not in chat.messages:
            if reply.get("allow_sending_without_reply"):
                return {}
            raise bad_request("message to be replied not found")
        target = chat.messages[reply["message_id"]]
        shown = {name: value for name, value in target.items() if name != "reply_to_message"}
        quote = reply.get("quote", "")
        if quote and quote not in said(target):
            raise bad_request("QUOTE_TEXT_INVALID")
        position = utf16_length(said(target).partition(quote)[0]) if quote else 0
        return {"reply_to_message": shown} | ({"quote": {"text": quote, "position": position}} if quote else {})

    def _caption(self, text: str, parse_mode: str, entities: Any) -> dict[str, Any]:
        return self._texts.caption(text, parse_mode, entities).as_content("caption") if text else {}


def chosen_file(world: World, call: Call, kind: str, reference: str) -> StoredFile:
    """An uploaded file, or one that the platform has.

    Raises:
        Refused: there is none.
    """
    upload = call.upload(reference)
    if upload:
        return _uploaded(world, kind, upload)
    if reference in world.files:
        return world.files[reference]
    if reference.startswith("attach://"):
        raise bad_request(f"There is no {kind} in the request")
    raise bad_request(
        "Failed to get HTTP URL content" if "://" in reference else "Wrong file identifier/HTTP URL specified"
    )


def _uploaded(world: World, kind: str, upload: Upload) -> StoredFile:
    if not upload.data:
        raise bad_request("file must be non-empty")
    mime = "audio/ogg" if kind == "voice" else mimetypes.guess_type(upload.name)[0] or upload.mime
    return world.store(f"{kind}s", name=upload.name, mime=mime, data=upload.data)


def media(kind: str, file: StoredFile, *, duration: int | None = None) -> dict[str, Any]:
    """The message's field for a file: `{"document": {...}}`."""
    if kind == "photo":
        return {"photo": [file.shown | {"width": 320, "height": 240}]}
    details = DETAILS.get(kind, {}) | ({"duration": duration} if duration is not None else {})
    names = {"mime_type": file.mime} | ({} if kind == "voice" else {"file_name": file.name})
    return {kind: file.shown | names | details}
