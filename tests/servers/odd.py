"""A server that answers with the bytes it is given, for what no script can say: wrong types, old habits."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self

from aiohttp import web

from tests.servers.serving import ServingThread


@dataclass(frozen=True)
class Odd:
    """One answer, byte by byte."""

    body: bytes
    type: str = "text/event-stream"
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)


def chunks(*chunks: object, done: bool = True) -> Odd:
    """A stream of these events."""
    lines = [f"data: {chunk if isinstance(chunk, str) else json.dumps(chunk)}\n\n" for chunk in chunks]
    return Odd("".join([*lines, "data: [DONE]\n\n" if done else ""]).encode())


def delta(delta: object, finish: str | None = None, **more: Any) -> dict[str, Any]:
    """A chunk with one choice."""
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": finish}], **more}


def whole(value: object, status: int = 200, **headers: str) -> Odd:
    """A body of JSON."""
    return Odd(json.dumps(value).encode(), "application/json", status, headers)


class OddServer:
    """Answers requests to any path with these, in order; the last one again and again.

    Attributes:
        received: method and path of each request, its headers, its body.
    """

    def __init__(self, *answers: Odd) -> None:
        self._answers = list(answers)
        self.received: list[tuple[str, Mapping[str, str], Any]] = []
        application = web.Application()
        application.router.add_route("*", "/{path:.*}", self._answer)
        self._thread = ServingThread(application)

    @property
    def base_url(self) -> str:
        return f"{self._thread.url}/v1"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._thread.stop()

    async def _answer(self, request: web.Request) -> web.Response:
        body = await request.json() if request.can_read_body else None
        self.received.append((f"{request.method} {request.path}", dict(request.headers), body))
        answer = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
        headers = {**answer.headers, "Content-Type": answer.type}
        return web.Response(body=answer.body, status=answer.status, headers=headers)
