"""Check: every bot account is let in by its platform, and may see what the configuration needs."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import suppress
from urllib.parse import urlsplit

from bot.account_check import AccountCheck, TokenStatus, check_discord, check_telegram
from bot.config.model import Config
from bot.doctor.base import Check, CheckContext, Finding, Severity
from bot.errors import BotError
from bot.supervision import ENDED, RUNNING
from bot.system import instance
from bot.texts.catalogue import mark, tr


async def detect(context: CheckContext) -> AsyncIterator[Finding]:
    """Ask the platforms about each token, all at once; then the running service how it is connected."""
    config = context.examined.config
    if config is None:  # which bots are meant is not known; the check of the configuration says why
        return
    tokens = [*config.telegram.tokens, *config.discord.tokens]
    if not tokens:
        yield Finding("accounts.none", Severity.NOTE, "config.yaml", tr("no bot; `scrubjay chat` needs none"))
    elif context.is_offline:
        message = tr("not asked (--offline): whether the tokens are accepted is not known")
        yield Finding("accounts.not_asked", Severity.NOTE, "config.yaml", message)
    else:
        holder = instance.holder(context.home)
        serves = holder is not None and holder.command == "run"
        asking = [check_telegram(token, config.telegram) for token in config.telegram.tokens]
        asking += [check_discord(token, config.discord) for token in config.discord.tokens]
        for seen in await asyncio.gather(*asking):
            for finding in _judged(config, seen, serves=serves):
                yield finding
        statuses: Mapping[str, str] = {}
        with suppress(BotError):  # the check of the instance tells that the service does not answer
            statuses = (await context.ask("accounts"))["accounts"] if serves else {}
        for account, status in statuses.items():
            if status not in {RUNNING, ENDED}:
                message = tr("the service is not connected: {status}", status=status)
                yield Finding("accounts.lost", Severity.ERROR, account, message, tr("See: scrubjay logs"))


def _judged(config: Config, seen: AccountCheck, *, serves: bool) -> Iterator[Finding]:
    """What a platform's answer about one token means here."""
    place = f"{seen.account} {seen.name}".rstrip()
    if seen.status is TokenStatus.REFUSED:
        hint = tr("Until it is corrected, this bot answers nobody.")
        yield Finding("accounts.refused", Severity.ERROR, place, seen.told, hint)
        return
    if seen.status is TokenStatus.UNREACHABLE:
        hint = tr("Whether the token is right is not known. Messages wait at the platform until it can be reached.")
        yield Finding("accounts.unreachable", Severity.WARNING, place, seen.told, hint)
        return
    yield Finding("accounts.works", Severity.NOTE, place, seen.told)
    if seen.platform == "telegram":
        yield from _of_telegram(config, seen, place=place, serves=serves)
    elif config.discord.message_content and not seen.hears_groups:
        message = tr("the bot asks for the message content intent and has not been given it: Discord refuses it")
        hint = tr(
            "Switch it on in the developer portal (Bot, Privileged Gateway Intents), or set {option}: false",
            option="discord.message_content",
        )
        yield Finding("accounts.intent", Severity.ERROR, place, message, hint)


def _of_telegram(config: Config, seen: AccountCheck, *, place: str, serves: bool) -> Iterator[Finding]:
    url, wanted, message, hint = seen.webhook, config.telegram.webhook.url, "", ""
    if url and not wanted:
        message = tr("Telegram sends this bot's messages to {host}", host=urlsplit(url).hostname)
        hint = tr("Does another program use this bot? Give each a bot of its own. `scrubjay run` takes it over.")
    elif wanted and serves and not url.startswith(wanted):
        message = tr("Telegram does not know the webhook, although the service runs")
        hint = tr("Has another program removed it? Start the service again.")
    elif wanted and seen.webhook_trouble:
        message = tr("Telegram cannot deliver to the webhook: {why}", why=seen.webhook_trouble)
        hint = tr("Look at the proxy's log, and whether Telegram can trust its certificate.")
    if message:
        yield Finding("accounts.webhook", Severity.WARNING, place, message, hint)
    listens = any(chat.listen == "all" for chat in config.chats.settings if chat.platform == "telegram")
    if (listens or not config.access.only_addressed) and not seen.hears_groups:
        message = tr("the bot is to hear everything in groups, and its privacy mode hides most of it")
        hint = tr(
            "Switch it off: @BotFather, /setprivacy, Disable; then remove the bot from the group and add it again."
        )
        yield Finding("accounts.privacy", Severity.WARNING, place, message, hint)


CHECK = Check(
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
