"""`scrubjay run`: an instance of the bot, on its platforms and for the chats of this machine."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from bot.cli.help import Run, single

if TYPE_CHECKING:
    from bot.cli.invocation import Invocation


async def run(*, run: Run) -> None:
    """Serve the bots on Telegram and Discord.

    The first time, it shows a code: send it to the bot, and it knows you.
    Ctrl-C or SIGTERM end it well: what was accepted is answered first, for at
    most 25 seconds, and the rest after the next start.

    Examples:
      scrubjay run
      SCRUBJAY__LOG__LEVEL=debug scrubjay run
    """
    from bot import instance, log
    from bot.config.draft import keep_good
    from bot.config.model import secrets_of
    from bot.control import Supervisor
    from bot.paths import watcher
    from bot.serve import run_service
    from bot.web.dashboard import open_dashboard

    config, home, clock = run.config, run.home, run.clock
    home.prepare()
    address, watchdog_s = watcher()
    with (
        instance.hold(home, command="run", clock=clock),
        log.to_stream(
            sys.stderr, level=config.log.level, clock=clock, mask=log.Mask(secrets_of(config)), copy=home.log_file
        ),
    ):
        write_starter_files(run)
        keep_good(home)
        supervisor = Supervisor(address, watchdog_s=watchdog_s)
        await run_service(home, config, clock=clock, supervisor=supervisor, dashboard=open_dashboard)


def write_starter_files(run: Invocation) -> None:
    """Write the starter files of every agent that has none yet."""
    from bot import starter

    for name, options in run.config.agents.items():
        workspace = run.home.workspace(name, options.workspace)
        starter.write_templates(workspace, name, about=options.about, owner=run.config.owner)


run_app = single("run", run)
