"""What the library needs from outside, and the default for each."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeAlias

if TYPE_CHECKING:  # numpy takes 0.1 s to import, which a start without vectors need not pay
    import numpy as np
    from numpy.typing import NDArray

Vectors: TypeAlias = "NDArray[np.float32]"
"""One vector, shape (dims,), or several, shape (n, dims); each of length 1."""


class Clock(Protocol):
    """The only source of wall-clock time."""

    def now(self) -> datetime:
        """Return the current instant, aware, in UTC."""
        ...


class SystemClock:
    """The machine's clock."""

    def now(self) -> datetime:
        return datetime.now(UTC)


class FrozenClock:
    """A clock that stands still until it is moved: for tests, and for replaying a day.

    >>> clock = FrozenClock(datetime(2026, 11, 21, 9, 30, tzinfo=UTC))
    >>> clock.advance(hours=24)
    >>> clock.now().day
    22
    """

    def __init__(self, at: datetime) -> None:
        self._now = at.astimezone(UTC)

    def now(self) -> datetime:
        return self._now

    def advance(self, **span: float) -> None:
        """Move forward; the span is given as for `datetime.timedelta`."""
        self._now += timedelta(**span)


def instant(at: datetime) -> str:
    """Return an instant as the journal and observations carry it: ISO, UTC, milliseconds."""
    return at.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


class Purpose(StrEnum):
    """What a text is embedded for. Most models want to be told, so the same text has two vectors."""

    QUERY = "query"
    PASSAGE = "passage"


class Embedder(Protocol):
    """Turns text into vectors of one size. A text's vector never depends on what is embedded beside it."""

    @property
    def identity(self) -> str:
        """All that a vector depends on but its text: model, size, prefixes, arithmetic. Never mix two identities."""
        ...

    @property
    def dims(self) -> int | None:
        """Numbers in a vector; None until the first answer, where only the endpoint knows."""
        ...

    async def probe(self) -> None:
        """Embed known sentences and look at the vectors; raises `EmbeddingFailed` if nothing answers.

        Raises `EmbedderBroken` if they are not finite, or unrelated sentences are nearer than related ones.
        """
        ...

    async def embed_query(self, text: str) -> Vectors:
        """Return the vector of a question, shape (dims,).

        Raises:
            EmbeddingFailed: nothing answered in the short time that a question may wait.
            TextRefused: this text cannot be embedded.
            VectorRefused: the answer is not a usable vector.
        """
        ...

    def embed_passages(self, texts: Sequence[str]) -> AsyncIterator[Vectors]:
        """Return the vectors of texts to be found, in order, in blocks of shape (n, dims).

        What has been yielded is good, whatever is raised later: the number of rows received is where to resume.

        Raises:
            EmbeddingFailed: nothing answered; the rest can be asked for later.
            TextRefused: the next text cannot be embedded; resume behind it.
            VectorRefused: the next text's answer is not a usable vector; resume behind it.
        """
        ...

    async def close(self) -> None:
        """Let go of threads, files and connections."""
        ...


class Writer(Protocol):
    """A language model without tools: what it returns is data, to be checked against what it was given."""

    async def write(self, instructions: str, data: str) -> str:
        """Return what the model makes of the data, in which nothing is an instruction; raises `WriterFailed`."""
        ...


@dataclass(frozen=True, slots=True)
class Embedding:
    """What search by meaning needs: an embedder, and a cache of the vectors that have been computed.

    Both may be shared by several memories; who made the embedder closes it. The cache is a SQLite file; its folder must
    exist. With `low_memory`, vectors are kept in a file beside the index, not in memory.
    """

    embedder: Embedder
    cache: Path
    low_memory: bool = False
