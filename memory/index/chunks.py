"""A file to its units."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from memory.errors import Unparsable
from memory.files.frontmatter import frontmatter_end, properties
from memory.files.lines import BlockKind, block_id, line_start, split_lines
from memory.files.markdown import Block
from memory.files.mentions import distinct, mentions
from memory.files.notation import LONGEST_FACT, parse_fact
from memory.index.dates import day_of_file, day_of_section
from memory.index.owners import Owners, PageOwners
from memory.index.pieces import WHOLE, cut, size
from memory.index.sections import Group, groups
from memory.index.unit import Unit, distinct_names, line_name, part_name
from memory.language.detect import language
from memory.model import OWNER, QUARANTINED, Fact, Kind, Origin, Problem

_TOO_LONG = Unparsable(
    f"this bullet is longer than a fact may be ({LONGEST_FACT:,} characters).", hint="Split it, or keep it as a note."
)
LONGEST_TITLE = 80
"""Characters of a long fact's first line that are put before its other pieces."""

MOST_UNITS = 20_000
MOST_LINES = 100_000
MOST_CHARACTERS = 3_000_000
"""Of one file; it is read no further, so that one file can neither fill the memory nor keep others waiting."""

MOST_ENTITIES = 64
"""Names that one unit is about, and other names that a page's properties give."""

MOST_PROBLEMS = 20
"""Of one file are told one by one; of the others it is told how many there are."""

SPLIT = "Split the file, or move out of the workspace what need not be found."

_CORE = frozenset({"MEMORY.md", "memory.md"})
_ENTITY_PAGES = "bank/entities/"


@dataclass(frozen=True, slots=True)
class Chunked:
    """What one file gives.

    Attributes:
        units: in the order of the file.
        problems: bullets that set out to be facts and are kept as notes.
        aliases: (other name, name) pairs from the file's properties.
    """

    units: tuple[Unit, ...]
    problems: tuple[Problem, ...]
    aliases: tuple[tuple[str, str], ...]


def chunk(path: str, text: str, *, owners: Owners) -> Chunked:
    """Cut a file into units. No text makes it raise; the same text and owners give the same units.

    Of a file with more than `MOST_UNITS`, `MOST_LINES` or `MOST_CHARACTERS` those are taken in; that there is more is
    a problem that is told.
    """
    reading = _Reading(path, text)
    cut = reading.units()
    found = list(islice(cut, MOST_UNITS))
    if next(cut, None):
        reading.stopped(found[-1][0].end, f"The file is read to its {MOST_UNITS:,}th passage, which ends here.")
    names = distinct_names(unit.name for unit, _ in found)
    page = owners.of(path, reading.lines)
    units = tuple(_owned(unit, says, name, page) for (unit, says), name in zip(found, names, strict=True))
    return Chunked(units, (*reading.problems(), *_quarantine(path, units)), reading.aliases)


def read_facts(path: str, text: str) -> Iterator[Fact]:
    """The facts of a page as recall reads them, in order."""
    return (fact for _, fact in _Reading(path, text).facts())


def _owned(unit: Unit, says: Origin, name: str, page: PageOwners) -> Unit:
    is_first = name == unit.name
    origin, scope = page.unit(unit.name, unit.start, unit.end, says=says, is_first=is_first)
    if is_first and (origin, scope) == (unit.origin, unit.scope):
        return unit
    return replace(unit, name=name, origin=origin, scope=scope)


def _quarantine(path: str, units: Sequence[Unit]) -> Iterator[Problem]:
    hidden = [unit for unit in units if unit.scope == QUARANTINED]
    if hidden:
        passages = "1 passage here has" if len(hidden) == 1 else f"{len(hidden):,} passages here have"
        yield Problem(
            path,
            hidden[0].start,
            f"{passages} no record in the journal: which chat said it is not known, and nobody is shown it.",
            "Restore `.memory/journal` from a backup or from git; move what you wrote here yourself to another file.",
        )


