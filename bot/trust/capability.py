"""Which tools a turn may use: computed from the kind of chat, the person and the taint, before the request is built."""

from __future__ import annotations

from enum import IntEnum

from bot.turn import Turn
from memory import OWNER, Origin


class Taint(IntEnum):
    """The worst that a turn has read: what the agent and its owner wrote, or what others did."""

    CLEAN = 0
    FOREIGN = 1

    @classmethod
    def of(cls, origin: Origin) -> Taint:
        """What reading a text of this origin does to a turn."""
        return cls.CLEAN if origin in {Origin.OWNER, Origin.AGENT, Origin.SYSTEM} else cls.FOREIGN


LOOK = frozenset({"memory_search", "memory_get", "now"})
"""Changes nothing."""

NOTE = frozenset({"remember"})
"""Adds to the memory of the chat in which it is said."""

FILES = frozenset({"read_file"})
"""Reads any file of the workspace."""

CHANGE = frozenset({"forget", "write_file", "edit_file"})
"""Changes what is put before later conversations."""


def allowed_tools(turn: Turn, taint: Taint) -> frozenset[str]:
    """The tools that this turn may use at this moment.

    | chat                         | clean                       | has read foreign text |
    |------------------------------|-----------------------------|-----------------------|
    | the owner's private chat     | look, files, note, change   | look, files           |
    | a group, or a guest's chat   | look, note                  | look                  |

    In the owner's chat a note becomes part of later requests, so a text by strangers must not be able to dictate one;
    the owner's own `/remember` always works.
    """
    if turn.scope == OWNER:
        return LOOK | FILES | (NOTE | CHANGE if taint is Taint.CLEAN else frozenset())
    return LOOK | (NOTE if taint is Taint.CLEAN else frozenset())
