"""What leads an answer back to the person who asked, also after a restart."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from discord.utils import snowflake_time

OPEN_FOR = timedelta(minutes=14, seconds=30)
"""Discord takes answers to an interaction for fifteen minutes; the rest is for the way there."""


class Asked(StrEnum):
    """How somebody addressed the bot."""

    MESSAGE = "message"
    COMMAND = "command"
    TAP = "tap"


@dataclass(frozen=True, slots=True)
class Ticket:
    """Who asked, and the right to answer a command or a tap.

    Attributes:
        user: the person's id.
        asked: how.
        interaction: its id, which also says when it began.
        token: with it, the interaction can be answered.
        private: the answer that was announced is seen by this person only.
    """

    user: str = ""
    asked: Asked = Asked.MESSAGE
    interaction: str = ""
    token: str = ""
    private: bool = False

    @classmethod
    def parse(cls, text: str) -> Ticket:
        """A ticket as it was written; an empty text is one that leads nowhere."""
        if not text:
            return cls()
        fields = json.loads(text)
        return cls(**{**fields, "asked": Asked(fields["asked"])})

    def __str__(self) -> str:
        return json.dumps(asdict(self), separators=(",", ":"))

    def is_open(self, now: datetime) -> bool:
        """Whether the interaction may still be answered."""
        return bool(self.token) and now - snowflake_time(int(self.interaction)) < OPEN_FOR
