"""The web server of the dashboard, in the event loop of the service."""

from __future__ import annotations

import asyncio
import socket
from ipaddress import ip_address
from urllib.parse import urlencode

import structlog
import uvicorn

from adapters.terminal import TerminalAdapter
from bot.app import Application
from bot.errors import ConfigError
from bot.texts.catalogue import tr
from bot.waiting import pause
from bot.web.guard import RequestGuard, own_addresses
from bot.web.logins import Logins, signing_key
from bot.web.page import Beside
from bot.web.routes import HOME, Routes

DEFAULT_PORT = 8789
"""Where it is served when nothing else is configured; another one if this is taken."""

END_S = 1
"""How long open connections may go on when the service ends."""

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)


class Server:
    """A server that listens from now on, and answers while it serves.

    Attributes:
        address: under which a browser reaches it.

    Raises:
        ConfigError: it cannot listen where the configuration says.
        Refused: others may read the key that signs its cookies.
    """

    def __init__(self, app: Application, terminal: TerminalAdapter) -> None:
        options = app.config.dashboard
        key = signing_key(app.home.dashboard_key)
        self._logins = Logins(key, token=options.token.get_secret_value(), clock=app.clock)
        self._listening = _listen(options.host, options.port)
        port = self._listening.getsockname()[1]
        host = f"[{options.host}]" if ":" in options.host else options.host
        self.address = options.url or f"http://{host}:{port}"
        hosts, origins = own_addresses(host, port, options.url)
        self._beside = Beside.of(app, terminal, pause)
        routes = Routes(app, self._beside, self._logins, pause=pause, is_secure=options.url.startswith("https:"))
        config = uvicorn.Config(
            RequestGuard(routes.build(), self._logins, hosts=hosts, origins=origins),
            lifespan="off",
            log_config=None,
            access_log=False,
            proxy_headers=False,
            server_header=False,
            ws="none",
            timeout_graceful_shutdown=END_S,
        )
        config.load()
        self._server = uvicorn.Server(config)
        self._server.lifespan = config.lifespan_class(config)

    async def serve(self) -> None:
        """Answer until `stop`: as `uvicorn.Server.serve` does, but the service minds the signals."""
        log.info("dashboard.started", address=self.address)
        async with asyncio.TaskGroup() as group:
            beside = [group.create_task(self._beside.health.run()), group.create_task(self._beside.background.run())]
            await self._server.startup([self._listening])
            await self._server.main_loop()
            await self._server.shutdown([self._listening])
            for task in beside:
                task.cancel()

    def link(self, agent: str, page: str) -> str:
        """Return an address that lets one browser in, once, to see one agent or all, and leads to a page."""
        return f"{self.address}/login?{urlencode({'link': self._logins.link(agent), 'to': page or HOME})}"

    def stop(self) -> None:
        """Answer what is under way, and no more."""
        self._server.should_exit = True


def _listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens: at the port wanted; without one, at the usual one, or any that is free."""
    family = socket.AF_INET6 if ip_address(host).version == 6 else socket.AF_INET
    reason = ""
    for wanted in [port] if port else [DEFAULT_PORT, 0]:
        listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)  # named, else asyncio delays answers
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((host, wanted))
            listening.listen()
        except OSError as error:
            listening.close()
            reason = error.strerror or str(error)
        else:
            return listening
    raise ConfigError(
        tr("The dashboard cannot be served at {host}, port {port}: {reason}.", host=host, port=port, reason=reason),
        hint=tr("Set dashboard.port to a free one, or to 0 for any."),
    )
