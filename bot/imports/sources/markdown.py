"""Plain Markdown: one file, or a folder of them."""

from __future__ import annotations

from collections.abc import Sequence

from bot.imports.sources.base import Importer, is_markdown, notes_of
from bot.imports.sources.places import Source
from bot.texts.catalogue import mark


def names(source: Source) -> Sequence[str]:
    """Markdown and plain text."""
    return [name for name in source.names if is_markdown(name) or name.lower().endswith(".txt")]


def detect(source: Source) -> float:
    """What is left when it is nothing else."""
    return 0.2 if names(source) else 0.0


IMPORTER = Importer("markdown", mark("Markdown or plain text, a file or a folder"), detect, notes_of(names), names)
