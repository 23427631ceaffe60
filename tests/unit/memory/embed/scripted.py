"""An embeddings endpoint on 127.0.0.1 that fails as it is told."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from aiohttp import web

DIMS = 256

Answer = Callable[[list[str]], web.Response]


def trigrams(text: str) -> list[float]:
    """A vector in which texts with the same letters are near."""
    row = [0.0] * DIMS
    for at in range(len(text) - 2):
        row[hashlib.blake2b(text[at : at + 3].lower().encode()).digest()[0]] += 1
    return row if any(row) else [1.0, *row[1:]]


def json_body(body: str) -> web.Response:
    """Any text, said to be JSON."""
    return web.Response(text=body, content_type="application/json")


def vectors(texts: list[str], **changed: object) -> web.Response:
    """The proper answer, except for the rows that are `changed`: `row0=[...]`. Rows come in reverse order."""
    data = [
        {"object": "embedding", "index": index, "embedding": changed.get(f"row{index}", trigrams(text))}
        for index, text in enumerate(texts)
    ]
    return json_body(json.dumps({"object": "list", "model": "scripted", "data": data[::-1], "usage": {}}))


def status(code: int, *, error: str = "no", retry_after: str | None = None) -> Answer:
    """Answer with an error."""
    body = json.dumps({"error": {"message": error, "code": error}})
    headers = {} if retry_after is None else {"Retry-After": retry_after}
    return lambda _: web.Response(status=code, text=body, content_type="application/json", headers=headers)


@dataclass
class ScriptedEndpoint:
    """Answers each request with the next step of its script, and properly when there is none left.

    A step is a function of the texts, `hang` or `reset`.
    """

    url: str = ""
    script: deque[Answer | str] = field(default_factory=deque)
    refuses: str | None = None
    requests: list[list[str]] = field(default_factory=list)
    bodies: list[dict[str, object]] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    closing: asyncio.Event = field(default_factory=asyncio.Event)

    async def answer(self, request: web.Request) -> web.Response:
        body = await request.json()
        texts: list[str] = body["input"]
        self.requests.append(texts)
        self.bodies.append(body)
        self.keys.append(request.headers.get("Authorization", ""))
        step = self.script.popleft() if self.script else vectors
        if step == "hang":
            await self.closing.wait()
        if step == "reset" and request.transport is not None:
            request.transport.abort()
        if self.refuses is not None and any(self.refuses in text for text in texts):
            return status(400)(texts)
        return vectors(texts) if isinstance(step, str) else step(texts)


@asynccontextmanager
async def serving() -> AsyncIterator[ScriptedEndpoint]:
    """A running endpoint; its address is in `url`."""
    scripted = ScriptedEndpoint()
    app = web.Application()
    app.router.add_post("/v1/embeddings", scripted.answer)
    runner = web.AppRunner(app, shutdown_timeout=0)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    scripted.url = f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
    yield scripted
    scripted.closing.set()
    await runner.cleanup()
