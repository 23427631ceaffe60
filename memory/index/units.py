"""Units of text: what is indexed, ranked and handed over; a file cut into them."""

from __future__ import annotations

import re
from collections.abc import Collection, Hashable, Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from hashlib import blake2b
from itertools import islice
from typing import NamedTuple

from memory.errors import Unparsable
from memory.files.evidence import parse_evidence
from memory.files.markdown import (
    Block,
    BlockKind,
    block_id,
    frontmatter_end,
    heading,
    is_evidence,
    line_start,
    properties,
    split_lines,
    without_conflict_marks,
)
from memory.files.names import distinct, mentions
from memory.files.notation import MAX_FACT_CHARS, parse_fact, tags_of, title_of, without_heads
from memory.files.paths import page_name
from memory.index.chunking import WHOLE, Group, cut, day_in, day_of_file, day_of_section, groups, join_notes, size
from memory.index.owners import Owners, PageOwners
from memory.index.terms import COMPOUND_LANGUAGES, backwards, terms_of, tokens
from memory.language.detect import WORDS_READ, language, of_words
from memory.language.guidance import TextFlags, text_flags
from memory.language.normalize import normalize
from memory.language.time.validity import find_day, find_period
from memory.types import OWNER, QUARANTINED, ChunkSize, Evidence, Fact, FactSource, Kind, Origin, Problem, Scope

VERSION = 14
"""Raised with every change of a file's units, or of their marks: an index of another version is rebuilt."""
MAX_UNITS = 20_000
MAX_LINES = 100_000
MAX_CHARS = 3_000_000
"""A file is read no further than these, so that it can neither fill the memory nor keep others waiting."""
MAX_ENTITIES = 64
"""Names that one unit is about, and other names that a page's properties give."""
MAX_PROBLEMS = 20
"""Problems of one file that are reported one by one; the others are counted."""
MAX_TITLE_CHARS = 80
"""Characters of a long fact's first line that are put before its other pieces."""
LASTING = frozenset({Kind.WORLD, Kind.OPINION, Kind.OBSERVATION, Kind.PROCEDURE})
"""What holds from its day on; everything else holds on its day."""
REDIRECT = "redirect"
"""The property of a page that was merged into another: that one's name. A link to it alone below says nothing more."""

_NOTE, _OWNER = Kind.NOTE, Origin.OWNER  # before Python 3.12 a look into an enumeration takes longer than a call
_BY_CATEGORY = {"rule": TextFlags.STANDING, "preference": TextFlags.PREFERENCE}
_BOUNDS = ("since", "until", "due")
_CORE = frozenset({"MEMORY.md", "memory.md"})
_KINDS_OF_PAGES = {
    "bank/world.md": Kind.WORLD,
    "bank/experience.md": Kind.EXPERIENCE,
    "bank/opinions.md": Kind.OPINION,
    "bank/procedures.md": Kind.PROCEDURE,
    "bank/intentions.md": Kind.INTENTION,
}
"""The kind of a bullet there that does not say its own."""
_ENTITY_PAGES = "bank/entities/"
_IMPORTED = re.compile(r"\Amemory/imports/[^/]+/")
"""What stands below is read as it would be at the top of a workspace; `date` among its properties is its day."""
_LEADING_DAY = re.compile(r"[\W_]{0,4}([0-9]{4}-[0-9]{2}-[0-9]{2})(?![0-9])")
SPLIT = "Split the file, or move out of the workspace what need not be found."
_UNRECORDED_HINT = (
    "Restore `.memory/journal` from a backup or from git; move what you wrote here yourself to another file."
)
_EVIDENCE_HINT = "Mend or remove the comment; the opinion keeps the confidence that its bullet gives."
_TOO_LONG = Unparsable(
    f"this bullet is longer than a fact may be ({MAX_FACT_CHARS:,} characters).", hint="Split it, or keep it as a note."
)


