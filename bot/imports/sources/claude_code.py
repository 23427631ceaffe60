"""Memory of Claude Code: its notes by project, and the rules that a person wrote for it."""

from __future__ import annotations

from collections.abc import Sequence

from bot.imports.sources.base import Importer, is_markdown, notes_of
from bot.imports.sources.places import Source
from bot.texts.catalogue import mark


def names(source: Source) -> Sequence[str]:
    """CLAUDE.md, and what stands in folders called `memory`."""
    return [name for name in source.names if is_markdown(name) and (name == "CLAUDE.md" or "/memory/" in f"/{name}")]


def detect(source: Source) -> float:
    """Sure of its folder with such files in it."""
    return 0.85 if ("projects" in source.folders or source.path.name == ".claude") and names(source) else 0.0


SUMMARY = mark("Claude Code's memory files (~/.claude)")
IMPORTER = Importer("claude-code", SUMMARY, detect, notes_of(names), names, places=((".claude", 0),))
