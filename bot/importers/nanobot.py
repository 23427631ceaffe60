"""Memory of nanobot: MEMORY.md, HISTORY.md and the logs of days in its workspace."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bot.importers.base import Content, Importer, is_markdown, notes
from bot.importers.places import Source


def names(source: Source) -> Sequence[str]:
    """What stands in folders called `memory`."""
    return [name for name in source.names if is_markdown(name) and "/memory/" in f"/{name}"]


def detect(source: Source) -> float:
    """Sure of its folder with such files in it."""
    return (
        0.85
        if (any(name.endswith("memory/HISTORY.md") for name in source.names) or ".nanobot" in source.path.parts)
        and names(source)
        else 0.0
    )


def read(source: Source) -> Iterator[Content]:
    """Yield each file as a note."""
    yield from notes(source, names(source))


IMPORTER = Importer(
    "nanobot", "nanobot's memory files (~/.nanobot/workspace)", detect, read, names, places=((".nanobot/workspace", 0),)
)
