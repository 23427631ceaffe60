"""What the front door hands back, besides recalled passages."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from memory.traces import Traces
from memory.types import Origin, Scope, Written

Progress = Callable[[int, int], None]
"""Called with (files done, files in all) while the index is built."""


@dataclass(frozen=True, slots=True)
class Passage:
    """Lines read out of a file: `next_start` is where to read on, None at the end; `origins` whose words they are."""

    path: str
    start: int
    end: int
    text: str
    next_start: int | None
    origins: frozenset[Origin]


@dataclass(frozen=True, slots=True)
class Page:
    """A whole file.

    Attributes:
        path: in the workspace.
        text: its content.
        state: names this content; a rewrite has to give the one that it has read.
        identity: device and inode: the same file under whatever name.
        origins: whose words are in it.
        is_text: whether `text` is all of it; if not, bytes that are no text became U+FFFD.
        foreign: the lines (1-based) that are neither the owner's nor the agent's.
    """

    path: str
    text: str
    state: str
    identity: tuple[int, int]
    origins: frozenset[Origin]
    is_text: bool = True
    foreign: frozenset[int] = frozenset()


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


@dataclass(frozen=True, slots=True)
class ForgettingTrail:
    """What forgotten facts of one scope are recognised by where they were spoken of.

    Attributes:
        scope: whose they were.
        traces: tells which texts repeat them.
        ids: of the facts, without `^`.
        operations: the operations that wrote and forgot them.
        last: the number of the newest record of their being forgotten; 0 while it is only a preview.
    """

    scope: Scope
    traces: Traces
    ids: frozenset[str]
    operations: frozenset[str] = frozenset()
    last: int = 0


@dataclass(frozen=True, slots=True)
class Preview:
    """What `forget` would do; `token` confirms exactly these lines.

    Attributes:
        token: what to give to `forget`.
        lines: of the facts.
        expires: ISO instant.
        notes: lines of notes saved from conversations that repeat them, and go with them.
        choose: the lines are candidates: `forget` has to be told which of them are meant.
        trail: what they are recognised by elsewhere; None where nothing was found.
        others: who wrote what was meant as well and is not theirs to take away, as the journal calls them.
    """

    token: str
    lines: tuple[Line, ...]
    expires: str
    notes: tuple[Line, ...] = ()
    choose: bool = False
    trail: ForgettingTrail | None = None
    others: tuple[str, ...] = ()


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
        link: which way of searching vectors is in use; empty if none is.
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
