"""Notes of what a person says: the receipt, or the question to be answered first; proposals."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from enum import Enum
from functools import cache
from hashlib import sha256

from adapters.port import Button
from bot.errors import Missing
from bot.texts.catalogue import mark, tr
from bot.texts.memory import of_memory
from bot.texts.receipts import noted
from bot.turn import PendingAction, Reply, Turn
from memory import Origin, Scope, Undone
from memory.capture.languages import small_talk_beside
from memory.capture.wishes.reminders import read_reminder
from memory.errors import NotUndoable, SecretFound
from memory.journal.records import EDITED, SUPERSEDED, Action, Operation
from memory.knowledge.context import KnowledgeContext
from memory.language.detect import HAN, HANGUL, KANA
from memory.language.words import alternatives, read_lists
from memory.life.reviews import restate_same

VALID = timedelta(minutes=10)
NOT_OPEN = mark(
    "That question is no longer open: ten minutes are over, I was restarted, or somebody else was asked. "
    "Nothing was noted."
)
AGAIN = mark("Say it once more.")

MAX_CHOICE_CHARS = 40
"""Characters of a message that may be a choice among buttons, or of courtesies at the end of one."""
PLACES = "123456789"
"""Of choices that words stand for; the names of their lists."""
_GAP = re.compile(rf"[ ,，]+|(?<=[{HAN}{KANA}{HANGUL}])")
"""Where a courtesy can begin."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """What would be noted, to the letter, what it counts as, and the id of the fact that it would replace, if any."""

    text: str
    origin: Origin
    replaces: str = ""


ALREADY = mark("(That was answered before; nothing is done twice.)")
"""Stands under what was said then, when a button is pressed once more."""


def offer_token(turn: Turn) -> str:
    """Return the token of what a turn offers, the same one if it is repeated."""
    return sha256(f"{turn.session}/{turn.id}".encode()).hexdigest()[:8]


def pending(turn: Turn, offer: Proposal) -> PendingAction:
    """Return an offer as something that the person of the turn can confirm for ten minutes."""
    until = turn.agent.clock.now() + VALID
    return PendingAction(
        offer_token(turn), turn.principal.id, until, text=offer.text, origin=offer.origin, replaces=offer.replaces
    )


def check_open(made: PendingAction | None, turn: Turn) -> PendingAction:
    """Return what was offered, if the person of a turn can confirm it; raises `Missing`."""
    if made is None or not made.holds(turn):
        raise Missing(tr(NOT_OPEN), hint=tr(AGAIN))
    return made


class Proposals:
    """Open questions about secrets, kept in this process only: they are in no file until the person agrees.

    A token is known only where its question was asked.
    """

    def __init__(self) -> None:
        self._made: dict[tuple[Scope, str], PendingAction] = {}

    def make(self, turn: Turn, offer: Proposal) -> str:
        """Keep an offer for ten minutes and return its token, the same one if the turn is repeated."""
        now, made = turn.agent.clock.now(), pending(turn, offer)
        self._made = {key: one for key, one in self._made.items() if one.until > now}
        self._made[turn.scope, made.token] = made
        return made.token

    def find(self, turn: Turn, token: str) -> PendingAction:
        """Return the offer with a token, for the person to whom it was made; raises `Missing` as `check_open` does."""
        return check_open(self._made.get((turn.scope, token.lower())), turn)

    def drop(self, turn: Turn, token: str) -> bool:
        """Forget an offer that was taken or declined; False if it was not made to the person who does that."""
        made = self._made.get((turn.scope, token.lower()))
        if made is None or made.to != turn.principal.id:
            return False
        del self._made[turn.scope, made.token]
        return True


SECRETS = {
    "password": mark("a password"),
    "key": mark("a key or token"),
    "card": mark("a card number"),
    "account": mark("a bank account number"),
    "seed": mark("the words of a wallet"),
}
"""What `memory.privacy.secrets` finds, in words."""


@cache
def word_list(name: str) -> frozenset[str]:
    """Return a list of `words.toml` in all languages together."""
    return frozenset(word for words in read_lists("bot.agent.offline", "words.toml")[name].values() for word in words)


async def note(turn: Turn, offer: Proposal, offers: Proposals) -> Reply:
    """Write a text down, to the letter. What looks like a secret is asked about, and masked until it is agreed to.

    Raises:
        Error: as `Memory.remember` does, but for `SecretFound`.
    """
    try:
        return await _remembered(turn, offer, keep_secrets=False)
    except SecretFound as found:
        return ask_about_secret(turn, offer, found, offers)


def quoted_fact(turn: Turn) -> Proposal:
    """Propose the quoted message, under its own origin; if somebody else wrote it, the fact is that they said it."""
    quote, by = turn.quote.strip(), " ".join(turn.quote_by.split())
    return Proposal(f"{by} said: {quote}" if quote and by else quote, turn.quote_origin)


def ask_about_secret(turn: Turn, offer: Proposal, found: SecretFound, offers: Proposals) -> Reply:
    """Ask whether a secret is to be kept; refuse where nobody can be asked, or where it must never be kept."""
    kinds = ", ".join(tr(SECRETS[kind]) for kind in found.kinds)
    if found.is_registered:
        return Reply(of_memory(found), masked=found.values)
    if turn.is_unattended:
        return Reply(
            tr(
                "Nothing was noted: this looks like it holds {kinds}, and here is nobody to ask whether it is to be "
                "kept.",
                kinds=kinds,
            ),
            masked=found.values,
        )
    token = offers.make(turn, offer)
    buttons = (Button(tr("Yes"), f"/secret yes {token}"), Button(tr("No"), f"/secret no {token}"))
    return Reply(
        tr(
            "This looks like it holds {kinds}. Shall I keep it in my notes, where everybody who can read the files "
            "can read it? Until you say so nothing is noted, and it is masked in the record of this conversation.",
            kinds=kinds,
        ),
        buttons=buttons,
        masked=found.values,
    )


async def accept(turn: Turn, token: str, offers: Proposals, made: PendingAction | None, *, keep_secrets: bool) -> Reply:
    """Carry an offer out: the pending action `made`, or without one the question about a secret with this token.

    With `keep_secrets`, what may be a secret is noted, too.

    Raises:
        Missing: the question is no longer open.
        Error: as `Memory.remember` and `Memory.supersede` do, but for `SecretFound`.
    """
    if await turn.agent.memory.is_done(turn.op_id(0)):  # repeated after a crash: the receipt needs no text
        offer = Proposal("-", turn.origin)
    else:
        made = check_open(made, turn) if made else offers.find(turn, token)
        offer = Proposal(made.text, made.origin, made.replaces)
    try:
        if offer.replaces:
            reply = await replace_fact(turn, offer, keep_secrets=keep_secrets)
        else:
            reply = await _remembered(turn, offer, keep_secrets=keep_secrets)
    except SecretFound as found:
        return ask_about_secret(turn, offer, found, offers)
    offers.drop(turn, token)
    return replace(reply, closes=token)


async def replace_fact(turn: Turn, offer: Proposal, *, keep_secrets: bool) -> Reply:
    """Write the text in the place of the fact that it replaces; raises as `Memory.supersede` does."""
    done = await turn.agent.memory.supersede(
        offer.replaces,
        offer.text,
        origin=offer.origin,
        scope=turn.scope,
        op_id=turn.op_id(0),
        actor=turn.principal.id,
        keep_secrets=keep_secrets,
        whose=turn.whose,
        reach=turn.reach,
    )
    return Reply(
        f"{noted(done.written)}\n"
        + tr("It replaces {place}. `/undo` takes that back.", place=f"`{done.gone.path}:{done.gone.number}`"),
        origins=frozenset({offer.origin}),
    )


async def take_back_edited(turn: Turn) -> tuple[Undone, ...]:
    """Take back what an edited message had written by itself, in any of its versions.

    What was changed or forgotten since stays as it is, and so does what the message itself had forgotten.
    """
    reminder = read_reminder(turn.text, turn.local)
    if reminder and reminder.is_instead:  # it moves what is there now, once more
        return ()
    written = await turn.agent.memory.run(_noting, [f"{one}:0" for one in turn.edited])
    try:
        return await turn.agent.memory.undo(
            len(written),
            op_id=f"{turn.id}{EDITED}",
            scope=turn.scope,
            actor=turn.principal.id,
            whose=turn.whose,
            only={*written, *(f"{one}{SUPERSEDED}" for one in written)},
        )
    except NotUndoable:
        return ()


def _noting(context: KnowledgeContext, operations: Sequence[str]) -> list[str]:
    """Return those of some operations that have forgotten nothing, but for what they wrote anew in its place."""
    context.journal.refresh()
    return [one for one in operations if all(done.action != Action.FORGET for done in context.journal.operation(one))]


async def restated(turn: Turn, text: str) -> None:
    """Count that what was known before was said again; raises as `Memory.remember` does."""
    await turn.agent.memory.run(restate_same, text, _counting(turn))


def _counting(turn: Turn) -> Operation:
    return Operation(f"{turn.id}:restated", turn.principal.id, turn.origin, turn.scope)


async def _remembered(turn: Turn, offer: Proposal, *, keep_secrets: bool) -> Reply:
    counting = _counting(turn)
    written = await turn.agent.memory.remember(
        offer.text,
        origin=offer.origin,
        scope=turn.scope,
        op_id=turn.op_id(0),
        actor=turn.principal.id,
        keep_secrets=keep_secrets,
        then=lambda context, written: restate_same(context, offer.text, counting, but=written.fact.id or ""),
    )
    return Reply(noted(written), origins=frozenset({offer.origin}))


class Choice(Enum):
    """A yes takes the first choice, a no the last; the value is its place."""

    YES = 0
    NO = -1


def choice_in(text: str) -> Choice | int | None:
    """Read what a message chooses: yes, no, or a number from 1, in words or digits; None for any other message."""
    if len(text) > MAX_CHOICE_CHARS or text.rstrip().endswith(("?", "？")):
        return None
    said = bare(text)
    if said in word_list("yes"):
        return Choice.YES
    if said in word_list("no"):
        return Choice.NO
    found = _numbered().fullmatch(said)
    number = found["number"] if found else "0"
    return int(number if number.isdecimal() else next(n for n in PLACES if number in word_list(n))) or None


@cache
def _numbered() -> re.Pattern[str]:
    """Compile what chooses one of several by its number: "2", "two", "the second one"."""
    before, after = (alternatives(word_list(f"{side}_number")) for side in ("before", "after"))
    numbers = alternatives(word for place in PLACES for word in word_list(place))
    return re.compile(rf"(?:(?:{before}) ?)*(?P<number>\d\d?|{numbers})(?: ?(?:{after}))*")


def bare(text: str) -> str:
    """Return a text in lower case, bare of "please", thanks and punctuation at its ends; they stay if they are all."""
    said = _trimmed(text)
    polite = [pattern for talk in small_talk_beside(said) for pattern in (talk.please, talk.thanks)]
    said = _trimmed(said[max((found.end() for one in polite if (found := one.match(said))), default=0) :]) or said
    gaps = _GAP.finditer(said, max(0, len(said) - MAX_CHOICE_CHARS))
    ends = (gap.start() for gap in gaps if any(one.fullmatch(said, gap.end()) for one in polite))
    return _trimmed(said[: next(ends, len(said))])


def _trimmed(text: str) -> str:
    return text.strip(" \n.,;!?。，？！¿¡").lower().replace("’", "'")
