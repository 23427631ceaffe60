"""The port behind which units are kept and looked up, and the values that pass through it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple, Protocol

from memory.index.units import Chunked, Unit
from memory.strength import Fading, Life
from memory.types import EVERYWHERE, OWNER, FactSource, Filter, Problem, Scope, Stats

Words = Sequence[Sequence[str]]
"""What is looked up: for every word the terms that stand for it; one that ends in `*` for all that begin like it."""


class FileState(NamedTuple):
    """How a file was when it was indexed: size in bytes, time of change in nanoseconds, digest of the content.

    A tuple, because every start makes one for every file.
    """

    size: int
    mtime_ns: int
    digest: str


@dataclass(frozen=True, slots=True)
class FileChange:
    """A file to write; without `chunked` its units stay and only its state is noted."""

    path: str
    state: FileState
    chunked: Chunked | None = None


@dataclass(frozen=True, slots=True)
class Changed:
    """Units that a write added and removed, and those that it found unchanged."""

    added: int = 0
    removed: int = 0
    kept: int = 0

    def __add__(self, other: Changed) -> Changed:
        return Changed(self.added + other.added, self.removed + other.removed, self.kept + other.kept)


@dataclass(frozen=True, slots=True)
class Totals:
    """Sums over units: their files, units, facts among them, and their terms and characters."""

    files: int = 0
    units: int = 0
    facts: int = 0
    terms: int = 0
    characters: int = 0


class Entry(NamedTuple):
    """What ranking knows of a unit. A tuple, because a question makes some hundreds of them.

    Attributes:
        id, file: the index's own numbers for it, and for its file.
        order: its place among the file's units, from 0.
        turn: the paragraph or speaker's turn that it is a part of, counted from 0 in the file.
        kind, first, last, speaker, marks, since, until, named: as in `Unit`.
        characters: of its text.
        length: how many terms it has.
        path: of its file.
        terms: the terms as `memory.index.terms.apart` writes them.
        speed: days that pass for it in a day, as `memory.strength.speed_of`; None does not age, as what is pinned.
        stability, uses: as in `Life`.
        reviewed: ISO day or instant of its last review, or else of its writing; None if unknown.
        merged: 1 if another fact that is there stands for it.
    """

    id: int
    file: int
    order: int
    turn: int
    kind: str
    first: str | None
    last: str | None
    speaker: str
    characters: int
    length: int
    marks: int
    path: str
    terms: str
    since: str | None = None
    until: str | None = None
    named: str | None = None
    speed: float | None = None
    stability: float | None = None
    reviewed: str | None = None
    uses: int = 0
    merged: int = 0


class Neighbour(NamedTuple):
    """What ranking knows of a unit beside one that is ranked; all fields as in `Entry`."""

    id: int
    file: int
    order: int
    kind: str
    length: int
    terms: str


class FactLife(NamedTuple):
    """What is known of how a fact ages, and of what became of it.

    Attributes:
        id: the index's own number for it.
        name, kind, category, known: as in `Unit`.
        speed, stability, reviewed, uses, merged: as in `Entry`.
        used_days, restated, pinned, merged_into: as in `Life`.
    """

    id: int
    name: str
    kind: str
    category: str | None
    speed: float | None
    stability: float | None
    reviewed: str | None
    uses: int
    merged: int
    known: str | None
    used_days: int
    restated: int
    pinned: int
    merged_into: str


class Stored(NamedTuple):
    """A unit as it is kept: its number, its file's, its place in it, and all else that it was written with."""

    id: int
    file: int
    order: int
    path: str
    unit: Unit


class Excerpt(NamedTuple):
    """What a passage needs of a unit. A tuple, because a question makes dozens of them.

    Attributes:
        around: the number of the unit that it was looked for with.
        names: entities, one a line.

    All other fields are as in `Stored` and `Unit`.
    """

    around: int
    id: int
    order: int
    name: str
    kind: str
    start: int
    end: int
    text: str
    body: str
    origin: str
    lead: str
    names: str

    @property
    def entities(self) -> tuple[str, ...]:
        """As in `Unit`."""
        return tuple(self.names.split("\n")) if self.names else ()


class Voice(NamedTuple):
    """How many units a speaker says, and how many of them in the first person."""

    units: int
    first_person: int


class FactOrder(StrEnum):
    """The order of a list of facts."""

    NEWEST = "newest"
    OLDEST = "oldest"
    WEAKEST = "weakest"
    STRONGEST = "strongest"
    MOST_USED = "used"


class FactState(StrEnum):
    """Which facts of a list are wanted, by how they live on."""

    ALL = "all"
    ALIVE = "alive"
    FADED = "faded"
    PINNED = "pinned"
    MERGED = "merged"


