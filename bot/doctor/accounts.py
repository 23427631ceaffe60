"""Check: every bot account is let in by its platform, and may see what the configuration needs."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

from bot import instance
from bot.accounts import ENDED
from bot.config.model import Config
from bot.config.platforms import DiscordSection, TelegramSection
from bot.doctor.base import Check, CheckContext, Finding, Severity
from bot.errors import BotError, Refused, Unreachable
from bot.llm.connection import innermost_reason
from bot.supervision import RUNNING
from bot.texts import mark, tr

PATIENCE_S = 10.0
"""For one question to a platform."""

UNAUTHORISED = (401, 403, 404)
"""Telegram answers 404 to a token that is none of its own kind."""

MESSAGE_CONTENT = (1 << 18) | (1 << 19)
"""Flags of an application that may read messages' content: a verified one, and one in fewer than 100 servers."""


async def detect(context: CheckContext) -> AsyncIterator[Finding]:
    """Ask the platforms about each token, all at once; then the running service how it is connected."""
    config = context.examined.config
    if config is None:  # which bots are meant is not known; the check of the configuration says why
        return
    sections: tuple[TelegramSection | DiscordSection, ...] = (config.telegram, config.discord)
    tokens = [(section, token) for section in sections for token in section.tokens]
    if not tokens:
        yield Finding("accounts.none", Severity.NOTE, "config.yaml", tr("no bot; `scrubjay chat` needs none"))
    elif context.is_offline:
        message = tr("not asked (--offline): whether the tokens are accepted is not known")
        yield Finding("accounts.not_asked", Severity.NOTE, "config.yaml", message)
    else:
        holder = instance.holder(context.home)
        serves = holder is not None and holder.command == "run"
        for found in await asyncio.gather(*(_asked(config, *one, serves=serves) for one in tokens)):
            for finding in found:
                yield finding
        statuses: Mapping[str, str] = {}
        with suppress(BotError):  # the check of the instance tells that the service does not answer
            statuses = (await context.ask("accounts"))["accounts"] if serves else {}
        for account, status in statuses.items():
            if status not in {RUNNING, ENDED}:
                message = tr("the service is not connected: {status}", status=status)
                yield Finding("accounts.lost", Severity.ERROR, account, message, tr("See: scrubjay logs"))


async def _asked(
    config: Config, section: TelegramSection | DiscordSection, token: str, *, serves: bool
) -> Sequence[Finding]:
    """What its platform says of one token. The token itself is in no finding."""
    place = f"telegram.{token.partition(':')[0]}" if isinstance(section, TelegramSection) else "discord"
    found: Iterable[Finding] = ()
    try:
        if isinstance(section, TelegramSection):
            me = await _ask(section, f"/bot{token}/getMe", {})
            hook = await _ask(section, f"/bot{token}/getWebhookInfo", {})
            place += f" @{me['result']['username']}"
            found = _of_telegram(config, me["result"], hook["result"], place=place, serves=serves)
        else:
            headers = {"Authorization": f"Bot {token}"}
            place += f" {(await _ask(section, '/users/@me', headers))['username']}"
            application = await _ask(section, "/applications/@me", headers)
            if config.discord.message_content and not int(application.get("flags") or 0) & MESSAGE_CONTENT:
                message = tr(
                    "the bot asks for the message content intent and has not been given it: Discord refuses it"
                )
                hint = tr(
                    "Switch it on in the developer portal (Bot, Privileged Gateway Intents), or set {option}: false",
                    option="discord.message_content",
                )
                found = [Finding("accounts.intent", Severity.ERROR, place, message, hint)]
        return (Finding("accounts.works", Severity.NOTE, place, tr("the platform lets the bot in")), *found)
    except Refused as error:
        hint = tr("Copy it again: from @BotFather (/mybots, API Token), or from Discord's developer portal (Bot).")
        return (Finding("accounts.refused", Severity.ERROR, place, error.message, hint),)
    except Unreachable as error:
        hint = tr("Whether the token is right is not known. Messages wait at the platform until it can be reached.")
        return (Finding("accounts.unreachable", Severity.WARNING, place, error.message, hint),)


