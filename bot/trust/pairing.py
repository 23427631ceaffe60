"""Codes: a stranger's, which the owner approves, and the terminal's, with which the owner makes themselves known.

A code has eight characters out of 25 that are not taken for one another, and holds for an hour. There are 1.5e11, and
nobody is told whether a try was near.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from datetime import timedelta
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
"""Strangers who may wait for an answer on one bot account; further ones hear nothing."""


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

    @property
    def open(self) -> tuple[Pairing, ...]:
        """Who waits for an answer."""
        return tuple(pairing for pairing in self._register.pairings if self._holds(pairing))

    async def ask(self, inbound: Inbound) -> str | None:
        """The code for a stranger who has written; None if they have had one within the hour, or too many wait.

        The same event again brings the same code: an earlier attempt to tell it may have come to nothing.
        """
        who, account = identity(inbound), inbound.address.account
        here = [pairing for pairing in self.open if pairing.account == account]
        for pairing in here:
            if pairing.identity == who:
                return pairing.code if pairing.update == inbound.update else None
        if len(here) >= MOST:
            return None
        await self._register.settle([pairing for pairing in self._register.pairings if not self._holds(pairing)])
        asked = Pairing(account, who, inbound.sender.name, self._draw(), inbound.update, self._clock.now())
        await self._register.ask(asked)
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
        """A code with which somebody who writes to this bot account becomes the owner; for the terminal only."""
        self._invitations[account] = Pairing(account, "", "", self._draw(), "", self._clock.now())
        return self._invitations[account].code

    async def accept(self, inbound: Inbound) -> bool:
        """Make the person who has sent the invitation's code the owner; False if they have not."""
        invitation = self._invitations.get(inbound.address.account)
        if not invitation or not self._holds(invitation) or not is_same(invitation.code, inbound.text):
            return False
        del self._invitations[inbound.address.account]
        await self._register.let_in(Person(identity(inbound), Role.OWNER, inbound.sender.name, self._clock.now()))
        return True

    def _holds(self, pairing: Pairing) -> bool:
        return self._clock.now() - pairing.at < LIFE


def is_same(code: str, typed: str) -> bool:
    """Whether this is what was meant, in a time that does not depend on where they differ.

    People type small letters, and Telegram's link to a bot sends `/start CODE`.
    """
    meant = typed.strip().removeprefix("/start").strip().upper().replace("-", "")
    return compare_digest(code.encode(), meant.encode())
