"""`scrubjay run`: opens the accounts, serves people and other processes, and drains on a signal."""

from __future__ import annotations

import asyncio
import gc
import os
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, nullcontext
from dataclasses import replace
from functools import partial

import structlog

from adapters.port import Adapter, LoginRefused, MenuEntry
from adapters.terminal import TerminalAdapter
from bot.access.access import Access, AccessRules
from bot.access.chat_settings import ChatRule, Listen, Reactions
from bot.access.routing import Rule
from bot.app import Application, OpenDashboard, build, commands
from bot.chat.server import OWNER, SERVICE_ENDED, ChatServer
from bot.commands.base import Command, Parameter
from bot.config.model import Config
from bot.config.options.platforms import DISCORD_API
from bot.errors import ConfigError, Unreachable, from_extra
from bot.paths import Home
from bot.service import control
from bot.service.control import AdminApi, MakeLink
from bot.service.metrics import Metrics
from bot.service.probes import HealthEndpoint, Supervisor
from bot.service.telemetry import exporting
from bot.storage.coordinator import Coordinator
from bot.system.instance import INTERRUPT, ending
from bot.texts.catalogue import tr
from bot.waiting import pause
from memory import Clock

GARBAGE_OBJECTS = 10_000
"""New objects after which rings of them are looked for: a turn makes thousands and leaves few."""

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)


@asynccontextmanager
async def open_accounts(
    config: Config, terminal: TerminalAdapter, state: Coordinator, *, clock: Clock
) -> AsyncIterator[Sequence[Adapter]]:
    """Open all bot accounts of a configuration but those whose platform refuses them; closed at the end.

    The chats of this machine (`terminal`) come with them.
    """
    offered = menu(commands())
    async with AsyncExitStack() as stack:
        adapters: list[Adapter] = [terminal]
        for make in [*_makers(config, offered, state, clock)]:
            refusal = ""
            try:
                adapters.append(make())
            except LoginRefused as error:
                refusal = str(error)
            if refusal:
                log.error("adapter.refused", reason=refusal)
        for adapter in adapters:
            if isinstance(adapter, AbstractAsyncContextManager):
                await stack.enter_async_context(adapter)
        yield adapters


def _makers(
    config: Config, offered: Sequence[MenuEntry], state: Coordinator, clock: Clock
) -> Iterator[Callable[[], Adapter]]:
    """Yield what makes the adapter of each account: one whose token is none leaves out that account alone."""
    webhook, server = config.telegram.webhook, None
    if webhook.url and config.telegram.tokens:
        with from_extra("telegram", "Telegram"):
            from adapters.telegram.webhook import WebhookServer

        server = WebhookServer(webhook.url, host=webhook.host, port=webhook.port, monotonic=time.monotonic)
    for token in config.telegram.tokens:
        with from_extra("telegram", "Telegram"):
            from adapters.telegram.adapter import TelegramAdapter, TelegramOptions

        options = TelegramOptions(token, api=config.telegram.api, proxy=config.telegram.proxy.get_secret_value())
        yield partial(TelegramAdapter, options, menu=offered, now=clock.now, pause=pause, webhook=server)
    for token in config.discord.tokens:
        with from_extra("discord", "Discord"):
            from adapters.discord.adapter import DiscordAdapter, DiscordOptions

        discord = DiscordOptions(
            token,
            message_content=config.discord.message_content,
            threads=config.discord.threads,
            backfill=config.discord.backfill,
            requests_per_s=config.discord.requests_per_s,
            presence=config.discord.presence,
            api="" if config.discord.api == DISCORD_API else config.discord.api,
            proxy=config.discord.proxy.get_secret_value(),
        )
        audience = Access(access_rules(config), register=state.register)
        make = partial(DiscordAdapter, discord, menu=offered, audience=audience, state=state.marks)
        yield partial(make, now=clock.now, pause=pause)


def menu(commands: Mapping[str, Command]) -> tuple[MenuEntry, ...]:
    """Return the commands as platforms offer them."""
    entries = []
    for command in commands.values():
        argument = command.argument.strip("[]").lower()
        parameter = command.parameter or Parameter(argument.partition(" ")[0], argument)
        entries.append(
            MenuEntry(
                name=command.name,
                summary=tr(command.summary),
                argument=parameter.name,
                hint=tr(parameter.hint),
                required=bool(argument) and not command.argument.startswith("[") and not parameter.is_long,
                suggests=parameter.suggest is not None,
                is_long=parameter.is_long,
                private=command.private,
                on_message=tr(command.on_message),
            )
        )
    return tuple(entries)


def access_rules(config: Config) -> AccessRules:
    """Return whom the configuration lets in, and how chats are configured."""
    access, chats = config.access, config.chats
    return AccessRules(
        owners=frozenset(access.owners),
        guests=frozenset(access.guests),
        groups=frozenset(access.groups),
        listen=Listen.ADDRESSED if access.only_addressed else Listen.ALL,
        context=chats.context,
        reactions=Reactions(chats.reactions),
        queue=chats.queue.modes,
        chats=tuple(ChatRule(rule.platform, rule.chat, rule.given) for rule in chats.settings),
    )