def _of_telegram(
    config: Config, me: Mapping[str, Any], hook: Mapping[str, Any], *, place: str, serves: bool
) -> Iterator[Finding]:
    url, wanted = str(hook.get("url", "")), config.telegram.webhook.url
    if url and not wanted:
        message = tr("Telegram sends this bot's messages to {host}", host=urlsplit(url).hostname)
        hint = tr("Does another program use this bot? Give each a bot of its own. `scrubjay run` takes it over.")
        yield Finding("accounts.webhook", Severity.WARNING, place, message, hint)
    elif wanted and serves and not url.startswith(wanted):
        message = tr("Telegram does not know the webhook, although the service runs")
        yield Finding(
            "accounts.webhook",
            Severity.WARNING,
            place,
            message,
            tr("Has another program removed it? Start the service again."),
        )
    elif wanted and hook.get("last_error_message"):
        message = tr("Telegram cannot deliver to the webhook: {why}", why=hook["last_error_message"])
        hint = tr("Look at the proxy's log and its certificate (docs/telegram.md).")
        yield Finding("accounts.webhook", Severity.WARNING, place, message, hint)
    settings = config.chats.settings
    needs_all = not config.access.only_addressed or any(
        one.listen == "all" for one in settings if one.platform == "telegram"
    )
    if needs_all and not me.get("can_read_all_group_messages"):
        message = tr("the bot is to hear everything in groups, and its privacy mode hides most of it")
        hint = tr(
            "Switch it off: @BotFather, /setprivacy, Disable; then remove the bot from the group and add it again."
        )
        yield Finding("accounts.privacy", Severity.WARNING, place, message, hint)


async def _ask(section: TelegramSection | DiscordSection, path: str, headers: Mapping[str, str]) -> Any:
    """Return the JSON of an answer. Raises `Refused` for a token that is not accepted, else `Unreachable`."""
    from aiohttp import ClientError, ClientSession, ClientTimeout, DummyCookieJar

    host = urlsplit(section.api).netloc
    timeout = ClientTimeout(total=PATIENCE_S)
    proxy = section.proxy.get_secret_value() or None
    try:
        async with (
            ClientSession(timeout=timeout, cookie_jar=DummyCookieJar(), trust_env=proxy is None) as session,
            session.get(section.api.rstrip("/") + path, headers=headers, proxy=proxy) as response,
        ):
            if response.status in UNAUTHORISED:
                raise Refused(tr("{host} does not accept the token (HTTP {status})", host=host, status=response.status))
            if not response.ok:
                raise Unreachable(tr("{host} answers with HTTP {status}", host=host, status=response.status))
            return await response.json()
    except (ClientError, TimeoutError, ValueError) as error:
        why = innermost_reason(error).replace(path, "...") or type(error).__name__  # the token is a part of it
        raise Unreachable(tr("{host} cannot be reached ({why})", host=host, why=why)) from None


CHECK = Check(
    "accounts",
    mark("platforms and tokens"),
    detect,
    {
        "none": "No bot is configured. `scrubjay chat` needs none; `scrubjay init` adds one.",
        "not_asked": "With `--offline` no platform is asked, so a wrong token is not noticed.",
        "works": "The platform accepts the token.",
        "refused": "The platform does not accept the token: it was revoked, belongs to another bot, or lost a letter "
        "when it was copied. Get it again from @BotFather or the developer portal.",
        "unreachable": "The platform does not answer: no network, a proxy in the way, or an outage. Messages wait "
        "there, Telegram's for a day, and are answered when it can be reached.",
        "webhook": "Telegram sends the bot's messages somewhere else than to this service, or cannot deliver them to "
        "your webhook. Two programs cannot share one bot.",
        "privacy": "In groups, Telegram shows a bot in privacy mode only what addresses it, and the configuration "
        "wants it to hear everything. @BotFather switches it off; then add the bot to the group again.",
        "intent": "`discord.message_content` is on, and the developer portal has not granted the intent; Discord then "
        "refuses the connection (4014). Grant it there, or switch the option off.",
        "lost": "The service runs, and this account is not connected to its platform. The message says why; it is "
        "tried again until it works.",
    },
)
