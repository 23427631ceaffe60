"""What a message does: tell something, ask something, order something, or pass the time of day."""

from __future__ import annotations

from enum import StrEnum


class Act(StrEnum):
    """What is to be done about a message: a note is kept, a question is answered from memory, the rest is neither.

    A request is an order that takes a doer ("write me a poem"); to look something up is a question.
    """

    NOTE = "note"
    QUESTION = "question"
    GREETING = "greeting"
    FAREWELL = "farewell"
    THANKS = "thanks"
    SMALL_TALK = "small_talk"
    REQUEST = "request"


COURTESIES = (Act.THANKS, Act.FAREWELL, Act.GREETING, Act.SMALL_TALK)
"""What is neither kept nor answered nor done; the first of them outweighs the others."""
