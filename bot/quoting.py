"""What the messages of a turn quote: whose words those are, and what they count as."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from adapters.port import Inbound
from memory import Origin


@dataclass(frozen=True, slots=True)
class Quote:
    """A quoted text; `by` is empty if the person who quotes wrote it, or if nobody knows who did."""

    text: str = ""
    by: str = ""
    origin: Origin = Origin.UNTRUSTED


def quoted(messages: Sequence[Inbound], *, origin: Origin) -> Quote:
    """All that these messages quote; several quotes become one, each opened by its author's name.

    Args:
        messages: those of one person that quote something, in their order.
        origin: what that person's own words count as.
    """
    quotes = [_quote(message, origin) for message in messages]
    if len(quotes) < 2:
        return quotes[0] if quotes else Quote()
    text = "\n".join(f"{one.by}: {one.text}" if one.by else one.text for one in quotes)
    authors = dict.fromkeys(one.by for one in quotes if one.by)
    origins = {one.origin for one in quotes}
    return Quote(text, ", ".join(authors), origins.pop() if len(origins) == 1 else Origin.UNTRUSTED)


def _quote(message: Inbound, origin: Origin) -> Quote:
    author = message.quote_by
    if author is None:
        return Quote(message.quote)
    if author.id == message.sender.id:
        return Quote(message.quote, "", origin)
    is_own = author.id == message.address.bot
    return Quote(message.quote, author.name, Origin.AGENT if is_own else Origin.UNTRUSTED)
