"""What can be moved in: the importers by their names, and the memory of other programs on this machine."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import bot.imports.sources
from bot import plugins
from bot.errors import BotError

if TYPE_CHECKING:
    from bot.imports.sources.base import Importer

MAX_FOUND = 20
MAX_FILES = 20_000
"""Of one place; a larger one takes longer than a person would wait for a question."""


@dataclass(frozen=True, slots=True)
class FoundMemory:
    """Memory of another program on this machine.

    Attributes:
        importer: the name of the source, as `scrubjay import --as` takes it.
        about: what it is, for a person.
        path: what `scrubjay import` is given.
        count: how many files of it would be read.
    """

    importer: str
    about: str
    path: Path
    count: int


def load_importers() -> dict[str, Importer]:
    """Return the importers by their names, as `scrubjay import --as` takes them."""
    from bot.imports.sources.base import Importer

    return {one.name: one for one in plugins.load_all(bot.imports.sources, "IMPORTER", Importer).values()}


def find_memories(home_folder: Path) -> list[FoundMemory]:
    """Return the memory of other programs in a person's home folder, most files first.

    Only the usual places are looked at, and only the names of files; what cannot be read is passed over.
    """
    from bot.imports.sources.places import Source

    usual = [(importer, pattern, above) for importer in load_importers().values() for pattern, above in importer.places]
    memories = []
    for importer, pattern, above in usual:
        for match in sorted(home_folder.glob(pattern))[:MAX_FOUND]:
            path = match.parents[above - 1] if above else match
            # What is too large or cannot be read can still be named by hand.
            with suppress(BotError), Source.at(path, most_files=MAX_FILES) as source:
                count = len(importer.names(source)) if importer.detect(source) else 0
                memories.append(FoundMemory(importer.name, importer.summary, path, count))
    largest = sorted(memories, key=lambda memory: (-memory.count, memory.path))
    return [memory for memory in largest if memory.count][:MAX_FOUND]