class Unit(NamedTuple):
    """A paragraph, bullet or speaker's block of one file. A tuple, because a question reads dozens of them.

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
        lead_in: the bold words that a fact begins with.
        tags: other hashtags in a fact than its category.
        attributes: of a fact, as written.
        since, until: ISO days in which it holds, both included; None for an open end, or if nothing is known.
        evidence: for and against an opinion.
        fact_source: how a fact came into memory.
        known: ISO instant, or day, on which it was written down; None if unknown.
        named: the one ISO day that a fact's words name, where that is another than its own; None for none or several.
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
    lead_in: str = ""
    tags: tuple[str, ...] = ()
    attributes: tuple[tuple[str, str], ...] = ()
    since: str | None = None
    until: str | None = None
    evidence: tuple[Evidence, ...] = ()
    fact_source: FactSource | None = None
    known: str | None = None
    named: str | None = None

    def digest(self) -> bytes:
        """Return a digest of all but the unit's place, its owner, and what the journal says of it."""
        parts = (
            self.name, self.kind, self.text, self.body, self.lead, self.title, self.speaker, *self.entities, "",
            self.category or "", self.time or "", self.first or "", self.last or "", self.language,
        )  # fmt: skip
        if self.kind is not _NOTE:  # of a note the above is all there is
            held = (self.since or "", self.until or "", self.named or "")
            parts += (self.lead_in, *self.tags, "", *held, *(f"{k}={v}" for k, v in self.attributes))
        return blake2b("\x00".join(parts).encode("utf-8", "surrogatepass"), digest_size=12).digest()

    @property
    def statement(self) -> str:
        """What the unit says by itself: a fact whose words leave out whom it is about begins with the name."""
        return self.body if self.kind is Kind.NOTE else statement(self.body, self.entities)

    @property
    def marks(self) -> TextFlags:
        """What recall wants to know of the unit besides its words."""
        return self._with_category(text_flags(self.body))

    def _with_category(self, marks: TextFlags) -> TextFlags:
        return marks | _BY_CATEGORY.get(self.category, TextFlags.NONE) if self.category else marks

    @property
    def meant(self) -> str:
        """What is embedded: the titles that open with the unit, and what it says.

        A log's title, with its day, is about the whole file: a short first paragraph would drown in it.
        """
        if self.kind is Kind.NOTE:
            line, _, below = self.statement.partition("\n")
            level, title = heading(line) or (0, "")
            return below.lstrip("\n") if level == 1 and below.strip() and day_in(title) else self.statement
        return f"{self.lead} {self.statement}" if self.lead else self.statement

    def searched(self) -> tuple[str, str, TextFlags]:
        """(language, terms with spaces between them, `marks`) that the index stores for this unit."""
        text = f"{self.lead} {self.body}" if self.lead else self.body
        words = tokens(text)
        language = of_words(words[:WORDS_READ], text, default=self.language)
        unsaid = _unsaid(text, self.entities) if self.entities else ()
        terms = terms_of([*words, *tokens(" ".join(unsaid))] if unsaid else words, language)
        if language in COMPOUND_LANGUAGES:
            terms = f"{terms} {backwards(terms)}".rstrip()
        return language, terms, self._with_category(text_flags(self.body, words))


def statement(text: str, about: Collection[str]) -> str:
    """Return a fact's words, with the names before them that it is about and does not say."""
    unsaid = _unsaid(text, about)
    return f"{', '.join(unsaid)}: {text}" if unsaid else text


def _unsaid(text: str, names: Collection[str]) -> list[str]:
    """Return the names that a text does not have; `Mary-Ann` is the `Mary Ann` that somebody typed."""
    lower = text.casefold() if names else ""
    return [name for name in names if name.casefold() not in lower and _letters(name) not in _letters(text)]


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, normalize("NFKC", text).casefold()))


def line_name(path: str, text: str) -> str:
    """Return the id of lines that carry none: equal for equal words in the same file, whatever the spacing."""
    # In what can be printed the only white space is a space; most units are lines in which one stands between words.
    is_plain = text.isprintable() and "  " not in text and text == text.strip()
    words = text if is_plain else " ".join(text.split())
    return "h" + blake2b(f"{path}\x00{words}".encode("utf-8", "surrogatepass"), digest_size=5).hexdigest()


