"""Which waiting messages make one turn."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import sha256

from adapters.port import Attachment, Happening, Inbound
from bot.storage.port import Envelope, QueuedMessage
from bot.waiting import Pause

PIECES_S = 1.0
"""How long a message that came in pieces waits for a further one."""
MOST_WAITS = 10


@dataclass(frozen=True, slots=True)
class Joining:
    """How waiting messages become one turn: at most `limit` of them, after a `pause` for pieces that still come."""

    limit: int
    pause: Pause


@dataclass(frozen=True, slots=True)
class MessageBatch:
    """Messages of one person that are answered together, in the order of their arrival; never empty."""

    messages: tuple[QueuedMessage, ...]

    @property
    def turn(self) -> str:
        """The turn's id."""
        return self.messages[0].envelope.turn

    @property
    def envelopes(self) -> tuple[Envelope, ...]:
        """The messages as they were published."""
        return tuple(message.envelope for message in self.messages)

    @property
    def seqs(self) -> tuple[int, ...]:
        """The messages' places in the inbox."""
        return tuple(message.seq for message in self.messages)

    @property
    def attempts(self) -> int:
        """How often this turn has begun."""
        return self.messages[0].attempts

    @property
    def newest(self) -> Envelope:
        """The message that the answer refers to."""
        return self.messages[-1].envelope

    @property
    def text(self) -> str:
        """What was said, one message a line."""
        return "\n".join(filter(None, (message.envelope.inbound.text for message in self.messages)))

    @property
    def attachments(self) -> tuple[Attachment, ...]:
        """The files that came with it."""
        return tuple(file for message in self.messages for file in message.envelope.inbound.attachments)

    @property
    def quoting(self) -> tuple[Inbound, ...]:
        """The messages that quote something or were forwarded."""
        return tuple(message.envelope.inbound for message in self.messages if message.envelope.inbound.quote)

    @property
    def error_id(self) -> str:
        """What a failure of this turn is called in the log and in the chat; the same on every attempt."""
        return sha256(self.turn.encode()).hexdigest()[:8]

    def begun(self) -> MessageBatch:
        """The same burst, one attempt later."""
        first, attempts = self.messages[0].seq, self.attempts + 1
        return MessageBatch(tuple(replace(message, turn=first, attempts=attempts) for message in self.messages))


async def gather(waiting: deque[QueuedMessage], *, after: int, pause: Pause) -> None:
    """Let the pieces of a message that is still coming in arrive, so that they can be taken together.

    Args:
        waiting: a session's queue, which others add to.
        after: the first sequence number since this process began; what is older has long been complete.
        pause: waits.
    """
    count = 0
    for _ in range(MOST_WAITS):
        fresh = [message for message in waiting if message.seq >= after and message.turn is None]
        if not any(map(_piece, fresh)) or len(waiting) == count:
            return
        count = len(waiting)
        await pause(PIECES_S)


def take(waiting: deque[QueuedMessage], *, before: int, limit: int) -> MessageBatch:
    """Take the next turn's messages off a session's queue.

    What was taken up together once stays together, so that a repeated turn has the same text as at first. Otherwise
    the pieces of one message are joined, and up to `limit` plain messages of one person, but never across `before`,
    the first sequence number since this process began: after a power cut the same burst must come out as before it.
    """
    taken = [waiting.popleft()]
    while waiting and _belongs(waiting[0], taken, before=before, limit=limit):
        taken.append(waiting.popleft())
    return MessageBatch(tuple(taken))


def put_owner_first(waiting: deque[QueuedMessage]) -> None:
    """Let the owner's messages overtake those of guests, unless a turn over the first ones has begun before."""
    if waiting[0].turn is None and not waiting[0].envelope.principal.is_owner:
        waiting.extend(sorted((waiting.popleft() for _ in range(len(waiting))), key=_is_guests))


def _is_guests(message: QueuedMessage) -> bool:
    return not message.envelope.principal.is_owner


def _belongs(message: QueuedMessage, taken: Sequence[QueuedMessage], *, before: int, limit: int) -> bool:
    first = taken[0]
    if first.turn is not None:
        return message.turn == first.turn
    same_person = message.envelope.principal.id == first.envelope.principal.id
    same_start = (message.seq < before) == (first.seq < before)
    if message.turn is not None or not same_person or not same_start:
        return False
    if _piece(message) and _piece(message) == _piece(taken[-1]):
        return True
    return len(taken) < limit and all(_is_plain(one) for one in (first, message))


def _piece(message: QueuedMessage) -> str:
    return message.envelope.inbound.piece_of


def _is_plain(message: QueuedMessage) -> bool:
    inbound = message.envelope.inbound
    return inbound.happening is Happening.MESSAGE and not inbound.text.lstrip().startswith(("/", "／"))
