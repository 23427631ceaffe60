"""What was said in groups before somebody spoke to the bot: a few messages of each chat, in memory only.

It costs no disk and is lost with the process. Only what is attached to an accepted message is written down, with it.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field, replace

from adapters.port import Address, ChatKind, Happening, Inbound
from adapters.support import LimitedDict
from bot.access.access import Access
from bot.storage.keys import SessionKey
from bot.storage.port import Among, Envelope, GroupMessage, Rewrite
from bot.texts.formatting import split_command, truncate
from memory.privacy.secrets import find_secrets, mask

MAX_CHATS = 1000
MAX_CHARS = 500
"""How much of a message is kept."""


@dataclass(slots=True)
class _Chat:
    """The last messages of a chat or thread by their ids, each with its number; what each agent was given of them."""

    messages: OrderedDict[str, tuple[int, GroupMessage]] = field(default_factory=OrderedDict)
    count: int = 0
    attached: dict[str, int] = field(default_factory=dict)


class GroupContext:
    """The last messages of all groups that are listened to; texts of conversations (`DerivedTexts`), too."""

    def __init__(self, access: Access) -> None:
        self._access = access
        self._chats = LimitedDict[Address, _Chat](MAX_CHATS)

    def note(self, inbound: Inbound) -> None:
        """Keep a message that is not answered, or its newer version; what looks like a secret is masked in it."""
        is_said = inbound.happening in {Happening.MESSAGE, Happening.EDIT} and not inbound.sender.is_bot
        if not is_said or not inbound.text.strip():
            return
        size, place = self._size(inbound.address), _place(inbound)
        if not size:
            self._chats.pop(place, None)
            return
        chat = self._chats.get(place) or _Chat()
        self._chats[place] = chat
        text = truncate(mask(inbound.text, find_secrets(inbound.text)), MAX_CHARS)
        is_foreign = self._access.speaker(inbound) is None
        said = GroupMessage(inbound.sender.name, text, inbound.sent_at, is_foreign)
        if inbound.message in chat.messages:  # its place stays
            chat.messages[inbound.message] = (chat.messages[inbound.message][0], said)
        elif inbound.happening is Happening.MESSAGE:
            chat.count += 1
            chat.messages[inbound.message] = (chat.count, said)
        while len(chat.messages) > size:
            chat.messages.popitem(last=False)

    def attach(self, envelope: Envelope) -> tuple[Envelope, int]:
        """Return a message for an agent with what was said before it, and was attached to no earlier one.

        The number is that of the last message that was said; `attached` takes it.
        """
        inbound = envelope.inbound
        chat, size = self._chats.get(_place(inbound)) or _Chat(), self._size(inbound.address)
        is_question = inbound.happening is Happening.MESSAGE and split_command(inbound.text) is None
        chat.messages.pop(inbound.message, None)  # edited, it is said to the bot now
        if not size or not is_question:
            return envelope, 0
        known = 0 if _begins_thread(inbound) else chat.attached.get(envelope.agent, 0)
        said = tuple(one for number, one in chat.messages.values() if number > known)
        return replace(envelope, before=said[-size:]), chat.count

    def attached(self, envelope: Envelope, number: int) -> None:
        """Remember that a message was accepted, so that what was said before it is not attached again."""
        chat = self._chats.get(_place(envelope.inbound))
        if chat and envelope.before:
            chat.attached[envelope.agent] = max(number, chat.attached.get(envelope.agent, 0))

    async def redact(self, agent: str, rewrite: Rewrite, among: Among) -> None:
        """Rewrite what is kept of these conversations."""
        for place, chat in self._chats.items():
            if among(str(SessionKey(agent, place))):
                for name, (number, said) in chat.messages.items():
                    chat.messages[name] = (number, replace(said, text=rewrite(said.text)))

    def _size(self, to: Address) -> int:
        return 0 if to.kind is ChatKind.PRIVATE else self._access.settings(to).context


def _place(inbound: Inbound) -> Address:
    """Return where a message was written; for one with which a thread begins, that is not the thread."""
    return replace(inbound.address, thread=None) if _begins_thread(inbound) else inbound.address


def _begins_thread(inbound: Inbound) -> bool:
    return inbound.address.thread == inbound.message
