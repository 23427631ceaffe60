"""Whose words stand in a page that has several writers.

A page in which others are quoted says so in its frontmatter, so that it stays foreign without the journal and under
another name. The journal knows the lines in it that are the owner's or the agent's; all others are foreign.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from memory.files.markdown import CONFLICT_MARK, FENCE, clean, frontmatter_end, properties, split_lines
from memory.files.workspace import digest
from memory.types import Origin

PROPERTY = "origin"
_LINE_DIGEST_LENGTH = 24
_FOREIGN_ORIGINS = {origin.value: origin for origin in Origin if origin.is_foreign}


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of a text that has several writers, and whose words it is. It may end in the middle of a line."""

    text: str
    origin: Origin


LineOrigins = tuple[tuple[Origin, tuple[str, ...]], ...]
"""Digests of lines of a page with several writers, by the origin of these lines."""


def line_digest(line: str) -> str:
    """Return what a line of a page is recognised by, whatever the space around it."""
    return digest(line.strip())[:_LINE_DIGEST_LENGTH]


def declared_origin(lines: Sequence[str]) -> Origin | None:
    """Return the foreign origin that a page's frontmatter declares; None if it declares none.

    Every line of the frontmatter counts by itself, so that no second one takes back what the first says; neither does
    git, where it could not merge two versions of the page.
    """
    if lines and CONFLICT_MARK.match(lines[0]):
        lines = lines[1:]
    head = lines[: frontmatter_end(lines)]
    stated = [
        value
        for text in ("\n".join(head), *head)
        for key, value in properties(text).items()
        if key.strip("\"' ").casefold() == PROPERTY
    ]
    words = [word.casefold() for value in stated for word in ([value] if isinstance(value, str) else value)]
    origins = [_FOREIGN_ORIGINS[word] for word in words if word in _FOREIGN_ORIGINS]
    return Origin.worst(origins) if origins else None


def with_property(text: str) -> str:
    """Return a page that declares that it has words of others."""
    stated = f"{PROPERTY}: {Origin.UNTRUSTED}\n"
    if frontmatter_end(split_lines(text)):
        head, _, rest = text.partition("\n")
        return f"{head}\n{stated}{rest}"
    return f"{FENCE}\n{stated}{FENCE}\n\n{text}"


def join_parts(parts: Iterable[Part]) -> str:
    """Return the text of some parts as it is written: whole lines, with a newline at the end."""
    return "".join(clean(part.text) for part in parts).rstrip("\n") + "\n"


def own_lines(parts: Iterable[Part]) -> LineOrigins:
    """Return the lines of these parts in which nothing is foreign, by origin; what a stranger said, too, is foreign."""
    by_line: dict[str, Origin] = {}
    for line, origin in _lines_with_origins(parts):
        if line.strip():
            name = line_digest(line)
            by_line[name] = Origin.worst([origin, by_line.get(name, origin)])
    origins = dict.fromkeys(origin for origin in by_line.values() if not origin.is_foreign)
    return tuple((own, tuple(name for name, origin in by_line.items() if origin is own)) for own in origins)


def _lines_with_origins(parts: Iterable[Part]) -> Iterator[tuple[str, Origin]]:
    """Yield each line with the worst origin of the parts that have more than white space in it."""
    texts: list[str] = []
    origins: list[Origin] = []
    for part in parts:
        for number, text in enumerate(clean(part.text).split("\n")):
            if number:
                yield "".join(texts), Origin.worst(origins)
                texts, origins = [], []
            texts.append(text)
            if text.strip():
                origins.append(part.origin)
    yield "".join(texts), Origin.worst(origins)
