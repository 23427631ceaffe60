"""ChatGPT's export: `conversations.json`, a tree of messages per chat, and memories, if they are there."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from bot.imports.sources.base import NO_OBJECT, NO_TEXT, Content, Fields, Importer, Message, Skipped, conversation, fact
from bot.imports.sources.places import Source
from bot.texts.catalogue import mark

MEMORIES = frozenset({"memories.json", "memory.json", "user_memories.json"})
SPEAKERS = {"user": "Me", "assistant": "ChatGPT"}
MAX_CHAIN = 100_000
"""Messages from the current one up to the first: more only where the tree runs in a circle."""


def names(source: Source) -> Sequence[str]:
    """The files of chats (large exports have `conversations-000.json` and on), and those of memory."""
    chats = re.compile(r"conversations[\w-]*\.json")
    return [name for name in source.names if chats.fullmatch(name) or name in MEMORIES]


def detect(source: Source) -> float:
    """Sure of a tree of messages at the beginning of the chats."""
    chats = [name for name in names(source) if name not in MEMORIES]
    head = source.beginning(chats[0]) if chats else ""
    return 0.95 if '"mapping"' in head else 0.6 if chats and "chat.html" in source.entries else 0.0


def read(source: Source) -> Iterator[Content]:
    """Yield each chat from its current message up to the first, and the memories."""
    for name in names(source):
        if name in MEMORIES:
            yield from read_memories(source.document(name))
            continue
        for number, chat in enumerate(source.elements(name)):
            yield read_chat(Fields.of(chat), f"{name}[{number}]")


def read_chat(chat: Fields, place: str) -> Content:
    """Read a chat from its current message up to the first: other branches were given up."""
    nodes, messages = chat.inner("mapping"), list[Message]()
    if not nodes:
        return Skipped(place, NO_OBJECT)
    ends = [name for name, node in nodes.items() if not Fields.of(node).array("children")]
    at = chat.text("current_node") or (ends[-1] if ends else "")  # older exports do not name the current one
    for _ in range(MAX_CHAIN):
        node = nodes.inner(at)
        message = node.inner("message")
        who = SPEAKERS.get(message.inner("author").text("role"))
        text = words_of(message.inner("content"))
        is_hidden = message.inner("metadata").get("is_visually_hidden_from_conversation")
        if who and text.strip() and not is_hidden:
            messages.append(Message(who, message.instant("create_time"), text))
        at = node.text("parent")
        if not at:
            break
    key, title = chat.text("conversation_id", "id") or place, chat.text("title")
    if not messages:
        return Skipped(title or place, NO_TEXT)
    messages.reverse()
    return conversation(key, title, messages, began=chat.instant("create_time"))


def words_of(content: Fields) -> str:
    """Return the words of a message, those of a voice chat as it has written them down; files are named only."""
    if content.text("content_type") not in {"text", "multimodal_text", "code", ""}:
        return ""
    parts = content.array("parts") or [content.get("text")]
    said = (part if isinstance(part, str) else Fields.of(part).text("text") for part in parts if part)
    return "\n\n".join(words or "[a file]" for words in said)


def read_memories(document: Any) -> Iterator[Content]:
    """Yield what it keeps as memory."""
    rows = document if isinstance(document, list) else Fields.of(document).array("memories")
    for number, row in enumerate(rows, 1):
        fields = Fields.of(row)
        text = row if isinstance(row, str) else fields.text("content", "text")
        yield fact(fields, f"memory {number}", text, at=fields.instant("created_at", "updated_at", "created_timestamp"))


IMPORTER = Importer("chatgpt", mark("ChatGPT's data export (ZIP, or conversations.json)"), detect, read, names)
