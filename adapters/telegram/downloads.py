"""Files on their way in."""

from __future__ import annotations

import asyncio
from pathlib import Path

from adapters.port import Attachment, FileRefused
from adapters.telegram.account import Account, Refusal

LIMIT = 20 * 2**20
"""Bytes of the largest file that Telegram hands to a bot."""


async def download(account: Account, attachment: Attachment, into: Path, *, limit: int) -> None:
    """Write an attachment's bytes into a file that does not show before it is whole.

    Raises:
        FileRefused: it is larger than `limit` bytes or Telegram's own limit, or Telegram no longer has it.
        AdapterError: as any other request.
    """
    most = min(limit, LIMIT)
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
