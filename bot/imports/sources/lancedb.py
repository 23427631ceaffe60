"""Rows of OpenClaw's LanceDB memory, exported as JSON lines, JSON or CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from typing import Any

from bot.errors import UsageError
from bot.imports.sources.base import NOT_UTF8, Content, Fields, Importer, fact
from bot.imports.sources.places import Source, damaged
from bot.texts.catalogue import mark, tr

MAX_FIELD_CHARS = 2**31 - 1
"""Characters of a field of a CSV: the library's own limit is below what JSON may hold here."""

TABLE = "memories"
EXPORT = (
    'uvx --from lancedb --with pandas python -c "import lancedb; '
    f"lancedb.connect('FOLDER').open_table('{TABLE}').to_pandas().drop(columns='vector')"
    ".to_json('memories.jsonl', orient='records', lines=True)\""
)


def names(source: Source) -> Sequence[str]:
    """Exported tables."""
    return [name for name in source.names if name.endswith((".jsonl", ".json", ".csv")) and ".lance/" not in name]


def detect(source: Source) -> float:
    """Sure of a LanceDB folder, which cannot be read itself, and of rows with importance and category."""
    if source.path.suffix == ".lance" or any(name.endswith(".lance") for name in source.folders):
        return 0.9
    heads = [source.beginning(name) for name in names(source)[:3]] if len(source.names) < 20 else []
    return 0.9 if any("importance" in head and "createdAt" in head for head in heads) else 0.0


def read(source: Source) -> Iterator[Content]:
    """Yield each row as a fact with its category and importance; raises `UsageError` for the database itself."""
    if not names(source):
        folder = source.path.parent if source.path.suffix == ".lance" else source.path
        raise UsageError(
            tr("{path} is a LanceDB database, which is read by its own library only.", path=source.path),
            hint=tr(
                "Export it first, then import memories.jsonl: {command}", command=EXPORT.replace("FOLDER", str(folder))
            ),
        )
    for name in names(source):
        for number, row in enumerate(read_rows(source, name), 1):
            at, category = row.instant("createdAt"), row.text("category").lower() or None
            importance = parse_share(row.get("importance"))
            yield fact(row, f"{name}:{number}", row.text("text"), at=at, category=category, importance=importance)


def read_rows(source: Source, name: str) -> Iterator[Fields]:
    """Yield the rows of an exported table, whatever it was exported as; raises `BotError` if it is damaged."""
    if name.endswith(".csv"):
        csv.field_size_limit(MAX_FIELD_CHARS)
        if (text := source.text(name)) is None:
            raise damaged(name, NOT_UTF8)
        try:
            yield from map(Fields.of, csv.DictReader(io.StringIO(text)))
        except csv.Error as error:
            raise damaged(name, str(error)) from error
    elif name.endswith(".jsonl"):
        yield from (Fields.of(row) for _, row in source.rows(name))
    else:
        yield from map(Fields.of, source.elements(name))


def parse_share(value: Any) -> float | None:
    """Return a number from 0 to 1; None for what is no number."""
    try:
        return min(1.0, max(0.0, float(value)))
    except (TypeError, ValueError):
        return None


IMPORTER = Importer("lancedb", mark("OpenClaw's LanceDB memory, exported as JSON lines or CSV"), detect, read, names)
