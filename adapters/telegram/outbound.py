"""Sending to Telegram: messages, edits, keyboards, files."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from telegram import (
    InlineKeyboardButton,
    InlineKeyboardMarkup,
    InputMediaDocument,
    InputMediaPhoto,
    LinkPreviewOptions,
    Message,
    ReplyParameters,
)

from adapters.port import Address, Attachment, Button, FileRefused, Outbound, Receipt, SendRefused
from adapters.telegram.client import BotApiClient, Refusal
from adapters.telegram.inbound import GENERAL
from adapters.telegram.rendering import CAPTION_LIMIT, TEXT_LIMIT, Rendered, rendered

DATA_LIMIT = 64
"""Bytes of a button's data."""
NARROW = 12
"""Characters of a label that leaves room for others beside it."""
PER_ROW = 3


def keyboard(buttons: Sequence[Button]) -> InlineKeyboardMarkup | None:
    """The buttons in rows, in their order; None if there are none.

    A button that Telegram would not carry is left out rather than the whole message lost.
    """
    able = [button for button in buttons if button.label and 1 <= len(button.data.encode()) <= DATA_LIMIT]
    if len(able) < len(buttons):
        log.error("A button was left out: Telegram takes a label and 1 to %s bytes of data.", DATA_LIMIT)
    return InlineKeyboardMarkup(list(_rows(able))) if able else None


def _rows(buttons: Sequence[Button]) -> Iterator[list[InlineKeyboardButton]]:
    width = PER_ROW if all(len(button.label) <= NARROW for button in buttons) else 1
    for start in range(0, len(buttons), width):
        row = buttons[start : start + width]
        yield [InlineKeyboardButton(button.label, callback_data=button.data) for button in row]


MAX_UPLOAD_BYTES = 50 * 2**20
MAX_PHOTO_BYTES = 10 * 2**20
PHOTOS = frozenset({".jpg", ".jpeg", ".png", ".webp"})


@dataclass(frozen=True, slots=True)
class Upload:
    """A file's content; `is_photo` if it can be shown as a picture."""

    name: str
    content: bytes
    is_photo: bool


async def upload(path: Path) -> Upload:
    """Read a file.

    Raises:
        SendRefused: it is not there, empty, or too large.
    """
    try:
        content = await asyncio.to_thread(_read, path)
    except OSError as error:
        raise SendRefused(f"The file {path.name} cannot be sent: {error.strerror}.") from error
    if not 0 < len(content) <= MAX_UPLOAD_BYTES:
        raise SendRefused(f"The file {path.name} cannot be sent: Telegram takes 1 byte to 50 MB.")
    is_photo = path.suffix.lower() in PHOTOS and len(content) <= MAX_PHOTO_BYTES
    return Upload(path.name, content, is_photo)


