"""People: who asks to be let in, who was, and which agent answers where."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from adapters.terminal import HERE
from bot.access.pairing import PAIRING_LIFETIME
from bot.errors import Missing
from bot.service.run import routes
from bot.storage.tables.people import Role
from bot.texts.catalogue import mark, tr
from bot.web.page import Changed, Group, Page, View

ROLES = {Role.OWNER: mark("owner"), Role.GUEST: mark("guest")}


async def context(view: View) -> Mapping[str, Any]:
    service, access = view.app.context, view.app.config.access
    waiting = [
        {"code": asking.code, "who": asking.identity, "name": asking.name, "account": asking.account,
         "asked": asking.at, "until": asking.at + PAIRING_LIFETIME}
        for asking in service.pairings.open
    ]  # fmt: skip
    people = [
        {"who": person.identity, "role": person.role.value, "name": person.name, "since": person.at}
        for person in service.register.people
    ]
    configured = [(who, Role.OWNER.value) for who in access.owners] + [(who, Role.GUEST.value) for who in access.guests]
    rules = [{name: value for name, value in asdict(rule).items() if value} for rule in routes(view.app.config)]
    return {
        "waiting": waiting,
        "people": people,
        "configured": configured,
        "accounts": [name for name in service.accounts() if name != HERE.account],
        "routes": rules,
        "default_agent": view.app.config.default_agent,
        "is_closed": service.access.is_closed,
    }


async def approve(view: View) -> Changed:
    """Let somebody in who asks; they are told."""
    role = Role.OWNER if view.field("role") == Role.OWNER.value else Role.GUEST
    person = await view.app.context.pairings.approve(view.field("code"), role)
    return Changed(
        tr("{name} ({who}) is let in as {role}.", name=person.name, who=person.identity, role=tr(ROLES[role]))
    )


async def ignore(view: View) -> Changed:
    """Forget that somebody asked."""
    await view.app.context.pairings.ignore(view.field("code"))
    return Changed(tr("Nobody is told. Who writes again gets a new code."))


async def revoke(view: View) -> Changed:
    """Let somebody in no longer."""
    who = view.field("who")
    if not await view.app.context.register.revoke(who):
        raise Missing(tr("Nobody was let in as {who} by a code.", who=who))
    return Changed(tr("{who} is let in no longer, unless config.yaml names them.", who=who))


async def invite(view: View) -> Changed:
    """Make a code for a bot account: who sends it there is the owner."""
    account = view.field("account")
    if account not in view.app.context.accounts():
        raise Missing(tr("There is no bot account {account}.", account=account))
    code = view.app.context.pairings.invite(account)
    return Changed(
        tr("Send {code} to {account} within an hour: whoever does is the owner.", code=code, account=account)
    )


PAGE = Page(
    path="/people",
    title=mark("People"),
    context=context,
    group=Group.SERVICE,
    place=7,
    key="p",
    live=("pairing.", "account."),
    actions={"approve": approve, "ignore": ignore, "revoke": revoke, "invite": invite},
    is_shared=True,
)
