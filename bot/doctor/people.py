"""Check: the bots know their owner, and nobody is kept waiting at the door."""

from __future__ import annotations

from collections.abc import AsyncIterator

from bot.access.pairing import PAIRING_LIFETIME
from bot.doctor.base import Check, CheckContext, Finding, Severity
from bot.errors import StateError
from bot.storage.tables.people import AccessStore, Role, read_access_store
from bot.texts.catalogue import mark, tr, trn


async def detect(context: CheckContext) -> AsyncIterator[Finding]:
    """For each platform with a bot, whether somebody is its owner; then strangers who have asked to be let in."""
    config, path = context.examined.config, context.state
    platforms = [name for name in ("telegram", "discord") if config and getattr(config, name).tokens]
    if config is None or not platforms:
        return
    try:
        register = await read_access_store(path)
    except StateError:
        register = AccessStore()  # the check of the state file tells
    paired = {person.identity for person in register.people if person.role is Role.OWNER}
    owners = paired | {*config.access.owners}
    linked = {identity for owner in owners for identity in register.linked(owner)}
    for platform in platforms:
        if any(who.startswith(f"{platform}:") for who in owners | linked):
            yield Finding("people.owner", Severity.NOTE, platform, tr("the bot knows its owner"))
        else:
            message = tr(
                "the bot on {platform} does not know who its owner is, so it answers nobody", platform=platform
            )
            hint = tr(
                "Start `scrubjay run` and send the bot the code that it shows (`scrubjay pair invite` shows another)."
            )
            yield Finding("people.no_owner", Severity.WARNING, platform, message, hint)
    now = context.clock.now()
    if waiting := sum(now - pairing.at < PAIRING_LIFETIME for pairing in register.pairings):
        message = trn("{count} person has asked to be let in", "{count} people have asked to be let in", waiting)
        yield Finding("people.waiting", Severity.NOTE, str(path), message, tr("See: scrubjay pair list"))


CHECK = Check(
    mark("people"),
    detect,
    {
        "owner": "Somebody is known as the owner of the bot on this platform.",
        "no_owner": "A bot has a token and no owner, so it answers nobody. `scrubjay run` shows a code in its log: "
        "send it to the bot. Or name yourself under `access.owners`.",
        "waiting": "Somebody has written to the bot and been given a code. `scrubjay pair list` shows who.",
    },
)
