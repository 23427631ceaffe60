"""Who is let in. Identity is the platform's own numeric id; names and texts grant nothing."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache

import structlog

from adapters.port import Address, ChatKind, Happening, Inbound
from bot.access.chat_settings import ChatRule, ChatSettings, Listen, QueueMode, Reactions, Speakers, changed
from bot.storage.keys import Principal
from bot.storage.tables.people import AccessStore, Role

MAX_CHATS = 1000
"""For how many it is remembered what the configuration says of them: each message asks for it several times."""

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class AccessRules:
    """What the configuration says of people and groups.

    Attributes:
        owners: who may do everything, as `platform:id`.
        guests: who else may talk to the agents.
        groups: groups, channels or whole servers in which everybody may, as `platform:id`.
        context: how many messages of a listed group a model is given with one that is said to it.
        reactions: where messages are marked with how far their answer has come.
        queue: what becomes of messages that come while their conversation is answered, by platform.
        chats: what is otherwise in single chats; of two about the same one the later counts.
    """

    owners: frozenset[str] = frozenset()
    guests: frozenset[str] = frozenset()
    groups: frozenset[str] = frozenset()
    listen: Listen = Listen.ADDRESSED
    context: int = 20
    reactions: Reactions = Reactions.GROUPS
    queue: Mapping[str, str] = field(default_factory=dict)
    chats: tuple[ChatRule, ...] = ()


class Access:
    """Admits whom the rules name and whom the register knows; with no rules and no registered people, nobody.

    The rules are those of the configuration; a collection of ids names the owners alone.
    """

    def __init__(self, rules: AccessRules | Collection[str], *, register: AccessStore) -> None:
        self._rules = rules if isinstance(rules, AccessRules) else AccessRules(frozenset(rules))
        self._register = register
        self.configured = lru_cache(maxsize=MAX_CHATS)(self._configure)

    def admit(self, inbound: Inbound) -> Principal | None:
        """Return who acts; None if the event is to be ignored. Bots are never let in: two of them would never end."""
        to = inbound.address
        is_heard = to.kind is ChatKind.PRIVATE or inbound.addressed or inbound.happening is Happening.BUTTON
        if not is_heard and self.settings(to).listen is Listen.ADDRESSED:
            return None
        return self.speaker(inbound)

    def speaker(self, inbound: Inbound) -> Principal | None:
        """Return who acts, if they may speak to the bot there, whether they do or not; None for all others."""
        if inbound.sender.is_bot:
            return None
        who, to = identity(inbound), inbound.address
        role, is_owner_only = self._role(who), self.is_closed
        if to.kind is not ChatKind.PRIVATE and role is not Role.OWNER:
            speakers = self.settings(to).speakers
            role = role or (Role.GUEST if speakers is Speakers.EVERYBODY else None)
            is_owner_only |= speakers is Speakers.OWNER
        if role is None or (is_owner_only and role is not Role.OWNER):
            return None
        return Principal(self._register.principal(who), inbound.sender.name, is_owner=role is Role.OWNER)

    def settings(self, to: Address) -> ChatSettings:
        """Return what holds in a chat: what was set there, else what the configuration says of it, or of all chats."""
        settings = self.configured(to)
        for name, value in self._register.settings(to).items():
            try:
                settings = changed(settings, {name: value})
            except ValueError:  # a newer version wrote it; the others hold
                log.warning("chat.setting_unknown", chat=to.chat, account=to.account, setting=name)
        return settings

    def _configure(self, to: Address) -> ChatSettings:
        rules, is_private = self._rules, to.kind is ChatKind.PRIVATE
        is_listed = any(f"{to.platform}:{place}" in rules.groups for place in (to.chat, to.known_as, to.guild))
        is_marked = rules.reactions is Reactions.EVERYWHERE or (rules.reactions is Reactions.GROUPS and not is_private)
        queue = QueueMode(rules.queue.get(to.platform, QueueMode.COLLECT))
        settings = ChatSettings(listen=rules.listen, reactions=is_marked, queue=queue)
        if is_listed and not is_private:
            settings = replace(settings, speakers=Speakers.EVERYBODY, context=rules.context)
        for rule in rules.chats:
            settings = changed(settings, rule.given) if rule.fits(to) else settings
        return settings

    @property
    def is_closed(self) -> bool:
        """Whether nobody but the owner is heard."""
        return self._register.is_closed

    def knows(self, who: str) -> bool:
        """Whether somebody, as `platform:id`, is let in for themselves, wherever they write."""
        return self._role(who) is not None

    def knows_on(self, principal: str, platform: str) -> bool:
        """Return whether somebody is let in on a platform, by an identity that is theirs or linked to theirs."""
        own = (principal, *self._register.linked(principal))
        return any(self.knows(one) for one in own if one.startswith(f"{platform}:"))

    def owns(self, who: str) -> bool:
        """Return whether somebody, as `platform:id`, is the owner."""
        return self._role(who) is Role.OWNER

    def owners(self, platform: str) -> tuple[str, ...]:
        """Return the ids of the owner on a platform."""
        known = {person.identity for person in self._register.people if person.role is Role.OWNER}
        return _ids(platform, self._rules.owners | known)

    def people(self, platform: str) -> tuple[str, ...]:
        """Return the ids of everybody on a platform who may write to the bot in private."""
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
        """Whether everybody in a group is let in."""
        return to.kind is not ChatKind.PRIVATE and self.settings(to).speakers is Speakers.EVERYBODY


def identity(inbound: Inbound) -> str:
    """Return who did it, as `platform:id`."""
    return f"{inbound.address.platform}:{inbound.sender.id}"


def _ids(platform: str, identities: Collection[str]) -> tuple[str, ...]:
    parted = (who.partition(":") for who in identities)
    return tuple(sorted(number for where, _, number in parted if where == platform))
