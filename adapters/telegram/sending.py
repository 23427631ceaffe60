"""Requests that put something into a chat, or change it."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeVar

from telegram import InputMediaDocument, InputMediaPhoto, LinkPreviewOptions, Message, ReplyParameters

from adapters.port import Address, Outbound, Receipt
from adapters.telegram.account import Account, Refusal
from adapters.telegram.buttons import keyboard
from adapters.telegram.events import GENERAL
from adapters.telegram.rendering import CAPTION_LIMIT, TEXT_LIMIT, Rendered, rendered
from adapters.telegram.uploads import Upload, upload

T = TypeVar("T")
Kind = type[InputMediaPhoto] | type[InputMediaDocument]
"""How a file is shown."""

_NO_PREVIEW = LinkPreviewOptions(is_disabled=True)
"""The preview would be fetched by Telegram: an address made by the model could carry out what it knows."""

log = logging.getLogger(__name__)


class Sending:
    """What goes out through one account, one request each; failures are those of the port."""

    def __init__(self, account: Account) -> None:
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
