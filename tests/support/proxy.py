"""An HTTP proxy on this machine."""

from __future__ import annotations

import asyncio
import re
from contextlib import suppress
from urllib.parse import urlsplit


class Proxy:
    """An HTTP proxy on this machine: notes the hosts that it is asked for, and lets everything through.

    Attributes:
        asked: method and path of each request.
        greetings: what clients said of themselves.
    """

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.greetings: set[str] = set()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        method, address, _ = head.split(" ", 2)
        url = urlsplit(address)
        self.asked.append(f"{method} {url.path}")
        self.greetings |= set(re.findall(r"(?i)proxy-authorization: (.*?)\r\n", head))
        if "upgrade" not in head.lower():
            head = head.replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n")  # each request has a connection of its own
        there, back = await asyncio.open_connection(url.hostname, url.port)
        back.write(head.replace(address, f"{url.path}?{url.query}", 1).encode())
        async with asyncio.TaskGroup() as group:
            group.create_task(_copy(reader, back))
            group.create_task(_copy(there, writer))


async def _copy(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
    with suppress(ConnectionError):
        while some := await source.read(65536):
            target.write(some)
            await target.drain()
    target.close()