class _Reading:
    """One file being read: what is the same for all its units, and the problems met."""

    def __init__(self, path: str, text: str) -> None:
        end = line_start(text, MOST_LINES)
        self._path = path
        self._problems: list[Problem] = []
        self._untold = 0
        if end < min(len(text), MOST_CHARACTERS):
            self.stopped(MOST_LINES, f"The file is read to its {MOST_LINES:,}th line, which is this one.")
        elif len(text) > MOST_CHARACTERS:
            end = text.rfind("\n", 0, MOST_CHARACTERS) + 1 or MOST_CHARACTERS
            line = text.count("\n", 0, MOST_CHARACTERS) + 1
            self.stopped(line, f"The file is read to its {MOST_CHARACTERS:,}th character, which is in this line.")
        self._text = text = text[:end]
        self.lines = split_lines(text)
        self._day = day_of_file(path)
        self._language = language(text)
        self._all_facts = path in _CORE or path.startswith("bank/")
        page = path.rsplit("/", 1)[-1].removesuffix(".md")
        self._page = (page,) if path.startswith(_ENTITY_PAGES) else ()
        self.aliases = tuple((alias, page) for alias in _aliases(self.lines)[:MOST_ENTITIES])

    def units(self) -> Iterator[tuple[Unit, Origin]]:
        """The units, each with the origin that it says it has."""
        for turn, group in enumerate(groups(self._text, self._is_fact)):
            fact = self._fact(group.fact) if group.fact else None
            if group.fact and fact:
                says = Origin(fact.attribute("from") or Origin.OWNER)
                yield from ((unit, says) for unit in _in_pieces(self._fact_unit(group, group.fact, fact, turn)))
            else:
                yield from ((unit, Origin.OWNER) for unit in self._note_units(group, turn))

    def stopped(self, line: int, message: str) -> None:
        """Note where the reading ends before the file does."""
        self._problems.append(Problem(self._path, line, message, SPLIT))

    def problems(self) -> Iterator[Problem]:
        """What is wrong with what has been read, and what has not been."""
        yield from self._problems
        if self._untold:
            hint = "They are kept as notes; mend those that are to be facts."
            yield Problem(self._path, None, f"{self._untold:,} further bullets cannot be read.", hint)

    def facts(self) -> Iterator[tuple[Block, Fact]]:
        for group in groups(self._text, self._is_fact):
            fact = self._fact(group.fact) if group.fact else None
            if group.fact and fact:
                yield group.fact, fact

    def _is_fact(self, block: Block) -> bool:
        return block.kind is BlockKind.BULLET and (block.retain or self._all_facts) and not block.managed

    def _fact(self, block: Block) -> Fact | None:
        """The fact in a bullet; None, with a problem noted, if it cannot be read as one."""
        try:
            if len(block.text) > LONGEST_FACT:
                raise _TOO_LONG
            return parse_fact(block.text)
        except Unparsable as error:
            if len(self._problems) < MOST_PROBLEMS:
                message = f"A bullet cannot be read: {error.reason}"
                self._problems.append(Problem(self._path, block.start, message, error.hint))
            else:
                self._untold += 1
            return None

    def _fact_unit(self, group: Group, block: Block, fact: Fact, turn: int) -> Unit:
        day = day_of_section(block.headings) or self._day
        since, until, due = (fact.attribute(name) for name in ("since", "until", "due"))
        first = since or (due and due[:10]) or day
        return Unit(
            name=fact.id or line_name(self._path, block.text),
            kind=fact.kind,
            start=block.start,
            end=block.end,
            text=block.text,
            body=fact.text,
            origin=Origin.OWNER,
            scope=OWNER,
            lead=group.lead,
            title=" > ".join(block.headings),
            entities=distinct([*fact.entities[:MOST_ENTITIES], *self._page]),
            category=fact.category,
            time=due or since or day,
            first=first,
            last=until or first,
            language=self._language,
            turn=turn,
        )

    def _note_units(self, group: Group, turn: int) -> Iterator[Unit]:
        pieces = cut(self.lines, first=group.start, last=group.end)
        day = day_of_section(group.headings) or self._day
        for start, end, text in pieces:
            name = block_id(text) if len(pieces) == 1 else None
            yield Unit(
                name=name or line_name(self._path, text),
                kind=Kind.NOTE,
                start=start,
                end=end,
                text=text,
                body=text,
                origin=Origin.OWNER,
                scope=OWNER,
                title=" > ".join(group.headings),
                speaker=group.speaker,
                entities=self._named(group, text),
                time=day,
                first=day,
                last=day,
                language=self._language,
                turn=turn,
            )

    def _named(self, group: Group, text: str) -> tuple[str, ...]:
        speaker = (group.speaker,) if group.speaker else ()
        named = mentions(text)
        return distinct([*speaker, *named, *self._page]) if named or self._page else speaker


def _in_pieces(unit: Unit) -> Iterator[Unit]:
    """A fact as it is, or one that is too long to rank as one in pieces, each with the fact's first line before it.

    The first piece has the lines of the whole, as long as that is handed over whole.
    """
    lines = unit.body.split("\n")
    pieces = cut(lines, first=1, last=len(lines))
    if len(pieces) < 2:
        yield unit
        return
    above = unit.end - unit.start + 1 - len(lines)  # a statement that opens with a block begins below the bullet's line
    title = next(line.strip() for line in lines if line.strip())[:LONGEST_TITLE]
    for number, (first, last, body) in enumerate(pieces):
        is_whole = number == 0 and size(unit.text) <= WHOLE
        yield replace(
            unit,
            name=part_name(unit.name, number),
            start=unit.start + above + first - 1 if number else unit.start,
            end=unit.start + above + last - 1 if number < len(pieces) - 1 else unit.end,
            text=unit.text if is_whole else body,
            body=body,
            lead=f"{unit.lead} {title}".lstrip() if number else unit.lead,
        )


def _aliases(lines: Sequence[str]) -> list[str]:
    end = frontmatter_end(lines)
    if not end:
        return []
    found = properties("\n".join(lines[:end])).get("aliases", [])
    return [found] if isinstance(found, str) else list(found)
