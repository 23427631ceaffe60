"""Outbound messages of Telegram: sending, editing, keyboards, files."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TypeVar

from telegram import (
    InlineKeyboardButton,
    InlineKeyboardMarkup,
    InputFile,
    InputMediaDocument,
    InputMediaPhoto,
    LinkPreviewOptions,
    Message,
    ReplyParameters,
)

from adapters.port import Address, Button, Outbound, Receipt, SendRefused
from adapters.telegram.client import BotApiClient, Refusal
from adapters.telegram.conversion import RenderedText
from adapters.telegram.inbound import GENERAL_TOPIC
from adapters.telegram.rendering import MAX_CAPTION_UNITS, MAX_TEXT_UNITS, render

log = logging.getLogger(__name__)

MAX_DATA_BYTES = 64
"""Bytes of a button's data."""
MAX_NARROW_LABEL_CHARS = 12
"""The longest label that leaves room for others beside it."""
BUTTONS_PER_ROW = 3


def keyboard(buttons: Sequence[Button]) -> InlineKeyboardMarkup | None:
    """Return the buttons in rows, in their order; None if there are none.

    A button that Telegram would not take is left out, so that the message is not lost.
    """
    taken = [button for button in buttons if button.label and 1 <= len(button.data.encode()) <= MAX_DATA_BYTES]
    if len(taken) < len(buttons):
        log.error("A button was left out: Telegram takes a label and 1 to %s bytes of data.", MAX_DATA_BYTES)
    width = BUTTONS_PER_ROW if all(len(button.label) <= MAX_NARROW_LABEL_CHARS for button in taken) else 1
    keys = [InlineKeyboardButton(button.label, callback_data=button.data) for button in taken]
    return InlineKeyboardMarkup([keys[at : at + width] for at in range(0, len(keys), width)]) if keys else None


MAX_UPLOAD_BYTES = 50 * 2**20
MAX_PHOTO_BYTES = 10 * 2**20
PHOTOS = frozenset({".jpg", ".jpeg", ".png", ".webp"})


@dataclass(frozen=True, slots=True)
class Upload:
    """A file to send; `is_photo` if it can be shown as a picture."""

    path: Path
    is_photo: bool

    @contextmanager
    def opened(self, *, attach: bool = False) -> Iterator[InputFile]:
        """The file as the library takes it, read while it is sent; `attach` if it goes with an edit."""
        with self.path.open("rb") as file:
            yield InputFile(file, filename=self.path.name, attach=attach, read_file_handle=False)


async def upload(path: Path) -> Upload:
    """Look at a file.

    Raises:
        SendRefused: it is not there, empty, or too large.
    """
    try:
        size = (await asyncio.to_thread(path.stat)).st_size
    except OSError as error:
        raise SendRefused(f"The file {path.name} cannot be sent: {error.strerror}.") from error
    if not 0 < size <= MAX_UPLOAD_BYTES:
        raise SendRefused(f"The file {path.name} cannot be sent: Telegram takes 1 byte to 50 MB.")
    return Upload(path, path.suffix.lower() in PHOTOS and size <= MAX_PHOTO_BYTES)


T = TypeVar("T")
MediaType = type[InputMediaPhoto] | type[InputMediaDocument]
"""Whether a file is shown as a picture or as a document."""

_NO_PREVIEW = LinkPreviewOptions(is_disabled=True)
"""Telegram would fetch the preview: with an address made by the model, that could leak what the model knows."""


