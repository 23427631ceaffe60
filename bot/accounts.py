"""Bot accounts: whose a token is, how each stands with its platform, when one that is refused is tried again."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from enum import StrEnum
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import structlog

from adapters.port import (
    AccountNotFound,
    Adapter,
    ComesAndGoes,
    ConnectionState,
    Connects,
    LoginRefused,
    WebhookRefused,
)
from adapters.support import backoff_s
from adapters.terminal import HERE
from bot.config.model import Config
from bot.config.options.platforms import DISCORD_API, DiscordSection, TelegramSection
from bot.errors import from_extra
from bot.supervision import RUNNING
from bot.texts.catalogue import tr
from memory import Clock, SystemClock

if TYPE_CHECKING:
    from aiohttp import ClientSession

MAX_WAIT_S = 20.0
"""The longest time between two tries in the first hour of an outage."""

PATIENT_TRIES = 180
"""After so many tries it takes a person to mend it; platforms count logins by the day."""

PATIENT_WAIT_S = 300.0
"""The time between two tries from then on."""

BELIEVED = 3
"""How often in a row an account is refused before that is worth a word: a proxy on the way may just restart."""

STEADY = timedelta(minutes=1)
"""How long an account is connected before a further refusal is a new outage."""

ENDED = "ended"

Report = Callable[[str, str], Awaitable[None]]
"""Tells the owner why an account is refused, or, without a reason, that it is so no longer."""

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)


@dataclass(slots=True)
class _Account:
    """How one account stands.

    Attributes:
        connection: what its adapter says.
        problem: why it is not connected; empty if it is.
        since: when it was connected, or no longer was.
        refusals: how often its platform has refused it since it was last connected for some time.
        in_a_row: how often since it was last connected at all.
        is_believed: that it is refused has been logged and told.
        is_refused: whether that is why it is not connected.
        is_hopeless: it was refused from the start, in a way that time does not mend.
        was_connected: it has been connected in this process.
        has_ended: its adapter has ended by itself.
    """

    connection: ConnectionState
    problem: str
    since: datetime
    refusals: int = 0
    in_a_row: int = 0
    is_believed: bool = False
    is_refused: bool = False
    is_hopeless: bool = False
    was_connected: bool = False
    has_ended: bool = False


class Accounts:
    """The bot accounts of a service.

    Attributes:
        adapters: one for each, by the account's name.
        local: adapters of this machine that are no accounts, but deliver too.

    Args:
        zone: in which people are told an instant.
        report: tells the owner of refusals.
        is_service: chats of this machine are no bot accounts: nobody is told of them, and the service lasts longer.
    """

    def __init__(
        self,
        adapters: Sequence[Adapter],
        *,
        clock: Clock | None = None,
        zone: tzinfo = UTC,
        report: Report | None = None,
        is_service: bool = False,
    ) -> None:
        self.local = [one for one in adapters if is_service and isinstance(one, ComesAndGoes)]
        self.adapters = {
            f"{adapter.platform}.{adapter.bot}": adapter for adapter in adapters if adapter not in self.local
        }
        self._clock = clock or SystemClock()
        self._zone = zone
        self._report = report
        self._news: asyncio.Queue[tuple[str, str]] = asyncio.Queue()
        self._accounts: dict[str, _Account] = {}
        for name, adapter in self.adapters.items():
            connection = adapter.connection if isinstance(adapter, Connects) else ConnectionState("")
            self._accounts[name] = _Account(connection, connection.problem, self._clock.now())
            connection.changed = partial(self._set, name)

    @property
    def statuses(self) -> Mapping[str, str]:
        """How each account stands: `running`, `ended`, or since when it is not connected, and why."""
        found = {}
        for name, account in self._accounts.items():
            what = tr("refused") if account.is_refused else tr("not connected")
            lost = f"{what} since {account.since.astimezone(self._zone):%Y-%m-%d %H:%M}: {account.problem}"
            found[name] = ENDED if account.has_ended else lost if account.problem else RUNNING
        return found

    @property
    def reachable(self) -> Collection[str]:
        """The accounts through which something can be delivered."""
        local = {HERE.account for adapter in self.local if adapter.is_present(HERE)}
        return local.union(name for name, account in self._accounts.items() if not account.problem)

    @property
    def are_hopeless(self) -> bool:
        """Whether each account has been refused from the start, so that there is nothing to wait for."""
        return all(account.is_hopeless for account in self._accounts.values())

    def fail(self, name: str, status: str) -> None:
        """Note that an adapter has failed and is begun anew, or that it has been (`RUNNING`)."""
        self._set(name, self._accounts[name].connection.problem if status == RUNNING else status)

    def end(self, name: str) -> None:
        """Note that an adapter has ended by itself."""
        self._accounts[name].has_ended = True

    def refuse(self, name: str, error: LoginRefused) -> float:
        """Note that a platform has refused an account; returns after how many seconds it is to be tried again."""
        account = self._accounts[name]
        self._set(name, str(error))
        account.is_refused = True
        account.refusals += 1
        account.in_a_row += 1
        is_final = not account.was_connected and not isinstance(error, AccountNotFound | WebhookRefused)
        account.is_hopeless = is_final and account.refusals >= BELIEVED
        # one that comes and goes is not told of each time
        is_clear = account.in_a_row == account.refusals or self._clock.now() - account.since >= STEADY
        if account.in_a_row >= BELIEVED and is_clear and not account.is_believed:
            account.is_believed = True
            log.error("adapter.refused", adapter=name, reason=str(error))
            self._news.put_nowait((name, str(error)))
        return backoff_s(account.refusals, max_s=MAX_WAIT_S) if account.refusals < PATIENT_TRIES else PATIENT_WAIT_S

    async def report(self) -> None:
        """Tell the owner of refusals, and of their ends, until cancelled."""
        while self._report:
            name, reason = await self._news.get()
            if bool(reason) == self._accounts[name].is_refused:  # else it is over, or refused again, by now
                await self._report(name, reason)

    def _set(self, name: str, problem: str) -> None:
        account, now = self._accounts[name], self._clock.now()
        if bool(problem) != bool(account.problem):
            if problem and now - account.since >= STEADY:
                account.refusals = 0
            account.since = now
            log.debug("account.changed", account=name, connected=not problem)
        account.problem = problem
        if not problem:
            if account.is_believed:
                log.info("adapter.accepted", adapter=name)
            account.was_connected, account.is_refused, account.is_believed, account.in_a_row = True, False, False, 0
            self._news.put_nowait((name, ""))


PATIENCE_S = 15.0
"""How long a platform may take for all that it is asked."""

SCOPES = "bot+applications.commands"
"""What the bot is invited as: one that talks, and offers slash commands."""

PERMISSIONS = {
    "add_reactions": 1 << 6,
    "view_channel": 1 << 10,
    "send_messages": 1 << 11,
    "attach_files": 1 << 15,
    "read_message_history": 1 << 16,
    "create_public_threads": 1 << 35,
    "send_messages_in_threads": 1 << 38,
}
"""What the bot uses on a server of Discord, with the bits that stand for it in an invitation."""

CONTENT_FLAGS = 1 << 18 | 1 << 19
"""Flags of an application that may read all messages: one that is verified, or in few servers."""

UNAUTHORIZED, OK = 401, 200


class Standing(StrEnum):
    """What a platform says of a token."""

    FINE = "fine"
    REFUSED = "refused"
    UNREACHABLE = "unreachable"


@dataclass(frozen=True, slots=True)
class AccountCheck:
    """What a platform said.

    Attributes:
        platform: which one: telegram or discord.
        standing: whether it takes the token.
        told: a sentence about that for a person, with what to do if it does not.
        name: what the bot is called there; empty if that is not known.
        bot: the bot's id there, as text.
        link: where people find it (Telegram), or let it into a server (Discord).
        notes: further sentences about what the bot will not be able to do, and how to change that.
        webhook: where Telegram posts the bot's messages; empty if they are fetched.
        webhook_trouble: why it cannot; empty if nothing waits there.
        hears_groups: it may read everything in groups, and not only what is said to it.
    """

    platform: str
    standing: Standing
    told: str
    name: str = ""
    bot: str = ""
    link: str = ""
    notes: tuple[str, ...] = ()
    webhook: str = ""
    webhook_trouble: str = ""
    hears_groups: bool = True

    @property
    def account(self) -> str:
        """The account's name in this program: `telegram.123`."""
        return f"{self.platform}.{self.bot}"


