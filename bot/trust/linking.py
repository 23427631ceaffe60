"""One person under two identities: linked when both have agreed, the first with a code, then again at the end.

Offers and answers are kept until the end of the process, ten minutes at most; links for good.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from bot.durable.register import Register
from bot.trust.pairing import draw, is_same
from bot.turn import Principal
from memory import Clock

LIFE = timedelta(minutes=10)


@dataclass(frozen=True, slots=True)
class Offer:
    """Somebody's wish to be known as themselves elsewhere, and who has answered it there."""

    code: str
    by: Principal
    at: datetime
    taken: Principal | None = None


class Linking:
    """The offers of a running service."""

    def __init__(self, register: Register, *, clock: Clock, draw: Callable[[], str] = draw) -> None:
        self._register = register
        self._clock = clock
        self._draw = draw
        self._offers: dict[str, Offer] = {}

    def offer(self, by: Principal) -> str:
        """A code that this person may send from another platform; an earlier one of theirs ends."""
        self._offers[by.id] = Offer(self._draw(), by, self._clock.now())
        return self._offers[by.id].code

    def take(self, code: str, who: Principal) -> Principal | None:
        """Answer an offer with its code; who has to confirm it, None if there is no such offer by somebody else."""
        for offer in self._open():
            if is_same(offer.code, code) and offer.by.id != who.id and offer.taken is None:
                self._offers[offer.by.id] = replace(offer, taken=who)
                return offer.by
        return None

    async def confirm(self, by: Principal) -> Principal | None:
        """Take both for one person, as whoever made the offer; None if nobody has answered it."""
        offer = next((offer for offer in self._open() if offer.by.id == by.id and offer.taken), None)
        if offer is None or offer.taken is None:
            return None
        del self._offers[by.id]
        await self._register.link(offer.taken.id, by.id, at=self._clock.now())
        return offer.taken

    def _open(self) -> list[Offer]:
        return [offer for offer in self._offers.values() if self._clock.now() - offer.at < LIFE]
