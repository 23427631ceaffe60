"""Facts as JSON lines, one object a line: what Scrubjay exports, and the simplest thing for other programs to write."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bot.imports.sources.base import (
    Content,
    Importer,
    as_list,
    as_object,
    as_text,
    fact,
    parse_day,
    parse_instant,
    text_at,
)
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
            fields = as_object(row)
            when = fields.get("time") or fields.get("day") or fields.get("known")
            yield fact(
                fields,
                f"{name}:{number}",
                text_at(fields, "text", "content"),
                at=parse_day(as_text(when)) or parse_instant(when),
                kind=KINDS.get(text_at(fields, "kind")),
                entities=tuple(filter(None, map(as_text, as_list(fields.get("entities"))))),
                category=text_at(fields, "category") or None,
            )


IMPORTER = Importer("facts", mark("Facts as JSON lines (scrubjay export)"), detect, read, names)
