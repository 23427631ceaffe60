"""A scripted model behind the OpenAI protocol, for the real `openai` client.

    with OpenAIServer([Step(text="Hello")], faults=[rate_limited(retry_after=0)]) as server:
        client = AsyncOpenAI(base_url=server.base_url, api_key=KEY, max_retries=0)

Chat completions (whole and streamed), embeddings, speech in both directions, models. A request that the script
does not know, or steps that nobody asked for, fail the test when the server is closed. As a process:

    python -m tests.servers.openai_server --script answers.json
    python -m tests.servers.openai_server --answer tests.chaos.script:answer
"""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Callable, Iterable, Sequence
from importlib import import_module
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from aiohttp import web

from tests.servers import openai_wire as wire
from tests.servers.control import add_control_routes
from tests.servers.ledger import Ledger
from tests.servers.openai_rules import complaint
from tests.servers.openai_script import Answer, Fault, Kind, Mishap, Received, Script, Step
from tests.servers.serving import ServingThread, reset, serve_process

KEY = "test-key"
MODEL = "scripted"
OGG = b"OggS"
SOUNDS = (".flac", ".m4a", ".mp3", ".mp4", ".mpeg", ".mpga", ".oga", ".ogg", ".wav", ".webm")
PAGE = "<!doctype html><title>Welcome</title><p>It works."
SETTLE_S = 0.02
"""What was sent before a reset would be thrown away by the reset; this much later the client has read it."""


class OpenAIServer:
    """The model's server, in a thread of its own between `start` and `stop`, or `application` on any loop."""

    def __init__(
        self,
        answers: Sequence[Step] | Answer | Script = (),
        faults: Sequence[Fault | None] | Mishap = (),
        *,
        ledger: Path | None = None,
        models: Iterable[str] = (MODEL,),
    ) -> None:
        self.script = answers if isinstance(answers, Script) else Script(answers, faults)
        self.received: list[Received] = []
        self.ledger = Ledger(ledger)
        self._unscripted: list[str] = []
        self._models = tuple(models)
        self._thread: ServingThread | None = None

    @property
    def application(self) -> web.Application:
        """A fresh application over this script."""
        application = web.Application(client_max_size=64 * 2**20)
        add_control_routes(application, {"complaints": self.complaints}, self.ledger)
        for path, method in (
            ("chat/completions", self._chat),
            ("embeddings", self._embeddings),
            ("audio/transcriptions", self._transcribe),
            ("audio/speech", self._speak),
        ):
            application.router.add_post(f"/v1/{path}", method)
        application.router.add_get("/v1/models", self._list)
        application.router.add_get("/v1/models/{name}", self._show)
        return application

    @property
    def base_url(self) -> str:
        assert self._thread, "the server was not started"
        return f"{self._thread.url}/v1"

    def complaints(self) -> list[str]:
        """Requests that the script did not know, and steps that are left over."""
        return [*self._unscripted, *(f"left over: {step}" for step in self.script.left_over)]

    def start(self) -> Self:
        self._thread = ServingThread(self.application).start()
        return self

    def stop(self) -> None:
        if self._thread:
            self._thread.stop()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.stop()
        if error is None and self.complaints():
            raise AssertionError("\n".join(self.complaints()))

    async def _chat(self, request: web.Request) -> web.StreamResponse:
        received = await self._receive(request)
        if refusal := self._refusal(received):
            return refusal
        fault = self.script.fault_for(received)
        if fault and (broken := await _instead(request, fault)):
            return broken
        step = self._step(received, used=fault is None or fault.answers)
        if step is None:
            return _error("the script has no answer to this request", status=400, code="unscripted")
        self.ledger.record("answer", step=repr(step)[:2000], fault=repr(fault))
        if received.body.get("stream"):
            return await _stream(request, list(wire.stream(step, received)), fault)
        return await _whole(request, wire.completion(step, received), fault)

    async def _embeddings(self, request: web.Request) -> web.StreamResponse:
        received = await self._receive(request)
        if not self._authorised(received):
            return _bad_key()
        if received.body["model"] not in self._models:
            return _no_model(received.body["model"])
        fault = self.script.fault_for(received)
        if fault and (broken := await _instead(request, fault)):
            return broken
        return await _whole(request, wire.embeddings(received), fault)

    async def _transcribe(self, request: web.Request) -> web.StreamResponse:
        """What is said in a recording stands in it as text, behind the mark of an Ogg file."""
        form = await request.post()
        audio, body = form.get("file"), {name: value for name, value in form.items() if isinstance(value, str)}
        received = Received(request.path, dict(request.headers), body)
        self.received.append(received)
        self.ledger.record("request", path=received.path, body=body)
        if not self._authorised(received):
            return _bad_key()
        if not isinstance(audio, web.FileField) or not audio.filename.endswith(SOUNDS):
            return _error(f"Invalid file format. Supported formats: {SOUNDS}", status=400)
        if body.get("model") not in self._models:
            return _no_model(str(body.get("model")))
        fault = self.script.fault_for(received)
        if fault and (broken := await _instead(request, fault)):
            return broken
        return await _whole(request, {"text": audio.file.read().removeprefix(OGG).decode("utf-8", "replace")}, fault)

    async def _speak(self, request: web.Request) -> web.StreamResponse:
        received = await self._receive(request)
        if not self._authorised(received):
            return _bad_key()
        if not all(isinstance(received.body.get(name), str) for name in ("model", "input", "voice")):
            return _error("Missing required parameter: 'input', 'model' or 'voice'.", status=400)
        if len(received.body["input"]) > 4096:
            return _error("Invalid 'input': string too long. Expected a string with maximum length 4096.", status=400)
        fault = self.script.fault_for(received)
        if fault and (broken := await _instead(request, fault)):
            return broken
        return web.Response(body=OGG + received.body["input"].encode(), content_type="audio/ogg")

    async def _list(self, request: web.Request) -> web.Response:
        if not self._authorised(await self._receive(request)):
            return _bad_key()
        return web.json_response({"object": "list", "data": [wire.model(name) for name in self._models]})

    async def _show(self, request: web.Request) -> web.Response:
        name = request.match_info["name"]
        if not self._authorised(await self._receive(request)):
            return _bad_key()
        return web.json_response(wire.model(name)) if name in self._models else _no_model(name)

    async def _receive(self, request: web.Request) -> Received:
        body = await request.json() if request.can_read_body else {}
        received = Received(request.path, dict(request.headers), body)
        self.received.append(received)
        self.ledger.record("request", path=received.path, body=body)
        return received

    def _step(self, received: Received, *, used: bool) -> Step | None:
        """The answer; what a test asserts inside its answering function counts as a complaint."""
        try:
            step = self.script.step_for(received, used=used)
        except AssertionError as error:
            self._unscripted.append(f"refused by the answering function: {error}")
            return None
        if step is None:
            self._unscripted.append(f"unscripted request: {received.user_text[:200]!r}")
        return step

    def _refusal(self, received: Received) -> web.Response | None:
        if not self._authorised(received):
            return _bad_key()
        if reason := complaint(received.body):
            return _error(reason, status=400)
        if received.body["model"] not in self._models:
            return _no_model(received.body["model"])
        return None

    @staticmethod
    def _authorised(received: Received) -> bool:
        return received.headers.get("Authorization") == f"Bearer {KEY}"


