"""`scrubjay run` and `scrubjay chat`: an instance of the bot, on its platforms or in this terminal."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

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

    config, home, clock = run.config, run.home, run.clock
    home.prepare()
    address, watchdog_s = watcher()
    with (
        instance.hold(home, command="run", clock=clock),
        log.to_stream(
            sys.stderr, level=config.log.level, clock=clock, mask=log.Mask(secrets_of(config)), copy=home.log_file
        ),
    ):
        _write_starter_files(run)
        keep_good(home)
        await run_service(home, config, clock=clock, supervisor=Supervisor(address, watchdog_s=watchdog_s))


async def chat(
    *,
    agent: Annotated[
        str | None, Parameter(name=("--agent", "-a"), metavar="NAME", help="Who; the default agent if left out.")
    ] = None,
    run: Run,
) -> int:
    """Talk to an agent in this terminal.

    Tell it something and it is noted; ask, and it answers from memory with the
    source. /help lists what else it understands, Ctrl-D leaves.
    Lines that come through a pipe are answered one by one.

    Examples:
      scrubjay chat
      scrubjay chat --agent work
      printf 'where is the spare key?\\n' | scrubjay chat --agent personal
    """
    from bot import instance, log
    from bot.app import run_chat
    from bot.config.model import secrets_of

    config, home, clock = run.config, run.home, run.clock
    name = config.agent(agent)
    home.prepare()
    with (
        instance.hold(home, command="chat", clock=clock),
        log.to_file(home.log_file, level=config.log.level, clock=clock, mask=log.Mask(secrets_of(config))),
    ):
        _write_starter_files(run)
        return await run_chat(home, config, name, clock=clock)


def _write_starter_files(run: Invocation) -> None:
    """Write the starter files of every agent that has none yet."""
    from bot import starter

    for name, options in run.config.agents.items():
        workspace = run.home.workspace(name, options.workspace)
        starter.write_templates(workspace, name, about=options.about, owner=run.config.owner)


run_app = single("run", run)
chat_app = single("chat", chat)
