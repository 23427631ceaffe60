"""What the messages of a turn quote: whose words those are, and what they count as."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from adapters.port import Inbound
from memory import Origin

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
