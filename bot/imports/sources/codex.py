"""Memory of Codex: what it keeps in `memories`, and the rules that a person wrote for it."""

from __future__ import annotations

from collections.abc import Sequence

from bot.imports.sources.base import Importer, is_markdown, notes_of
from bot.imports.sources.places import Source
from bot.texts.catalogue import mark


def names(source: Source) -> Sequence[str]:
    """AGENTS.md, and what stands in `memories`."""
    pages = filter(is_markdown, source.names)
    return [name for name in pages if name == "AGENTS.md" or name.startswith("memories/")]


def detect(source: Source) -> float:
    """Sure of its folder with such files in it."""
    return 0.85 if (source.path.name == ".codex" or "config.toml" in source.entries) and names(source) else 0.0


SUMMARY = mark("Codex's memory files (~/.codex)")
IMPORTER = Importer("codex", SUMMARY, detect, notes_of(names), names, places=((".codex", 0),))