def distinct_names(names: Iterable[str]) -> list[str]:
    """Return names in order; the second unit of the same name gets `-2`, the third `-3`."""
    counts: dict[str, int] = {}
    for name in names:
        unused, count = name, counts.get(name, 1)
        while unused in counts:
            count += 1
            unused = f"{name}-{count}"
        counts[name] = count
        counts.setdefault(unused, 1)
    return list(counts)


@dataclass(frozen=True, slots=True)
class Chunked:
    """What one file gives: its units, in order, and the bullets that set out to be facts and are kept as notes.

    `aliases` are (other name, name) pairs from the file's properties.
    """

    units: tuple[Unit, ...]
    problems: tuple[Problem, ...]
    aliases: tuple[tuple[str, str], ...]


def chunk(path: str, text: str, *, owners: Owners, chunks: ChunkSize | None = None) -> Chunked:
    """Cut a file into units. No text makes it raise; the same text and owners give the same units.

    With `chunks`, notes of one day and owner that stand side by side become chunks of this size.

    Of a file with more than `MAX_UNITS`, `MAX_LINES` or `MAX_CHARS` so many are taken in; that there is more is
    reported as a problem.
    """
    reading = _Reading(path, text)
    page = owners.of(path, reading.lines)
    every = reading.units(page, chunks)
    read = list(islice(every, MAX_UNITS))
    if next(every, None):
        reading.stopped(read[-1][0].end, f"The file is read to its {MAX_UNITS:,}th passage, which ends here.")
    names = distinct_names(unit.name for unit, _ in read)
    units = []
    for (unit, says), name in zip(read, names, strict=True):
        is_first = name == unit.name
        origin, scope = page.unit(unit.name, unit.start, unit.end, says=says, is_first=is_first)
        is_same = is_first and (origin, scope) == (unit.origin, unit.scope)
        units.append(unit if is_same else unit._replace(name=name, origin=origin, scope=scope))
    problems = [*reading.problems()]
    hidden = [unit for unit in units if unit.scope == QUARANTINED]
    if hidden:
        passages = "1 passage here has" if len(hidden) == 1 else f"{len(hidden):,} passages here have"
        message = f"{passages} no record in the journal: which chat said it is not known, and nobody is shown it."
        problems.append(Problem(path, hidden[0].start, message, _UNRECORDED_HINT))
    return Chunked(tuple(units), tuple(problems), reading.aliases)


def read_facts(path: str, text: str) -> Iterator[Fact]:
    """Return the facts of a page as recall reads them, in order."""
    return _Reading(path, text).facts()


