"""The values that the library speaks in: facts, hits, and what a recall is asked and answers. All are immutable."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import Enum, StrEnum
from typing import NewType

Scope = NewType("Scope", str)
"""Who may see a unit: `owner`, or `chat:<id>` for one group or guest. A query sees its own scope and no other."""
OWNER = Scope("owner")

QUARANTINED = Scope("quarantined")
"""The scope of what some guest or group said, nobody knows which: no chat has it."""


def chat_scope(chat: str) -> Scope:
    """Return the scope of one chat, for example `chat:telegram.123:-100456`."""
    return Scope(f"chat:{chat}")


Actors = frozenset[str] | None
"""The people, and those acting for them, whose writes are meant; None: everybody's."""


class Origin(StrEnum):
    """Where a text came from. Set by code from the transport, never by a model.

    What a text says of its own origin is believed only where it lowers the trust in it.
    """

    OWNER = "owner"
    AGENT = "agent"
    GUEST = "guest"
    UNTRUSTED = "untrusted"
    SYSTEM = "system"
    IMPORT = "import"

    @property
    def is_foreign(self) -> bool:
        """Whether it is neither the owner's nor the agent's nor the program's own."""
        return self in _FOREIGN

    @staticmethod
    def worst(origins: Iterable[Origin]) -> Origin:
        """Return the origin of these that is trusted least; `owner` for none."""
        return max(origins, key=_TRUSTED.index, default=Origin.OWNER)


_TRUSTED = (Origin.OWNER, Origin.AGENT, Origin.SYSTEM, Origin.GUEST, Origin.IMPORT, Origin.UNTRUSTED)
"""From the most trusted to the least."""
_FOREIGN = frozenset({Origin.GUEST, Origin.IMPORT, Origin.UNTRUSTED})


class Kind(StrEnum):
    """What sort of statement a unit makes. All but `note` have a letter in the Retain notation."""

    WORLD = "world"
    EXPERIENCE = "experience"
    OPINION = "opinion"
    OBSERVATION = "observation"
    PROCEDURE = "procedure"
    INTENTION = "intention"
    NOTE = "note"

    @property
    def letter(self) -> str:
        """The kind's letter in the Retain notation; empty for `note`, which is not a fact."""
        return _LETTERS.get(self, "")

    @classmethod
    def from_letter(cls, letter: str) -> Kind:
        """Return the kind that a letter stands for; raises `KeyError` for any other text."""
        return _KINDS[letter]


_LETTERS = {
    Kind.WORLD: "W",
    Kind.EXPERIENCE: "B",
    Kind.OPINION: "O",
    Kind.OBSERVATION: "S",
    Kind.PROCEDURE: "P",
    Kind.INTENTION: "T",
}
_KINDS = {letter: kind for kind, letter in _LETTERS.items()}

CATEGORIES = frozenset(
    "decision lesson person rule event fact goal workflow preference entity other "
    "belief pattern topic value project insight".split()
)
"""The hashtags that are categories when they end a fact's line; any other hashtag is part of its text."""


@dataclass(frozen=True, slots=True)
class Fact:
    """One self-contained statement: a bullet under `## Retain`, in `bank/`, or in `MEMORY.md`.

    Attributes:
        text: the statement to the letter, without notation; it may have several lines.
        kind: any but `note`.
        entities: names as written after `@`, without it, in order.
        category: one of `CATEGORIES`, or None.
        id: the block id without `^`; None until the fact is written or for a line by hand.
        attributes: the optional `(name=value)` pairs as written: c, v, a, i, due, every, when, since, until, from.
    """

    text: str
    kind: Kind = Kind.OBSERVATION
    entities: tuple[str, ...] = ()
    category: str | None = None
    id: str | None = None
    attributes: tuple[tuple[str, str], ...] = ()

    def attribute(self, name: str) -> str | None:
        """Return the value written for one attribute, or None."""
        return dict(self.attributes).get(name)


class FactSource(StrEnum):
    """How a fact came into memory; read from the journal, never from a model."""

    CONVERSATION = "conversation"
    CRON = "cron"
    OBSERVATION = "observation"
    INFERENCE = "inference"
    EXTERNAL = "external"


@dataclass(frozen=True, slots=True)
class Evidence:
    """One fact that speaks for or against an opinion, by its file and its id (without `^`).

    It counted on an ISO day. `step` is what it moved the log-odds of the opinion's confidence by; above 0 for, below 0
    against.
    """

    day: str
    step: float
    path: str
    id: str


