"""A reply as parts for the outbox and entries for the transcript."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from unicodedata import category

from adapters.markdown import as_code, split
from adapters.port import Button, ChatKind, Happening, Inbound, Outbound
from bot.access.links import readable
from bot.pipeline.batch import MessageBatch
from bot.pipeline.delivery.outbox import Adapters
from bot.sessions import turns
from bot.storage.port import Effects, part_id
from bot.texts.catalogue import mark, tr
from bot.texts.formatting import well_formed
from bot.texts.receipts import own_words
from bot.turn import Reply, said_before
from memory import Clock, Origin

EMPTY = mark("The answer came out empty. Please ask again, perhaps in other words.")
"""Silence would leave the person waiting."""

STOP = Button(mark("Stop"), "/stop")
"""Stands under an answer that grows; who asked, or the owner, ends it there."""

IsOwnAnswer = Callable[[str], Awaitable[bool]]
"""Whether a message, by the platform's id, is an answer of this conversation that repeats nobody else's words."""


class Renderer:
    """Turns replies into the effects of their turn."""

    def __init__(self, adapters: Adapters, *, clock: Clock) -> None:
        self._adapters = adapters
        self._clock = clock

    def effects(self, batch: MessageBatch, reply: Reply, *, is_foreign: bool, set_aside: str = "") -> Effects:
        """Return all that the turn changes.

        `is_foreign` says whether other people's words went into it, `set_aside` why its messages are given up.
        """
        if reply.is_silent and batch.newest.inbound.awaits_answer:
            reply = replace(reply, is_silent=False)
        if not (reply.is_silent or any(category(sign) != "Cf" and not sign.isspace() for sign in reply.shown)):
            reply = replace(reply, text=tr(EMPTY))
        now = self._clock.now()
        again, edits = batch.asked, batch.edited[-1] if batch.edited else ""
        entries = turns.entries(
            batch.envelopes, batch.turn, reply, at=now, is_foreign=is_foreign, again=again, edits=edits
        )
        if reply.by_command and reply.is_silent and not (reply.told or reply.ends_session):
            entries = ()  # nothing has happened: the choices under the answer before it still hold
        if reply.worked:  # the transcript keeps what the model wrote; people get its links as what they are
            is_suspect, before = is_foreign or reply.worked.is_foreign, said_before(reply.worked.steps, reply.text)
            text = "\n\n".join(filter(None, (own_words(before), reply.text)))
            reply = replace(reply, text=readable(text, known=reply.worked.hosts, is_foreign=is_suspect))
        # tried again, it is answered by other parts
        turn = f"{batch.turn}:set-aside:{batch.attempts}" if set_aside else batch.turn
        parts = self._parts(batch, reply, turn=turn)
        return Effects(batch.newest.session, batch.seqs, parts, entries, batch.turn, set_aside, is_foreign)

    def draft(self, batch: MessageBatch, text: str) -> Outbound:
        """Return the first part of a reply that still grows, with as much as fits into it and a button that stops it.

        The text is not blank.
        """
        most = 2 * self._adapters.capabilities(batch.newest.inbound.address).text_limit
        head = text[:most] if text[:most].strip() else text.strip()
        words = Reply(readable(own_words(head), known=frozenset(), is_foreign=True))
        stop = replace(STOP, label=tr(STOP.label))
        return replace(self._parts(batch, words, turn=batch.turn)[0], buttons=(stop,), draft=True, last=False)

    def _parts(self, batch: MessageBatch, reply: Reply, *, turn: str) -> tuple[Outbound, ...]:
        asked = batch.newest.inbound
        is_tap, is_job = asked.happening is Happening.BUTTON, asked.happening is Happening.JOB
        # The answer takes the place of the message whose button was tapped. Not where others read along: a tap of
        # theirs, which achieves nothing, must not take away what it was meant for.
        is_ours = is_tap and asked.text.startswith("/")  # what is under a button of another program stays
        takes_place = is_ours and (asked.address.kind is ChatKind.PRIVATE or reply.in_place or bool(reply.closes))
        replaced = asked.message if takes_place else batch.replaces or None
        limits = self._adapters.capabilities(asked.address)
        text = well_formed(reply.shown)
        if not text:
            return ()
        texts = split(text if limits.tables else as_code(text), limits.text_limit, unit=limits.text_unit)
        files = reply.files if limits.file_limit else ()
        contents = [(text, ()) for text in texts] + [("", (str(file),)) for file in files]
        return tuple(
            Outbound(
                id=part_id(turn, number),
                to=asked.address,
                text=text,
                reply_to=None if is_tap or is_job else asked.message,
                buttons=reply.buttons if number == len(texts) - 1 else (),
                files=attached,
                private=reply.private,
                last=number == len(contents) - 1,
                part=number,
                reply_token=asked.reply_token,
                replaces=None if number else replaced,
                quiet=is_job and not reply.is_awaited,
                calls=reply.calls,
            )
            for number, (text, attached) in enumerate(contents)
        )


@dataclass(frozen=True, slots=True)
class Quote:
    """A quoted text; `by` is empty if the person who quotes wrote it, or if nobody knows who did."""

    text: str = ""
    by: str = ""
    origin: Origin = Origin.UNTRUSTED


async def quoted(messages: Sequence[Inbound], *, origin: Origin, is_own_answer: IsOwnAnswer) -> Quote:
    """Return all that these messages quote; several quotes become one, each opened by its author's name.

    Words count as those of whoever first wrote them. The bot's own are the agent's in the conversation that they were
    said in; elsewhere, and where others' words went into them, they are as foreign as what somebody else wrote. So is
    what nobody knows the author of. Of several quotes the one that is trusted least counts. All messages are one
    person's, whose own words count as `origin`.
    """
    quotes = []
    for message in messages:
        author = message.quote_by
        if author is None:
            quotes.append(Quote(message.quote))
        elif author.id == message.sender.id:
            quotes.append(Quote(message.quote, "", origin))
        else:
            is_own = author.id == message.address.bot and bool(message.quote_message)
            is_own = is_own and await is_own_answer(message.quote_message)
            quotes.append(Quote(message.quote, author.name, Origin.AGENT if is_own else Origin.UNTRUSTED))
    if len(quotes) < 2:
        return quotes[0] if quotes else Quote()
    text = "\n".join(f"{quote.by}: {quote.text}" if quote.by else quote.text for quote in quotes)
    authors = dict.fromkeys(quote.by for quote in quotes if quote.by)
    return Quote(text, ", ".join(authors), Origin.worst(quote.origin for quote in quotes))
