"""Which waiting messages make one turn."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import sha256

from adapters.port import Attachment, Happening, Inbound
from bot.sessions.transcript import Question
from bot.storage.port import Envelope, GroupMessage, QueuedMessage


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
