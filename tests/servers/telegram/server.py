"""A strict Bot API server: every request is judged, every text parsed by TDLib, everything written down.

The judges are not ours: aiogram's models of Bot API 10.3 for fields and types, TDLib's parser for texts. What they
find is a *violation* in the ledger; the request goes on, since the real server forgives much of it.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from aiohttp import web

from memory.ports import Clock, SystemClock
from tests.servers.control import add_control_routes, verbs_of
from tests.servers.faults import Fault, Faults, Kind
from tests.servers.ledger import Ledger
from tests.servers.serving import reset
from tests.servers.telegram.account import Account
from tests.servers.telegram.call import Call, Upload, read
from tests.servers.telegram.changing import Changing
from tests.servers.telegram.flood import Flood
from tests.servers.telegram.judge import Judge
from tests.servers.telegram.levers import Levers
from tests.servers.telegram.people import People
from tests.servers.telegram.refusals import Refused, broken, no_method, too_many_requests, unauthorized
from tests.servers.telegram.sending import Sending
from tests.servers.telegram.texts import Texts
from tests.servers.telegram.updates import PATIENCE_S, UpdateQueue
from tests.servers.telegram.world import User, World

UPLOAD_LIMIT = 50 * 2**20
LONG = 2000  # characters of an argument that the ledger keeps


class BotApi:
    """The server's parts, wired: state, methods, judges, faults, and the verbs for tests."""

    def __init__(
        self, *, token: str, ledger: Path | None = None, patience_s: float = PATIENCE_S, clock: Clock | None = None
    ) -> None:
        clock = clock or SystemClock()
        self.ledger = Ledger(ledger, clock=clock)
        self._token = token
        bot = User(int(token.partition(":")[0]), "Scrubjay", "scrubjay_bot", is_bot=True)
        self._world = World(
            self.ledger, UpdateQueue(self.ledger, patience_s=patience_s, clock=clock), clock=clock, bot=bot
        )
        self._judge, texts = Judge(), Texts()
        self._faults, self._flood, account = Faults(self.ledger), Flood(), Account(self._world)
        self._levers = Levers(self._world, faults=self._faults, flood=self._flood, account=account)
        self._people = People(self._world, texts)
        self._methods = _by_api_name(Sending(self._world, texts), Changing(self._world, texts), account)

    def application(self) -> web.Application:
        application = web.Application(client_max_size=UPLOAD_LIMIT)
        add_control_routes(
            application, verbs_of(self._people) | verbs_of(self._levers), self.ledger, refusals=(Refused,)
        )
        application.router.add_route("*", "/bot{token}/{method}", self._answer)
        application.router.add_get("/file/bot{token}/{path:.*}", self._download)
        return application

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        method = request.match_info["method"].lower()
        fault = self._faults.strike(self._spelled(method))
        try:
            if fault and not fault.effect:
                await _befall(request, fault)
            result = await self._run(request, method)
            if fault and fault.effect:
                await _befall(request, fault)
        except Refused as refused:
            self.ledger.record("answer", method=self._spelled(method), status=refused.status, error=refused.description)
            return _refusal(refused)
        self._delivered(request, method, result)
        return web.json_response({"ok": True, "result": result})

    async def _run(self, request: web.Request, method: str) -> Any:
        self._check_token(request.match_info["token"])
        if not self._judge.knows(method):
            raise no_method()
        raw, uploads = await read(request)
        call = self._judged(method, raw, uploads)
        if method not in self._methods:
            self._violation(method, "this server does not model the method")
            raise no_method()
        if method.startswith(("send", "edit", "copy")) and method != "sendchataction":
            chat = call.get("chat_id")
            self._flood.admit(chat if isinstance(chat, int) else 0)
        result = self._methods[method](call)
        if inspect.isawaitable(result):
            result = await result
            self._check_token(request.match_info["token"])  # it may have been revoked meanwhile
        for name in call.unlooked:
            self._violation(method, f"this server does not model {name}")
        if method != "getupdates":  # each update is judged when it goes out
            for problem in self._judge.faults_of_answer(method, result):
                self._violation(method, f"the server's own answer: {problem}")
        return result

    def _judged(self, method: str, raw: Mapping[str, Any], uploads: Mapping[str, Upload]) -> Call:
        arguments = self._judge.arguments(method, raw)
        shown = {name: value if len(str(value)) <= LONG else str(value)[:LONG] for name, value in arguments.items()}
        files = {name: upload.summary for name, upload in uploads.items()}
        if method != "getupdates":
            self.ledger.record("request", method=self._spelled(method), arguments=shown, files=files)
        problems = self._judge.faults_of_request(method, arguments)
        for problem in problems:
            self._violation(method, problem)
        if any(": unknown field" not in problem and "deprecated" not in problem for problem in problems):
            raise broken(400, f"Bad Request: {problems[0]}")
        return Call(method, arguments, uploads)

    def _check_token(self, token: str) -> None:
        number, colon, _ = token.partition(":")
        if not colon or not number.isdecimal() or number.startswith("0") or len(token) > 80:
            raise unauthorized("invalid token specified")
        if token != self._token or not self._levers.token_is_valid:
            raise unauthorized()

    def _delivered(self, request: web.Request, method: str, result: Any) -> None:
        """Note what has gone out; a poller that was killed meanwhile gets nothing."""
        if method != "getupdates":
            self.ledger.record("answer", method=self._spelled(method), status=200)
        elif request.transport and not request.transport.is_closing() and result:
            self.ledger.record("handed", updates=[update["update_id"] for update in result])
            for update in result:
                self._check_update(update)

    def _check_update(self, update: Mapping[str, Any]) -> None:
        """Updates of this server's own making must be right; those that a test pushed may be anything."""
        if update["update_id"] not in self._levers.pushed:
            for problem in self._judge.faults_of_update(update):
                self._violation("getupdates", f"the server's own update: {problem}")

    async def _download(self, request: web.Request) -> web.StreamResponse:
        path = request.match_info["path"]
        fault = self._faults.strike(f"file/{path}")
        try:
            self._check_token(request.match_info["token"])
            if fault:
                await _befall(request, fault)
        except Refused as refused:
            return web.json_response(refused.body, status=refused.status)
        for file in self._world.files.values():
            if file.path == path:
                self.ledger.record("download", path=path, size=len(file.data))
                return web.Response(body=file.data, content_type="application/octet-stream")
        return web.json_response(broken(404, "Not Found").body, status=404)

    def _spelled(self, method: str) -> str:
        return self._judge.spelling(method)

    def _violation(self, method: str, problem: str) -> None:
        self.ledger.record("violation", method=self._spelled(method), problem=problem)


def _refusal(refused: Refused) -> web.Response:
    if refused.status > 500:  # comes from a proxy in front, which speaks no JSON
        page = f"<html><h1>{refused.status} {refused.description}</h1></html>"
        return web.Response(text=page, status=refused.status, content_type="text/html")
    headers = {"Retry-After": str(refused.parameters["retry_after"])} if refused.status == 429 else None
    return web.json_response(refused.body, status=refused.status, headers=headers)


async def _befall(request: web.Request, fault: Fault) -> None:
    """Let a fault happen.

    Raises:
        Refused: the fault is an error answer.
    """
    if fault.kind is Kind.DELAY:
        await asyncio.sleep(fault.seconds)
    elif fault.kind is Kind.HANG:
        await asyncio.Event().wait()
    elif fault.kind is Kind.RESET:
        reset(request)
        raise broken(500, "connection reset by the fault script")
    elif fault.status == 429:
        raise too_many_requests(fault.seconds)
    else:
        raise broken(fault.status, fault.message)


def _by_api_name(*owners: object) -> dict[str, Callable[[Call], Any]]:
    """`send_message` is found as `sendmessage`: the Bot API does not care for case."""
    return {name.replace("_", ""): method for owner in owners for name, method in verbs_of(owner).items()}
