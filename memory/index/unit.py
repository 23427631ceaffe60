"""The unit: what is ranked, embedded and forgotten one at a time."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import blake2b

from memory.files.lines import heading
from memory.index import compounds
from memory.index.dates import day_in
from memory.index.terms import terms_of
from memory.index.tokens import tokens
from memory.language.detect import of_words
from memory.language.guidance import TextFlags, text_flags
from memory.language.normalize import normalize
from memory.model import Kind, Origin, Scope

VERSION = 4
"""Raised with every change of a file's units, or of their marks: an index of another version is rebuilt."""

_BY_CATEGORY = {"rule": TextFlags.STANDING, "preference": TextFlags.PREFERENCE}


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

    @property
    def marks(self) -> TextFlags:
        """What recall wants to know of the unit besides its words."""
        return text_flags(self.body) | _BY_CATEGORY.get(self.category or "", TextFlags.NONE)

    @property
    def meant(self) -> str:
        """What is embedded: the titles that open with the unit, and what it says.

        A log's title, with its day, is about the whole file: a short first paragraph would drown in it.
        """
        if self.kind is Kind.NOTE:
            return _without_dated_title(self.statement)
        return f"{self.lead} {self.statement}" if self.lead else self.statement

    def searched(self) -> tuple[str, str]:
        """(language, terms with spaces between them) that full-text search stores for this unit."""
        text = f"{self.lead} {self.body}" if self.lead else self.body
        found = tokens(text)
        language = of_words(map(str.lower, found[:80]), text, default=self.language)
        unsaid = _unsaid(text, self.entities)
        terms = terms_of([*found, *tokens(" ".join(unsaid))] if unsaid else found, language)
        if language in compounds.LANGUAGES:
            terms = f"{terms} {compounds.backwards(terms)}".rstrip()
        return language, terms


def statement(text: str, about: Iterable[str]) -> str:
    """A fact's words, with the names before them that it is about and does not say."""
    unsaid = _unsaid(text, about)
    return f"{', '.join(unsaid)}: {text}" if unsaid else text


def _unsaid(text: str, names: Iterable[str]) -> list[str]:
    """The names that a text does not have; `Mary-Ann` is the `Mary Ann` that somebody typed."""
    lower = text.casefold()
    return [name for name in names if name.casefold() not in lower and _letters(name) not in _letters(text)]


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, normalize("NFKC", text).casefold()))


def _without_dated_title(text: str) -> str:
    """The text without a title of the first level at its head that has a day; all of it, if there is no other line."""
    line, _, below = text.partition("\n")
    level, title = heading(line) or (0, "")
    return below.lstrip("\n") if level == 1 and below.strip() and day_in(title) else text


def line_name(path: str, text: str) -> str:
    """The id of lines that carry none: equal for equal words in the same file, whatever the spacing."""
    words = " ".join(text.split())
    return "h" + blake2b(f"{path}\x00{words}".encode("utf-8", "surrogatepass"), digest_size=5).hexdigest()


def part_name(name: str, number: int) -> str:
    """The id of a long fact's piece; the first has the fact's own."""
    return f"{name}/{number + 1}" if number else name


def whole_name(name: str) -> str:
    """The id of the fact that a piece belongs to; any other id as it is."""
    return name.partition("/")[0]


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