class MessageSender:
    """Delivers messages of one account, with one request each; raises errors of the port."""

    def __init__(self, client: BotApiClient) -> None:
        self._client = client
        self._bot = client.bot

    async def send(self, out: Outbound) -> Receipt:
        """Send a new message."""
        file = await upload(Path(out.files[0])) if out.files else None
        chat, topic = int(out.to.chat), None
        if out.to.thread and out.to.thread != GENERAL_TOPIC:  # a forum's general topic must not be named
            topic = int(out.to.thread)
        reply = ReplyParameters(int(out.reply_to), allow_sending_without_reply=True) if out.reply_to else None

        async def send_text(text: RenderedText) -> Message:
            return await self._bot.send_message(
                chat,
                text.text,
                entities=text.entities,
                message_thread_id=topic,
                reply_parameters=reply,
                reply_markup=keyboard(out.buttons),
                link_preview_options=_NO_PREVIEW,
            )

        async def send_file(file: Upload, caption: RenderedText, kind: MediaType) -> Message:
            method = self._bot.send_photo if kind is InputMediaPhoto else self._bot.send_document
            with file.opened() as content:
                return await method(
                    chat,
                    content,
                    caption=caption.text or None,
                    caption_entities=caption.entities,
                    message_thread_id=topic,
                    reply_parameters=reply,
                    reply_markup=keyboard(out.buttons),
                )

        async def deliver() -> Message:
            if file:
                return await _with_caption(file, out, partial(send_file, file))
            return await _with_entities(render(out.text, limit=MAX_TEXT_UNITS), send_text)

        with self._client.translate_errors(f"write to chat {out.to.chat}"):
            try:
                message = await deliver()
            except Refusal as refusal:
                if topic is None or "thread not found" not in refusal.description:
                    raise
                log.warning("Telegram: topic %s is gone; its answer goes to chat %s itself.", topic, out.to.chat)
                topic = None
                message = await deliver()
        return Receipt(str(message.message_id))

    async def edit(self, receipt: Receipt, out: Outbound) -> None:
        """Give a message new content; the same content again is a success."""
        file = await upload(Path(out.files[0])) if out.files else None
        chat, message = int(out.to.chat), int(receipt.message)

        async def edit_text(text: RenderedText) -> None:
            await self._bot.edit_message_text(
                text.text,
                chat,
                message,
                entities=text.entities,
                reply_markup=keyboard(out.buttons),
                link_preview_options=_NO_PREVIEW,
            )

        async def edit_file(file: Upload, caption: RenderedText, kind: MediaType) -> None:
            text = caption.text or None
            with file.opened(attach=True) as content:
                media = kind(content, caption=text, caption_entities=caption.entities)
                await self._bot.edit_message_media(media, chat, message, reply_markup=keyboard(out.buttons))

        with self._client.translate_errors(f"edit message {receipt.message} in chat {out.to.chat}"):
            try:
                if file:
                    await _with_caption(file, out, partial(edit_file, file))
                else:
                    await _with_entities(render(out.text, limit=MAX_TEXT_UNITS), edit_text)
            except Refusal as refusal:
                if "message is not modified" not in refusal.description:
                    raise

    async def typing(self, to: Address) -> None:
        """Show the typing notice; unlike messages, it has to name a forum's general topic."""
        with self._client.translate_errors(f"show the typing notice in chat {to.chat}"):
            topic = int(to.thread) if to.thread else None
            await self._bot.send_chat_action(int(to.chat), "typing", message_thread_id=topic)


async def _with_entities(text: RenderedText, request: Callable[[RenderedText], Awaitable[T]]) -> T:
    """Make a request with formatted text; with plain text if Telegram refuses its entities."""
    try:
        return await request(text)
    except Refusal as refusal:
        if not text.entities or "entit" not in refusal.description.lower():
            raise
        log.warning("Telegram did not take the formatting (%s): sent without.", refusal.description)
        return await request(RenderedText(text.text))


async def _with_caption(file: Upload, out: Outbound, request: Callable[[RenderedText, MediaType], Awaitable[T]]) -> T:
    """Make a request with a file and its caption: as a picture, or as a document if Telegram refuses the picture."""
    caption = render(out.text, limit=MAX_CAPTION_UNITS)
    if file.is_photo:
        try:
            return await _with_entities(caption, lambda text: request(text, InputMediaPhoto))
        except Refusal as refusal:
            if "photo" not in refusal.description.lower():
                raise
            log.info("Telegram did not take a picture (%s): sent as a file.", refusal.description)
    return await _with_entities(caption, lambda text: request(text, InputMediaDocument))
