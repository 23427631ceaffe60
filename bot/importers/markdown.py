"""Plain Markdown: one file, or a folder of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bot.importers.base import Content, Importer, Skipped, is_markdown, notes
from bot.importers.places import Source


def names(source: Source) -> Sequence[str]:
    """Markdown and plain text."""
    return [name for name in source.names if is_markdown(name) or name.lower().endswith(".txt")]


def detect(source: Source) -> float:
    """What is left when it is nothing else."""
    return 0.2 if names(source) else 0.0


def read(source: Source) -> Iterator[Content]:
    """Yield each file as a note; other files are counted."""
    yield from notes(source, names(source))
    wanted = {*names(source)}
    yield from (Skipped(name, "it is no Markdown") for name in source.names if name not in wanted)


IMPORTER = Importer("markdown", "Markdown or plain text, a file or a folder", detect, read, names)
