"""`scrubjay run`: the service on its platforms, until it is asked to end."""

from __future__ import annotations

import asyncio
import os

import structlog

from bot import intercom
from bot.accounts.opening import Accounts, access_rules, routes
from bot.app import Assembled, HouseRules, build, commands
from bot.config import Config
from bot.counter import Counter
from bot.errors import ConfigError, Unreachable
from bot.health import Health, Supervisor
from bot.paths import Home
from bot.pause import pause
from bot.signals import INTERRUPT, ending
from memory import Clock

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)


async def run_service(home: Home, config: Config, *, clock: Clock, supervisor: Supervisor) -> None:
    """Serve every configured bot account until SIGTERM, SIGINT or the end of the last of them.

    The caller holds the instance lock, has made the folders and starter files, and has set the log up.

    Raises:
        ConfigError: no bot account is configured.
        Unreachable: no platform lets its bot in.
    """
    accounts = Accounts(home, config, clock=clock, commands=commands())
    if not accounts.count:
        raise ConfigError(
            "No bot account is configured, so there is nothing to run.",
            hint="Put a token into config.yaml (telegram: or discord:), or run: scrubjay init. To talk in this "
            "terminal, run: scrubjay chat",
        )
    rules = HouseRules(config.default_agent, access_rules(config), routes(config), keeps=True)
    async with build(home, config, clock=clock, opening=accounts.open, rules=rules) as built:
        await _serve(home, config, built, supervisor)
    stands = built.service.accounts.values()
    if not any(state in {"running", "ended"} for state in stands):
        raise Unreachable(
            "No platform lets its bot in.", hint="The reasons stand above. Correct the tokens, start again."
        )


async def _serve(home: Home, config: Config, built: Assembled, supervisor: Supervisor) -> None:
    service, core = built.service, built.coordinator
    counter = Counter(core.register, built.pairings, core.dead_letters, lambda: _stands(built), built.clear)
    health = Health(lambda: service.accounts, core.touch, lambda: service.troubles)
    log.info(
        "service.started", agents=", ".join(config.agents), accounts=", ".join(service.accounts), home=str(home.state)
    )
    _invite(built)
    async with (
        intercom.listening(home.counter, counter),
        health.answering(config.health.port),
        asyncio.TaskGroup() as group,
    ):
        signs = group.create_task(supervisor.reassure(health, pause=pause))
        supervisor.tell("READY=1")
        with ending(service.stop, numbers=INTERRUPT):
            await service.run(tuple(config.agents), owner=f"run-{os.getpid()}")
        supervisor.tell("STOPPING=1")
        signs.cancel()
    log.info("service.ended")


def _stands(built: Assembled) -> dict[str, str]:
    """How the bot accounts stand, and whatever else is not well."""
    stalled = built.coordinator.stalled
    disk = {"state file": f"takes nothing ({stalled}); it is tried again until it does"} if stalled else {}
    return {**built.service.accounts, **built.service.troubles, **disk}


def _invite(built: Assembled) -> None:
    """Where nobody is the owner yet, show the code with which the first person becomes it."""
    for account in built.service.accounts:
        platform = account.partition(".")[0]
        if not built.access.owners(platform):
            code = built.pairings.invite(account)
            log.warning("owner.unknown", platform=platform, send=code, hint=f"Send {code} to the bot within an hour.")
