"""A platform asked about a bot's token, before it is kept or where it is doubted: whose it is, what the bot may do."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from http import HTTPStatus
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from adapters.port import AccountNotFound, AdapterError, LoginRefused
from bot.config.environment import trusted_certificates
from bot.config.model import Config
from bot.config.options.platforms import DISCORD_API, DiscordSection, TelegramSection
from bot.errors import from_extra
from bot.texts.catalogue import tr

if TYPE_CHECKING:
    from aiohttp import ClientSession

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


class TokenStatus(StrEnum):
    """What a platform says of a token."""

    FINE = "fine"
    REFUSED = "refused"
    UNREACHABLE = "unreachable"


@dataclass(frozen=True, slots=True)
class AccountCheck:
    """What a platform said.

    Attributes:
        platform: which one: telegram or discord.
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
    status: TokenStatus
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
    """Ask the platform (telegram or discord) of a token; raises `ConfigError` if what that needs is not installed."""
    if platform == "telegram":
        return await check_telegram(token, config.telegram)
    return await check_discord(token, config.discord)


async def check_telegram(token: str, options: TelegramSection) -> AccountCheck:
    """Ask Telegram about a token, as @BotFather gives it; nothing is fetched or changed there."""
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
    except AccountNotFound as error:
        return AccountCheck("telegram", TokenStatus.REFUSED, str(error), bot=client.id)
    except LoginRefused:
        refused = tr(
            "Telegram does not accept this token. Get the current one from @BotFather: /mybots, the bot, API Token."
        )
        return AccountCheck("telegram", TokenStatus.REFUSED, refused, bot=client.id)
    except AdapterError as error:
        return AccountCheck("telegram", TokenStatus.UNREACHABLE, str(error), bot=client.id)
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
    return AccountCheck(
        "telegram",
        TokenStatus.FINE,
        tr("Telegram knows the bot as {name}.", name=name),
        name,
        client.id,
        link=f"https://t.me/{me.username}",
        notes=tuple(notes),
        webhook=hook.url or "",
        webhook_trouble=(hook.last_error_message if hook.pending_update_count else "") or "",  # stays when over
        hears_groups=bool(me.can_read_all_group_messages),
    )


async def check_discord(token: str, options: DiscordSection) -> AccountCheck:
    """Ask Discord about a token, as the developer portal gives it; no session is begun."""
    with from_extra("discord", "Discord"):
        from adapters.discord.adapter import bot_id

    try:
        bot = bot_id(token)
    except LoginRefused:
        return _not_a_token("discord", tr("It has three parts with dots between, and comes from the developer portal."))
    import aiohttp

    connector = aiohttp.TCPConnector(ssl=trusted_certificates())
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
            if status == HTTPStatus.OK:
                _, application = await _get(session, f"{options.api}/api/v10/oauth2/applications/@me")
    except TimeoutError:
        return _no_answer("discord", options.api, bot)
    except (aiohttp.ClientError, OSError, ValueError) as error:
        told = tr("Discord cannot be reached ({reason}). Is the network up?", reason=type(error).__name__)
        return AccountCheck("discord", TokenStatus.UNREACHABLE, told, bot=bot)
    if status == HTTPStatus.UNAUTHORIZED:
        told = tr("Discord does not accept this token. Get a new one in the developer portal: Bot, Reset Token.")
        return AccountCheck("discord", TokenStatus.REFUSED, told, bot=bot)
    if status != HTTPStatus.OK:
        told = tr("Discord did not say who the bot is (HTTP {status}). Try again later.", status=status)
        return AccountCheck("discord", TokenStatus.UNREACHABLE, told, bot=bot)
    name = str(me.get("username", bot))
    flags = application.get("flags")
    hears_all = not isinstance(flags, int) or bool(flags & CONTENT_FLAGS)
    told = tr("Discord knows the bot as {name}.", name=name)
    hears_little = tr(
        "It may not read all messages: in servers it hears only what is said to it. To change that, switch on Message "
        "Content Intent in the developer portal (Bot), or set discord.message_content to false."
    )
    notes = (hears_little,) if options.message_content and not hears_all else ()
    link = invitation(str(application.get("id", bot)))
    return AccountCheck("discord", TokenStatus.FINE, told, name, bot, link, notes, hears_groups=hears_all)


def invitation(application: str) -> str:
    """Return the address with which the bot is let into a server, with the permissions that it uses and no other.

    >>> invitation("1")
    'https://discord.com/oauth2/authorize?client_id=1&scope=bot+applications.commands&permissions=309237746752'
    """
    permissions = sum(PERMISSIONS.values())
    return f"{DISCORD_API}/oauth2/authorize?client_id={application}&scope={SCOPES}&permissions={permissions}"


async def _get(session: ClientSession, address: str) -> tuple[int, Mapping[str, object]]:
    async with session.get(address, allow_redirects=False) as response:
        if response.status != HTTPStatus.OK:
            return response.status, {}
        answer = await response.json(content_type=None)
        return response.status, answer if isinstance(answer, dict) else {}


def _not_a_token(platform: str, form: str) -> AccountCheck:
    told = tr("This is not a token of {platform}. {form}", platform=platform.title(), form=form)
    return AccountCheck(platform, TokenStatus.REFUSED, told)


def _no_answer(platform: str, api: str, bot: str) -> AccountCheck:
    told = tr(
        "{platform} did not answer in {seconds} seconds ({host}). Is the network up?",
        platform=platform.title(),
        seconds=round(PATIENCE_S),
        host=urlsplit(api).netloc,
    )
    return AccountCheck(platform, TokenStatus.UNREACHABLE, told, bot=bot)
