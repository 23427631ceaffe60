"""Letta: an agent file (`.af`) or its JSON: blocks of core memory, archival passages, messages."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from bot.importers.base import (
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
        found = mapping(source.document(name))
        agents = [mapping(one) for one in listed(found.get("agents"))] or [found]
        blocks = {said(mapping(one).get("id")): mapping(one) for one in listed(found.get("blocks"))}
        for agent in agents:
            own = [blocks.get(said(one), {}) for one in listed(agent.get("block_ids"))]
            yield from read_blocks(agent, own or [mapping(one) for one in listed(agent.get("core_memory"))], name)
            yield from read_passages(agent, found)
            yield from read_messages(agent, name)


def read_blocks(agent: dict[str, Any], blocks: Sequence[dict[str, Any]], name: str) -> Iterator[Content]:
    """Yield the blocks of core memory."""
    for number, block in enumerate(blocks):
        label = said(block.get("label")) or f"block-{number + 1}"
        place = f"{said(agent.get('name')) or 'agent'}/{label}.md"
        text = said(block.get("value"))
        if text.strip():
            at = parse_instant(block.get("updated_at") or block.get("created_at"))
            yield Item(ItemSort.NOTE, f"{name}/{place}", text, place=place, at=at)
        else:
            yield Skipped(place, NO_TEXT)


def read_passages(agent: dict[str, Any], found: dict[str, Any]) -> Iterator[Content]:
    """Yield what was archived."""
    rows = next((rows for key in ("passages", "archival_memory") if (rows := listed(agent.get(key)))), [])
    for row in map(mapping, rows or listed(found.get("passages"))):
        text = said(row.get("text")) or said(row.get("content"))
        if text.strip():
            at = parse_instant(row.get("created_at") or row.get("timestamp"))
            yield Item(ItemSort.FACT, said(row.get("id")) or text, text, at=at)


def read_messages(agent: dict[str, Any], name: str) -> Iterator[Content]:
    """Yield the messages as one conversation."""
    found = []
    for row in map(mapping, listed(agent.get("messages"))):
        who = SPEAKERS.get(said(row.get("role")))
        parts = row.get("content")
        text = said(parts) or "\n\n".join(said(mapping(part).get("text")) for part in listed(parts))
        if who and (text := spoken(text or said(row.get("text")))).strip():
            found.append(Message(who, parse_instant(row.get("created_at")), text))
    if found:
        title, at = said(agent.get("name")) or "Agent", next((one.at for one in found if one.at), None)
        key = f"{name}/{said(agent.get('id')) or title}"
        yield Item(ItemSort.CONVERSATION, key, title=f"Talk with {title}", at=at, messages=tuple(found))


def spoken(text: str) -> str:
    """Return what a person said: user messages are wrapped in JSON, and heartbeats are nobody's words."""
    try:
        fields = mapping(json.loads(text)) if text.startswith("{") else {}
    except (ValueError, RecursionError):
        return text
    if not fields:
        return text
    return said(fields.get("message")) if fields.get("type") == "user_message" else ""


IMPORTER = Importer("letta", "Letta, an agent file (.af) or its JSON", detect, read, names)
