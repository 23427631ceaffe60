"""Discord's REST API over HTTP: authorisation, limits, bodies and faults here, everything else in simcord."""

from __future__ import annotations

import asyncio
import io
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote

import discord
from aiohttp import BodyPartReader, web
from simcord.backend import serializers
from simcord.backend.cdn import CDN_BASE
from simcord.backend.errors import BackendError
from simcord.backend.models import Channel
from simcord.http.router import RouteNotImplemented, UnsupportedField, dispatch

from memory.ports import Clock
from tests.servers.discord.answers import (
    FILE_LIMIT,
    PAGE_LIMIT,
    REQUEST_LIMIT,
    answer,
    cannot_reply,
    cannot_write_to_person,
    check,
    corrected,
    invalid_json,
    refusal,
    slow_down,
    too_large,
    unauthorized,
)
from tests.servers.discord.backend import SESSIONS_A_DAY, RecordedBackend
from tests.servers.discord.limits import GLOBAL, VIA, Limits
from tests.servers.faults import Fault, Faults, Kind
from tests.servers.ledger import Ledger
from tests.servers.serving import reset

NONCE_S = 300
"""For how long a nonce is remembered; Discord says "the past few minutes"."""
NEEDS_NO_TOKEN = re.compile(r"/(interactions|webhooks)/")
MESSAGES = re.compile(r"/channels/(\d+)/messages")


@dataclass(frozen=True, slots=True)
class File:
    """An uploaded file, as simcord wants it."""

    filename: str
    fp: io.BytesIO
    description: str | None = None


@dataclass(slots=True)
class Body:
    """A request's body: its JSON, and files."""

    data: Any = None
    files: list[File] = field(default_factory=list)


