"""`scrubjay chat`: talk to an agent in this terminal."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from bot.cli.help import Run, single


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
    from bot import instance, log, starter
    from bot.app import run_chat
    from bot.config.model import secrets_of

    config, home, clock = run.config, run.home, run.clock
    name = config.agent(agent)
    home.prepare()
    with (
        instance.hold(home, command="chat", clock=clock),
        log.to_file(home.log_file, level=config.log.level, clock=clock, mask=log.Mask(secrets_of(config))),
    ):
        for each, options in config.agents.items():
            starter.furnish(home.workspace(each, options.workspace), each, about=options.about, owner=config.owner)
        return await run_chat(home, config, name, clock=clock)


app = single("chat", chat)
