"""Offers: what the bot has proposed to write, until the person says yes or no."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256

from bot.errors import Missing
from bot.turn import Turn
from memory import Origin, Scope

VALID = timedelta(minutes=10)


@dataclass(frozen=True, slots=True)
class Offer:
    """What would be noted, to the letter, what it counts as, and the id of the fact that it would replace, if any."""

    text: str
    origin: Origin
    replaces: str = ""


@dataclass(frozen=True, slots=True)
class _Made:
    offer: Offer
    scope: Scope
    actor: str
    until: datetime


class Offers:
    """Kept in this process only: a text that may be a secret stands in no file until the person wants it there."""

    def __init__(self) -> None:
        self._made: dict[str, _Made] = {}

    def make(self, turn: Turn, offer: Offer) -> str:
        """Keep an offer for ten minutes; says under which token. A turn that is repeated gives the same one."""
        now = turn.agent.clock.now()
        self._made = {token: made for token, made in self._made.items() if made.until > now}
        token = sha256(f"{turn.session}/{turn.id}".encode()).hexdigest()[:8]
        self._made[token] = _Made(offer, turn.scope, turn.principal.id, now + VALID)
        return token

    def find(self, turn: Turn, token: str) -> Offer:
        """The offer of a token, for the person to whom it was made.

        Raises:
            Missing: there is none, it is too old, or it was made to somebody else.
        """
        made = self._made.get(token.lower())
        is_theirs = made is not None and (made.scope, made.actor) == (turn.scope, turn.principal.id)
        if made is None or not is_theirs or made.until <= turn.agent.clock.now():
            raise Missing("That question is no longer open; nothing was noted.", hint="Say it once more.")
        return made.offer

    def drop(self, token: str) -> None:
        """Forget an offer that was taken or declined."""
        self._made.pop(token.lower(), None)