@dataclass(frozen=True, slots=True)
class FactQuery:
    """A page of a list of facts.

    Attributes:
        where: what narrows it; `faded` is not looked at.
        day: only what begins on this ISO day, by which `Facts.days` counts; empty for any.
        sources: only what came into memory in one of these ways; empty for all.
        state: only what is in it.
        weaker_than: a retrievability that they are below; None for no limit.
        as_strong_as: one that they have at least.
        order: of the list.
        offset: facts before the page.
        limit: facts on it.
    """

    where: Filter = EVERYWHERE
    day: str = ""
    sources: tuple[FactSource, ...] = ()
    state: FactState = FactState.ALL
    weaker_than: float | None = None
    as_strong_as: float | None = None
    order: FactOrder = FactOrder.NEWEST
    offset: int = 0
    limit: int = 50


@dataclass(frozen=True, slots=True)
class FactListing:
    """The numbers of the facts on a page, in order, and how many the whole list has; 0 behind its end."""

    ids: tuple[int, ...]
    total: int


class DayCount(NamedTuple):
    """How many facts an ISO day has, and how many units in all."""

    day: str
    facts: int
    units: int


class FactAge(NamedTuple):
    """What the strength of some facts is made of.

    Attributes:
        speed, stability, pinned, merged: as in `FactLife`.
        difficulty: from 1 to 10; None without a review.
        reviewed: ISO day of the last review, or else of the writing; None if unknown.
        facts: how many are like that.
    """

    speed: float | None
    stability: float | None
    difficulty: float | None
    reviewed: str | None
    pinned: int
    merged: int
    facts: int


class EntityOrder(StrEnum):
    """The order of a list of names."""

    FACTS = "facts"
    NAME = "name"
    NEWEST = "newest"


class EntityCount(NamedTuple):
    """How many facts name an entity (by its key), and the last ISO day of these."""

    entity: str
    facts: int
    last: str | None


class Facts(Protocol):
    """The facts as lists to look around in; what a scope may not see is not counted."""

    def listed(self, query: FactQuery, *, scope: Scope, fading: Fading, today: str) -> FactListing:
        """Return a page of a list; `today` is the ISO day for which strength is asked."""
        ...

    def days(self, *, scope: Scope) -> list[DayCount]:
        """Count what is about each day, or begins on it, the earliest first."""
        ...

    def ages(self, *, scope: Scope) -> list[FactAge]:
        """Return what the strength of all facts is made of, in no order."""
        ...

    def entities(self, *, scope: Scope, words: str = "", order: EntityOrder = EntityOrder.FACTS) -> list[EntityCount]:
        """Count the facts of each entity whose key has these words in it."""
        ...

    def names(self, entities: Sequence[str], *, scope: Scope) -> dict[str, str]:
        """Return how these entities (keys) are written where they were named last."""
        ...

    def aliases(self, entities: Sequence[str], *, scope: Scope) -> dict[str, list[str]]:
        """Return the other names of these entities, by key."""
        ...

    def together(self, entity: str, *, scope: Scope, limit: int) -> list[EntityCount]:
        """Return the entities that most facts name beside this one, with how many do."""
        ...


class LinkKind(StrEnum):
    """Why two facts are linked."""

    MEANING = "meaning"
    """They are alike in meaning; kept in the journal."""
    ENTITY = "entity"
    """Both name somebody or something that few others name."""
    WIKILINK = "wikilink"
    """One has a `[[link]]` to the other, or to what both name."""


class FactLink(NamedTuple):
    """A link as it is found from one of the two facts: the index's own numbers for both, and a weight from 0 to 1."""

    source: int
    target: int
    weight: float
    kind: LinkKind


class Links(Protocol):
    """What facts are linked to."""

    def neighbours(self, units: Sequence[int], *, scope: Scope) -> list[FactLink]:
        """Return the links of facts, heaviest first for each, and as many as are followed at most.

        Only facts of the scope are there, whichever of the two a link was written for. What is no fact has none.
        """
        ...


class Lives(Protocol):
    """How facts live on, as the journal tells it, beside the units."""

    def write(self, lives: Iterable[Life], *, anew: bool = False, notes: Mapping[str, str] | None = None) -> None:
        """Take in lives, `anew` instead of all that are known, and keep short texts, in one transaction."""
        ...

    def facts(
        self, *, scope: Scope, names: Iterable[str] | None = None, ids: Iterable[int] | None = None
    ) -> list[FactLife]:
        """Return all facts of a scope, or those of these names or numbers, by path and place; a long one once."""
        ...

    def sample(self, shares: Iterable[float], *, scope: Scope) -> list[FactLife]:
        """Return some facts of a scope, with bounded work: those at these shares (0 to 1) of all numbers of units.

        Where that finds few, the newest; none only if the scope has none.
        """
        ...


