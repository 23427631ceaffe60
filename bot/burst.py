"""Which waiting messages make one turn."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, replace
from hashlib import sha256

from adapters.port import Happening
from bot.durable.port import Envelope, Message


@dataclass(frozen=True, slots=True)
class Burst:
    """Messages of one person that are answered together, in the order of their arrival; never empty."""

    messages: tuple[Message, ...]

    @property
    def turn(self) -> str:
        """The turn's id."""
        return self.messages[0].envelope.turn

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
        return "\n".join(message.envelope.inbound.text for message in self.messages)

    @property
    def error_id(self) -> str:
        """What a failure of this turn is called in the log and in the chat; the same on every attempt."""
        return sha256(self.turn.encode()).hexdigest()[:8]

    def begun(self) -> Burst:
        """The same burst, one attempt later."""
        first, attempts = self.messages[0].seq, self.attempts + 1
        return Burst(tuple(replace(message, turn=first, attempts=attempts) for message in self.messages))


def take(waiting: deque[Message], *, before: int, limit: int) -> Burst:
    """Take the next turn's messages off a session's queue.

    What was taken up together once stays together, so that a repeated turn has the same text as at first. Otherwise
    up to `limit` plain messages of one person are joined, but never across `before`, the first sequence number since
    this process began: after a power cut the same burst must come out as before it.
    """
    taken = [waiting.popleft()]
    while waiting and _belongs(waiting[0], taken[0], before=before, room=limit - len(taken)):
        taken.append(waiting.popleft())
    return Burst(tuple(taken))


def _belongs(message: Message, first: Message, *, before: int, room: int) -> bool:
    if first.turn is not None:
        return message.turn == first.turn
    same_person = message.envelope.principal.id == first.envelope.principal.id
    same_start = (message.seq < before) == (first.seq < before)
    fresh = message.turn is None
    return room > 0 and fresh and same_person and same_start and _is_plain(first) and _is_plain(message)


def _is_plain(message: Message) -> bool:
    inbound = message.envelope.inbound
    return inbound.happening is Happening.MESSAGE and not inbound.text.lstrip().startswith(("/", "／"))