@dataclass(frozen=True, slots=True)
class Citation:
    """A place in the workspace: 1-based lines, both ends included."""

    path: str
    start: int
    end: int

    def __str__(self) -> str:
        span = f"L{self.start}" if self.start == self.end else f"L{self.start}-L{self.end}"
        return f"{self.path}#{span}"


@dataclass(frozen=True, slots=True)
class HitStrength:
    """How strong a fact is.

    Attributes:
        retrievability: how likely it is at hand, 0 to 1; 1 for what does not age.
        reviewed: ISO day or instant of the last review, or else of the writing; None if unknown.
        uses: how often it was cited or approved.
        restated: how often it was said again.
        due: ISO day on which it fades if it is not reviewed before, or has faded; None if it does not.
        pinned: it was said that it is not to fade.
        merged_into: the id of the fact that stands for it, or empty.
    """

    retrievability: float
    reviewed: str | None = None
    uses: int = 0
    restated: int = 0
    due: str | None = None
    pinned: bool = False
    merged_into: str = ""


_LOGGED = re.compile(r"^memory/(?:guests/)?(\d{4}-\d\d-\d\d)\.md$")


@dataclass(frozen=True, slots=True)
class Hit:
    """One recalled passage.

    Attributes:
        id: what `/forget` and `/why` accept: a block id, or `h...` for a line without one.
        kind: the unit's kind.
        time: ISO date or instant that the unit is about or was written on; None if unknown.
        entities: names in the unit, without `@`.
        content: what is handed over: a fact's statement, or the passage as it stands in the file.
        source: where the passage stands.
        unit: where the unit that was ranked stands; inside `source`.
        scope: whose it is.
        origin: where the ranked unit comes from.
        score: higher is better; comparable within one result only.
        parts: the named summands of `score`.
        relevance: how likely the ranked unit answers the question, 0 to 1; comparable between questions and memories.
        grounds: the named measures that `relevance` was made of.
        title: of a fact, the bold words that it begins with, or empty.
        category: of a fact.
        tags: other hashtags in a fact, without `#`.
        attributes: of a fact, as written.
        evidence: for and against an opinion, oldest first.
        fact_source: how a fact came into memory; None for a note.
        since, until: ISO days in which it holds, both included; None for an open end.
        known: ISO instant, or day, on which it was written down; None if unknown.
        strength: of a fact; None for a note.
    """

    id: str
    kind: Kind
    time: str | None
    entities: tuple[str, ...]
    content: str
    source: Citation
    unit: Citation
    scope: Scope
    origin: Origin
    score: float
    parts: dict[str, float] = field(default_factory=dict)
    relevance: float = 0.0
    grounds: dict[str, float] = field(default_factory=dict)
    title: str = ""
    category: str | None = None
    tags: tuple[str, ...] = ()
    attributes: tuple[tuple[str, str], ...] = ()
    evidence: tuple[Evidence, ...] = ()
    fact_source: FactSource | None = None
    since: str | None = None
    until: str | None = None
    known: str | None = None
    strength: HitStrength | None = None

    @property
    def noted(self) -> tuple[str, str, int]:
        """The local day of the daily log, elsewhere the earlier one of `known` and `time`; and the place in it."""
        days = _LOGGED.findall(self.source.path) or filter(None, [self.known, self.time])
        return min(days, default="")[:10], self.source.path, self.source.start


ANSWERS = 0.25
"""The relevance from which a hit is taken for an answer, in a memory of some hundred units or more."""
RELATED = 0.003
"""The relevance from which a hit may have to do with what was said. In another language it is often no higher."""
BESIDE = 0.5
"""A further answer has at least this share of the best one's relevance: what is less likely is a passenger."""


class RecallForm(StrEnum):
    """What a recall hands over."""

    PASSAGES = "passages"
    TIMELINE = "timeline"
    """Short entries in the order of time, for a question in which order things came up, or for a summary."""


