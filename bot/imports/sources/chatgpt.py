"""ChatGPT's export: `conversations.json`, a tree of messages per chat, and memories, if they are there."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from bot.imports.sources.base import (
    NO_OBJECT,
    NO_TEXT,
    Content,
    Importer,
    Message,
    Skipped,
    as_list,
    as_object,
    as_text,
    conversation,
    fact,
    parse_instant,
    text_at,
)
from bot.imports.sources.places import Source
from bot.texts.catalogue import mark

MEMORIES = frozenset({"memories.json", "memory.json", "user_memories.json"})
SPEAKERS = {"user": "Me", "assistant": "ChatGPT"}
LONGEST_CHAIN = 100_000
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
            yield read_chat(as_object(chat), f"{name}[{number}]")


def read_chat(chat: dict[str, Any], place: str) -> Content:
    """Read a chat from its current message up to the first: other branches were given up."""
    nodes, messages = as_object(chat.get("mapping")), list[Message]()
    if not nodes:
        return Skipped(place, NO_OBJECT)
    ends = [name for name, node in nodes.items() if not as_list(as_object(node).get("children"))]
    at = text_at(chat, "current_node") or (ends[-1] if ends else "")  # older exports do not name the current one
    for _ in range(LONGEST_CHAIN):
        node = as_object(nodes.get(at))
        message = as_object(node.get("message"))
        who = SPEAKERS.get(text_at(message.get("author"), "role"))
        text = words_of(as_object(message.get("content")))
        is_hidden = as_object(message.get("metadata")).get("is_visually_hidden_from_conversation")
        if who and text.strip() and not is_hidden:
            messages.append(Message(who, parse_instant(message.get("create_time")), text))
        at = text_at(node, "parent")
        if not at:
            break
    key, title = text_at(chat, "conversation_id", "id") or place, text_at(chat, "title")
    if not messages:
        return Skipped(title or place, NO_TEXT)
    messages.reverse()
    return conversation(key, title, messages, began=parse_instant(chat.get("create_time")))


def words_of(content: dict[str, Any]) -> str:
    """Return the words of a message, those of a voice chat as it has written them down; files are named only."""
    if content.get("content_type") not in {"text", "multimodal_text", "code", None}:
        return ""
    parts = as_list(content.get("parts")) or [content.get("text")]
    return "\n\n".join(as_text(part) or text_at(part, "text") or "[a file]" for part in parts if part)


def read_memories(document: Any) -> Iterator[Content]:
    """Yield what it keeps as memory."""
    for number, row in enumerate(as_list(document) or as_list(as_object(document).get("memories"))):
        fields = as_object(row)
        text = row if isinstance(row, str) else text_at(fields, "content", "text")
        when = fields.get("created_at") or fields.get("updated_at") or fields.get("created_timestamp")
        yield fact(fields, f"memory {number + 1}", text, at=parse_instant(when))


IMPORTER = Importer("chatgpt", mark("ChatGPT's data export (ZIP, or conversations.json)"), detect, read, names)
