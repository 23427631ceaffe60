"""The values that pass through the index: what it is asked with, and what it answers with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from memory.index.units import Chunked, Unit
from memory.types import EVERYWHERE, Citation, FactSource, Filter

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

    @property
    def place(self) -> Citation:
        """Where the unit stands."""
        return Citation(self.path, self.unit.start, self.unit.end)


class EmbeddedUnit(NamedTuple):
    """A unit that has a vector; all fields as in `Entry` and `Unit`. A tuple: opening an index makes one for each."""

    id: int
    scope: str
    kind: str
    first: str | None
    last: str | None
    named: str | None


class Excerpt(NamedTuple):
    """What a passage needs of a unit. A tuple, because a question makes dozens of them.

    It was looked for with the unit of the number `around`; `names` are its entities, one a line. All other fields are
    as in `Stored` and `Unit`.
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
        """The entities of the unit, as `Unit.entities` has them."""
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
        day: only what begins on this ISO day, by which `FactTable.days` counts; empty for any.
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


Progress = Callable[[int, int], None]
"""Called with (files done, files in all) while the index is built."""


@dataclass(frozen=True, slots=True)
class Synced:
    """What one look at the files changed in the index: units written and removed, and how many there are now."""

    files: int
    units: int
    changed: int
    removed: int
    ms: float


@dataclass(frozen=True, slots=True)
class Status:
    """The index at this moment.

    Attributes:
        state: `ready`, `building` (what is there serves meanwhile), or for who only reads `missing` (there is none)
            and `broken` (it cannot be used).
        files, units, facts: what is indexed.
        pending: files that are still to be read.
        reason: in words for a person, why it is not simply ready; empty when it is.
        path: where the index file is.
        bytes: its size.
        mode: how a question is searched for: `words`, or `hybrid` for words and meaning.
        mode_reason: why it is words alone, or which passages they are alone for; empty if there is nothing to tell.
        embedder: the identity of what embeds; empty if nothing does.
        link: the `VectorBackend` in use; empty if none is.
        embedded, unembedded: units that have a vector, and units that wait for one.
    """

    state: str
    files: int
    units: int
    facts: int
    pending: int
    reason: str
    path: str
    bytes: int
    mode: str = "words"
    mode_reason: str = ""
    embedder: str = ""
    link: str = ""
    embedded: int = 0
    unembedded: int = 0