async def _instead(request: web.Request, fault: Fault) -> web.StreamResponse | None:
    """What arrives in place of the answer, if the fault strikes before its first byte."""
    if fault.kind is Kind.STATUS:
        return _error(fault.message, status=fault.status, code=fault.code, headers=dict(fault.headers))
    if fault.kind is Kind.HTML:
        return web.Response(text=PAGE, content_type="text/html")
    if fault.after < 0 and fault.kind is Kind.HANG:
        await asyncio.Event().wait()
    if fault.after < 0 and fault.kind is Kind.RESET:
        reset(request)
        return web.Response()
    return None


async def _stream(request: web.Request, events: list[bytes], fault: Fault | None) -> web.StreamResponse:
    response = web.StreamResponse(headers={"Content-Type": "text/event-stream", "Cache-Control": "no-cache"})
    await response.prepare(request)
    if fault is None or fault.answers:
        return await _send(response, events, pause_s=fault.seconds if fault else 0)
    after = fault.after % len(events)
    await _send(response, events[:after])
    if fault.kind is Kind.CUT and fault.mid_event:
        await response.write(events[after][: len(events[after]) // 2])
    await _break(request, response, fault)
    if fault.kind is Kind.GARBAGE:
        await response.write(b'data: {"id": "chatcmpl-\n\n')
        await _send(response, events[after:])
    if fault.kind is Kind.ERROR:
        await response.write(wire.event(wire.error(fault.message, status=fault.status, code=fault.code)))
    return response


async def _whole(request: web.Request, body: dict[str, Any], fault: Fault | None) -> web.StreamResponse:
    """The answer in one body; a fault strikes in its middle."""
    text = web.json_response(body).body
    assert isinstance(text, bytes)
    response = web.StreamResponse(headers={"Content-Type": "application/json"})
    if fault and not fault.answers:
        await response.prepare(request)
        await response.write(text[: len(text) // 2])
        await _break(request, response, fault)
        return response
    await asyncio.sleep(fault.seconds if fault else 0)
    return web.json_response(body)


async def _send(response: web.StreamResponse, events: Iterable[bytes], *, pause_s: float = 0) -> web.StreamResponse:
    for data in events:
        await asyncio.sleep(pause_s)
        await response.write(data)
    return response


async def _break(request: web.Request, response: web.StreamResponse, fault: Fault) -> None:
    """Silence or a reset in the middle of an answer."""
    if fault.kind is Kind.HANG:
        await asyncio.Event().wait()
    if fault.kind is Kind.RESET:
        await response.drain()
        await asyncio.sleep(SETTLE_S)
        reset(request)


def _error(
    message: str, *, status: int, code: str | None = None, headers: dict[str, str] | None = None
) -> web.Response:
    return web.json_response(wire.error(message, status=status, code=code), status=status, headers=headers)


def _bad_key() -> web.Response:
    return _error("Incorrect API key provided.", status=401, code="invalid_api_key")


def _no_model(name: str) -> web.Response:
    message = f"The model `{name}` does not exist or you do not have access to it."
    return _error(message, status=404, code="model_not_found")


def _named(reference: str) -> Callable[[Received], Any]:
    module, _, name = reference.partition(":")
    function: Callable[[Received], Any] = getattr(import_module(module), name)
    return function


def main() -> None:
    parser = argparse.ArgumentParser(description="A scripted model behind the OpenAI protocol.")
    parser.add_argument("--script", type=Path, help='JSON: {"answers": [...], "faults": [...]}')
    parser.add_argument("--answer", help="module:function that makes a Step of a request")
    parser.add_argument("--mishap", help="module:function that makes a Fault or None of a request")
    parser.add_argument("--ledger", type=Path, help="write every request and answer to this file")
    parser.add_argument("--port", type=int, default=0)
    options = parser.parse_args()
    script = (
        Script.load(options.script)
        if options.script
        else Script(_named(options.answer) if options.answer else (), _named(options.mishap) if options.mishap else ())
    )
    serve_process(OpenAIServer(script, ledger=options.ledger).application, options.port)


if __name__ == "__main__":
    main()
