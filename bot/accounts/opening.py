"""Opens the bot accounts that the configuration names; a token that is refused is said once, and the others go on."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, nullcontext
from functools import partial

import structlog

from adapters.offer import MenuEntry
from adapters.port import Adapter, LoginRefused
from bot.commands.base import Command
from bot.config import Config
from bot.durable.sqlite import SqliteCoordinator
from bot.paths import Home
from bot.pause import pause
from bot.trust.access import Access, AccessRules
from bot.trust.routing import Rule
from memory import Clock

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)

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
        from adapters.telegram.adapter import TelegramAdapter
        from adapters.telegram.options import TelegramOptions

        options = TelegramOptions(token, api=self._config.telegram.api)
        return TelegramAdapter.open(options, menu=self._menu, now=self._clock.now, pause=pause)

    def _discord(self, token: str, state: SqliteCoordinator) -> AbstractAsyncContextManager[Adapter]:
        from adapters.discord.adapter import DiscordAdapter
        from adapters.discord.options import DiscordOptions

        given = self._config.discord
        options = DiscordOptions(
            token,
            message_content=given.message_content,
            threads=given.threads,
            people=Access(access_rules(self._config), register=state.register).people("discord"),
            backfill=given.backfill,
        )
        adapter = DiscordAdapter(options, menu=self._menu, marks=state.marks, now=self._clock.now, pause=pause)
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
