"""Telegram's posts to several processes: each update comes up to five times, at processes that chance chooses."""

from __future__ import annotations

import asyncio
import random
import socket
from collections import defaultdict
from collections.abc import AsyncIterator, Sequence

import aiohttp
from aiohttp import web

LATEST_S = 1.0
"""How much later than the first a further post of an update comes."""

_HEADER = "X-Telegram-Bot-Api-Secret-Token"


class Redelivery:
    """An address for a webhook that passes each update on more than once.

    Args:
        ports: where processes take updates.
        most: how often an update is passed on at most; once at least.
        chance: says how often, where and when.

    Attributes:
        posts: how many were made.
        taken: by update, the ports of the processes that have taken it, again and again.
    """

    def __init__(self, ports: Sequence[int], most: int, chance: random.Random) -> None:
        self.posts = 0
        self.taken: defaultdict[bytes, list[int]] = defaultdict(list)
        self._ports = ports
        self._most = most
        self._chance = chance
        self._group = asyncio.TaskGroup()

    def application(self) -> web.Application:
        """Return what serves it."""
        application = web.Application()
        application.router.add_post("/{path:.*}", self._pass_on)
        application.cleanup_ctx.append(self._finish)
        return application

    @property
    def figures(self) -> dict[str, int]:
        """How many posts, of how many updates, and how many of these were taken by more than one process."""
        both = sum(len({*ports}) > 1 for ports in self.taken.values())
        return {"posts": self.posts, "updates": len(self.taken), "taken_by_both": both}

    async def _pass_on(self, request: web.Request) -> web.Response:
        """Answer as soon as one process has taken it; what is posted later comes behind newer updates, too."""
        body, secret = await request.read(), request.headers.get(_HEADER, "")
        waits_s = [0.0, *(self._chance.uniform(0, LATEST_S) for _ in range(self._chance.randrange(self._most)))]
        posts = [self._group.create_task(self._post(request.path, secret, body, wait_s)) for wait_s in waits_s]
        for post in asyncio.as_completed(posts):
            if await post:
                return web.Response()
        return web.Response(status=502)

    async def _post(self, path: str, secret: str, body: bytes, wait_s: float) -> bool:
        await asyncio.sleep(wait_s)
        port = self._chance.choice(self._ports)
        self.posts += 1
        try:
            async with (
                aiohttp.ClientSession(headers={_HEADER: secret}) as session,
                session.post(f"http://127.0.0.1:{port}{path}", data=body) as answer,
            ):
                is_taken = answer.status == 200
        except (aiohttp.ClientError, OSError):
            return False
        if is_taken:
            self.taken[body].append(port)
        return is_taken

    async def _finish(self, _: web.Application) -> AsyncIterator[None]:
        async with self._group:
            yield


def free_ports(count: int) -> list[int]:
    """Return so many ports of 127.0.0.1 that nobody uses."""
    probes = [socket.socket() for _ in range(count)]
    for probe in probes:
        probe.bind(("127.0.0.1", 0))
    ports = [int(probe.getsockname()[1]) for probe in probes]
    for probe in probes:
        probe.close()
    return ports
