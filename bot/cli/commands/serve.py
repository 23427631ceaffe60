"""`scrubjay run`: an instance of the bot, on its platforms and for the chats of this machine."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from bot.cli.help import Run, single
from bot.config.environment import watcher
from bot.errors import UsageError
from bot.texts.catalogue import tr

if TYPE_CHECKING:
    from bot.config.model import Config


async def run(
    *,
    store: Annotated[
        str | None,
        Parameter(
            metavar="URL",
            help="The database that several machines share, instead of what is configured. Its "
            "password is best in ~/.pgpass or store.url, not here.",
        ),
    ] = None,
    roles: Annotated[
        str | None,
        Parameter(
            metavar="LIST",
            help="What this process does there: ingress, worker, egress, scheduler; with commas between them.",
        ),
    ] = None,
    run: Run,
) -> None:
    """Serve the bots on Telegram and Discord.

    The first time, it shows a code: send it to the bot, and it knows you.
    Ctrl-C or SIGTERM end it well: what was accepted is answered first, for at
    most 25 seconds, and the rest after the next start.

    Examples:
      scrubjay run
      SCRUBJAY__LOG__LEVEL=debug scrubjay run
      scrubjay run --store postgresql://scrubjay@db/scrubjay --roles worker
    """
    from bot import log, starter
    from bot.config.draft import keep_good
    from bot.config.model import secrets_of
    from bot.service.probes import Supervisor
    from bot.service.run import run_service
    from bot.system import instance
    from bot.web.dashboard import open_dashboard

    config, home, clock = with_store(run.config, store, roles), run.home, run.clock
    home.prepare()
    address, watchdog_s = watcher()
    with (
        instance.hold(home, command="run", clock=clock),
        log.to_stream(
            sys.stderr,
            level=config.log.level,
            clock=clock,
            mask=log.Mask(secrets_of(config)),
            copy=home.log_file,
            form=config.log.format,
        ),
    ):
        starter.write_all(home, config)
        keep_good(home)
        supervisor = Supervisor(address, watchdog_s=watchdog_s)
        await run_service(home, config, clock=clock, supervisor=supervisor, dashboard=open_dashboard)


def with_store(config: Config, url: str | None, roles: str | None) -> Config:
    """Return the configuration with a store and roles from the command line; raises `UsageError` if they are none."""
    from pydantic import ValidationError

    from bot.config.options.operations import StoreSection

    given: dict[str, object] = {} if url is None else {"url": url}
    if roles is not None:
        given["roles"] = [role.strip() for role in roles.split(",") if role.strip()]
    try:
        store = StoreSection.model_validate({**config.store.model_dump(), **given})
    except ValidationError as error:
        wrong = error.errors(include_input=False)[0]
        option = "store" if "url" in wrong["loc"] else "roles"
        message = tr("--{option} is wrong: {reason}.", option=option, reason=wrong["msg"])
        raise UsageError(message, hint=tr("Run: scrubjay run --help")) from error
    return config.model_copy(update={"store": store})


run_app = single("run", run)
