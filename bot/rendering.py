"""What a reply becomes: parts that the chat's platform takes, and entries of the transcript."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

from adapters.markup import split
from adapters.port import Adapter, ChatKind, Happening, Inbound, Outbound
from adapters.tables import as_code
from bot.burst import Burst
from bot.durable.port import Effects, outbox_id
from bot.platforms import Platforms
from bot.receipts import own_words
from bot.session import transcript
from bot.text import well_formed
from bot.trust.links import readable
from bot.turn import Agent, Reply
from memory import Clock

EMPTY = "The answer came out empty. Please ask again, perhaps in other words."
"""Silence would leave the person waiting."""


class Masking(Protocol):
    """Takes out of what a turn leaves what was forgotten while it ran (`bot.forgetting.Forgetting`)."""

    async def begin(self, agent: Agent) -> int:
        """A point that stands for what has been forgotten by now."""
        ...

    async def masked(self, agent: Agent, effects: Effects, *, since: int) -> Effects:
        """The turn's end without what was forgotten after that point."""
        ...

    async def conceal(self, agent: Agent, secrets: Sequence[str]) -> None:
        """Take these strings out of everything that is kept of the agent's conversations."""
        ...


class Renderer:
    """Turns replies into the effects of their turn."""

    def __init__(self, platforms: Platforms, *, clock: Clock, masking: Masking | None = None) -> None:
        self._platforms = platforms
        self._clock = clock
        self._masking = masking

    async def begin(self, agent: Agent) -> int:
        """A turn begins; what it is given back is to be handed to `masked` when it ends."""
        return await self._masking.begin(agent) if self._masking else 0

    async def masked(self, agent: Agent, effects: Effects, *, since: int) -> Effects:
        """All that the turn changes, without what was forgotten while it ran; raises as memory and records do."""
        return await self._masking.masked(agent, effects, since=since) if self._masking else effects

    async def conceal(self, agent: Agent, reply: Reply) -> None:
        """Take the secrets that a reply asks about out of what was recorded before it; raises as records do."""
        if self._masking and reply.masked:
            await self._masking.conceal(agent, reply.masked)

    def effects(self, burst: Burst, reply: Reply, *, is_foreign: bool, set_aside: str = "") -> Effects:
        """All that the turn changes.

        Args:
            burst: its messages.
            reply: the answer.
            is_foreign: whether other people's words went into it.
            set_aside: why its messages are given up; empty if they are not.
        """
        if not reply.shown.strip():
            reply = replace(reply, text=EMPTY)
        entries = transcript.entries(burst, reply, at=self._clock.now(), is_foreign=is_foreign)
        turn = f"{burst.turn}:set-aside" if set_aside else burst.turn  # tried again, it is answered by other parts
        parts = self._parts(burst, _with_readable_links(reply, is_foreign=is_foreign), turn=turn)
        return Effects(burst.newest.session, burst.seqs, parts, entries, burst.turn, set_aside, is_foreign)

    def adapter(self, burst: Burst) -> Adapter | None:
        """What serves the chat; None if that account does not run at the moment."""
        return self._platforms.find(burst.newest.inbound.address)

    def draft(self, burst: Burst, text: str) -> Outbound:
        """A reply that still grows, as far as it fits into its first part; the text is not blank."""
        longest = 2 * self._platforms.capabilities(burst.newest.inbound.address).text_limit
        head = text[:longest] if text[:longest].strip() else text.strip()
        words = Reply(readable(own_words(head), known=frozenset(), is_foreign=True))
        return replace(self._parts(burst, words, turn=burst.turn)[0], draft=True, last=False)

    def _parts(self, burst: Burst, reply: Reply, *, turn: str) -> tuple[Outbound, ...]:
        asked = burst.newest.inbound
        limits = self._platforms.capabilities(asked.address)
        text = well_formed(reply.shown)
        texts = split(text if limits.tables else as_code(text), limits.text_limit, unit=limits.text_unit)
        last = len(texts) - 1
        return tuple(
            Outbound(
                id=part_id(turn, number),
                to=asked.address,
                text=text,
                reply_to=None if asked.happening is Happening.BUTTON else asked.message,
                buttons=reply.buttons if number == last else (),
                private=reply.private,
                last=number == last,
                part=number,
                ticket=asked.ticket,
                replaces=None if number else _outlived(asked),
            )
            for number, text in enumerate(texts)
        )


def _with_readable_links(reply: Reply, *, is_foreign: bool) -> Reply:
    """The reply as people get it; the transcript keeps what the model wrote."""
    if reply.worked is None:
        return reply
    is_foreign |= reply.worked.is_foreign
    return replace(reply, text=readable(reply.text, known=reply.worked.hosts, is_foreign=is_foreign))


def _outlived(asked: Inbound) -> str | None:
    """The message that the answer takes the place of: the one whose button was tapped.

    Not where others read along: a tap of theirs, which achieves nothing, must not take away what it was meant for.
    """
    is_choice = asked.happening is Happening.BUTTON and asked.address.kind is ChatKind.PRIVATE
    return asked.message if is_choice else None


def part_id(turn: str, number: int) -> str:
    """The outbox id of a turn's n-th part, the same whenever the turn is repeated."""
    return outbox_id(f"{turn}/{number}")