class Rest:
    """The handler of `/api/v10/...` and of the CDN."""

    def __init__(self, backend: RecordedBackend, *, token: str, ledger: Ledger, faults: Faults, clock: Clock) -> None:
        self.limits = Limits()
        self.token = token
        self.closed_to: set[int] = set()
        self.grants_content = True
        self.backend = backend
        self._ledger = ledger
        self._faults = faults
        self._clock = clock
        self._nonces: dict[tuple[str, str], tuple[float, int]] = {}

    def forget_nonces(self) -> None:
        self._nonces.clear()

    def let_interactions_lapse(self) -> None:
        for record in self.backend.interactions.values():
            record.initial_response_deadline = self.backend.now_iso()

    async def serve(self, request: web.Request) -> web.StreamResponse:
        method, path = request.method, request.match_info["path"]
        name = f"{method} {path}"
        fault = self._faults.strike(name)
        if fault and not fault.effect and (broken := await befall(request, fault)):
            self.limits.count_invalid(broken.status)
            return broken
        response = await self._answer(request, method, path)
        self.limits.count_invalid(response.status)
        self._ledger.record("answer", name=name, status=response.status)
        if fault and fault.effect and (broken := await befall(request, fault)):
            return broken
        return response

    async def download(self, request: web.Request) -> web.StreamResponse:
        path = request.match_info["path"]
        fault = self._faults.strike(f"GET /cdn/{path}")
        if fault and (broken := await befall(request, fault)):
            return broken
        blob = self.backend.cdn.get(f"{CDN_BASE}/{path}")
        return web.Response(status=404) if blob is None else web.Response(body=blob)

    async def _answer(self, request: web.Request, method: str, path: str) -> web.Response:
        is_known = request.headers.get("Authorization") == f"Bot {self.token}"
        if not is_known and not NEEDS_NO_TOKEN.match(path):
            return unauthorized()
        verdict = self.limits.admit(method, path, epoch=self._clock.now().timestamp())
        if verdict.wait_s:
            return slow_down(verdict.wait_s, verdict.headers, is_global=verdict.is_global)
        try:
            body = await _read(request)
            self._ledger.record(
                "request", name=f"{method} {path}", body=_shortened(body.data), query=dict(request.query)
            )
            check(path, request.query, body.data)
            result = self._dispatch(request, method, path, body)
        except (RouteNotImplemented, UnsupportedField) as gap:
            self._ledger.record("violation", name=f"{method} {path}", problem=str(gap))
            return answer(gap.to_json(), gap.status, verdict.headers)
        except BackendError as error:
            error = corrected(error)
            return answer(error.to_json(), error.status, verdict.headers)
        return answer(localised(result, request), headers=verdict.headers)

    def _dispatch(self, request: web.Request, method: str, path: str, body: Body) -> Any:
        if path == "/gateway/bot":
            left = self.backend.sessions_left
            limit = {"total": SESSIONS_A_DAY, "remaining": left, "reset_after": 3_600_000, "max_concurrency": 1}
            return {"url": gateway_url(request), "shards": 1, "session_start_limit": limit}
        if (method, path) == ("GET", "/users/@me"):
            return serializers.user_payload(self.backend.bot_user)
        if (method, path) == ("GET", "/oauth2/applications/@me"):
            granted = discord.ApplicationFlags(gateway_message_content_limited=self.grants_content)
            return {**self._call(method, path, body), "flags": granted.value}
        if method == "GET" and MESSAGES.fullmatch(path):
            return self._page(path, dict(request.query))
        if method == "POST" and (channel := MESSAGES.fullmatch(path)):
            return self._send(int(channel[1]), path, body)
        return self._call(method, path, body, dict(request.query), request.headers.get("X-Audit-Log-Reason"))

    def _call(
        self, method: str, path: str, body: Body, params: Mapping[str, str] | None = None, reason: str | None = None
    ) -> Any:
        try:
            return dispatch(
                self.backend, method, path, json=body.data, params=dict(params or {}), files=body.files,
                reason=unquote(reason) if reason else None,
            )  # fmt: skip
        finally:
            self.backend.http_requests.clear()
            self.backend.transcript.clear()

    def _page(self, path: str, params: dict[str, str]) -> Any:
        """A page of history. With `after` the oldest messages come first; simcord would give the newest."""
        if "after" not in params:
            return self._call("GET", path, Body(), params)
        limit = int(params.get("limit", PAGE_LIMIT // 2))
        return self._call("GET", path, Body(), {**params, "limit": str(2**31)})[-limit:]

    def _send(self, channel: int, path: str, body: Body) -> Any:
        """A message. The same nonce again within minutes is the same message, if the sender enforces it."""
        room = self.backend.channels.get(channel)
        if room and self.closed_to & set(room.recipient_ids):
            raise cannot_write_to_person()
        fields = body.data if isinstance(body.data, dict) else {}
        if room and room.guild_id and fields.get("message_reference"):
            self._require_history(room)
        nonce = str(fields.get("nonce") or "")
        known = self._known(path, nonce) if fields.get("enforce_nonce") else None
        if known in self.backend.messages.get(channel, {}):
            self._ledger.record("repetition", chat=str(channel), id=str(known), nonce=nonce)
            message = serializers.message_payload(self.backend, self.backend.messages[channel][known])
            return {**message, "nonce": nonce}
        sent = self._call("POST", path, body)
        if nonce:
            self._nonces[path, nonce] = (self._clock.now().timestamp(), int(sent["id"]))
        return {**sent, "nonce": fields.get("nonce")}

    def _require_history(self, room: Channel) -> None:
        """Replies need it; simcord does not ask."""
        try:
            bot = self.backend.bot_user.id
            self.backend.require_permissions(room.guild_id, bot, room.id, "read_message_history")
        except BackendError:
            raise cannot_reply() from None

    def _known(self, path: str, nonce: str) -> int | None:
        at, message = self._nonces.get((path, nonce), (float("-inf"), 0))
        return message if self._clock.now().timestamp() - at < NONCE_S else None


async def _read(request: web.Request) -> Body:
    """The body of a request.

    Raises:
        BackendError: it is too large, or not JSON.
    """
    body = Body()
    if (request.content_length or 0) > REQUEST_LIMIT:
        raise too_large()
    try:
        if not request.content_type.startswith("multipart/"):
            body.data = await request.json() if request.can_read_body else None
            return body
        async for part in await request.multipart():
            assert isinstance(part, BodyPartReader)
            await _take(part, body)
    except ValueError:
        raise invalid_json() from None
    return body


async def _take(part: BodyPartReader, body: Body) -> None:
    content = bytes(await part.read(decode=True))
    if part.filename is not None:
        if len(content) > FILE_LIMIT:
            raise too_large()
        body.files.append(File(part.filename, io.BytesIO(content)))
    elif part.name == "payload_json":
        body.data = json.loads(content)


async def befall(request: web.Request, fault: Fault) -> web.Response | None:
    """Let a fault happen; None if the request goes on."""
    if fault.kind is Kind.DELAY:
        await asyncio.sleep(fault.seconds)
        return None
    if fault.kind is Kind.HANG:
        await asyncio.Event().wait()
    if fault.kind is Kind.RESET:
        reset(request)
        return web.Response()
    if fault.status == 429 and not fault.seconds:  # not Discord itself, but the network in front of it
        return web.Response(status=429, text="error code: 1015")
    if fault.status == 429:
        is_global = fault.message == "global"
        return slow_down(fault.seconds, VIA | GLOBAL if is_global else VIA, is_global=is_global)
    return refusal(fault.status, 0, fault.message or f"{fault.status}: the fault script", {"Via": "1.1 discord"})


def gateway_url(request: web.Request) -> str:
    return f"ws://{request.host}/gateway"


def localised(payload: Any, request: web.Request) -> Any:
    """The payload with the CDN's addresses pointing here."""
    return json.loads(json.dumps(payload).replace(CDN_BASE, f"http://{request.host}/cdn"))


def _shortened(data: Any) -> Any:
    """What the ledger keeps of a body: a command list or a text beyond all limits would only fill it."""
    text = json.dumps(data)
    return data if len(text) <= 8000 else {"shortened": text[:8000]}