class Index(Protocol):
    """Units kept and looked up.

    Laws, which `tests/contract/test_index.py` holds every implementation to:
        1. A read that takes a scope gives units of that scope, and no other.
        2. A write happens as a whole or not at all; the next read sees it.
        3. Units that a changed file still holds keep their ids; an id is never given twice.
        4. After any writes the index answers as one that was given the last version of every file in one write.
        5. The same question gets the same answer, in the same order.
        6. What is counted (totals, languages, frequencies, voices, BM25) is counted over what the scope may see: all
           units for the owner, and for any other scope its own, so that no count tells of what it may not see.
        7. No term, name or path makes a read raise anything but `IndexBroken`, `Busy` or `WriteFailed`.

    Attributes:
        lives: how the facts among them live on, in the same file.
        links: what they are linked to, there, too.
        facts: the same facts as lists.
    """

    @property
    def lives(self) -> Lives: ...

    @property
    def links(self) -> Links: ...

    @property
    def facts(self) -> Facts: ...

    def reading(self) -> AbstractContextManager[None]:
        """Have all reads within a block see one state: what others write meanwhile comes after it."""
        ...

    def write(
        self, changes: Sequence[FileChange], removed: Sequence[str] = (), *, notes: Mapping[str, str] | None = None
    ) -> Changed:
        """Take in new versions of files, remove others, and keep short texts by key, in one transaction."""
        ...

    def holding(self, names: Iterable[str]) -> set[str]:
        """Return the paths of the files that hold units of any of these names, of all scopes."""
        ...

    def noted(self, key: str) -> str:
        """Return a text that was kept with a write; empty if there is none."""
        ...

    def files(self, paths: Iterable[str] | None = None) -> dict[str, FileState]:
        """Return the states of the indexed files: of all, or of these."""
        ...

    def totals(self, *, scope: Scope = OWNER) -> Totals:
        """Return the sums over what a scope may see."""
        ...

    def languages(self, *, scope: Scope) -> tuple[str, ...]:
        """Return the languages of the units, commonest first."""
        ...

    def frequencies(self, terms: Iterable[str], *, scope: Scope) -> dict[str, int]:
        """Count the units that hold each of these terms; a term that none holds is left out."""
        ...

    def match(
        self, words: Words, *, scope: Scope, where: Filter = EVERYWHERE, limit: int, among: Words = ()
    ) -> list[int]:
        """Return the ids of the units with the highest BM25 for these words, best first.

        With `among`, only units with one of those words are looked at.
        """
        ...

    def dated(self, first: str, last: str, *, scope: Scope, where: Filter = EVERYWHERE, limit: int) -> list[int]:
        """Return the ids of the units about any day from `first` to `last` (ISO, both included), newest first."""
        ...

    def listed(self, *, scope: Scope, where: Filter = EVERYWHERE, limit: int) -> list[int]:
        """Return ids of units, newest first, those without a day last; what stands further down in a file is newer."""
        ...

    def openings(self, speakers: Iterable[str], *, scope: Scope, where: Filter = EVERYWHERE) -> list[int]:
        """Return the ids of the first units of the facts, paragraphs and turns of these speakers, oldest first.

        What nobody says has the speaker "".
        """
        ...

    def about(self, entities: Iterable[str], *, scope: Scope, where: Filter = EVERYWHERE, limit: int) -> list[int]:
        """Return ids of the units about any of these entities (keys as `known` gives them), newest first."""
        ...

    def known(self, names: Iterable[str], *, scope: Scope) -> dict[str, str]:
        """Return those of these folded names that are entities, with their keys; an alias has the key of what it names.

        A scope knows the entities that its own units are about, and the aliases in files that hold such units; the
        owner knows those of all files.
        """
        ...

    def synonyms(self, entities: Iterable[str], *, scope: Scope) -> set[str]:
        """Return the keys of these entities with those of all their other names that a scope knows."""
        ...

    def guiding(self, *, scope: Scope) -> list[int]:
        """Return the ids of the units that hold a standing instruction or a preference."""
        ...

    def voices(self, *, scope: Scope) -> dict[str, Voice]:
        """Return the speakers of all conversations."""
        ...

    def entries(self, ids: Sequence[int], *, scope: Scope) -> list[Entry]:
        """Return what ranking needs of these units, each once."""
        ...

    def neighbours(self, ids: Sequence[int], *, scope: Scope) -> list[Neighbour]:
        """Return the units directly before and behind each of these in its file, each once."""
        ...

    def stored(self, ids: Sequence[int], *, scope: Scope) -> list[Stored]:
        """Return these units, in this order; those of another scope are left out."""
        ...

    def surroundings(self, ids: Sequence[int], *, scope: Scope, notes: int, pieces: int) -> dict[int, list[Excerpt]]:
        """Return what passages around units are made of, in the order of their files; for a unit of another scope none.

        Around a note these are so many `notes` on each side, around a fact its own among so many `pieces`.
        """
        ...

    def between(self, file: int, *, first: int, last: int, scope: Scope) -> list[Stored]:
        """Return the units of a file whose order is between two numbers, both included, in order."""
        ...

    def find(self, name: str, *, scope: Scope) -> Stored | None:
        """Return the unit of a name; of several files with the same block id the first by path."""
        ...

    def stats(self, *, scope: Scope) -> Stats:
        """Return counts over what a scope may see."""
        ...

    def problems(self) -> tuple[Problem, ...]:
        """Return what was wrong with files and bullets when they were indexed, by path and line."""
        ...

    def close(self) -> None:
        """Close the file."""
        ...
