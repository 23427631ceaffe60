"""Previews of what would be forgotten, which somebody sees and confirms."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from memory.errors import Expired, NotFound, Undecided
from memory.privacy.traces import ForgettingTrail
from memory.types import Line, Scope

VALID = timedelta(minutes=10)
"""How long a preview can be confirmed."""
_LETTERS = "23456789abcdefghjkmnpqrstvwxyz"


@dataclass(frozen=True, slots=True)
class Preview:
    """What `forget` would do; `token` confirms exactly these lines.

    Attributes:
        token: what to give to `forget`.
        lines: of the facts.
        notes: lines of notes saved from conversations that repeat them, and go with them.
        choose: the lines are candidates: `forget` has to be told which of them are meant.
        trail: what they are recognised by elsewhere; None where nothing was found.
        others: who wrote what was meant as well and is not theirs to take away, as the journal calls them.
    """

    token: str
    lines: tuple[Line, ...]
    notes: tuple[Line, ...] = ()
    choose: bool = False
    trail: ForgettingTrail | None = None
    others: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Shown:
    preview: Preview
    scope: Scope
    actor: str
    until: datetime


class Previews:
    """Kept in this process only: a restart asks again, which costs nothing and forgets nothing unseen."""

    def __init__(self) -> None:
        self._shown: dict[str, _Shown] = {}

    def add(self, found: Preview, *, scope: Scope, actor: str, now: datetime) -> Preview:
        """Remember what somebody is shown; return it with its token."""
        self._shown = {token: shown for token, shown in self._shown.items() if shown.until > now}
        token = "".join(secrets.choice(_LETTERS) for _ in range(5))
        preview = replace(found, token=token)
        self._shown[token] = _Shown(preview, scope, actor, now + VALID)
        return preview

    def confirm(
        self, token: str, only: Sequence[int], *, scope: Scope, actor: str, now: datetime
    ) -> tuple[tuple[Line, ...], Scope | None]:
        """Return the lines that are confirmed, all of the preview or those with these numbers (from 1), and its reach.

        Raises:
            Expired: no such preview, too old, or another person's.
            NotFound: a number that was not shown.
            Undecided: the lines are candidates, and no number was given.
        """
        shown = self._shown.get(token.lower())
        if shown is None or shown.until <= now or (shown.scope, shown.actor) != (scope, actor):
            raise Expired(f"There is no preview {token!r} to confirm.", hint="Ask again what would be forgotten.")
        lines = shown.preview.lines
        unknown = [number for number in only if not 1 <= number <= len(lines)]
        if unknown:
            raise NotFound(f"The preview has no line {unknown[0]}.", hint=f"It has the lines 1 to {len(lines)}.")
        if shown.preview.choose and not only:
            raise Undecided(
                f"{len(lines)} facts may be meant, so nothing was forgotten.", hint="Say which, by their numbers."
            )
        trail = shown.preview.trail
        return tuple(lines[number - 1] for number in only) if only else lines, trail.reach if trail else None

    def remove(self, token: str) -> None:
        """Drop a preview that has been carried out."""
        self._shown.pop(token.lower(), None)
