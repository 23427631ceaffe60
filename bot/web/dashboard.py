"""The dashboard of a running service: served from the first time it is wanted, and opened by links that work once."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from adapters.terminal import TerminalAdapter
from bot.errors import BotError, from_extra
from bot.service.control import MakeLink
from bot.texts.catalogue import tr

if TYPE_CHECKING:
    from bot.app import Application
    from bot.web.server import Server


@asynccontextmanager
async def open_dashboard(app: Application, terminal: TerminalAdapter) -> AsyncIterator[MakeLink]:
    """Have a dashboard until the block ends, and give what makes an address that lets one browser in, once.

    It is served at once where the configuration names a port, or from the first address on; until then none of its
    libraries is loaded. That it cannot be served is no reason for a service not to run.
    """
    import structlog  # only here: a chat that is a client of a running service opens none

    server: Server | None = None

    def start() -> Server:
        """Serve, if that is not done yet.

        Raises:
            ConfigError: it cannot be served where the configuration says, or a library is missing.
            Refused: others may read the key that signs its cookies.
        """
        nonlocal server
        if server is None:
            with from_extra("dashboard", tr("The dashboard")):
                from bot.web.server import Server
            server = Server(app, terminal)
            group.create_task(server.serve(), name="dashboard")
        return server

    async with asyncio.TaskGroup() as group:
        if app.config.dashboard.port:
            try:
                start()
            except BotError as error:
                structlog.get_logger(__name__).warning("dashboard.not_served", reason=error.message, hint=error.hint)
        try:
            yield lambda agent, page: start().link(agent, page)
        finally:
            if server:
                server.stop()
