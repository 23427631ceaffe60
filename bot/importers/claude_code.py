"""Memory of Claude Code: its notes by project, and the rules that a person wrote for it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bot.importers.base import Content, Importer, is_markdown, notes
from bot.importers.places import Source


def names(source: Source) -> Sequence[str]:
    """CLAUDE.md, and what stands in folders called `memory`."""
    return [name for name in source.names if is_markdown(name) and (name == "CLAUDE.md" or "/memory/" in f"/{name}")]


def detect(source: Source) -> float:
    """Sure of its folder with such files in it."""
    return 0.85 if ("projects" in source.folders or source.path.name == ".claude") and names(source) else 0.0


def read(source: Source) -> Iterator[Content]:
    """Yield each file as a note."""
    yield from notes(source, names(source))


IMPORTER = Importer(
    "claude-code", "Claude Code's memory files (~/.claude)", detect, read, names, places=((".claude", 0),)
)
