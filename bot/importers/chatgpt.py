"""ChatGPT's export: `conversations.json`, a tree of messages per chat, and memories, if they are there."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from bot.importers.base import (
    NO_OBJECT,
    NO_TEXT,
    Content,
    Importer,
    Item,
    ItemSort,
    Message,
    Skipped,
    listed,
    mapping,
    parse_instant,
    said,
)
from bot.importers.places import Source

CONVERSATIONS = "conversations.json"
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
            yield read_chat(mapping(chat), f"{name}[{number}]")


def read_chat(chat: dict[str, Any], place: str) -> Content:
    """Read a chat from its current message up to the first: other branches were given up."""
    nodes, found = mapping(chat.get("mapping")), list[Message]()
    if not nodes:
        return Skipped(place, NO_OBJECT)
    ends = [name for name, node in nodes.items() if not listed(mapping(node).get("children"))]
    at = said(chat.get("current_node")) or (ends[-1] if ends else "")  # older exports do not name the current one
    for _ in range(LONGEST_CHAIN):
        node = mapping(nodes.get(at))
        message = mapping(node.get("message"))
        who = SPEAKERS.get(said(mapping(message.get("author")).get("role")))
        text = words_of(mapping(message.get("content")))
        is_hidden = mapping(message.get("metadata")).get("is_visually_hidden_from_conversation")
        if who and text.strip() and not is_hidden:
            found.append(Message(who, parse_instant(message.get("create_time")), text))
        at = said(node.get("parent"))
        if not at:
            break
    key = said(chat.get("conversation_id")) or said(chat.get("id")) or place
    if not found:
        return Skipped(said(chat.get("title")) or place, NO_TEXT)
    began = parse_instant(chat.get("create_time")) or next((one.at for one in reversed(found) if one.at), None)
    title = said(chat.get("title"))
    return Item(ItemSort.CONVERSATION, key, title=title, at=began, messages=tuple(reversed(found)))


def words_of(content: dict[str, Any]) -> str:
    """Return the words of a message, those of a voice chat as it has written them down; files are named only."""
    if content.get("content_type") not in {"text", "multimodal_text", "code", None}:
        return ""
    parts = listed(content.get("parts")) or [content.get("text")]
    return "\n\n".join(said(part) or said(mapping(part).get("text")) or "[a file]" for part in parts if part)


def read_memories(found: Any) -> Iterator[Content]:
    """Yield what it keeps as memory."""
    rows = listed(found) or listed(mapping(found).get("memories"))
    for number, row in enumerate(rows):
        fields = mapping(row)
        text = row if isinstance(row, str) else said(fields.get("content")) or said(fields.get("text"))
        when = fields.get("created_at") or fields.get("updated_at") or fields.get("created_timestamp")
        if text.strip():
            yield Item(ItemSort.FACT, said(fields.get("id")) or text, text, at=parse_instant(when))
        else:
            yield Skipped(f"memory {number + 1}", NO_TEXT)


IMPORTER = Importer("chatgpt", "ChatGPT's data export (ZIP, or conversations.json)", detect, read, names)
