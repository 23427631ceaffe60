"""The unit: what is ranked, embedded and forgotten one at a time."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import blake2b

from memory.index.terms import terms_of
from memory.index.tokens import tokens
from memory.language.detect import of_words
from memory.model import Kind, Origin, Scope

VERSION = 1
"""Raised with every change of the units that a file gives: an index of another version is rebuilt."""

_BLOCK_ID = re.compile(r"(?:^|\s)\^([A-Za-z0-9-]+)\s*\Z")


@dataclass(frozen=True, slots=True)
class Unit:
    """A paragraph, bullet or speaker's block of one file.

    Attributes:
        name: its id: a block id, or `h...` for lines without one.
        kind: `note`, or a fact's kind.
        start, end: 1-based lines; several units may share a long line.
        turn: which paragraph or speaker's turn of the file this is, or is a part of; from 0.
        text: the lines as they stand, or a part of one line.
        body: what is searched and embedded: a fact's statement without notation, otherwise the text.
        origin, scope: where it comes from, and who may see it.
        lead: titles that open with this unit and are not in its text; they are searched with it.
        title: the titles above it, outermost first, joined with ` > `.
        speaker: who says it in a conversation, else empty.
        entities: names that it is about, without `@`.
        category: a fact's category.
        time: ISO day or instant to show; None if unknown.
        first, last: ISO days that it is about, both included; None if unknown.
        language: of the file, for units too short to tell.
    """

    name: str
    kind: Kind
    start: int
    end: int
    text: str
    body: str
    origin: Origin
    scope: Scope
    lead: str = ""
    title: str = ""
    speaker: str = ""
    entities: tuple[str, ...] = ()
    category: str | None = None
    time: str | None = None
    first: str | None = None
    last: str | None = None
    language: str = ""
    turn: int = 0

    def digest(self) -> bytes:
        """Equal for units that are the same but for their place and their owner."""
        parts = (
            self.name, self.kind, self.text, self.body, self.lead, self.title, self.speaker, *self.entities, "",
            self.category, self.time, self.first, self.last, self.language,
        )  # fmt: skip
        joined = "\x00".join(part or "" for part in parts)
        return blake2b(joined.encode("utf-8", "surrogatepass"), digest_size=12).digest()

    @property
    def statement(self) -> str:
        """What the unit says by itself: a fact whose words leave out whom it is about begins with the name."""
        return self.body if self.kind is Kind.NOTE else statement(self.body, self.entities)

    def searched(self) -> tuple[str, str]:
        """(language, terms with spaces between them) that full-text search stores for this unit."""
        text = f"{self.lead} {self.body}" if self.lead else self.body
        found = tokens(text)
        language = of_words(map(str.lower, found[:80]), text, default=self.language)
        unsaid = _unsaid(text, self.entities)
        return language, terms_of([*found, *tokens(" ".join(unsaid))] if unsaid else found, language)


def statement(text: str, about: Iterable[str]) -> str:
    """A fact's words, with the names before them that it is about and does not say."""
    unsaid = _unsaid(text, about)
    return f"{', '.join(unsaid)}: {text}" if unsaid else text


def _unsaid(text: str, names: Iterable[str]) -> list[str]:
    lower = text.casefold()
    return [name for name in names if name.casefold() not in lower]


def block_id(text: str) -> str | None:
    """The block id (without `^`) at the end of a paragraph, None if there is none."""
    match = _BLOCK_ID.search(text) if "^" in text else None
    return match[1] if match else None


def line_name(path: str, text: str) -> str:
    """The id of lines that carry none: equal for equal words in the same file, whatever the spacing."""
    words = " ".join(text.split())
    return "h" + blake2b(f"{path}\x00{words}".encode("utf-8", "surrogatepass"), digest_size=5).hexdigest()


def distinct_names(names: Iterable[str]) -> list[str]:
    """Names in order; the second unit of the same name gets `-2`, the third `-3`."""
    found: dict[str, int] = {}
    for name in names:
        unused, count = name, found.get(name, 1)
        while unused in found:
            count += 1
            unused = f"{name}-{count}"
        found[name] = count
        found.setdefault(unused, 1)
    return list(found)