@dataclass(frozen=True, slots=True)
class Recall:
    """The answer to one query: passages, best first, or a timeline, oldest entry first.

    Attributes:
        query: as it was asked.
        mode: what searched: `words`, or `hybrid` for words and meaning.
        reason: why this mode, or why there is nothing, in words for a person.
        ms: milliseconds that the search took.
        hits: what is handed over.
        near: what came close and lost, for explanations.
        floor: the relevance from which a hit is taken for an answer; higher the more there is to be mistaken for one.
        notice: why the answer may be incomplete, or what has happened to the index; mostly empty.
        form: what the hits are.
        embedder: the identity of what gave the vectors; empty where words alone were searched.
    """

    query: str
    mode: str
    reason: str
    ms: float
    hits: tuple[Hit, ...]
    near: tuple[Hit, ...] = ()
    floor: float = ANSWERS
    notice: str = ""
    form: RecallForm = RecallForm.PASSAGES
    embedder: str = ""

    @property
    def answers(self) -> tuple[Hit, ...]:
        """The hits that answer the question, likeliest first; none if memory does not know.

        A timeline answers as a whole, in its order, if one of its entries does.
        """
        if self.form is RecallForm.TIMELINE:
            return self.hits if any(hit.relevance >= self.floor for hit in self.hits) else ()
        likely = sorted((hit for hit in self.hits if hit.relevance >= self.floor), key=lambda hit: -hit.relevance)
        return tuple(hit for hit in likely if hit.relevance >= BESIDE * likely[0].relevance)

    @property
    def related(self) -> tuple[Hit, ...]:
        """The hits that may have to do with the question, best first: what is worth a reader's attention at all.

        What they are linked to is, too: it has to do with the question by way of them.
        """
        likely = {hit.id for hit in self.hits if hit.relevance >= RELATED}
        return tuple(hit for hit in self.hits if hit.id in likely or (likely and hit.parts.get("spread")))

    @property
    def remark(self) -> str:
        """Reason and notice, for whoever wants to know why the answer is what it is."""
        return f"{self.reason} {self.notice}".rstrip()


@dataclass(frozen=True, slots=True)
class Written:
    """The receipt of a write that is on disk: the fact with its id, where it stands, and the lines as they stand there.

    If it is `repeated`, the same `op_id` had been carried out before; nothing was written this time.
    """

    fact: Fact
    at: Citation
    text: str
    repeated: bool = False


@dataclass(frozen=True, slots=True)
class Problem:
    """Something in the workspace that a person should look at: what is wrong, and what to do.

    The path is relative to the workspace, the line 1-based; None when the whole file is meant.
    """

    path: str
    line: int | None
    message: str
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Filter:
    """What narrows a recall. Empty means no limit.

    Attributes:
        since, until: ISO days, both included: only what is about one of them.
        kinds: only these.
        under: only these files, and those in these folders, by their paths; in a recall, however these are spelled.
        entities: names or other names; only what is about at least one of them.
        categories: only facts of these.
        tags: only facts with at least one of these hashtags, without `#`.
        valid: ISO days from and to, both included: only what held on one of them.
        known: ISO day: only what had been written down by its end.
        faded: not a limit: what has faded, or was merged into another fact, is found, too.
    """

    since: str | None = None
    until: str | None = None
    kinds: tuple[Kind, ...] = ()
    under: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    valid: tuple[str, str] | None = None
    known: str | None = None
    faded: bool = False


EVERYWHERE = Filter()


@dataclass(frozen=True, slots=True)
class ChunkSize:
    """How long chunks of notes are, in tokens of four bytes, and how much of one the next may repeat."""

    tokens: int
    overlap: int


class RankingProfile(StrEnum):
    """How words and meaning are put together into one order."""

    SCRUBJAY = "scrubjay"
    OPENCLAW = "openclaw"
    CORTEX = "cortex"


class VectorBackend(StrEnum):
    """The way in which vectors are searched; shown by `doctor` and `status`."""

    SIMSIMD = "simsimd"
    NUMPY = "numpy"
    SQLITE_VEC = "sqlite-vec"
    PGVECTOR = "pgvector"


@dataclass(frozen=True, slots=True)
class Stats:
    """Counts over everything that a scope may see."""

    files: int
    units: int
    facts: int
    by_kind: dict[str, int]
    by_category: dict[str, int]
    entities: tuple[tuple[str, int], ...]
    first_day: str | None
    last_day: str | None


class Mode(Enum):
    """How a memory is opened."""

    COMPLETE = "wait until the index is up to date"
    AT_ONCE = "bring the index up to date beside the work; what is there serves meanwhile"
    READ_ONLY = "write neither files nor index: for readers beside a running service"


@dataclass(frozen=True, slots=True)
class Line:
    """What `forget` would take away: a line, or the lines of one paragraph, beginning at `number`."""

    id: str
    path: str
    number: int
    text: str


@dataclass(frozen=True, slots=True)
class Superseded:
    """A fact that took the place of another: its receipt, and the lines that are gone."""

    written: Written
    gone: Line
