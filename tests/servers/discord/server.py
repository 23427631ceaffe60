"""Discord on 127.0.0.1: simcord's backend behind REST, gateway and CDN, so that the real discord.py talks to it."""

from __future__ import annotations

import base64
from pathlib import Path

from aiohttp import web
from simcord.backend.errors import BackendError, SetupError

from memory.ports import Clock, SystemClock
from tests.servers.control import add_control_routes, verbs_of
from tests.servers.discord.answers import REQUEST_LIMIT
from tests.servers.discord.backend import RecordedBackend
from tests.servers.discord.gateway import Gateway
from tests.servers.discord.levers import Levers
from tests.servers.discord.people import People
from tests.servers.discord.rest import Rest
from tests.servers.faults import Faults
from tests.servers.ledger import Ledger


def application(*, ledger: Path | None = None, clock: Clock | None = None) -> web.Application:
    """The server's parts, wired. The bot's token is made as Discord makes them."""
    clock = clock or SystemClock()
    record = Ledger(ledger, clock=clock)
    backend, faults = RecordedBackend(record, clock), Faults(record)
    token = token_of(backend.bot_user.id)
    rest = Rest(backend, token=token, ledger=record, faults=faults, clock=clock)
    gateway = Gateway(backend, token=token, ledger=record)
    people, levers = People(backend, record), Levers(rest, gateway, faults=faults, ledger=record)
    server = web.Application(client_max_size=2 * REQUEST_LIMIT)
    add_control_routes(server, verbs_of(people) | verbs_of(levers), record, refusals=(BackendError, SetupError))
    server.router.add_route("*", r"/api/v{version:\d+}{path:/.*}", rest.serve)
    server.router.add_get("/gateway", gateway.serve)
    server.router.add_get("/cdn/{path:.*}", rest.download)
    return server


def token_of(bot: int) -> str:
    """A token whose first part says whose it is."""
    return f"{base64.urlsafe_b64encode(str(bot).encode()).decode().rstrip('=')}.GTeste.{'x' * 38}"
