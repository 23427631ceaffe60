"""What words count as, and whose memory they touch: decided by the chat and the person, never by the words."""

from __future__ import annotations

from adapters.port import Address, ChatKind
from bot.turn import Principal
from memory import OWNER, Origin, Scope, chat_scope


def standing(principal: Principal, address: Address) -> tuple[Origin, Scope]:
    """The origin and scope of what a person says in a chat.

    Only the owner's private chats reach the owner's memory. In a group everybody is a guest of that group, the owner
    too: others read along, and what is written there belongs to them as well.
    """
    if principal.is_owner and address.kind is ChatKind.PRIVATE:
        return Origin.OWNER, OWNER
    return Origin.GUEST, chat_scope(f"{address.account}:{address.lasting}")
