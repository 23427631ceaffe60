"""Letta: an agent file (`.af`) or its JSON: blocks of core memory, archival passages, messages."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from bot.imports.sources.base import (
    NO_TEXT,
    Content,
    Importer,
    Item,
    ItemSort,
    Message,
    Skipped,
    as_list,
    as_object,
    as_objects,
    as_text,
    conversation,
    fact,
    parse_instant,
    text_at,
)
from bot.imports.sources.places import Source
from bot.texts.catalogue import mark

SPEAKERS = {"user": "Me", "assistant": "Agent"}


def names(source: Source) -> Sequence[str]:
    """Agent files."""
    return [name for name in source.names if name.endswith((".af", ".json"))]


def detect(source: Source) -> float:
    """Sure of an agent file, fairly sure of JSON with blocks of core memory."""
    if any(name.endswith(".af") for name in source.names):
        return 0.9
    heads = [source.beginning(name, 1 << 16) for name in names(source)[:3]] if len(source.names) < 20 else []
    return 0.8 if any('"core_memory"' in head or '"in_context_message_ids"' in head for head in heads) else 0.0


def read(source: Source) -> Iterator[Content]:
    """Yield each agent's blocks as notes, its passages as facts, and its messages as one conversation."""
    for name in names(source):
        document = as_object(source.document(name))
        agents = as_objects(document.get("agents")) or [document]
        blocks = {text_at(block, "id"): block for block in as_objects(document.get("blocks"))}
        for agent in agents:
            own = [blocks.get(as_text(key), {}) for key in as_list(agent.get("block_ids"))]
            yield from read_blocks(agent, own or as_objects(agent.get("core_memory")), name)
            yield from read_passages(agent, document)
            yield from read_messages(agent, name)


def read_blocks(agent: dict[str, Any], blocks: Sequence[dict[str, Any]], name: str) -> Iterator[Content]:
    """Yield the blocks of core memory."""
    for number, block in enumerate(blocks):
        label = text_at(block, "label") or f"block-{number + 1}"
        place = f"{text_at(agent, 'name') or 'agent'}/{label}.md"
        text = text_at(block, "value")
        if text.strip():
            at = parse_instant(block.get("updated_at") or block.get("created_at"))
            yield Item(ItemSort.NOTE, f"{name}/{place}", text, place=place, at=at)
        else:
            yield Skipped(place, NO_TEXT)


def read_passages(agent: dict[str, Any], document: dict[str, Any]) -> Iterator[Content]:
    """Yield what was archived."""
    rows = as_objects(agent.get("passages")) or as_objects(agent.get("archival_memory"))
    for number, row in enumerate(rows or as_objects(document.get("passages")), 1):
        at = parse_instant(row.get("created_at") or row.get("timestamp"))
        yield fact(row, f"passage {number}", text_at(row, "text", "content"), at=at)


def read_messages(agent: dict[str, Any], name: str) -> Iterator[Content]:
    """Yield the messages as one conversation."""
    messages = []
    for row in as_objects(agent.get("messages")):
        who = SPEAKERS.get(text_at(row, "role"))
        parts = row.get("content")
        text = as_text(parts) or "\n\n".join(text_at(part, "text") for part in as_list(parts))
        if who and (text := spoken(text or text_at(row, "text"))).strip():
            messages.append(Message(who, parse_instant(row.get("created_at")), text))
    if messages:
        title = text_at(agent, "name") or "Agent"
        yield conversation(f"{name}/{text_at(agent, 'id') or title}", f"Talk with {title}", messages)


def spoken(text: str) -> str:
    """Return what a person said: user messages are wrapped in JSON, and heartbeats are nobody's words."""
    try:
        fields = as_object(json.loads(text)) if text.startswith("{") else {}
    except (ValueError, RecursionError):
        return text
    if not fields:
        return text
    return text_at(fields, "message") if fields.get("type") == "user_message" else ""


IMPORTER = Importer("letta", mark("Letta, an agent file (.af) or its JSON"), detect, read, names)
