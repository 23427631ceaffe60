"""The way from a test to a running server: verbs called over HTTP, and its ledger followed.

One way for servers in a thread and servers in another process, so that a test does not care which it has.
"""

from __future__ import annotations

import asyncio
import inspect
import json
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from aiohttp import web

from tests.servers.ledger import Entry, Ledger

ROOT = Path(__file__).parents[2]


class ControlError(Exception):
    """The server refused a verb; the message is its reason."""


def verbs_of(subject: object) -> dict[str, Callable[..., Any]]:
    """The public methods of an object, by name."""
    return {name: getattr(subject, name) for name in dir(type(subject)) if not name.startswith("_")}


def add_control_routes(
    application: web.Application,
    verbs: Mapping[str, Callable[..., Any]],
    ledger: Ledger,
    *,
    refusals: tuple[type[Exception], ...] = (),
) -> None:
    """`POST /control/<verb>` calls the function of that name; `GET /control/ledger` waits for entries.

    Errors of the types in `refusals`, and wrong arguments, are told to the caller.
    """
    told: tuple[type[Exception], ...] = (LookupError, ValueError, TypeError, *refusals)

    async def call(request: web.Request) -> web.Response:
        name = request.match_info["verb"]
        if name not in verbs:
            return web.json_response({"error": f"no verb {name}"}, status=404)
        try:
            result = verbs[name](**await request.json())
            if inspect.isawaitable(result):
                result = await result
        except told as error:
            return web.json_response({"error": f"{type(error).__name__}: {error}"}, status=400)
        return web.json_response({"result": result})

    async def follow(request: web.Request) -> web.Response:
        since, wait_s = int(request.query.get("since", "0")), float(request.query.get("wait", "0"))
        return web.json_response({"result": await ledger.grown(since=since, wait_s=wait_s)})

    async def close(_: web.Application) -> None:
        ledger.close()

    application.router.add_post("/control/{verb}", call)
    application.router.add_get("/control/ledger", follow)
    application.on_shutdown.append(close)


class Remote:
    """A test's hold on one server."""

    def __init__(self, url: str) -> None:
        self.url = url
        self._opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))

    def call(self, verb: str, **arguments: Any) -> Any:
        """Call a verb and return its result.

        Raises:
            ControlError: the server refused.
        """
        body = json.dumps(arguments).encode()
        return self._fetch(urllib.request.Request(f"{self.url}/control/{verb}", data=body))

    def entries(self, kind: str | None = None, *, since: int = 0) -> list[Entry]:
        """The ledger after entry number `since`."""
        return [entry for entry in self._ledger(since, wait_s=0) if kind in {None, entry["kind"]}]

    async def until(self, found: Callable[[Entry], bool], *, since: int = 0, timeout_s: float = 10) -> Entry:
        """The first entry after number `since` that fits; waits for it.

        Raises:
            TimeoutError: it did not come; the message shows the last entries.
        """
        deadline, last = time.monotonic() + timeout_s, since
        seen: list[Entry] = []
        while time.monotonic() < deadline:
            fresh = await asyncio.to_thread(self._ledger, last, wait_s=min(0.5, timeout_s))
            for entry in fresh:
                if found(entry):
                    return entry
            seen, last = [*seen, *fresh][-8:], fresh[-1]["n"] if fresh else last
        raise TimeoutError(
            "nothing that fits in the ledger; its end:\n" + "\n".join(str(entry)[:300] for entry in seen)
        )

    def _ledger(self, since: int, *, wait_s: float) -> list[Entry]:
        entries: list[Entry] = self._fetch(
            urllib.request.Request(f"{self.url}/control/ledger?since={since}&wait={wait_s}")
        )
        return entries

    def _fetch(self, request: urllib.request.Request) -> Any:
        try:
            with self._opener.open(request, timeout=30) as response:
                return json.load(response)["result"]
        except urllib.error.HTTPError as refusal:
            with refusal:
                raise ControlError(refusal.read().decode()) from None


class ServerProcess:
    """A server started as `python -m <module> <arguments> --port 0`, between `start` and `stop`."""

    def __init__(self, module: str, *arguments: str) -> None:
        self._command = [sys.executable, "-m", module, *arguments, "--port", "0"]
        self._process: subprocess.Popen[str] | None = None
        self.url = ""

    def start(self) -> Self:
        self._process = subprocess.Popen(self._command, stdout=subprocess.PIPE, text=True, cwd=ROOT)
        assert self._process.stdout
        line = self._process.stdout.readline()
        if not line:
            self._process.communicate()
            raise RuntimeError(f"{' '.join(self._command)} ended with exit code {self._process.returncode}")
        self.url = json.loads(line)["url"]
        return self

    def stop(self) -> None:
        if self._process is None:
            return
        self._process.terminate()
        self._process.communicate(timeout=10)

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.stop()
