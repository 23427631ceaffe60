"""Check: the time is right, and the owner's time zone is known."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from bot.config.environment import wanted_zone
from bot.doctor.base import Check, CheckContext, Finding, Severity
from bot.texts.catalogue import mark, tr

EARLIEST = 2026
"""The year this was written: a machine that reports an earlier one has lost its clock's battery."""

TOLERATED = timedelta(minutes=2)
"""Servers' clocks differ by seconds, and the answer takes some."""

PATIENCE_S = 5.0


async def detect(context: CheckContext) -> AsyncIterator[Finding]:
    """The clock names the daily logs, so a wrong one scatters what is noted over wrong days."""
    from tzlocal import get_localzone_name

    config = context.config()
    owner = config.owner
    now = context.clock.now().astimezone(owner.zone)
    set_it = tr("Set the clock of this machine, or switch network time on.")
    if now.year < EARLIEST:
        message = tr("it is said to be {day}", day=f"{now:%Y-%m-%d}")
        yield Finding("clock.wrong", Severity.ERROR, tr("system clock"), message, set_it)
    elif not context.is_offline:
        asked_anyway = [section for section in (config.telegram, config.discord) if section.tokens]
        for server in [section.api for section in asked_anyway if not section.proxy.get_secret_value()]:
            theirs = await _date_of(server)
            off = context.clock.now() - theirs if theirs else timedelta(0)
            if abs(off) > TOLERATED:
                way = tr("fast") if off > timedelta(0) else tr("slow")
                by = str(timedelta(seconds=round(abs(off).total_seconds())))
                message = tr("the clock is {by} {way} by the clock of {server}", by=by, way=way, server=server)
                yield Finding("clock.off", Severity.ERROR, tr("system clock"), message, set_it)
                break
    hint, zone = "", owner.zone.key
    if owner.timezone == "auto":
        named, trouble = wanted_zone(), ""
        try:
            ZoneInfo(named or get_localzone_name() or "UTC")
        except (ZoneInfoNotFoundError, ValueError, OSError) as error:
            trouble = tr("TZ is {zone}", zone=named) if named else " ".join(str(error).strip("'\"").split())
        if trouble:
            message = tr("there is no such time zone ({why}), so {zone} is taken", why=trouble, zone=zone)
            hint = tr("Set owner.timezone in config.yaml, for example to Europe/Berlin, or mend the system's setting.")
            yield Finding("clock.zone_unknown", Severity.WARNING, "TZ", message, hint)
        elif zone in {"UTC", "Etc/UTC"}:
            hint = tr(
                "This machine says UTC. If you live elsewhere, set owner.timezone, or your days begin at the wrong "
                "hour."
            )
    yield Finding("clock.now", Severity.NOTE, zone, f"{now:%Y-%m-%d %H:%M}", hint)


async def _date_of(server: str) -> datetime | None:
    """Return what a server's answer says the time is; None if there is no answer, or it does not tell."""
    from aiohttp import ClientError, ClientSession, ClientTimeout, DummyCookieJar

    try:
        async with (
            ClientSession(timeout=ClientTimeout(total=PATIENCE_S), cookie_jar=DummyCookieJar()) as session,
            session.head(server) as response,
        ):
            date = parsedate_to_datetime(response.headers.get("Date", ""))
    except (TimeoutError, ClientError, OSError, ValueError):
        return None  # the check of the platforms tells
    return date.replace(tzinfo=date.tzinfo or UTC)


CHECK = Check(
    mark("clock and time zone"),
    detect,
    {
        "wrong": "The clock of the machine shows a year that is long over. Daily logs and reminders go by it. Set it, "
        "or switch network time on (`timedatectl set-ntp true`).",
        "off": "The clock differs by more than two minutes from the one of a platform's server. Reminders come at the "
        "wrong time, and certificates may be refused. Switch network time on (`timedatectl set-ntp true`).",
        "zone_unknown": "`TZ`, or the system's setting, names a time zone that does not exist, so another one is "
        "taken. Set `owner.timezone` in config.yaml, or mend the system's setting.",
        "now": "The time as Scrubjay sees it. On a machine that is set to UTC it reminds you that `owner.timezone` may "
        "have to be set.",
    },
)
