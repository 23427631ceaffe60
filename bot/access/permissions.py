"""Origin, scope and taint of a turn, and the tools that follow from them."""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum

from adapters.port import Address, ChatKind
from bot.storage.keys import Principal
from memory import OWNER, Origin, Scope, chat_scope

OWN = frozenset({Origin.OWNER, Origin.AGENT, Origin.SYSTEM})
"""Words of those for whom the agent works, and its own."""

LOOK = frozenset({"memory_search", "memory_recall", "memory_get", "now", "wander"})
"""Changes nothing."""

SESSIONS = frozenset({"sessions_search", "sessions_history"})
"""Reads what was said in the owner's private conversations."""

NOTE = frozenset({"remember", "memory_store", "remind"})
"""Adds to the memory of the chat in which it is said."""

FILES = frozenset({"read_file", "send_file"})
"""Reads any file of the workspace, for the model or for its owner."""

CHANGE = frozenset({"forget", "memory_forget", "write_file", "edit_file"})
"""Changes what is put before later conversations."""


class Taint(IntEnum):
    """The worst that a turn has read: what the agent and its owner wrote, or what others did."""

    CLEAN = 0
    FOREIGN = 1

    @classmethod
    def of(cls, origins: Iterable[Origin], *, is_owners: bool) -> Taint:
        """What reading texts of these origins does to a turn; where it is not private, guests are at home."""
        trusted = OWN if is_owners else OWN | {Origin.GUEST}
        return cls.CLEAN if trusted.issuperset(origins) else cls.FOREIGN


def allowed_tools(taint: Taint, *, is_owners: bool) -> frozenset[str]:
    """The tools that a turn may use at this moment; the owner's private ones more than others.

    | chat                         | clean                                 | has read foreign text |
    |------------------------------|---------------------------------------|-----------------------|
    | the owner's private chat     | look, sessions, files, note, change   | look, sessions, files |
    | a group, or a guest's chat   | look, note                            | look                  |

    In the owner's chat a note becomes part of later requests, so a text by strangers must not be able to dictate one;
    the owner's own `/remember` always works.
    """
    if is_owners:
        return LOOK | SESSIONS | FILES | (NOTE | CHANGE if taint is Taint.CLEAN else frozenset())
    return LOOK | (NOTE if taint is Taint.CLEAN else frozenset())


def origin_and_scope(principal: Principal, address: Address, *, is_shared: bool = False) -> tuple[Origin, Scope]:
    """The origin and scope of what a person says in a chat.

    Only the owner's private chats reach the owner's memory. In a group everybody is a guest of that group, the owner
    too: others read along, and what is written there belongs to all who do, as `Address.readers` names them. Where a
    route shares the agent's workspace (`is_shared`), people stay guests, and what they see and write is the agent's.
    """
    if principal.is_owner and address.kind is ChatKind.PRIVATE:
        return Origin.OWNER, OWNER
    return Origin.GUEST, OWNER if is_shared else chat_scope(f"{address.account}:{address.readers}")