def routes(config: Config) -> tuple[Rule, ...]:
    """Return who answers where: the routes, then what the platforms' sections say."""
    written = [Rule(name=f"routes[{number}]", **route.model_dump()) for number, route in enumerate(config.routes)]
    by_platform = {"telegram": config.telegram.agent, "discord": config.discord.agent}
    general = [Rule(agent, f"{name}.agent", platform=name) for name, agent in by_platform.items() if agent]
    return (*written, *general)


async def run_service(
    home: Home,
    config: Config,
    *,
    clock: Clock,
    supervisor: Supervisor,
    dashboard: OpenDashboard | None = None,
    with_accounts: bool = True,
) -> None:
    """Serve every configured bot account until SIGTERM, SIGINT or the end of the last of them.

    The caller holds the instance lock, has made the folders and starter files, and has set the log up.

    Args:
        dashboard: opens the dashboard; None for none.
        with_accounts: the bots are connected; without them only this machine is served.

    Raises:
        ConfigError: no bot account is configured.
        Unreachable: no platform lets its bot in.
    """
    if with_accounts and not config.telegram.tokens and not config.discord.tokens:
        raise ConfigError(
            tr("No bot account is configured, so there is nothing to run."),
            hint=tr(
                "Put a token into config.yaml (telegram: or discord:), or run: scrubjay init. To talk in this "
                "terminal, run: scrubjay chat"
            ),
        )
    terminal, rules = TerminalAdapter(None, run="", now=clock.now, person=config.owner.name), access_rules(config)
    async with build(
        home,
        config,
        clock=clock,
        opening=partial(open_accounts, config, terminal, clock=clock)
        if with_accounts
        else lambda _: nullcontext([terminal]),
        default_agent=config.default_agent,
        access=replace(rules, owners=rules.owners | {OWNER}),
        routes=routes(config),
        is_service=True,
    ) as built:
        if built.service.accounts.adapters or not with_accounts:
            names, default = tuple(config.agents), config.default_agent
            chats = ChatServer(terminal, built.context.routing, agents=names, default=default)
            async with dashboard(built, terminal) if dashboard else nullcontext() as make_link:
                await _serve(built, supervisor, chats, make_link)
    if with_accounts and built.service.accounts.are_hopeless:
        message = tr("No platform lets its bot in.")
        raise Unreachable(message, hint=tr("The reasons stand above. Correct the tokens, start again."))


async def _serve(built: Application, supervisor: Supervisor, chats: ChatServer, dashboard: MakeLink | None) -> None:
    """Answer people, other processes and questions about health until the service ends."""
    service, context, state, config = built.service, built.context, built.coordinator, built.config
    statuses = context.accounts

    def received() -> Mapping[str, str]:
        return {name: status for name, status in statuses().items() if name in service.receiving}

    def troubles() -> dict[str, str]:
        disk = {"state file": f"takes nothing ({state.stalled}); it is tried again until it does"}
        return {**service.troubles, **(disk if state.stalled else {})}

    api = AdminApi(
        state.register, context.pairings, state.dead_letters, statuses, built.clear, troubles, context.jobs, dashboard
    )
    metrics = Metrics(state.dead_letters.depths, received, built.clock) if config.health.metrics else None
    health = HealthEndpoint(received, state.touch, lambda: service.troubles, metrics.page if metrics else None)
    accounts = ", ".join(service.accounts.adapters)
    log.info("service.started", agents=", ".join(config.agents), accounts=accounts, home=str(built.home.state))
    for account in service.accounts.adapters:  # where nobody is the owner yet, whoever sends this code becomes it
        platform = account.partition(".")[0]
        if not context.access.owners(platform):
            code = await context.pairings.resume(account)
            log.warning("owner.unknown", platform=platform, send=code, hint=f"Send {code} to the bot within an hour.")
    with built.events.telling(metrics.count) if metrics else nullcontext():
        async with (
            control.listening(built.home.control, api.ask, chats.converse),
            chats.ending(SERVICE_ENDED),
            health.answering(config.health.port, config.health.host),
            exporting(config.telemetry, built.events),
            asyncio.TaskGroup() as group,
        ):
            signs = group.create_task(supervisor.reassure(health, pause=pause))
            gc.freeze()  # what the start has made stays; looking through it again and again would be for nothing
            gc.set_threshold(GARBAGE_OBJECTS)
            supervisor.tell("READY=1")
            with ending(service.stop, numbers=INTERRUPT):
                await service.run(tuple(config.agents), owner=f"run-{os.getpid()}")
            supervisor.tell("STOPPING=1")
            signs.cancel()
    log.info("service.ended")
