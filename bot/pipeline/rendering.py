"""A reply as parts for the outbox and entries for the transcript."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from adapters.markdown import as_code, split
from adapters.port import Adapter, ChatKind, Happening, Inbound, Outbound
from bot.access.links import readable
from bot.formatting import well_formed
from bot.pipeline.batch import MessageBatch
from bot.pipeline.sending import Adapters
from bot.receipts import own_words
from bot.sessions import transcript
from bot.storage.port import Effects, outbox_id
from bot.turn import Agent, Reply
from memory import Clock, Origin

EMPTY = "The answer came out empty. Please ask again, perhaps in other words."
"""Silence would leave the person waiting."""


class Masking(Protocol):
    """Takes out of what a turn leaves what was forgotten while it ran (`bot.sessions.forgetting.Forgetting`)."""

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

    def __init__(self, platforms: Adapters, *, clock: Clock, masking: Masking | None = None) -> None:
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

    def effects(self, burst: MessageBatch, reply: Reply, *, is_foreign: bool, set_aside: str = "") -> Effects:
        """All that the turn changes.

        Args:
            burst: its messages.
            reply: the answer.
            is_foreign: whether other people's words went into it.
            set_aside: why its messages are given up; empty if they are not.
        """
        if not reply.shown.strip():
            reply = replace(reply, text=EMPTY)
        entries = transcript.entries(burst.envelopes, burst.turn, reply, at=self._clock.now(), is_foreign=is_foreign)
        turn = f"{burst.turn}:set-aside" if set_aside else burst.turn  # tried again, it is answered by other parts
        parts = self._parts(burst, _with_readable_links(reply, is_foreign=is_foreign), turn=turn)
        return Effects(burst.newest.session, burst.seqs, parts, entries, burst.turn, set_aside, is_foreign)

    def adapter(self, burst: MessageBatch) -> Adapter | None:
        """What serves the chat; None if that account does not run at the moment."""
        return self._platforms.find(burst.newest.inbound.address)

    def draft(self, burst: MessageBatch, text: str) -> Outbound:
        """A reply that still grows, as far as it fits into its first part; the text is not blank."""
        longest = 2 * self._platforms.capabilities(burst.newest.inbound.address).text_limit
        head = text[:longest] if text[:longest].strip() else text.strip()
        words = Reply(readable(own_words(head), known=frozenset(), is_foreign=True))
        return replace(self._parts(burst, words, turn=burst.turn)[0], draft=True, last=False)

    def _parts(self, burst: MessageBatch, reply: Reply, *, turn: str) -> tuple[Outbound, ...]:
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
                reply_token=asked.reply_token,
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


IsOwnAnswer = Callable[[str], Awaitable[bool]]
"""Whether a message, by the platform's id, is an answer of this conversation that repeats nobody else's words."""


@dataclass(frozen=True, slots=True)
class Quote:
    """A quoted text; `by` is empty if the person who quotes wrote it, or if nobody knows who did."""

    text: str = ""
    by: str = ""
    origin: Origin = Origin.UNTRUSTED


async def quoted(messages: Sequence[Inbound], *, origin: Origin, is_own_answer: IsOwnAnswer) -> Quote:
    """All that these messages quote; several quotes become one, each opened by its author's name.

    Words count as those of whoever first wrote them. The bot's own are the agent's in the conversation that they were
    said in; elsewhere, and where others' words went into them, they are as foreign as what somebody else wrote. So is
    what nobody knows the author of. Of several quotes the one that is trusted least counts.

    Args:
        messages: those of one person that quote something, in their order.
        origin: what that person's own words count as.
        is_own_answer: looks up a message of the bot's.
    """
    quotes = [await _quote(message, origin, is_own_answer) for message in messages]
    if len(quotes) < 2:
        return quotes[0] if quotes else Quote()
    text = "\n".join(f"{one.by}: {one.text}" if one.by else one.text for one in quotes)
    authors = dict.fromkeys(one.by for one in quotes if one.by)
    return Quote(text, ", ".join(authors), Origin.worst(one.origin for one in quotes))


async def _quote(message: Inbound, origin: Origin, is_own_answer: IsOwnAnswer) -> Quote:
    author = message.quote_by
    if author is None:
        return Quote(message.quote)
    if author.id == message.sender.id:
        return Quote(message.quote, "", origin)
    is_own = author.id == message.address.bot and bool(message.quote_message)
    is_own = is_own and await is_own_answer(message.quote_message)
    return Quote(message.quote, author.name, Origin.AGENT if is_own else Origin.UNTRUSTED)
