"""How the bot behaves in one chat: what it listens to, who may speak, what it shows of its work."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Annotated, Any

from pydantic import Field, TypeAdapter

from adapters.port import Address

MAX_CONTEXT = 100
"""Messages of a group that a model is given at most besides the one that it answers."""


class Listen(StrEnum):
    """What the bot listens to in a group: what is said to it, or everything."""

    ADDRESSED = "addressed"
    ALL = "all"


class Speakers(StrEnum):
    """Who may speak to the bot in a group: everybody there, people who were let in, or the owner alone."""

    EVERYBODY = "everybody"
    KNOWN = "known"
    OWNER = "owner"


class QueueMode(StrEnum):
    """What becomes of a message that comes while its conversation is answered.

    `COLLECT`: with all others that wait, it is the next turn. `FOLLOW_UP`: it is a turn of its own. `STEER`: the model
    that is at work gets it between two of its steps. `INTERRUPT`: the answer is stopped, and it is the next turn.
    """

    COLLECT = "collect"
    FOLLOW_UP = "follow_up"
    STEER = "steer"
    INTERRUPT = "interrupt"


class Reactions(StrEnum):
    """Where messages are marked with how far their answer has come."""

    EVERYWHERE = "everywhere"
    GROUPS = "groups"
    NOWHERE = "nowhere"


@dataclass(frozen=True, slots=True)
class ChatSettings:
    """What holds in one chat; in a private one, only the last ones, from `streaming` on, mean something.

    Attributes:
        silence: whether a model may leave unanswered what was not said to the bot.
        context: how many of the messages that were said before one to the bot a model is given with it.
        reactions: whether messages are marked with how far their answer has come.
        queue: what becomes of a message that comes while its conversation is answered.
        verbose: whether the chat is told which tools an answer took, and when its conversation is shortened.
    """

    listen: Listen = Listen.ADDRESSED
    speakers: Speakers = Speakers.KNOWN
    silence: bool = False
    context: Annotated[int, Field(ge=0, le=MAX_CONTEXT)] = 0
    streaming: bool = True
    reactions: bool = True
    queue: QueueMode = QueueMode.COLLECT
    verbose: bool = False


@dataclass(frozen=True, slots=True)
class ChatRule:
    """What the configuration says of one chat; `given` holds fields of `ChatSettings`."""

    platform: str
    chat: str
    given: Mapping[str, Any] = field(default_factory=dict)

    def fits(self, to: Address) -> bool:
        """Whether it is about this chat, or about the whole server that it belongs to."""
        return to.platform == self.platform and self.chat in {to.chat, to.known_as, to.guild}


_SETTINGS = TypeAdapter(ChatSettings)


def changed(settings: ChatSettings, given: Mapping[str, Any]) -> ChatSettings:
    """Return settings with others in the place of some, which may be texts; raises ValueError for what none takes."""
    return _SETTINGS.validate_python(asdict(settings) | dict(given)) if given else settings


def shown(value: object) -> str:
    """Return a value as people type it."""
    return {True: "on", False: "off"}[value] if isinstance(value, bool) else str(value)
