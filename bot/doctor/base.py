"""What a check is, what it finds, and what it may look at."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from enum import StrEnum

from bot.config.loader import Examined
from bot.config.model import Config
from bot.paths import Home
from memory import Clock, Embedding, Memory


class Severity(StrEnum):
    """Notes tell how things are; warnings want a look; with an error something does not work."""

    NOTE = "note"
    WARNING = "warning"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that a check saw.

    Attributes:
        id: the check's id and a word for the finding: `disk.low`. It never changes, so that scripts can rely on it.
        severity: how bad it is.
        place: a file, a line, a folder, a variable.
        message: what is so.
        hint: what to do; empty for a note.
    """

    id: str
    severity: Severity
    place: str
    message: str
    hint: str = ""


@dataclass(frozen=True, slots=True)
class CheckContext:
    """What checks look at.

    Attributes:
        home: where everything lives.
        clock: source of time.
        examined: the configuration with its problems.
        open_memory: opens an agent's memory as it is, without writing.
        embedding: what an agent's memory is searched by meaning with; None where words are to be searched alone.
    """

    home: Home
    clock: Clock
    examined: Examined
    open_memory: Callable[[str], AbstractAsyncContextManager[Memory]]
    embedding: Callable[[str], Embedding | None]

    @property
    def agents(self) -> tuple[str, ...]:
        """Those whose workspace exists; none while the configuration cannot be used."""
        config = self.examined.config
        if config is None:
            return ()
        return tuple(
            name for name in config.agents if self.home.workspace(name, config.agents[name].workspace).is_dir()
        )

    def config(self) -> Config:
        """The options in use; the defaults while the configuration cannot be used."""
        return self.examined.config or Config()


@dataclass(frozen=True, slots=True)
class Check:
    """One thing to look at.

    Attributes:
        id: the module's name.
        title: what is looked at, for a list.
        detect: looks, changes nothing, and yields what it sees.
    """

    id: str
    title: str
    detect: Callable[[CheckContext], AsyncIterator[Finding]]
