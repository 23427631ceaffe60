"""Codes: a stranger's, which the owner approves, and the terminal's, with which the owner makes themselves known.

A code has eight characters out of 25 that are not taken for one another, and holds for an hour. There are 1.5e11,
nobody is told whether a try was near, and nobody has more than five tries an hour.
"""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Callable
from datetime import datetime, timedelta
from hmac import compare_digest

from adapters.port import Inbound
from bot.durable.register import Pairing, Person, Register, Role
from bot.errors import Missing
from bot.trust.access import identity
from memory import Clock

ALPHABET = "34679ACDEFGHJKLMNPQRTVWXY"
LENGTH = 8
LIFE = timedelta(hours=1)
MOST = 3
"""Strangers who may wait for an answer on one bot account; a further one takes the place of the oldest."""
KEPT = timedelta(minutes=5)
"""How long a stranger's place is safe: so many strangers at once get no more codes than there are places."""
TRIES = 5
"""Wrong codes of one stranger, in the hour of an invitation, after which theirs are no longer looked at."""
ALL_TRIES = 1000
"""Wrong codes of all strangers together after which an invitation holds no longer."""


def draw() -> str:
    """A code that nobody can foresee."""
    return "".join(secrets.choice(ALPHABET) for _ in range(LENGTH))


class Pairings:
    """The codes of a running service.

    Args:
        register: where they are kept.
        clock: source of time.
        draw: makes a code.
    """

    def __init__(self, register: Register, *, clock: Clock, draw: Callable[[], str] = draw) -> None:
        self._register = register
        self._clock = clock
        self._draw = draw
        self._invitations: dict[str, Pairing] = {}
        self._tries: dict[str, Counter[str]] = {}
        self._asked: dict[str, datetime] = {}

    @property
    def open(self) -> tuple[Pairing, ...]:
        """Who waits for an answer."""
        return tuple(pairing for pairing in self._register.pairings if self._holds(pairing))

    async def ask(self, inbound: Inbound) -> str | None:
        """The code for a stranger who has written; None if they have had one within the hour, or too many ask at once.

        The same event again brings the same code: an earlier attempt to tell it may have come to nothing.
        """
        who, account, now = identity(inbound), inbound.address.account, self._clock.now()
        for pairing in self.open:
            if pairing.identity == who:
                return pairing.code if (pairing.account, pairing.update) == (account, inbound.update) else None
        self._asked = {one: at for one, at in self._asked.items() if now - at < LIFE}
        here = sorted((one for one in self.open if one.account == account), key=lambda one: one.at)
        is_full = len(here) >= MOST
        if who in self._asked or (is_full and now - here[0].at < KEPT):
            return None
        expired = [pairing for pairing in self._register.pairings if not self._holds(pairing)]
        await self._register.settle([*expired, *(here[:1] if is_full else ())])
        asked = Pairing(account, who, inbound.sender.name, self._draw(), inbound.update, now)
        await self._register.ask(asked)
        self._asked[who] = now
        return asked.code

    async def approve(self, code: str, role: Role) -> Person:
        """Let the stranger with this code in.

        Raises:
            Missing: nobody waits with this code; it was mistyped, used, or has expired.
        """
        found = [pairing for pairing in self.open if is_same(pairing.code, code)]
        if not found:
            raise Missing(
                "Nobody waits with this code.",
                hint="It holds for an hour, once. `scrubjay pair list` shows who waits; ask them to write again.",
            )
        person = Person(found[0].identity, role, found[0].name, self._clock.now())
        await self._register.let_in(person)
        await self._register.settle(found)
        return person

    def invite(self, account: str) -> str:
        """A code with which somebody who writes to this bot account becomes the owner; for the terminal only.

        An earlier one holds no longer.
        """
        self._tries[account] = Counter()
        self._invitations[account] = Pairing(account, "", "", self._draw(), "", self._clock.now())
        return self._invitations[account].code

    async def accept(self, inbound: Inbound) -> bool:
        """Make the person who has sent the invitation's code the owner; False if they have not."""
        account, who = inbound.address.account, identity(inbound)
        invitation = self._invitations.get(account)
        if not invitation or not self._holds(invitation) or self._tries[account][who] >= TRIES:
            return False
        if not is_same(invitation.code, inbound.text):
            if is_like_code(inbound.text):
                self._tries[account][who] += 1
            if self._tries[account].total() >= ALL_TRIES:
                del self._invitations[account]
            return False
        del self._invitations[account]
        await self._register.let_in(Person(identity(inbound), Role.OWNER, inbound.sender.name, self._clock.now()))
        return True

    def _holds(self, pairing: Pairing) -> bool:
        return self._clock.now() - pairing.at < LIFE


def is_same(code: str, typed: str) -> bool:
    """Whether this is what was meant, in a time that does not depend on where they differ."""
    return compare_digest(code.encode(), _meant(typed).encode())


def is_like_code(typed: str) -> bool:
    """Whether somebody seems to try a code."""
    meant = _meant(typed)
    return len(meant) == LENGTH and set(meant) <= set(ALPHABET)


def _meant(typed: str) -> str:
    """People type small letters, and Telegram's link to a bot sends `/start CODE`."""
    return typed.strip().removeprefix("/start").strip().upper().replace("-", "")