async def check_account(platform: str, token: str, config: Config) -> AccountCheck:
    """Ask the platform (telegram or discord) of a token, reached as the configuration says.

    Raises:
        ConfigError: what the platform needs is not installed.
    """
    if platform == "telegram":
        return await check_telegram(token, config.telegram)
    return await check_discord(token, config.discord)


async def check_telegram(token: str, options: TelegramSection) -> AccountCheck:
    """Ask Telegram about a token; nothing is fetched or changed there.

    Args:
        token: as @BotFather gives it.
        options: the server and proxy through which it is asked, and whether messages are posted to a webhook.
    """
    from adapters.port import AccountNotFound, AdapterError, LoginRefused

    with from_extra("telegram", "Telegram"):
        from adapters.telegram.client import BotApiClient

    try:
        client = BotApiClient(token, api=options.api, proxy=options.proxy.get_secret_value())
    except LoginRefused:
        return _not_a_token("telegram", tr("It looks like 123456789:AAE... and comes from @BotFather."))
    try:
        async with asyncio.timeout(PATIENCE_S):
            with client.translate_errors(tr("say who the bot is")):
                me = await client.bot.get_me()
                hook = await client.bot.get_webhook_info()
    except LoginRefused as error:
        refused = tr(
            "Telegram does not accept this token. Get the current one from @BotFather: /mybots, the bot, API Token."
        )
        told = str(error) if isinstance(error, AccountNotFound) else refused
        return AccountCheck("telegram", Standing.REFUSED, told, bot=client.id)
    except AdapterError as error:
        return AccountCheck("telegram", Standing.UNREACHABLE, str(error), bot=client.id)
    except TimeoutError:
        return _no_answer("telegram", options.api, client.id)
    finally:
        await client.close()
    notes = []
    if hook.url and not options.webhook.url:
        host = urlsplit(hook.url).hostname or hook.url
        notes.append(
            tr("Its messages are posted to {host} now. `scrubjay run` ends that, and fetches them itself.", host=host)
        )
    if not me.can_join_groups:
        notes.append(tr("It cannot be added to groups. To change that, send /setjoingroups to @BotFather."))
    elif not me.can_read_all_group_messages:
        notes.append(tr("In groups it hears only what is said to it. To change that, send /setprivacy to @BotFather."))
    name = f"@{me.username}"
    told = tr("Telegram knows the bot as {name}.", name=name)
    return AccountCheck(
        "telegram",
        Standing.FINE,
        told,
        name,
        client.id,
        f"https://t.me/{me.username}",
        tuple(notes),
        hook.url or "",
        (hook.last_error_message or "") if hook.pending_update_count else "",  # the last error stays, once it is over
        bool(me.can_read_all_group_messages),
    )


