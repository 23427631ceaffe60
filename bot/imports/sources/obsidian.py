"""An Obsidian or Logseq vault, copied."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from bot.imports.sources.base import Content, Importer, Setting, is_markdown, notes
from bot.imports.sources.places import Source
from bot.texts.catalogue import mark

OWN = ("logseq/", "templates/", "Templates/")
"""Folders with what is no note: settings, backups, templates."""


def names(source: Source) -> Sequence[str]:
    """Its notes."""
    return [name for name in source.names if is_markdown(name) and not name.startswith(OWN)]


def detect(source: Source) -> float:
    """Sure of the folder in which either program keeps its settings."""
    is_logseq = "logseq" in source.folders and bool({"journals", "pages"} & source.folders)
    return 0.9 if ".obsidian" in source.folders or is_logseq else 0.0


def read(source: Source) -> Iterator[Content]:
    """Yield each note, dated by its name or its properties.

    A folder need not be copied: the option that has it read where it stands is shown.
    """
    if source.path.is_dir():
        here = json.dumps(str(source.path.resolve()), ensure_ascii=False)
        yield Setting("to have it read where it stands, without a copy", "memory.extra_paths.vault", here)
    yield from notes(source, names(source))


PLACES = (
    ("*/.obsidian", 1),
    ("Documents/*/.obsidian", 1),
    ("Obsidian/*/.obsidian", 1),
    ("*/logseq/config.edn", 2),
    ("Documents/*/logseq/config.edn", 2),
)
IMPORTER = Importer("obsidian", mark("An Obsidian or Logseq vault"), detect, read, names, PLACES)
