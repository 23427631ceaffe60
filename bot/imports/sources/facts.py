"""Facts as JSON lines, one object a line: what Scrubjay exports, and the simplest thing for other programs to write."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bot.imports.sources.base import Content, Fields, Importer, fact, parse_day, parse_instant
from bot.imports.sources.places import Source
from bot.texts.catalogue import mark
from memory import Kind

KINDS = {kind.value: kind for kind in Kind if kind.letter}


def names(source: Source) -> Sequence[str]:
    """`facts.jsonl`, or a file of JSON lines by itself."""
    alone = source.names if len(source.names) == 1 else ()
    return [name for name in source.names if name == "facts.jsonl" or (name in alone and name.endswith(".jsonl"))]


def detect(source: Source) -> float:
    """Sure of lines with a text and a kind."""
    head = source.beginning(names(source)[0]) if names(source) else ""
    if not head.lstrip().startswith("{") or '"text"' not in head:
        return 0.0
    return 0.9 if '"kind"' in head else 0.3


def read(source: Source) -> Iterator[Content]:
    """Yield each line as a fact: `text`, and as far as there are `id`, `kind`, `entities`, `category`, `time`."""
    for name in names(source):
        for number, row in source.rows(name):
            fields = Fields.of(row)
            when = fields.first("time", "day", "known")
            yield fact(
                fields,
                f"{name}:{number}",
                fields.text("text", "content"),
                at=parse_day(when) or parse_instant(when),
                kind=KINDS.get(fields.text("kind")),
                entities=tuple(name for name in fields.array("entities") if isinstance(name, str) and name),
                category=fields.text("category") or None,
            )


IMPORTER = Importer("facts", mark("Facts as JSON lines (scrubjay export)"), detect, read, names)
