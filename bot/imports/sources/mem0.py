"""Mem0 and OpenMemory: memories as JSON, as `get_all()` returns them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from bot.imports.sources.base import Content, Fields, Importer, fact
from bot.imports.sources.places import Source
from bot.texts.catalogue import mark

LISTS = ("results", "memories", "items")


def names(source: Source) -> Sequence[str]:
    """Its JSON files."""
    return [name for name in source.names if name.endswith((".json", ".jsonl"))]


def detect(source: Source) -> float:
    """Fairly sure of rows with `memory` and whose they are."""
    heads = [source.beginning(name) for name in names(source)[:3]] if len(source.names) < 20 else []
    is_like = any('"memory"' in head and ('"user_id"' in head or '"hash"' in head) for head in heads)
    return 0.85 if is_like else 0.4 if any('"memory"' in head and '"id"' in head for head in heads) else 0.0


def read(source: Source) -> Iterator[Content]:
    """Yield each memory as a fact, dated by when it was made."""
    for name in names(source):
        for number, row in enumerate(read_rows(source, name), 1):
            fields = Fields.of(row)
            text = fields.text("memory", "text", "content")
            more = fields.inner("metadata") or fields.inner("metadata_")
            named = (name for name in fields.array("categories") if isinstance(name, str))
            category = more.text("category") or next(named, "")
            at = fields.instant("created_at") or more.instant("created_at") or fields.instant("updated_at")
            yield fact(fields, f"{name}[{number}]", text, at=at, category=category.lower() or None)


def read_rows(source: Source, name: str) -> Iterator[Any]:
    """Yield the rows of a file: those of a list, of JSON lines, or of the list in an object."""
    if name.endswith(".jsonl"):
        yield from (row for _, row in source.rows(name))
    elif source.beginning(name).lstrip().startswith("["):
        yield from source.elements(name)
    else:
        document = Fields.of(source.document(name))
        yield from next((document[key] for key in LISTS if isinstance(document.get(key), list)), [])


IMPORTER = Importer("mem0", mark("Mem0 or OpenMemory, memories as JSON"), detect, read, names)
