"""Outbound messages of Telegram: sending, editing, keyboards, files."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TypeVar

from telegram.error import TelegramError

from adapters.port import Address, Button, Outbound, Receipt, SendRefused
from adapters.telegram.client import BotApiClient, Refusal
from adapters.telegram.conversion import RenderedText
from adapters.telegram.inbound import GENERAL_TOPIC
from adapters.telegram.rendering import MAX_CAPTION_UNITS, render

log = logging.getLogger(__name__)

MAX_DATA_BYTES = 64
"""Bytes of a button's data."""
MAX_NARROW_LABEL_CHARS = 12
"""The longest label that leaves room for others beside it."""
BUTTONS_PER_ROW = 3


def keyboard(buttons: Sequence[Button]) -> dict[str, object] | None:
    """Return the buttons in rows, in their order; None if there are none.

    A button that Telegram would not take is left out, so that the message is not lost.
    """
    taken = [button for button in buttons if button.label and 1 <= len(button.data.encode()) <= MAX_DATA_BYTES]
    if len(taken) < len(buttons):
        log.error("A button was left out: Telegram takes a label and 1 to %s bytes of data.", MAX_DATA_BYTES)
    width = BUTTONS_PER_ROW if all(len(button.label) <= MAX_NARROW_LABEL_CHARS for button in taken) else 1
    keys = [{"text": button.label, "callback_data": button.data} for button in taken]
    return {"inline_keyboard": [keys[at : at + width] for at in range(0, len(keys), width)]} if keys else None


MAX_UPLOAD_BYTES = 50 * 2**20
MAX_PHOTO_BYTES = 10 * 2**20
PHOTOS = frozenset({".jpg", ".jpeg", ".png", ".webp"})


@dataclass(frozen=True, slots=True)
class Upload:
    """A file to send; `is_photo` if it can be shown as a picture."""

    path: Path
    is_photo: bool


async def _upload(out: Outbound) -> Upload | None:
    """Look at the file of a message; None if it has none.

    Raises:
        SendRefused: it is not there, empty, or too large.
    """
    if not out.files:
        return None
    path = Path(out.files[0])
    try:
        size = (await asyncio.to_thread(path.stat)).st_size
    except OSError as error:
        raise SendRefused(f"The file {path.name} cannot be sent: {error.strerror}.") from error
    if not 0 < size <= MAX_UPLOAD_BYTES:
        raise SendRefused(f"The file {path.name} cannot be sent: Telegram takes 1 byte to 50 MB.")
    return Upload(path, path.suffix.lower() in PHOTOS and size <= MAX_PHOTO_BYTES)


T = TypeVar("T")

_NO_PREVIEW = {"is_disabled": True}
"""Telegram would fetch the preview: with an address made by the model, that could leak what the model knows."""


class MessageSender:
    """Delivers messages of one account, with one request each; raises errors of the port."""

    def __init__(self, client: BotApiClient) -> None:
        self._client = client

    async def send(self, out: Outbound) -> Receipt:
        file = await _upload(out)
        fields: dict[str, object] = {"chat_id": int(out.to.chat), "reply_markup": keyboard(out.buttons)}
        fields["disable_notification"] = out.quiet or None
        if out.to.thread and out.to.thread != GENERAL_TOPIC:  # a forum's general topic must not be named
            fields["message_thread_id"] = int(out.to.thread)
        if out.reply_to:
            fields["reply_parameters"] = {"message_id": int(out.reply_to), "allow_sending_without_reply": True}

        async def send_text(text: RenderedText) -> object:
            content = {"text": text.text, "entities": _entities(text), "link_preview_options": _NO_PREVIEW}
            return await self._client.call("sendMessage", fields | content)

        async def send_file(file: Upload, caption: RenderedText, kind: str) -> object:
            content = {"caption": caption.text or None, "caption_entities": _entities(caption)}
            with file.path.open("rb") as opened:
                return await self._client.call(f"send{kind.title()}", fields | content, files={kind: opened})

        async def deliver() -> object:
            if file:
                return await _with_caption(file, out, partial(send_file, file))
            return await _with_entities(render(out.text, calls=out.calls), send_text)

        with self._client.translate_errors(f"write to chat {out.to.chat}"):
            try:
                message = await deliver()
            except Refusal as refusal:
                topic = fields.pop("message_thread_id", None)
                if topic is None or "thread not found" not in refusal.description:
                    raise
                log.warning("Telegram: topic %s is gone; its answer goes to chat %s itself.", topic, out.to.chat)
                message = await deliver()
            if not isinstance(message, dict) or not isinstance(message.get("message_id"), int):
                raise TelegramError("The answer is not a message.")
        return Receipt(str(message["message_id"]))

    async def edit(self, receipt: Receipt, out: Outbound) -> None:
        """Give a message new content; the same content again is a success."""
        file = await _upload(out)
        fields: dict[str, object] = {"chat_id": int(out.to.chat), "message_id": int(receipt.message)}
        fields["reply_markup"] = keyboard(out.buttons)

        async def edit_text(text: RenderedText) -> None:
            content = {"text": text.text, "entities": _entities(text), "link_preview_options": _NO_PREVIEW}
            await self._client.call("editMessageText", fields | content)

        async def edit_file(file: Upload, caption: RenderedText, kind: str) -> None:
            media: dict[str, object] = {"type": kind, "media": "attach://file", "caption": caption.text}
            media |= {"caption_entities": entities} if (entities := _entities(caption)) else {}
            with file.path.open("rb") as opened:
                await self._client.call("editMessageMedia", fields | {"media": media}, files={"file": opened})

        with self._client.translate_errors(f"edit message {receipt.message} in chat {out.to.chat}"):
            try:
                if file:
                    await _with_caption(file, out, partial(edit_file, file))
                else:
                    await _with_entities(render(out.text, calls=out.calls), edit_text)
            except Refusal as refusal:
                if "message is not modified" not in refusal.description:
                    raise

    async def typing(self, to: Address) -> None:
        """Show the typing notice; unlike messages, it has to name a forum's general topic."""
        with self._client.translate_errors(f"show the typing notice in chat {to.chat}"):
            topic = int(to.thread) if to.thread else None
            fields = {"chat_id": int(to.chat), "action": "typing", "message_thread_id": topic}
            await self._client.call("sendChatAction", fields)


def _entities(text: RenderedText) -> list[dict[str, object]] | None:
    return [entity.to_dict() for entity in text.entities] or None


async def _with_entities(text: RenderedText, request: Callable[[RenderedText], Awaitable[T]]) -> T:
    """Make a request with formatted text; with plain text if Telegram refuses its entities."""
    try:
        return await request(text)
    except Refusal as refusal:
        if not text.entities or "entit" not in refusal.description.lower():
            raise
        log.warning("Telegram did not take the formatting (%s): sent without.", refusal.description)
        return await request(RenderedText(text.text))


async def _with_caption(file: Upload, out: Outbound, request: Callable[[RenderedText, str], Awaitable[T]]) -> T:
    """Make a request with a file and its caption: as a picture, or as a document if Telegram refuses the picture."""
    caption = render(out.text, limit=MAX_CAPTION_UNITS)
    if file.is_photo:
        try:
            return await _with_entities(caption, lambda text: request(text, "photo"))
        except Refusal as refusal:
            if not re.search("photo|image", refusal.description, re.IGNORECASE):  # IMAGE_PROCESS_FAILED
                raise
            log.info("Telegram did not take a picture (%s): sent as a file.", refusal.description)
    return await _with_entities(caption, lambda text: request(text, "document"))