class _Reading:
    """One file being read: what is the same for all its units, and the problems met."""

    def __init__(self, path: str, text: str) -> None:
        end = line_start(text, MAX_LINES)
        self._path = path
        self._problems: list[Problem] = []
        self._unreported = 0
        if end < min(len(text), MAX_CHARS):
            self.stopped(MAX_LINES, f"The file is read to its {MAX_LINES:,}th line, which is this one.")
        elif len(text) > MAX_CHARS:
            end = text.rfind("\n", 0, MAX_CHARS) + 1 or MAX_CHARS
            line = text.count("\n", 0, MAX_CHARS) + 1
            self.stopped(line, f"The file is read to its {MAX_CHARS:,}th character, which is in this line.")
        text = text[:end]
        self._text = without_conflict_marks(text)
        self.lines = split_lines(text)
        place = _IMPORTED.sub("", path)
        self._day = day_of_file(path)
        self._language = language(without_heads(text[:2000]))
        self._all_facts = place in _CORE or place.startswith("bank/")
        self._kind = _KINDS_OF_PAGES.get(place, Kind.OBSERVATION)
        page = page_name(path)
        self._page = (page,) if place.startswith(_ENTITY_PAGES) else ()
        head = frontmatter_end(self.lines)
        stated = properties("\n".join(self.lines[:head])) if head else {}
        target = stated.get(REDIRECT) if self._page else None
        if target and "\n".join(self.lines[head:]).strip() == f"[[{target}]]":
            self._text = ""
        if place != path and not self._day:
            self._day = day_in(str(stated.get("date", "")))
        aliases = stated.get("aliases", [])
        aliases = [aliases] if isinstance(aliases, str) else list(aliases)
        self.aliases = tuple((alias, page) for alias in aliases[:MAX_ENTITIES])

    def units(self, page: PageOwners, chunks: ChunkSize | None) -> Iterator[tuple[Unit, Origin]]:
        """Yield the units, each with the origin that it says it has; `page` tells what the journal knows of them."""

        def like(group: Group) -> Hashable | None:
            is_alone = group.fact or block_id("\n".join(self.lines[group.start - 1 : group.end]))
            owner = page.unit("", group.start, group.end)
            return None if is_alone else (day_of_section(group.headings), owner)

        found = groups(self._text, self._is_fact)
        for turn, group in enumerate(join_notes(found, self.lines, chunks, like) if chunks else found):
            fact = self._fact(group.fact) if group.fact else None
            if group.fact and fact:
                says = Origin(stated) if (stated := fact.attribute("from")) else _OWNER
                for unit in _in_pieces(self._fact_unit(group, fact, turn, page)):
                    yield unit, says
            else:
                for unit in self._note_units(group, turn, chunks):
                    yield unit, _OWNER

    def stopped(self, line: int, message: str) -> None:
        """Note where the reading ends before the file does."""
        self._problems.append(Problem(self._path, line, message, SPLIT))

    def problems(self) -> Iterator[Problem]:
        """Yield what is wrong with what has been read, and what has not been."""
        yield from self._problems
        if self._unreported:
            hint = "They are kept as notes; mend those that are to be facts."
            yield Problem(self._path, None, f"{self._unreported:,} further bullets cannot be read.", hint)

    def facts(self) -> Iterator[Fact]:
        for group in groups(self._text, self._is_fact):
            if group.fact and (fact := self._fact(group.fact)):
                yield fact

    def _is_fact(self, block: Block) -> bool:
        return (block.retain or self._all_facts) and block.kind is BlockKind.BULLET and not block.managed

    def _fact(self, block: Block) -> Fact | None:
        """Return the fact in a bullet; None, with a problem noted, if it cannot be read as one."""
        try:
            if len(block.text) > MAX_FACT_CHARS:
                raise _TOO_LONG
            return parse_fact(block.text, kind=self._kind)
        except Unparsable as error:
            if len(self._problems) < MAX_PROBLEMS:
                message = f"A bullet cannot be read: {error.reason}"
                self._problems.append(Problem(self._path, block.start, message, error.hint))
            else:
                self._unreported += 1
            return None

    def _fact_unit(self, group: Group, fact: Fact, turn: int, page: PageOwners) -> Unit:
        block = group.fact
        assert block
        name = fact.id or line_name(self._path, block.text)
        record = page.record(name)
        day = day_of_section(block.headings) or self._day
        if day is None and self._all_facts:
            leading = _LEADING_DAY.match(fact.text)  # whatever marks are around it
            told = (day_of_file(record.path) or record.at[:10]) if record else None
            day = (day_in(leading[1]) if leading else None) or told
        since, until, due = map(dict(fact.attributes).get, _BOUNDS)
        first = since or (due and due[:10]) or day
        holds_since, holds_until = _period(fact, day)
        is_dated, is_past = bool(since or due) or day is None, fact.kind is Kind.EXPERIENCE
        named = None if is_dated else find_day(fact.text, date.fromisoformat(str(day)), is_past=is_past)
        return Unit(
            name=name,
            kind=fact.kind,
            start=block.start,
            end=block.end,
            text=block.text,
            body=fact.text,
            origin=_OWNER,
            scope=OWNER,
            lead=group.lead,
            title=" > ".join(block.headings),
            entities=distinct([*fact.entities[:MAX_ENTITIES], *self._page]),
            category=fact.category,
            time=due or since or day,
            first=first,
            last=until or first,
            language=self._language,
            turn=turn,
            lead_in=title_of(fact.text),
            tags=tuple(tag for tag in tags_of(fact.text) if tag.casefold() != fact.category),
            attributes=fact.attributes,
            since=holds_since,
            until=holds_until,
            evidence=self._evidence(block),
            fact_source=page.source(name),
            known=(record.at if record else "") or day_of_section(block.headings) or self._day,
            named=str(named) if named else None,
        )

    def _evidence(self, block: Block) -> tuple[Evidence, ...]:
        """Return the evidence in the comment right under a bullet; a problem is noted if it cannot be read."""
        line = self.lines[block.end] if block.end < len(self.lines) else ""
        if not is_evidence(line):
            return ()
        if (parsed := parse_evidence(line)) is None:
            message = "The evidence of an opinion cannot be read."
            self._problems.append(Problem(self._path, block.end + 1, message, _EVIDENCE_HINT))
            return ()
        return parsed[1]

    def _note_units(self, group: Group, turn: int, chunks: ChunkSize | None) -> Iterator[Unit]:
        pieces = cut(self.lines, first=group.start, last=group.end, chunks=chunks)
        day = day_of_section(group.headings) or self._day
        speaker = (group.speaker,) if group.speaker else ()
        for start, end, text in pieces:
            name = block_id(text) if len(pieces) == 1 else None
            named = mentions(text)
            yield Unit(
                name=name or line_name(self._path, text),
                kind=_NOTE,
                start=start,
                end=end,
                text=text,
                body=text,
                origin=_OWNER,
                scope=OWNER,
                title=" > ".join(group.headings),
                speaker=group.speaker,
                entities=distinct([*speaker, *named, *self._page]) if named or self._page else speaker,
                time=day,
                first=day,
                last=day,
                language=self._language,
                turn=turn,
                since=day,
                until=day,
                known=day,
            )