def _read(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(MAX_UPLOAD_BYTES + 1)


T = TypeVar("T")
Kind = type[InputMediaPhoto] | type[InputMediaDocument]
"""How a file is shown."""

_NO_PREVIEW = LinkPreviewOptions(is_disabled=True)
"""The preview would be fetched by Telegram: an address made by the model could carry out what it knows."""

log = logging.getLogger(__name__)


class MessageSender:
    """What goes out through one account, one request each; failures are those of the port."""

    def __init__(self, account: BotApiClient) -> None:
        self._account = account
        self._bot = account.bot

    async def send(self, out: Outbound) -> Receipt:
        """Send a new message."""
        file = await upload(Path(out.files[0])) if out.files else None
        with self._account.asking(f"write to chat {out.to.chat}"):
            message = await (self._send_file(out, file) if file else self._send_text(out))
        return Receipt(str(message.message_id))

    async def edit(self, receipt: Receipt, out: Outbound) -> None:
        """Give a message new content; the same content again is a success."""
        file = await upload(Path(out.files[0])) if out.files else None
        with self._account.asking(f"edit message {receipt.message} in chat {out.to.chat}"):
            try:
                await (self._edit_file(receipt, out, file) if file else self._edit_text(receipt, out))
            except Refusal as refusal:
                if "message is not modified" not in refusal.description:
                    raise

    async def typing(self, to: Address) -> None:
        """Show the typing notice; unlike messages, it has to name a forum's general topic."""
        with self._account.asking(f"show the typing notice in chat {to.chat}"):
            topic = int(to.thread) if to.thread else None
            await self._bot.send_chat_action(int(to.chat), "typing", message_thread_id=topic)

    async def _send_text(self, out: Outbound) -> Message:
        return await _formatted(
            rendered(out.text, limit=TEXT_LIMIT),
            lambda shown: self._bot.send_message(
                int(out.to.chat),
                shown.text,
                entities=shown.entities,
                message_thread_id=_topic(out.to),
                reply_parameters=_reply(out),
                reply_markup=keyboard(out.buttons),
                link_preview_options=_NO_PREVIEW,
            ),
        )

    async def _edit_text(self, receipt: Receipt, out: Outbound) -> None:
        await _formatted(
            rendered(out.text, limit=TEXT_LIMIT),
            lambda shown: self._bot.edit_message_text(
                shown.text,
                int(out.to.chat),
                int(receipt.message),
                entities=shown.entities,
                reply_markup=keyboard(out.buttons),
                link_preview_options=_NO_PREVIEW,
            ),
        )

    async def _send_file(self, out: Outbound, file: Upload) -> Message:
        async def send(caption: Rendered, kind: Kind) -> Message:
            method = self._bot.send_photo if kind is InputMediaPhoto else self._bot.send_document
            return await method(
                int(out.to.chat),
                file.content,
                filename=file.name,
                caption=caption.text or None,
                caption_entities=caption.entities,
                message_thread_id=_topic(out.to),
                reply_parameters=_reply(out),
                reply_markup=keyboard(out.buttons),
            )

        return await _pictured(file, out, send)

    async def _edit_file(self, receipt: Receipt, out: Outbound, file: Upload) -> None:
        async def edit(caption: Rendered, kind: Kind) -> None:
            media = kind(
                file.content,
                caption=caption.text or None,
                caption_entities=caption.entities,
                filename=file.name,
            )
            buttons = keyboard(out.buttons)
            await self._bot.edit_message_media(media, int(out.to.chat), int(receipt.message), reply_markup=buttons)

        await _pictured(file, out, edit)


async def _formatted(shown: Rendered, request: Callable[[Rendered], Awaitable[T]]) -> T:
    """Send text with its entities; without them if Telegram cannot make sense of them."""
    try:
        return await request(shown)
    except Refusal as refusal:
        if not shown.entities or "entit" not in refusal.description.lower():
            raise
        log.warning("Telegram did not take the formatting (%s): sent without.", refusal.description)
        return await request(shown.plain)


async def _pictured(file: Upload, out: Outbound, request: Callable[[Rendered, Kind], Awaitable[T]]) -> T:
    """Send a file with its caption; as a picture if it is one that Telegram takes for a picture."""
    caption = rendered(out.text, limit=CAPTION_LIMIT)
    if file.is_photo:
        try:
            return await _formatted(caption, lambda shown: request(shown, InputMediaPhoto))
        except Refusal as refusal:
            if "photo" not in refusal.description.lower():
                raise
            log.info("Telegram did not take a picture (%s): sent as a file.", refusal.description)
    return await _formatted(caption, lambda shown: request(shown, InputMediaDocument))


def _topic(to: Address) -> int | None:
    """The topic that a message is sent to; a forum's general one must not be named."""
    return int(to.thread) if to.thread and to.thread != GENERAL else None


def _reply(out: Outbound) -> ReplyParameters | None:
    return ReplyParameters(int(out.reply_to), allow_sending_without_reply=True) if out.reply_to else None


MAX_DOWNLOAD_BYTES = 20 * 2**20
"""Bytes of the largest file that Telegram hands to a bot."""


async def download(account: BotApiClient, attachment: Attachment, into: Path, *, limit: int) -> None:
    """Write an attachment's bytes into a file that does not show before it is whole.

    Raises:
        FileRefused: it is larger than `limit` bytes or Telegram's own limit, or Telegram no longer has it.
        AdapterError: as any other request.
    """
    most = min(limit, MAX_DOWNLOAD_BYTES)
    if attachment.size > most:
        raise _too_large(attachment, most)
    with account.asking(f"hand over the file {attachment.name}"):
        try:
            file = await account.bot.get_file(attachment.ref)
            content = bytes(await file.download_as_bytearray())
        except Refusal as refusal:
            if refusal.status not in {400, 404}:
                raise
            raise FileRefused(f"Telegram does not hand {attachment.name} over: {refusal.description}.") from None
    if len(content) > most:  # its size was not told, or not rightly
        raise _too_large(attachment, most)
    await asyncio.to_thread(_write, content, into)


def _too_large(attachment: Attachment, most: int) -> FileRefused:
    return FileRefused(f"{attachment.name} is too large to be fetched: {most / 2**20:.0f} MB are the most.")


def _write(content: bytes, into: Path) -> None:
    part = into.with_name(f"{into.name}.part")
    part.write_bytes(content)
    part.replace(into)
