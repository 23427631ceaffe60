"""Which waiting messages make one turn, and which earlier ones it answers anew: for `/again`, or after an edit."""

from __future__ import annotations

import json
from collections import Counter, deque
from collections.abc import Container, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from hashlib import sha256

from adapters.port import Attachment, Happening, Inbound
from bot.agent.offline.words import choice_in
from bot.commands import again
from bot.sessions.transcript import Question, Transcript
from bot.sessions.turns import read_envelopes
from bot.storage.coordinator import Coordinator
from bot.storage.port import EntryKind, Envelope, GroupMessage, QueuedMessage, part_id
from bot.texts.catalogue import tr
from bot.texts.formatting import split_command
from bot.turn import Reply

RECENT = 100
"""Among how many of a conversation's last messages one is looked for that was edited."""


@dataclass(frozen=True, slots=True)
class MessageBatch:
    """Messages of one person that are answered together, in the order of their arrival; never empty.

    `replaces` is the platform's id of the message whose place the answer takes; empty if it is a message of its own.
    `asked` is the turn in which its question was asked for the first time; empty if that is this one. `edited` are the
    turns that answered its messages, and nothing else, before one was edited, newest first; `edited_text`
    are the words before.
    """

    messages: tuple[QueuedMessage, ...]
    replaces: str = ""
    asked: str = ""
    edited: tuple[str, ...] = ()
    edited_text: str = ""

    @classmethod
    def take(cls, waiting: deque[QueuedMessage], *, before: int, limit: int) -> MessageBatch:
        """Take the next turn's messages off a session's queue.

        What was taken up together once stays together, so that a repeated turn has the same text as at first.
        Otherwise the pieces of one message are joined, and up to `limit` plain messages of one person, but never across
        `before`, the first sequence number since this process began: after a power cut the same messages must come out
        together as before it.
        """
        taken = [waiting.popleft()]
        if taken[0].turn is not None:
            taken += [message for message in waiting if message.turn == taken[0].turn]
            for message in taken[1:]:  # others' messages may stand between them
                waiting.remove(message)
            return cls(tuple(taken))
        while waiting and _belongs(waiting[0], taken, before=before, limit=limit):
            taken.append(waiting.popleft())
        return cls(tuple(taken))

    @property
    def turn(self) -> str:
        return self.messages[0].envelope.turn

    @property
    def envelopes(self) -> tuple[Envelope, ...]:
        """The messages as they were published."""
        return tuple(message.envelope for message in self.messages)

    @property
    def seqs(self) -> tuple[int, ...]:
        """The messages' places in the inbox."""
        return tuple(dict.fromkeys(message.seq for message in self.messages))  # several may stand for one command

    @property
    def attempts(self) -> int:
        """How often this turn has begun."""
        return self.messages[0].attempts

    @property
    def deaths(self) -> int:
        """In how many attempts at this turn alone the process has ended."""
        return self.messages[0].deaths

    @property
    def newest(self) -> Envelope:
        """The message that the answer refers to."""
        return self.messages[-1].envelope

    @property
    def text(self) -> str:
        """What was said, one message a line."""
        return "\n".join(filter(None, (one.inbound.text for one in self.envelopes)))

    @property
    def attachments(self) -> tuple[Attachment, ...]:
        return tuple(file for one in self.envelopes for file in one.inbound.attachments)

    @property
    def is_addressed(self) -> bool:
        """Whether any of its messages was said to the bot."""
        return any(one.inbound.addressed for one in self.envelopes)

    @property
    def before(self) -> tuple[GroupMessage, ...]:
        """What was said in the group before its messages."""
        return tuple(said for one in self.envelopes for said in one.before)

    @property
    def error_id(self) -> str:
        """What a failure of this turn is called in the log and in the chat; the same on every attempt."""
        return sha256(self.turn.encode()).hexdigest()[:8]

    def is_meant_by(self, message: QueuedMessage) -> bool:
        """Whether a message that comes while this turn runs may stop it, or go into it: it comes from the same person.

        What was said to the bot and what was not do neither to each other, and the lines of a pipe never do.
        """
        event, newest = message.envelope.inbound, self.newest.inbound
        return (
            message.envelope.principal.id == self.newest.principal.id
            and event.addressed == self.is_addressed
            and event.is_confined == newest.is_confined
            and newest.happening is not Happening.JOB
            and not event.is_unattended
            and _is_plain(event)
        )

    def is_edited_by(self, message: QueuedMessage) -> bool:
        """Whether a message that comes while this turn runs changes the words of one of its own."""
        edit, own = message.envelope.inbound, {one.inbound.message: one.inbound.text for one in self.envelopes}
        return edit.happening is Happening.EDIT and own.get(edit.message, edit.text) != edit.text

    def take_additions(self, waiting: deque[QueuedMessage], *, limit: int) -> tuple[QueuedMessage, ...]:
        """Take off a queue what the person has added since, so that it becomes a part of this turn.

        That is plain words only. What comes with files, with others' words or in pieces stays, and all that the same
        person says after it; and nothing is added to what was said with a command or asked once more.
        """
        additions = list[QueuedMessage]()
        newest = self.newest.inbound
        if self.asked or _has_own_answer(newest) or not _is_plain(newest):
            return ()
        for message in [one for one in waiting if one.envelope.principal.id == self.newest.principal.id]:
            event = message.envelope.inbound
            came = (event.attachments, event.quote, event.piece_of, message.envelope.before)
            is_more = any(came) or _has_own_answer(event)
            is_full = len(self.messages) + len(additions) >= limit
            if is_more or is_full or message.turn is not None or not self.is_meant_by(message):
                break
            additions.append(replace(message, turn=self.messages[0].turn, attempts=self.attempts))
            waiting.remove(message)
        return tuple(additions)

    def begun(self) -> MessageBatch:
        """Return the same messages, one attempt later."""
        first, attempts = self.messages[0].seq, self.attempts + 1
        return MessageBatch(tuple(replace(message, turn=first, attempts=attempts) for message in self.messages))

    def asking_again(self, question: Question) -> MessageBatch:
        """Return the messages of an earlier question in the place of the command that asks it again.

        They stay their author's, with the origins of what came with them. They are the owner's words only if both who
        asked then and who asks now is the owner, so that nobody gains power over the other's question or by it. It is
        the command's message that is answered.
        """
        command = self.messages[-1]
        by, now = command.envelope.principal, command.envelope.inbound

        def repeat(asked: Envelope) -> QueuedMessage:
            then = asked.inbound
            inbound = replace(now, text=then.text, sender=then.sender, attachments=then.attachments)
            inbound = replace(inbound, quote=then.quote, quote_by=then.quote_by, quote_message=then.quote_message)
            who = replace(asked.principal, is_owner=asked.principal.is_owner and by.is_owner)
            return replace(command, envelope=Envelope(command.envelope.agent, who, inbound, asked.before))

        return replace(self, messages=tuple(map(repeat, question.messages)), asked=question.asked)

    def editing(self, answered: Sequence[Envelope]) -> MessageBatch:
        """Return messages that were answered together, with this edited one in the place of what it was."""
        edit = self.messages[-1]
        now = edit.envelope.inbound

        def repeat(one: Envelope) -> QueuedMessage:
            if one.inbound.message == now.message:
                return edit
            inbound = replace(one.inbound, update=now.update, address=now.address, reply_token=now.reply_token)
            return replace(edit, envelope=replace(edit.envelope, inbound=inbound, before=one.before))

        return replace(self, messages=tuple(dict.fromkeys(map(repeat, answered))))  # asked again, all have one id


