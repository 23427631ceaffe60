"""Listening on 127.0.0.1: so many connections at a time, each for so long, and what is no request ends only itself."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

MOST = 32
"""Connections at a time; further ones are closed at once."""

Answering = Callable[[asyncio.StreamReader], Awaitable[bytes]]
"""Reads one request and gives the answer."""


async def listen(answer: Answering, port: int, *, longest: int, patience_s: float) -> asyncio.Server:
    """A server that answers one request on each connection and closes it.

    Args:
        answer: may raise ValueError, ConnectionError or IncompleteReadError, which end the connection.
        port: 0 for one that the system chooses.
        longest: bytes that are held of a request.
        patience_s: how long a connection may last.

    Raises:
        OSError: the port is taken.
    """
    serving: set[asyncio.StreamWriter] = set()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if len(serving) >= MOST:
            writer.close()
            return
        serving.add(writer)
        try:
            async with asyncio.timeout(patience_s):
                writer.write(await answer(reader))
                await writer.drain()
        except (TimeoutError, ConnectionError, ValueError, asyncio.IncompleteReadError):
            return  # whoever asked has gone, is too slow, or sends what is no request
        finally:
            serving.discard(writer)
            writer.close()

    return await asyncio.start_server(serve, "127.0.0.1", port, limit=longest)
