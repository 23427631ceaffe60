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


class Dashboard:
    """Serves the dashboard once somebody wants it; until then none of its libraries is loaded."""

    def __init__(self, app: Application, terminal: TerminalAdapter, group: asyncio.TaskGroup) -> None:
        self._app = app
        self._terminal = terminal
        self._group = group
        self._server: Server | None = None

    def start(self) -> Server:
        """Serve, if that is not done yet.

        Raises:
            ConfigError: it cannot be served where the configuration says, or a library is missing.
            Refused: others may read the key that signs its cookies.
        """
        if self._server is None:
            with from_extra("dashboard", tr("The dashboard")):
                from bot.web.server import Server
            self._server = Server(self._app, self._terminal)
            self._group.create_task(self._server.serve(), name="dashboard")
        return self._server

    def link(self, agent: str, page: str) -> str:
        """Return an address that lets one browser in, once (`MakeLink`); served from now on. Raises as `start` does."""
        return self.start().link(agent, page)

    def stop(self) -> None:
        """Answer what is under way, and no more."""
        if self._server:
            self._server.stop()


@asynccontextmanager
async def open_dashboard(app: Application, terminal: TerminalAdapter) -> AsyncIterator[MakeLink]:
    """Have a dashboard until the block ends; served at once where the configuration names a port.

    That it cannot be served is no reason for a service not to run.
    """
    import structlog  # only here: a chat that is a client of a running service opens none

    async with asyncio.TaskGroup() as group:
        dashboard = Dashboard(app, terminal, group)
        if app.config.dashboard.port:
            try:
                dashboard.start()
            except BotError as error:
                structlog.get_logger(__name__).warning("dashboard.not_served", reason=error.message, hint=error.hint)
        try:
            yield dashboard.link
        finally:
            dashboard.stop()