async def find_question(
    batch: MessageBatch, coordinator: Coordinator, accounts: Container[str]
) -> tuple[MessageBatch, Reply | None]:
    """Return the messages that are to be answered, those of the last question for `/again`, or why they are not.

    They know which message is the earlier answer to them, if it went out through one of these accounts. Where there is
    no question, the command says so.
    """
    asked = batch.newest
    if split_command(batch.text) != (again.COMMAND.name, "") or asked.inbound.happening is Happening.BUTTON:
        is_edit = asked.inbound.happening is Happening.EDIT
        return (await _with_earlier_answer(batch, coordinator, accounts) if is_edit else batch), None
    question = await Transcript(coordinator).last_question(asked.session)
    if question is None:
        return batch, None
    if not asked.principal.is_owner and asked.principal.id != question.messages[0].principal.id:
        return batch, Reply(tr(again.NOT_YOURS), by_command=True)
    if question.asked != question.turn and batch.seqs[0] < question.seq:  # it came before the new answer was there
        return batch, Reply(tr(again.TWICE), by_command=True)
    batch = batch.asking_again(question)
    if asked.inbound.awaits_answer:  # the platform waits for a message of its own
        return batch, None
    replaces = await _find_message(asked, question.turn, coordinator, accounts, after=question.seq)
    return replace(batch, replaces=replaces), None


