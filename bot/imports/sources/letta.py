"""Letta: an agent file (`.af`) or its JSON: blocks of core memory, archival passages, messages."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from bot.imports.sources.base import (
    NO_TEXT,
    Content,
    Fields,
    Importer,
    Item,
    ItemSort,
    Message,
    Skipped,
    conversation,
    fact,
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
        document = Fields.of(source.document(name))
        blocks = {block.text("id"): block for block in document.objects("blocks")}
        for agent in document.objects("agents") or [document]:
            own = [blocks.get(str(key), Fields()) for key in agent.array("block_ids")]
            yield from read_blocks(agent, own or agent.objects("core_memory"), name)
            yield from read_passages(agent, document)
            yield from read_messages(agent, name)


def read_blocks(agent: Fields, blocks: Sequence[Fields], name: str) -> Iterator[Content]:
    """Yield the blocks of core memory."""
    for number, block in enumerate(blocks):
        label = block.text("label") or f"block-{number + 1}"
        place = f"{agent.text('name') or 'agent'}/{label}.md"
        text = block.text("value")
        if text.strip():
            at = block.instant("updated_at", "created_at")
            yield Item(ItemSort.NOTE, f"{name}/{place}", text, place=place, at=at)
        else:
            yield Skipped(place, NO_TEXT)


def read_passages(agent: Fields, document: Fields) -> Iterator[Content]:
    """Yield what was archived."""
    rows = agent.objects("passages") or agent.objects("archival_memory") or document.objects("passages")
    for number, row in enumerate(rows, 1):
        at = row.instant("created_at", "timestamp")
        yield fact(row, f"passage {number}", row.text("text", "content"), at=at)


def read_messages(agent: Fields, name: str) -> Iterator[Content]:
    """Yield the messages as one conversation."""
    messages = []
    for row in agent.objects("messages"):
        who = SPEAKERS.get(row.text("role"))
        text = row.text("content") or "\n\n".join(part.text("text") for part in row.objects("content"))
        if who and (text := spoken(text or row.text("text"))).strip():
            messages.append(Message(who, row.instant("created_at"), text))
    if messages:
        title = agent.text("name") or "Agent"
        yield conversation(f"{name}/{agent.text('id') or title}", f"Talk with {title}", messages)


def spoken(text: str) -> str:
    """Return what a person said: user messages are wrapped in JSON, and heartbeats are nobody's words."""
    try:
        fields = Fields.of(json.loads(text)) if text.startswith("{") else Fields()
    except (ValueError, RecursionError):
        return text
    if not fields:
        return text
    return fields.text("message") if fields.get("type") == "user_message" else ""


IMPORTER = Importer("letta", mark("Letta, an agent file (.af) or its JSON"), detect, read, names)
