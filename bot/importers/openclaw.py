"""An OpenClaw workspace (Clawdbot, Moltbot): what is remembered in it, and transcripts beside it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import PurePosixPath

from bot.importers.base import (
    NO_TEXT,
    Content,
    Importer,
    Item,
    ItemSort,
    Message,
    Skipped,
    is_markdown,
    listed,
    mapping,
    notes,
    parse_instant,
    said,
)
from bot.importers.places import Source

CORE = frozenset({"USER.md", "MEMORY.md", "memory.md"})
RULES = frozenset({"AGENTS.md", "SOUL.md", "IDENTITY.md", "TOOLS.md", "HEARTBEAT.md", "BOOT.md", "BOOTSTRAP.md"})
FOLDERS = ("memory/", "bank/")
WORKSPACE = "workspace/"
SPEAKERS = {"user": "Me", "assistant": "Agent"}
_DAY = re.compile(r"memory/\d{4}-\d\d-\d\d")


def names(source: Source) -> Sequence[str]:
    """What is remembered: core memory, logs, bank; and transcripts, as JSON lines, where they stand beside it."""
    inner = {name: _inner(name) for name in source.names}
    kept = {name for name, one in inner.items() if one in CORE or (one.startswith(FOLDERS) and is_markdown(one))}
    return [name for name in source.names if name in kept or _is_session(name)]


def detect(source: Source) -> float:
    """Surer the more of its files are there."""
    inner = {_inner(name) for name in source.names}
    has_core, has_rules = bool(inner & CORE), bool(inner & {"AGENTS.md", "SOUL.md"})
    has_logs = any(_DAY.match(name) for name in inner)
    return 0.9 if (has_core and has_rules) or (has_rules and has_logs) else 0.75 if has_core and has_logs else 0.0


def read(source: Source) -> Iterator[Content]:
    """Yield notes as they are, and transcripts as conversations. Rules for the agent are named, and not taken."""
    for name in names(source):
        if _is_session(name):
            yield read_session(source, name)
            continue
        for one in notes(source, [name]):
            yield replace(one, key=_inner(name), place=_inner(name)) if isinstance(one, Item) else one
    for name in source.names:
        if _inner(name) in RULES:
            why = f"rules for an agent are not memory; to follow them: copy {source.path / name} into the workspace"
            yield Skipped(_inner(name), why)


def _inner(name: str) -> str:
    return name.removeprefix(WORKSPACE)


def _is_session(name: str) -> bool:
    place = PurePosixPath(name)
    return place.suffix == ".jsonl" and place.parent.name == "sessions"


def read_session(source: Source, name: str) -> Content:
    """Read a transcript: what was said, without tools and silent turns."""
    found = []
    for _, row in source.rows(name):
        entry = mapping(row)
        message = mapping(entry.get("message")) or entry
        who = SPEAKERS.get(said(message.get("role")))
        parts = message.get("content")
        texts = [said(mapping(part).get("text")) for part in listed(parts) if mapping(part).get("type") == "text"]
        text = said(parts) or "\n\n".join(filter(None, texts))
        if who and text.strip() and text.strip() != "NO_REPLY":
            found.append(Message(who, parse_instant(entry.get("timestamp") or message.get("timestamp")), text))
    if not found:
        return Skipped(name, NO_TEXT)
    at = next((one.at for one in found if one.at), None)
    title = " ".join(found[0].text.split()[:8])
    return Item(ItemSort.CONVERSATION, PurePosixPath(name).name, title=title, at=at, messages=tuple(found))


IMPORTER = Importer(
    "openclaw",
    "An OpenClaw workspace (also Clawdbot, Moltbot)",
    detect,
    read,
    names,
    places=(
        (".openclaw/workspace*", 0),
        (".clawdbot/workspace*", 0),
        (".moltbot/workspace*", 0),
        ("clawd", 0),
        ("openclaw", 0),
    ),
)
