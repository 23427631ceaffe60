"""`scrubjay run`: the service on its platforms."""

from __future__ import annotations

from bot.cli.help import Run, single


async def run(*, run: Run) -> None:
    """Serve the bots on Telegram and Discord.

    The first time, it shows a code: send it to the bot, and it knows you.
    Ctrl-C or SIGTERM end it well: what was accepted is answered first, for at
    most 25 seconds, and the rest after the next start.

    Examples:
      scrubjay run
      SCRUBJAY__LOG__LEVEL=debug scrubjay run
    """
    import sys

    from bot import instance, log, starter
    from bot.config.model import secrets_of
    from bot.control import Supervisor
    from bot.paths import watcher
    from bot.serve import run_service

    config, home, clock = run.config, run.home, run.clock
    home.prepare()
    address, watchdog_s = watcher()
    with (
        instance.hold(home, command="run", clock=clock),
        log.to_stream(sys.stderr, level=config.log.level, clock=clock, mask=log.Mask(secrets_of(config))),
    ):
        for name, options in config.agents.items():
            starter.furnish(home.workspace(name, options.workspace), name, about=options.about, owner=config.owner)
        await run_service(home, config, clock=clock, supervisor=Supervisor(address, watchdog_s=watchdog_s))


app = single("run", run)
