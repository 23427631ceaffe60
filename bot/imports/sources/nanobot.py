"""Memory of nanobot: MEMORY.md, HISTORY.md and the logs of days in its workspace."""

from __future__ import annotations

from collections.abc import Sequence

from bot.imports.sources.base import Importer, is_markdown, notes_of
from bot.imports.sources.places import Source
from bot.texts.catalogue import mark


def names(source: Source) -> Sequence[str]:
    """What stands in folders called `memory`."""
    return [name for name in source.names if is_markdown(name) and "/memory/" in f"/{name}"]


def detect(source: Source) -> float:
    """Sure of its folder with such files in it."""
    is_its = any(name.endswith("memory/HISTORY.md") for name in source.names) or ".nanobot" in source.path.parts
    return 0.85 if is_its and names(source) else 0.0


SUMMARY = mark("nanobot's memory files (~/.nanobot/workspace)")
IMPORTER = Importer("nanobot", SUMMARY, detect, notes_of(names), names, places=((".nanobot/workspace", 0),))
