"""Files that came with messages. Their addresses expire within a day, so the message is asked for a fresh one."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path
from typing import BinaryIO

import aiohttp
import discord

from adapters.discord.errors import failures
from adapters.port import Attachment, FileRefused, NotSent, SendRefused

_REF = re.compile(r"(\d+)/(\d+)/(\d+)", re.ASCII)
"""Channel, message, and file."""

CHUNK = 256 * 1024
IDLE_S = 30
"""How long a download may stand still."""


async def download(client: discord.Client, attachment: Attachment, into: Path, *, limit: int) -> None:
    """Write an attachment's bytes to a new file; nothing is left there if it fails.

    Raises:
        FileRefused: it is gone, or larger than `limit` bytes.
        NotSent: it did not come through; asking again is safe.
    """
    if attachment.size > limit:
        raise FileRefused(f"{attachment.name} has {attachment.size} bytes; at most {limit} are taken.")
    file = await _look_up(client, attachment)
    with into.open("xb") as target:
        try:
            await _copy(file.url, target, name=attachment.name, limit=limit)
        except BaseException:
            into.unlink()
            raise


async def _look_up(client: discord.Client, attachment: Attachment) -> discord.Attachment:
    place = _REF.fullmatch(attachment.ref)
    if place is None:
        raise FileRefused(f"{attachment.name} did not come from Discord: its reference is {attachment.ref!r}.")
    channel, message, wanted = map(int, place.groups())
    try:
        with failures(f"Looking for {attachment.name}"):
            found = await client.get_partial_messageable(channel).fetch_message(message)
    except SendRefused as error:
        raise FileRefused(str(error)) from error
    for file in found.attachments:
        if file.id == wanted:
            return file
    raise FileRefused(f"{attachment.name} was taken off its message.")


async def _copy(url: str, target: BinaryIO, *, name: str, limit: int) -> None:
    idle = aiohttp.ClientTimeout(total=None, sock_connect=IDLE_S, sock_read=IDLE_S)
    written = 0
    try:
        async with aiohttp.ClientSession(timeout=idle) as web, web.get(url) as response:
            if response.status != 200:
                raise FileRefused(f"Discord does not hand {name} over ({response.status}).")
            async for chunk in response.content.iter_chunked(CHUNK):
                written += len(chunk)
                if written > limit:
                    raise FileRefused(f"{name} is larger than its message said; at most {limit} bytes are taken.")
                await asyncio.to_thread(target.write, chunk)
    except (aiohttp.ClientError, TimeoutError) as error:
        raise NotSent(f"{name} did not come through ({type(error).__name__}).") from error
