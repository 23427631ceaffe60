"""`scrubjay dashboard`: a window in the browser on what the bot knows."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Annotated
from urllib.parse import urlencode

from cyclopts import Parameter

from bot.cli.help import JSON, AgentOption, Run, single
from bot.cli.invocation import Invocation
from bot.cli.state import hold_home
from bot.config.environment import has_display
from bot.texts.catalogue import tr

if TYPE_CHECKING:
    from adapters.terminal import TerminalAdapter
    from bot.app import Application
    from bot.service.control import MakeLink


async def dashboard(
    *,
    agent: Annotated[AgentOption, Parameter(help="Whose pages; the default agent if left out.")] = None,
    only: Annotated[bool, Parameter(help="The browser may see this agent alone.")] = False,
    no_open: Annotated[bool, Parameter(help="Print the address, open no browser.")] = False,
    run: Run,
) -> None:
    """Open the dashboard: what the bot knows, and why.

    It prints an address that lets one browser in, once, within ten minutes. While
    `scrubjay run` or a chat holds the home, it is served there; otherwise here,
    until Ctrl-C, and the bots on Telegram and Discord stay offline meanwhile.
    From another machine, forward the port first:
    ssh -L 8789:127.0.0.1:8789 you@server

    Examples:
      scrubjay dashboard
      scrubjay dashboard --agent work --only
      scrubjay dashboard --no-open
      scrubjay dashboard --json | jq -r .url
    """
    from bot.service import control
    from bot.system import instance

    name = run.config.agent(agent)
    page = f"/home?{urlencode({'agent': name})}"
    holder = instance.holder(run.home)
    if holder is None:
        await _serve(run, name if only else "", page, opens=not no_open)
        return
    card = run.home.chats if holder.command == "chat" else run.home.control
    answer = await control.ask(card, "dashboard", agent=name if only else "", page=page)
    _show(run, answer["url"], opens=not no_open)


async def _serve(run: Invocation, only: str, page: str, *, opens: bool) -> None:
    """Hold the home and serve the dashboard, and chats of this machine, until a signal."""
    from bot import starter
    from bot.service.probes import Supervisor
    from bot.service.run import run_service
    from bot.web.dashboard import open_dashboard

    @asynccontextmanager
    async def opening(app: Application, terminal: TerminalAdapter) -> AsyncIterator[MakeLink]:
        async with open_dashboard(app, terminal) as make_link:
            _show(run, make_link(only, page), opens=opens)
            run.terminal.note(tr("It is served here until Ctrl-C."))
            yield make_link

    with hold_home(run, command="dashboard"):
        starter.write_all(run.home, run.config)
        await run_service(
            run.home, run.config, clock=run.clock, supervisor=Supervisor(""), dashboard=opening, with_accounts=False
        )


def _show(run: Invocation, url: str, *, opens: bool) -> None:
    """Print the address, and open it where there is a screen to see it on."""
    if run.terminal.as_json:
        run.terminal.json({"url": url})
        sys.stdout.flush()  # whoever waits for it at the other end of a pipe would wait until it is over
        return
    print(url, flush=True)
    run.terminal.err(tr("It lets one browser in, once, within ten minutes."))
    if opens and sys.stdout.isatty() and has_display():
        import webbrowser

        webbrowser.open(url)


app = single("dashboard", dashboard, json=JSON)