async def _with_earlier_answer(batch: MessageBatch, coordinator: Coordinator, accounts: Container[str]) -> MessageBatch:
    """Add to an edited message what was answered with it, where that answer stands, and the turns before.

    A yes that is only written in another way takes nothing back.
    """
    edited = batch.newest
    session, message = edited.session, edited.inbound.message
    recorded = await coordinator.newest(session, after=0, limit=RECENT, kinds=(EntryKind.MESSAGE,))
    said = [(one, json.loads(one.entry.body)) for one in recorded]
    versions = [one for one, fields in reversed(said) if fields.get("message") == message]
    if not versions:
        return batch
    latest, sizes = versions[0], Counter(one.entry.turn for one in recorded)
    answered = [fields for one, fields in said if one.entry.turn == latest.entry.turn]
    if split_command(edited.inbound.text) is None:  # a command is given nothing of the others
        with suppress(ValueError):
            batch = batch.editing(read_envelopes(answered[0]))
    if len(batch.messages) != len(answered):
        return batch
    before, now = "\n".join(filter(None, (fields["text"] for fields in answered))), batch.text
    is_same = before == now or (choice_in(before) is not None and choice_in(before) == choice_in(now))
    turns = () if is_same else tuple(one.entry.turn for one in versions if sizes[one.entry.turn] == len(answered))
    replaces = await _find_message(edited, latest.entry.turn, coordinator, accounts, after=latest.seq)
    return replace(batch, replaces=replaces, edited=turns, edited_text=before)


async def _find_message(
    asked: Envelope, turn: str, coordinator: Coordinator, accounts: Container[str], *, after: int
) -> str:
    """Return the platform's id of the message that answers a turn recorded at `after`; "" for none or several."""
    if asked.inbound.address.account not in accounts:
        return ""
    parts = [part_id(turn, number) for number in range(2)]
    receipts = await coordinator.receipts(asked.agent, parts, after=after)
    return receipts[0].message if len(receipts) == 1 and receipts[0] else ""


def put_owner_first(waiting: deque[QueuedMessage]) -> None:
    """Let the owner's messages overtake those of guests, unless a turn over the first ones has begun before."""

    def is_owners(message: QueuedMessage) -> bool:
        return message.envelope.principal.is_owner and message.envelope.inbound.happening is not Happening.JOB

    if waiting[0].turn is None and not is_owners(waiting[0]):
        in_order = sorted(waiting, key=lambda message: not is_owners(message))
        waiting.clear()
        waiting.extend(in_order)


def _belongs(message: QueuedMessage, taken: Sequence[QueuedMessage], *, before: int, limit: int) -> bool:
    """Return whether a message belongs to the same turn as those that were taken before it."""
    first = taken[0]
    is_same_person = message.envelope.principal.id == first.envelope.principal.id
    is_same_start = (message.seq < before) == (first.seq < before)
    if message.turn is not None or not is_same_person or not is_same_start:
        return False
    piece = message.envelope.inbound.piece_of
    if piece and piece == taken[-1].envelope.inbound.piece_of:
        return True
    events = (first.envelope.inbound, message.envelope.inbound)
    return len(taken) < limit and all(_is_plain(event) and not _has_own_answer(event) for event in events)


def _has_own_answer(event: Inbound) -> bool:
    """Return whether the platform waits for an answer to this very message, as to Discord's `/ask`."""
    return event.awaits_answer and bool(event.reply_token)


def _is_plain(event: Inbound) -> bool:
    """Return whether a person has said it, and no command."""
    return event.happening is Happening.MESSAGE and not event.text.lstrip().startswith(("/", "／"))