async def check_discord(token: str, options: DiscordSection) -> AccountCheck:
    """Ask Discord about a token; no session is begun.

    Args:
        token: as the developer portal gives it.
        options: the server and proxy through which it is asked, and what the bot is going to want.
    """
    from adapters.port import LoginRefused

    with from_extra("discord", "Discord"):
        from adapters.discord.adapter import bot_id

        import_module("discord")  # what is asked here does without it; the bot will not

    try:
        bot = bot_id(token)
    except LoginRefused:
        return _not_a_token("discord", tr("It has three parts with dots between, and comes from the developer portal."))
    import aiohttp
    import httpx

    connector = aiohttp.TCPConnector(ssl=httpx.create_ssl_context())
    headers = {"Authorization": f"Bot {token.strip()}", "User-Agent": "DiscordBot (scrubjay, 1)"}
    proxy = options.proxy.get_secret_value() or None
    try:
        async with (
            asyncio.timeout(PATIENCE_S),
            aiohttp.ClientSession(
                connector=connector, headers=headers, cookie_jar=aiohttp.DummyCookieJar(), proxy=proxy
            ) as session,
        ):
            status, me = await _get(session, f"{options.api}/api/v10/users/@me")
            application: Mapping[str, object] = {}
            if status == OK:
                _, application = await _get(session, f"{options.api}/api/v10/oauth2/applications/@me")
    except TimeoutError:
        return _no_answer("discord", options.api, bot)
    except (aiohttp.ClientError, OSError, ValueError) as error:
        told = tr("Discord cannot be reached ({reason}). Is the network up?", reason=type(error).__name__)
        return AccountCheck("discord", Standing.UNREACHABLE, told, bot=bot)
    if status == UNAUTHORIZED:
        told = tr("Discord does not accept this token. Get a new one in the developer portal: Bot, Reset Token.")
        return AccountCheck("discord", Standing.REFUSED, told, bot=bot)
    if status != OK:
        told = tr("Discord did not say who the bot is (HTTP {status}). Try again later.", status=status)
        return AccountCheck("discord", Standing.UNREACHABLE, told, bot=bot)
    name = str(me.get("username", bot))
    flags = application.get("flags")
    is_granted = not isinstance(flags, int) or flags & CONTENT_FLAGS
    told = tr("Discord knows the bot as {name}.", name=name)
    content = tr(
        "It may not read all messages: in servers it hears only what is said to it. To change that, switch on Message "
        "Content Intent in the developer portal (Bot), or set discord.message_content to false."
    )
    notes = () if is_granted or not options.message_content else (content,)
    link = invitation(str(application.get("id", bot)))
    return AccountCheck("discord", Standing.FINE, told, name, bot, link, notes, hears_groups=bool(is_granted))


def invitation(application: str, *, site: str = DISCORD_API) -> str:
    """Return the address with which the bot is let into a server, with the permissions that it uses and no other.

    >>> invitation("1")
    'https://discord.com/oauth2/authorize?client_id=1&scope=bot+applications.commands&permissions=309237746752'
    """
    wanted = sum(PERMISSIONS.values())
    return f"{site}/oauth2/authorize?client_id={application}&scope={SCOPES}&permissions={wanted}"


async def _get(session: ClientSession, address: str) -> tuple[int, Mapping[str, object]]:
    async with session.get(address, allow_redirects=False) as response:
        if response.status != OK:
            return response.status, {}
        answer = await response.json(content_type=None)
        return response.status, answer if isinstance(answer, dict) else {}


def _not_a_token(platform: str, form: str) -> AccountCheck:
    told = tr("This is not a token of {platform}. {form}", platform=platform.title(), form=form)
    return AccountCheck(platform, Standing.REFUSED, told)


def _no_answer(platform: str, api: str, bot: str) -> AccountCheck:
    told = tr(
        "{platform} did not answer in {seconds} seconds ({host}). Is the network up?",
        platform=platform.title(),
        seconds=round(PATIENCE_S),
        host=urlsplit(api).netloc,
    )
    return AccountCheck(platform, Standing.UNREACHABLE, told, bot=bot)
