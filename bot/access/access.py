"""Who is let in. Identity is the platform's own numeric id; names and texts grant nothing."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from adapters.port import Address, ChatKind, Happening, Inbound
from bot.storage.keys import Principal
from bot.storage.people import AccessStore, Role


@dataclass(frozen=True, slots=True)
class AccessRules:
    """What the configuration says of people and groups.

    Attributes:
        owners: who may do everything, as `platform:id`.
        guests: who else may talk to the agents.
        groups: groups, channels or whole servers in which everybody may, as `platform:id`.
        only_addressed: in groups, listen only to what is said to the bot.
    """

    owners: frozenset[str] = frozenset()
    guests: frozenset[str] = frozenset()
    groups: frozenset[str] = frozenset()
    only_addressed: bool = True


class Access:
    """Admits whom the rules name and whom the register knows; with no rules and no registered people, nobody.

    Args:
        rules: from the configuration; a collection of ids names the owners alone.
        register: who was let in by a code.
    """

    def __init__(self, rules: AccessRules | Collection[str], *, register: AccessStore) -> None:
        self._rules = rules if isinstance(rules, AccessRules) else AccessRules(frozenset(rules))
        self._register = register

    def admit(self, inbound: Inbound) -> Principal | None:
        """Who acts; None if the event is to be ignored. Other bots never are let in: two of them would never end."""
        who, to = identity(inbound), inbound.address
        role = None if inbound.sender.is_bot else self._role(who)
        if to.kind is not ChatKind.PRIVATE:
            is_heard = inbound.addressed or inbound.happening is Happening.BUTTON or not self._rules.only_addressed
            if inbound.sender.is_bot or not is_heard:
                return None
            role = role or (Role.GUEST if self.is_open(to) else None)
        if role is None or (self.is_closed and role is not Role.OWNER):
            return None
        return Principal(self._register.principal(who), inbound.sender.name, is_owner=role is Role.OWNER)

    @property
    def is_closed(self) -> bool:
        """Whether nobody but the owner is heard."""
        return self._register.is_closed

    def knows(self, who: str) -> bool:
        """Whether somebody, as `platform:id`, is let in for themselves, wherever they write."""
        return self._role(who) is not None

    def owners(self, platform: str) -> tuple[str, ...]:
        """The ids of the owner on a platform."""
        known = {person.identity for person in self._register.people if person.role is Role.OWNER}
        return _ids(platform, self._rules.owners | known)

    def people(self, platform: str) -> tuple[str, ...]:
        """The ids of everybody on a platform who may write to the bot in private."""
        known = {person.identity for person in self._register.people}
        return _ids(platform, self._rules.owners | self._rules.guests | known)

    def _role(self, who: str) -> Role | None:
        for one in (who, self._register.principal(who)):
            if one in self._rules.owners:
                return Role.OWNER
            if one in self._rules.guests:
                return self._register.role(who) or Role.GUEST
        return self._register.role(who)

    def is_open(self, to: Address) -> bool:
        """Whether everybody in a chat is let in."""
        return any(f"{to.platform}:{place}" in self._rules.groups for place in (to.chat, to.known_as, to.guild))


def identity(inbound: Inbound) -> str:
    """Who did it, as `platform:id`."""
    return f"{inbound.address.platform}:{inbound.sender.id}"


def _ids(platform: str, identities: Collection[str]) -> tuple[str, ...]:
    found = (who.partition(":") for who in identities)
    return tuple(sorted(number for where, _, number in found if where == platform))
