"""One person under two identities: linked when both have agreed, the first with a code, then again at the end.

The first agrees to one account, by its id: a code that others have seen is worth nothing by itself. Offers and answers
are kept until the end of the process, ten minutes at most; links for good.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from bot.durable.register import Register
from bot.errors import Refused
from bot.trust.pairing import draw, is_same
from bot.turn import Principal
from memory import Clock

LIFE = timedelta(minutes=10)
TRIES = 5
"""Wrong codes of one person."""
TRIED_AGAIN = timedelta(hours=1)
"""After how long somebody who had no try left has them again."""

Owners = Callable[[str], Collection[str]]
"""The ids of the owner on a platform."""


@dataclass(frozen=True, slots=True)
class Offer:
    """Somebody's wish to be known as themselves elsewhere, and who has answered it there."""

    code: str
    by: Principal
    at: datetime
    taken: Principal | None = None


@dataclass(frozen=True, slots=True)
class _Wrong:
    """The wrong codes of one person, and when the first of them came."""

    count: int
    since: datetime


def _nobody(_: str) -> Collection[str]:
    return ()


class Linking:
    """The offers of a running service.

    Args:
        register: where links are kept.
        clock: source of time.
        owners: who is the owner on a platform.
        draw: makes a code.
    """

    def __init__(
        self, register: Register, *, clock: Clock, owners: Owners = _nobody, draw: Callable[[], str] = draw
    ) -> None:
        self._register = register
        self._clock = clock
        self._owners = owners
        self._draw = draw
        self._offers: dict[str, Offer] = {}
        self._wrong: dict[str, _Wrong] = {}

    def offer(self, by: Principal) -> str:
        """A code that this person may send from another platform; an earlier one of theirs ends."""
        self._offers[by.id] = Offer(self._draw(), by, self._clock.now())
        return self._offers[by.id].code

    def take(self, code: str, who: Principal) -> Principal | None:
        """Answer an offer with its code; who has to confirm it, None if there is no such offer by somebody else.

        Raises:
            Refused: they have sent too many wrong codes; or they are the owner, and would become somebody else.
        """
        wrong = self._wrong.get(who.id)
        if wrong and self._clock.now() - wrong.since >= TRIED_AGAIN:
            wrong = None
        if wrong and wrong.count >= TRIES:
            raise Refused("Those were too many wrong codes.", hint="Try again in an hour.")
        for offer in self._open():
            if is_same(offer.code, code) and offer.by.id != who.id and offer.taken is None:
                if who.is_owner and not offer.by.is_owner:
                    raise Refused(
                        "With this code you would become the one who asked for it, and my owner no longer.",
                        hint="Write `/link` here, and send the code from your other account.",
                    )
                self._offers[offer.by.id] = replace(offer, taken=who)
                return offer.by
        self._wrong[who.id] = replace(wrong, count=wrong.count + 1) if wrong else _Wrong(1, self._clock.now())
        return None

    def expose(self, code: str) -> None:
        """End the offer with this code: others have read it."""
        self._offers = {by: offer for by, offer in self._offers.items() if not is_same(offer.code, code)}

    def pending(self, by: Principal) -> Principal | None:
        """Who has answered this person's offer, and waits to be confirmed."""
        return next((offer.taken for offer in self._open() if offer.by.id == by.id), None)

    def accounts(self, of: Principal, like: Principal) -> tuple[str, ...]:
        """The accounts that a person has already on the platform of another one."""
        platform = like.id.partition(":")[0]
        own = {of.id, *self._register.linked(of.id)}
        if of.is_owner:
            own |= {f"{platform}:{number}" for number in self._owners(platform)}
        return tuple(sorted(one for one in own if one.startswith(f"{platform}:") and one != like.id))

    async def confirm(self, by: Principal, identity: str) -> Principal | None:
        """Take the account with this identity for the person who made the offer; None if it has not answered it."""
        taken = self.pending(by)
        if taken is None or taken.id != identity:
            return None
        del self._offers[by.id]
        await self._register.link(taken.id, by.id, at=self._clock.now())
        return taken

    def decline(self, by: Principal) -> None:
        """End a person's offer, whoever has answered it."""
        self._offers.pop(by.id, None)

    def _open(self) -> list[Offer]:
        return [offer for offer in self._offers.values() if self._clock.now() - offer.at < LIFE]
