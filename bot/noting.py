"""Noting what a person says: the receipt, or the question that has to be answered first."""

from __future__ import annotations

from adapters.port import Button
from bot.agent.phrases import phrases_for
from bot.offers import Offer, Offers
from bot.receipts import noted
from bot.turn import Reply, Turn
from memory.errors import SecretFound


async def note(turn: Turn, offer: Offer, offers: Offers) -> Reply:
    """Write a text down, to the letter. What looks like a secret is asked about, and masked until it is agreed to.

    Raises:
        Error: as `Memory.remember` does, but for `SecretFound`.
    """
    try:
        return await _remembered(turn, offer, keep_secrets=False)
    except SecretFound as found:
        return ask_about_secret(turn, offer, found, offers)


def quoted_fact(turn: Turn) -> Offer:
    """The message that is pointed at, as what it counts as; of somebody else's, the fact is that they said it."""
    quote, by = turn.quote.strip(), " ".join(turn.quote_by.split())
    return Offer(f"{by} said: {quote}" if quote and by else quote, turn.quote_origin)


def ask_about_secret(turn: Turn, offer: Offer, found: SecretFound, offers: Offers) -> Reply:
    """The question whether a secret is to be kept; a refusal where nobody can be asked, or where it never may be."""
    phrases = phrases_for(offer.text)
    kinds = ", ".join(phrases.kinds[kind] for kind in found.kinds)
    if found.is_registered:
        return Reply(str(found), masked=found.values)
    if turn.is_unattended:
        return Reply(phrases.secret_refused.format(kinds=kinds), masked=found.values)
    token = offers.make(turn, offer)
    buttons = (Button(phrases.yes, f"/secret yes {token}"), Button(phrases.no, f"/secret no {token}"))
    return Reply(phrases.secret.format(kinds=kinds), buttons=buttons, masked=found.values)


async def take(turn: Turn, token: str, offers: Offers, *, keep_secrets: bool) -> Reply:
    """Carry an offer out.

    Raises:
        Missing: the question is no longer open.
        Error: as `Memory.remember` and `Memory.supersede` do, but for `SecretFound`.
    """
    is_done = await turn.agent.memory.is_done(turn.op_id(0))  # repeated after a crash: the receipt needs no text
    offer = Offer("-", turn.origin) if is_done else offers.find(turn, token)
    try:
        if offer.replaces:
            reply = await replaced(turn, offer, keep_secrets=keep_secrets)
        else:
            reply = await _remembered(turn, offer, keep_secrets=keep_secrets)
    except SecretFound as found:
        return ask_about_secret(turn, offer, found, offers)
    offers.drop(token)
    return reply


async def replaced(turn: Turn, offer: Offer, *, keep_secrets: bool) -> Reply:
    """Write the text in the place of the fact that it replaces; raises as `Memory.supersede` does."""
    done = await turn.agent.memory.supersede(
        offer.replaces,
        offer.text,
        origin=offer.origin,
        scope=turn.scope,
        op_id=turn.op_id(0),
        actor=turn.principal.id,
        keep_secrets=keep_secrets,
    )
    return Reply(
        f"{noted(done.written)}\nIt replaces `{done.gone.path}:{done.gone.number}`. `/undo` takes that back.",
        origins=frozenset({offer.origin}),
    )


async def _remembered(turn: Turn, offer: Offer, *, keep_secrets: bool) -> Reply:
    written = await turn.agent.memory.remember(
        offer.text,
        origin=offer.origin,
        scope=turn.scope,
        op_id=turn.op_id(0),
        actor=turn.principal.id,
        keep_secrets=keep_secrets,
    )
    return Reply(noted(written), origins=frozenset({offer.origin}))
