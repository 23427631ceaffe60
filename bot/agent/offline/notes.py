"""Notes of what a person says: the receipt, or the question to be answered first; what is proposed and confirmed."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from hashlib import sha256

from adapters.port import Button
from bot.errors import Missing, Refused
from bot.sessions.transcript import Transcript
from bot.texts.catalogue import mark, tr
from bot.texts.formatting import split_command
from bot.texts.memory import of_memory
from bot.texts.receipts import noted, quoted
from bot.turn import PendingAction, Reply, Turn
from memory import Hit, Kind, Origin, Scope, Undone
from memory.capture import Act, act_of
from memory.capture.wishes.reminders import completed, read_reminder
from memory.errors import NotUndoable, SecretFound, WriteFailed
from memory.index.terms import terms_of, tokens
from memory.index.types import Stored
from memory.journal.records import EDITED, SUPERSEDED, Action, Operation
from memory.knowledge.context import KnowledgeContext
from memory.language.detect import language
from memory.life.reviews import restate_same
from memory.recall.passages import to_hit

VALID = timedelta(minutes=10)
_SIGNS = re.compile(r"[^\w\s]")
NOT_OPEN = mark("That question is no longer open: ten minutes are over, or I was restarted. Nothing was noted.")
UNASKED = mark(
    "Nothing was noted: this looks like it holds {kinds}, and here is nobody to ask whether it is to be kept."
)
ALREADY = mark("(That was answered before; nothing is done twice.)")
"""Stands under what was said then, when a button is pressed once more."""

SECRETS = {
    "password": mark("a password"),
    "key": mark("a key or token"),
    "card": mark("a card number"),
    "account": mark("a bank account number"),
    "seed": mark("the words of a wallet"),
}
"""What `memory.privacy.secrets` finds, in words."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """A text to be noted to the letter, what it counts as, the id of a fact that it would replace, and of the write."""

    text: str
    origin: Origin
    replaces: str = ""
    op_id: str = ""


def offer_token(turn: Turn) -> str:
    """Return the token of what a turn offers, the same one if it is repeated."""
    return sha256(f"{turn.session}/{turn.id}".encode()).hexdigest()[:8]


def pending(turn: Turn, offer: Proposal) -> PendingAction:
    """Return an offer as something that the person of the turn can confirm for ten minutes.

    It is carried out as a write of the turn that offers it first: it is made of what is said there, not of the yes.
    """
    until, write = turn.agent.clock.now() + VALID, offer.op_id or f"{turn.id}:offered"
    made = PendingAction(offer_token(turn), turn.principal.id, until, text=offer.text, origin=offer.origin)
    return replace(made, replaces=offer.replaces, operations=(write,))


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

    def find(self, turn: Turn, token: str) -> PendingAction | None:
        """Return the offer with a token that was made where a turn is; None if there is none."""
        return self._made.get((turn.scope, token.lower()))

    def drop(self, turn: Turn, token: str) -> None:
        """Drop an offer that was taken or declined."""
        self._made.pop((turn.scope, token.lower()), None)


async def note(turn: Turn, offer: Proposal, offers: Proposals) -> Reply:
    """Write a text down, to the letter, unless a fact says the same: that is shown, and counted as said again.

    What looks like a secret is asked about, and masked until it is agreed to.

    Raises:
        Error: as `Memory.remember` does, but for `SecretFound` and `WriteFailed`, which are answers.
    """
    try:
        known = await turn.agent.memory.find_same(offer.text, origin=offer.origin, scope=turn.scope)
        if known and not await turn.agent.memory.is_done(turn.op_id(0)):  # else the turn is repeated after a crash
            counting = Operation(f"{turn.id}:restated", turn.principal.id, turn.origin, turn.scope)
            await turn.agent.memory.run(restate_same, known.content, counting)
            return Reply(f"{tr('I know that already:')}\n{quoted(known, 1)}", origins=frozenset({known.origin}))
        return await _remember(turn, offer, keep_secrets=False)
    except SecretFound as found:
        return ask_about_secret(turn, offer, found, offers)
    except WriteFailed as failure:
        if await turn.agent.memory.is_done(turn.op_id(0)):  # what failed came behind it
            raise
        return Reply(f"{tr('Nothing was noted.')} {of_memory(failure)}")


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
        return Reply(tr(UNASKED, kinds=kinds), masked=found.values)
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
        pending=replace(pending(turn, offer), text=""),
    )


async def answer(
    turn: Turn, choice: str, token: str, offers: Proposals, transcript: Transcript, *, declined: str, keep_secrets: bool
) -> Reply:
    """Carry out what was offered, or say that it is declined if the choice is `no`; the first answer counts.

    With `keep_secrets`, what may be a secret is noted, too.

    Raises:
        Refused: somebody else was asked.
        Missing: the question is no longer open.
        Error: as `Memory.remember` and `Memory.supersede` do, but for `SecretFound`.
    """
    made, done = await transcript.find_pending(turn.session, token)
    if done:
        return Reply(done).with_note(tr(ALREADY))
    made = offers.find(turn, token) or made
    if made and made.to != turn.principal.id:
        raise Refused(tr("Somebody else was asked that, so only they can answer it."))
    if choice == "no" and made:
        offers.drop(turn, token)
        return Reply(declined, closes=token)
    op_id = made.operations[0] if made and made.operations else turn.op_id(0)
    is_repeated = await turn.agent.memory.is_done(op_id)  # after a crash: it is open for longer, and needs no text
    if not is_repeated and not (made and made.text and made.holds(turn)):
        raise Missing(tr(NOT_OPEN), hint=tr("Say it once more."))
    offer = Proposal(made.text or "-", made.origin, made.replaces, op_id) if made else Proposal("-", turn.origin)
    try:
        write = replace_fact if offer.replaces else _remember
        reply = await write(turn, offer, keep_secrets=keep_secrets)
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
        op_id=offer.op_id or turn.op_id(0),
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


async def take_back_edited(turn: Turn, transcript: Transcript) -> tuple[Undone, ...]:
    """Take back what an edited message had written by itself, in any of its versions, or by saying yes.

    What was changed or forgotten since stays as it is, and so does what the message itself had forgotten, and all if it
    is a question now beside lines that are as they were.
    """
    reminder = read_reminder(turn.text, turn.local) or completed("", turn.text, turn.local, is_set=True)
    unchanged = {*turn.text.split("\n")} & {*turn.edited_text.split("\n")} - {""}
    is_asked = not (reminder or split_command(turn.text)) and act_of(turn.text) is Act.QUESTION
    # a question is not noted again, and a reminder in the place of another moves what is there now, once more
    if (is_asked and unchanged) or (reminder and reminder.is_instead):
        return ()
    agreed = await transcript.carried_out(turn.session, turn.edited)
    written = await turn.agent.memory.run(_without_forgetting, [*agreed, *(f"{one}:0" for one in turn.edited)])
    replaced = [f"{operation}{SUPERSEDED}" for operation in written]
    return await _take_back(turn, [*written, *replaced], f"{turn.id}{EDITED}")


async def take_back_replaced(turn: Turn) -> tuple[tuple[Undone, ...], tuple[Hit, ...]]:
    """Take back what a model had noted of an edited message and has noted otherwise in this turn.

    A fact goes only if a new one has all of its words but those that the edit has taken out; reminders, which differ in
    their time, only if at least as many were set anew.

    Returns:
        What was taken back, and the facts that stay though the edit has taken out words or numbers of them.
    """
    code = language(turn.text)
    now = _words(turn.text, code)
    out = frozenset(Counter(_words(turn.edited_text, code)) - Counter(now))
    has_numbers_out = any(map(str.isdecimal, out))

    def facts(context: KnowledgeContext, *turns: str) -> list[tuple[str, Stored, frozenset[str]]]:
        """Return operation, unit and words of what stands of these turns."""
        return [
            (known.op_id, stored, frozenset(_words(stored.unit.body, code)))
            for name, known in context.journal.state.provenance.items()
            if not known.turns.isdisjoint(turns) and (stored := context.find(name, turn.scope))
        ]

    def compare(context: KnowledgeContext) -> tuple[list[str], tuple[Hit, ...]]:
        """Return the operations of what is replaced, and what may hold no longer."""
        before, fresh = facts(context, *turn.edited), facts(context, turn.id)
        reminders, new_reminders = (
            sum(stored.unit.kind is Kind.INTENTION for _, stored, _ in some) for some in (before, fresh)
        )
        replaced, doubtful = list[str](), list[Hit]()
        for op_id, stored, words in before:
            is_reminder = stored.unit.kind is Kind.INTENTION
            others = [said for _, other, said in fresh if (other.unit.kind is Kind.INTENTION) == is_reminder]
            is_met = any(words - other <= out for other in others)
            if is_met and not (is_reminder and new_reminders < reminders):
                replaced.append(op_id)
            elif is_met or words & out or (has_numbers_out and any(map(str.isdecimal, words.difference(now)))):
                doubtful.append(to_hit(stored))
        return replaced, tuple(doubtful)

    replaced, doubtful = await turn.agent.memory.run(compare)
    return await _take_back(turn, replaced, f"{turn.id}:replaced"), doubtful


async def _take_back(turn: Turn, operations: Collection[str], op_id: str) -> tuple[Undone, ...]:
    """Take back what some operations have written; a turn that is repeated returns what it did at first."""
    try:
        return await turn.agent.memory.undo(
            len(operations), op_id=op_id, scope=turn.scope, actor=turn.principal.id, whose=turn.whose, only=operations
        )
    except NotUndoable:
        return ()


def _words(text: str, code: str) -> list[str]:
    """Return the words and numbers of a text in a language, as far as they are compared."""
    return terms_of(tokens(_SIGNS.sub(" ", text)), code).split()


def _without_forgetting(context: KnowledgeContext, operations: Sequence[str]) -> list[str]:
    """Return those of some operations that have forgotten nothing, but for what they wrote anew in its place."""
    journal = context.journal
    journal.refresh()
    return [one for one in operations if all(record.action != Action.FORGET for record in journal.operation(one))]


async def _remember(turn: Turn, offer: Proposal, *, keep_secrets: bool) -> Reply:
    op_id, actor = offer.op_id or turn.op_id(0), turn.principal.id
    written = await turn.agent.memory.remember(
        offer.text, origin=offer.origin, scope=turn.scope, op_id=op_id, actor=actor, keep_secrets=keep_secrets
    )
    return Reply(noted(written), origins=frozenset({offer.origin}))
