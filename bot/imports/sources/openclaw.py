"""An OpenClaw workspace (Clawdbot, Moltbot): what is remembered in it, and transcripts beside it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import PurePosixPath

from bot.imports.sources.base import (
    NO_TEXT,
    Content,
    Fields,
    Importer,
    Item,
    Message,
    Skipped,
    conversation,
    is_markdown,
    notes,
)
from bot.imports.sources.places import Source
from bot.texts.catalogue import mark, tr

CORE = frozenset({"USER.md", "MEMORY.md", "memory.md"})
RULES = frozenset({"AGENTS.md", "SOUL.md", "IDENTITY.md", "TOOLS.md", "HEARTBEAT.md", "BOOT.md", "BOOTSTRAP.md"})
FOLDERS = ("memory/", "bank/")
WORKSPACE = "workspace/"
SPEAKERS = {"user": "Me", "assistant": "Agent"}
_DAY = re.compile(r"memory/\d{4}-\d\d-\d\d")


def names(source: Source) -> Sequence[str]:
    """What is remembered: core memory, logs, bank; and transcripts, as JSON lines, where they stand beside it."""
    inner = {name: _inner(name) for name in source.names}
    pages = {name for name, path in inner.items() if path in CORE or (path.startswith(FOLDERS) and is_markdown(path))}
    return [name for name in source.names if name in pages or _is_session(name)]


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
        for note in notes(source, [name]):
            yield replace(note, key=_inner(name), place=_inner(name)) if isinstance(note, Item) else note
    for name in source.names:
        if _inner(name) in RULES:
            why = mark("rules for an agent are not memory; to follow them: copy {path} into the workspace")
            yield Skipped(name, tr(why, path=source.path / name))


def _inner(name: str) -> str:
    return name.removeprefix(WORKSPACE)


def _is_session(name: str) -> bool:
    place = PurePosixPath(name)
    return place.suffix == ".jsonl" and place.parent.name == "sessions"


def read_session(source: Source, name: str) -> Content:
    """Read a transcript: what was said, without tools and silent turns."""
    messages = []
    for _, row in source.rows(name):
        entry = Fields.of(row)
        message = entry.inner("message") or entry
        who = SPEAKERS.get(message.text("role"))
        texts = [part.text("text") for part in message.objects("content") if part.get("type") == "text"]
        text = message.text("content") or "\n\n".join(filter(None, texts))
        if who and text.strip() and text.strip() != "NO_REPLY":
            messages.append(Message(who, entry.instant("timestamp") or message.instant("timestamp"), text))
    if not messages:
        return Skipped(name, NO_TEXT)
    return conversation(PurePosixPath(name).name, " ".join(messages[0].text.split()[:8]), messages)


_WORKSPACES = (".openclaw/workspace*", ".clawdbot/workspace*", ".moltbot/workspace*", "clawd", "openclaw")
SUMMARY = mark("An OpenClaw workspace (also Clawdbot, Moltbot)")
IMPORTER = Importer("openclaw", SUMMARY, detect, read, names, places=tuple((one, 0) for one in _WORKSPACES))
