"""How much the people who are let in may ask: turns and tokens, counted per sender, per chat and for all guests.

Counts are kept in memory and written through, so that they survive a restart. A span of ten minutes begins with the
first turn in it; a day is one on the owner's clock. What comes above a limit is counted, and leaves nothing else.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta, tzinfo
from math import ceil

from adapters.port import Address, ChatKind, Inbound
from bot.config.options.platforms import LimitsSection
from bot.storage.keys import Principal
from bot.storage.tables.people import Count, Span, SqlCounts
from bot.texts.catalogue import tr
from bot.texts.formatting import split_command
from memory import Clock

SHORT = timedelta(minutes=10)

MAX_PIECES = 20
"""Pieces of one message that count as one turn: an album, or a text that was too long for one message."""

KEPT_EVERY = 50
"""How many refusals of somebody in a day are each written down; of the rest, one in as many."""

GUESTS, OWNER = "guests", "owner"

AGAIN = "again"
"""The command that asks a model, as what is no command does."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """A message is above a limit: what its sender is to hear, and whether they have heard it before."""

    text: str
    is_told: bool


@dataclass(slots=True)
class _Pieces:
    """The last message of somebody that came in pieces, and what became of it."""

    name: str
    refusal: Refusal | None
    count: int = 1


class Limiter:
    """Counts for a service, by the zone's days; without `counts`, what is counted is kept until the process ends."""

    def __init__(
        self,
        limits: LimitsSection,
        *,
        clock: Clock,
        zone: tzinfo,
        counts: SqlCounts | None = None,
        known: Sequence[Count] = (),
    ) -> None:
        self.limits = limits
        self._clock = clock
        self._zone = zone
        self._kept = counts
        self._counts = {(count.subject, count.span): count for count in known}
        self._pieces: dict[str, _Pieces] = {}
        self._stoppable = Counter[str]()  # turns of each guest that they have not stopped

    @classmethod
    async def open(cls, limits: LimitsSection, counts: SqlCounts, *, clock: Clock, zone: tzinfo) -> Limiter:
        """Return a limiter that goes on from what was counted before."""
        yesterday = (clock.now().astimezone(zone) - timedelta(days=1)).date().isoformat()
        return cls(limits, clock=clock, zone=zone, counts=counts, known=await counts.load(yesterday))

    async def admit(self, inbound: Inbound, principal: Principal) -> Refusal | None:
        """Count a message; None if it may become a turn. To stop one is free, once for each."""
        pieces = self._pieces.get(principal.id)
        if inbound.piece_of and pieces and pieces.name == inbound.piece_of and pieces.count < MAX_PIECES:
            pieces.count += 1
            return replace(pieces.refusal, is_told=True) if pieces.refusal else None
        if principal.is_owner:
            refusal = await self._admit_owner(inbound)
        elif split_command(inbound.text) == ("stop", "") and self._stoppable[principal.id]:
            self._stoppable[principal.id] -= 1
            return None
        else:
            subjects = _subjects(principal, inbound.address)
            over = next(self._over(subjects), None)
            refusal = await self._refused(over, subjects[0]) if over else None
            if refusal is None:
                self._stoppable[principal.id] += 1
                spans = (Span.SHORT, Span.DAY)
                await self._save(*(self._grown(subject, span, turns=1) for subject in subjects for span in spans))
        if inbound.piece_of:
            self._pieces[principal.id] = _Pieces(inbound.piece_of, refusal)
        return refusal

    async def charge(self, principal: Principal, to: Address, tokens: int) -> None:
        """Count the tokens that a model has taken to answer a person in a chat."""
        if principal.is_owner:
            await self._save(self._grown(OWNER, Span.DAY, tokens=tokens))
        else:
            subjects = (*_subjects(principal, to), GUESTS)
            await self._save(*(self._grown(subject, Span.DAY, tokens=tokens) for subject in subjects))

    @property
    def guests_tokens(self) -> int:
        """Tokens that models have taken for guests today."""
        return self._count(GUESTS, Span.DAY).tokens

    @property
    def refused(self) -> Mapping[str, int]:
        """How many messages were above a limit today, by the senders' ids; most first."""
        today = self._day()
        days = (count for count in self._counts.values() if count.span is Span.DAY and count.began == today)
        senders = [count for count in days if count.refused and count.subject.startswith("sender ")]
        senders.sort(key=lambda count: -count.refused)
        return {count.subject.removeprefix("sender "): count.refused for count in senders}

    async def report(self) -> int:
        """Return how many messages were above a limit since the owner was last told; 0 on a day that has a report."""
        count, today = self._counts.get((GUESTS, Span.REPORT)), self._day()
        if count is None or not count.refused or count.began == today:
            return 0
        await self._save(Count(GUESTS, Span.REPORT, today))
        return count.refused

    async def _admit_owner(self, inbound: Inbound) -> Refusal | None:
        """Refuse what a model would be asked above the owner's own limit; in private that is told each time."""
        count, most = self._count(OWNER, Span.DAY), self.limits.owner_tokens_day
        command, _ = split_command(inbound.text) or (AGAIN, "")
        if not most or count.tokens < most or command != AGAIN:
            return None
        await self._save(replace(count, refused=count.refused + 1, is_told=True))
        text = tr(
            "Your own limit of {most:,} tokens a day is reached (`limits.owner_tokens_day` in config.yaml). "
            "Commands work; with the model I go on {when}.",
            most=most,
            when=self._when(count),
        )
        return Refusal(text, count.is_told and inbound.address.kind is not ChatKind.PRIVATE)

    def _over(self, subjects: Sequence[str]) -> Iterator[Count]:
        """Yield the counts that have come to their limit."""
        limits, sender = self.limits, subjects[0]
        turns = {sender: (limits.guest_turns, limits.guest_turns_day)}
        tokens = {sender: limits.guest_tokens_day, GUESTS: limits.guests_tokens_day}
        for chat in subjects[1:]:
            turns[chat] = (limits.chat_turns, limits.chat_turns_day)
            tokens[chat] = limits.chat_tokens_day
        for subject, allowed in turns.items():
            for span, most in zip((Span.SHORT, Span.DAY), allowed, strict=True):
                count = self._count(subject, span)
                if most and count.turns >= most:
                    yield count
        for subject, most in tokens.items():
            count = self._count(subject, Span.DAY)
            if most and count.tokens >= most:
                yield count

    async def _refused(self, over: Count, sender: str) -> Refusal:
        """Count a refusal; it is told once for each span of what came to its limit, of all guests once to each."""
        marked = self._count(sender, Span.DAY) if over.subject == GUESTS else over
        if over.subject == GUESTS:
            text = tr("For today I have answered as much as I may. I go on {when}.", when=self._when(over))
        else:
            text = tr("You have asked as much as I may answer now.")
            if over.subject.startswith("chat "):
                text = tr("This chat has asked as much as I may answer now.")
            text += " " + tr("I go on {when}; what comes before, I do not read.", when=self._when(over))
        self._put(replace(marked, is_told=True))
        day = self._count(sender, Span.DAY)
        self._put(replace(day, refused=day.refused + 1))
        report = self._counts.get((GUESTS, Span.REPORT)) or Count(GUESTS, Span.REPORT, "")
        self._put(replace(report, refused=report.refused + 1))
        if not marked.is_told or day.refused < KEPT_EVERY or day.refused % KEPT_EVERY == 0:
            changed = ((marked.subject, marked.span), (sender, Span.DAY), (GUESTS, Span.REPORT))
            await self._save(*(self._counts[key] for key in dict.fromkeys(changed)))
        return Refusal(text, marked.is_told)

    def _when(self, count: Count) -> str:
        """Return when a span is over, as in "in 7 minutes"."""
        now = self._clock.now()
        if count.span is Span.SHORT:
            end = datetime.fromisoformat(count.began) + SHORT
        else:
            tomorrow = now.astimezone(self._zone).date() + timedelta(days=1)
            end = datetime(tomorrow.year, tomorrow.month, tomorrow.day, tzinfo=self._zone)
        minutes = max(1, ceil((end - now).total_seconds() / 60))
        if minutes < 90:
            return tr("in {minutes} minutes", minutes=minutes) if minutes > 1 else tr("in a minute")
        return tr("in {hours} hours", hours=round(minutes / 60))

    def _count(self, subject: str, span: Span) -> Count:
        """Return the count of the present span."""
        count, now = self._counts.get((subject, span)), self._clock.now()
        if span is Span.DAY:
            return count if count and count.began == self._day() else Count(subject, span, self._day())
        if count and timedelta() <= now - datetime.fromisoformat(count.began) < SHORT:
            return count
        return Count(subject, span, now.isoformat())

    def _grown(self, subject: str, span: Span, *, turns: int = 0, tokens: int = 0) -> Count:
        count = self._count(subject, span)
        return replace(count, turns=count.turns + turns, tokens=count.tokens + tokens)

    def _put(self, count: Count) -> None:
        self._counts[count.subject, count.span] = count

    async def _save(self, *counts: Count) -> None:
        for count in counts:
            self._put(count)
        if self._kept:
            await self._kept.save(counts)

    def _day(self) -> str:
        return self._clock.now().astimezone(self._zone).date().isoformat()


def _subjects(principal: Principal, address: Address) -> tuple[str, ...]:
    """Return whose counts a message of a guest adds to: the sender's, and where several write, the chat's."""
    sender = f"sender {principal.id}"
    if address.kind is ChatKind.PRIVATE:
        return (sender,)
    return (sender, f"chat {address.account}:{address.lasting}")
