"""`scrubjay run`: opens the accounts, serves, and drains on a signal."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, nullcontext
from functools import partial

import structlog

from adapters.port import Adapter, LoginRefused, MenuEntry
from bot import control
from bot.access.access import Access, AccessRules
from bot.access.routing import Rule
from bot.app import Assembled, HouseRules, build, commands
from bot.commands.base import Command
from bot.config.model import Config
from bot.control import AdminApi, Health, Supervisor
from bot.errors import ConfigError, Unreachable
from bot.paths import Home
from bot.service import INTERRUPT, ending
from bot.storage.sqlite import SqliteCoordinator
from bot.waiting import pause
from memory import Clock

Opener = Callable[[SqliteCoordinator], AbstractAsyncContextManager[Adapter]]


class Accounts:
    """All bot accounts of a configuration.

    Args:
        home: where adapters keep what they cannot read.
        config: the options.
        clock: source of time.
        commands: what the platforms' own menus offer.
    """

    def __init__(self, home: Home, config: Config, *, clock: Clock, commands: Mapping[str, Command]) -> None:
        self._home = home
        self._config = config
        self._clock = clock
        self._menu = menu(commands)

    @property
    def count(self) -> int:
        """How many there are."""
        return len(self._config.telegram.tokens) + len(self._config.discord.tokens)

    @asynccontextmanager
    async def open(self, state: SqliteCoordinator) -> AsyncIterator[Sequence[Adapter]]:
        """Open them; leaving the block closes their connections."""
        async with AsyncExitStack() as stack:
            opened = [await self._opened(stack, opener, state) for opener in self._openers()]
            yield [adapter for adapter in opened if adapter]

    async def _opened(self, stack: AsyncExitStack, opener: Opener, state: SqliteCoordinator) -> Adapter | None:
        try:
            return await stack.enter_async_context(opener(state))
        except LoginRefused as error:
            reason = str(error)
        log.error("adapter.refused", reason=reason)
        return None

    def _openers(self) -> Iterator[Opener]:
        for token in self._config.telegram.tokens:
            yield partial(self._telegram, token)
        for token in self._config.discord.tokens:
            yield partial(self._discord, token)

    def _telegram(self, token: str, _: SqliteCoordinator) -> AbstractAsyncContextManager[Adapter]:
        from adapters.telegram.adapter import TelegramAdapter, TelegramOptions

        options = TelegramOptions(token, api=self._config.telegram.api)
        return TelegramAdapter.open(options, menu=self._menu, now=self._clock.now, pause=pause)

    def _discord(self, token: str, state: SqliteCoordinator) -> AbstractAsyncContextManager[Adapter]:
        from adapters.discord.adapter import DiscordAdapter, DiscordOptions

        given = self._config.discord
        options = DiscordOptions(
            token,
            message_content=given.message_content,
            threads=given.threads,
            people=Access(access_rules(self._config), register=state.register).people("discord"),
            backfill=given.backfill,
        )
        adapter = DiscordAdapter(options, menu=self._menu, state=state.marks, now=self._clock.now, pause=pause)
        return nullcontext(adapter)


def menu(commands: Mapping[str, Command]) -> tuple[MenuEntry, ...]:
    """The commands as platforms offer them."""
    return tuple(
        MenuEntry(
            name=command.name,
            summary=command.summary,
            argument=command.argument.strip("[]").lower(),
            required=bool(command.argument) and not command.argument.startswith("["),
            private=command.private,
            on_message=command.on_message,
        )
        for command in commands.values()
    )


def access_rules(config: Config) -> AccessRules:
    """Who the configuration lets in."""
    access = config.access
    return AccessRules(
        frozenset(access.owners), frozenset(access.guests), frozenset(access.groups), access.only_addressed
    )


def routes(config: Config) -> tuple[Rule, ...]:
    """Who answers where: the routes, then what the platforms' sections say."""
    written = [Rule(name=f"routes[{number}]", **route.model_dump()) for number, route in enumerate(config.routes)]
    by_platform = {"telegram": config.telegram.agent, "discord": config.discord.agent}
    general = [Rule(agent, f"{name}.agent", platform=name) for name, agent in by_platform.items() if agent]
    return (*written, *general)


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
    counter = AdminApi(core.register, built.pairings, core.dead_letters, lambda: _stands(built), built.clear)
    health = Health(lambda: service.accounts, core.touch, lambda: service.troubles)
    log.info(
        "service.started", agents=", ".join(config.agents), accounts=", ".join(service.accounts), home=str(home.state)
    )
    _invite(built)
    async with (
        control.listening(home.counter, counter),
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