def _period(fact: Fact, day: str | None) -> tuple[str | None, str | None]:
    """Return the first and last ISO day in which a fact holds: as its attributes say, else its words, else its kind."""
    since, until, due = map(dict(fact.attributes).get, _BOUNDS)
    if not (since or until):
        is_past = fact.kind is Kind.EXPERIENCE
        period = find_period(fact.text, date.fromisoformat(day) if day else None, is_past=is_past)
        since, until = (str(bound) if bound else None for bound in period or (None, None))
    if until is None and fact.kind not in LASTING:
        until = due[:10] if due else None if fact.kind is Kind.INTENTION else day
        until = max(until, since) if until and since else until
    if since is None and not (until and day and until < day):
        since = day
    return since, until


def _in_pieces(unit: Unit) -> Iterator[Unit]:
    """Yield a fact as it is, or one that is too long to rank as one in pieces, each with the fact's first line.

    The first piece has the lines of the whole, as long as that is handed over whole.
    """
    lines = unit.body.split("\n")
    pieces = cut(lines, first=1, last=len(lines))
    if len(pieces) < 2:
        yield unit
        return
    above = unit.end - unit.start + 1 - len(lines)  # a statement that opens with a block begins below the bullet's line
    title = next(line.strip() for line in lines if line.strip())[:MAX_TITLE_CHARS]
    for number, (first, last, body) in enumerate(pieces):
        is_whole = number == 0 and size(unit.text) <= WHOLE
        yield unit._replace(
            name=f"{unit.name}/{number + 1}" if number else unit.name,
            start=unit.start + above + first - 1 if number else unit.start,
            end=unit.start + above + last - 1 if number < len(pieces) - 1 else unit.end,
            text=unit.text if is_whole else body,
            body=body,
            lead=f"{unit.lead} {title}".lstrip() if number else unit.lead,
        )
