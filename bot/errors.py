"""What can go wrong in the service, and the exit code that each cause owns.

BotError            1  a command found or met a problem
 +-- UsageError     2  the command line makes no sense
 +-- ConfigError    3  config.yaml is wrong: file, line, column
 +-- Missing        4  no such agent, session, fact or file
 +-- Locked         5  another Scrubjay runs on this home
 |    +-- Fenced    5  it has taken over an agent that this one was working for
 +-- Unreachable    6  a platform or a model provider does not answer
 +-- Refused        7  a rule forbids it
 +-- StateError     1  the state file cannot be used: damaged, unwritable, or of another version
 |    +-- NewerState 1  a newer Scrubjay has written it
 +-- Unstorable     1  the state file cannot hold one value; everything else goes on
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import ClassVar

from bot.texts.catalogue import tr

OURS = frozenset({"adapters", "bot", "memory"})
"""The packages of this program."""


class BotError(Exception):
    """A message in three parts: what happened, where, and (as `hint`) what to do about it."""

    exit_code: ClassVar[int] = 1

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message} {self.hint}".rstrip()


class UsageError(BotError):
    """The command line makes no sense."""

    exit_code = 2


class ConfigError(BotError):
    """The configuration cannot be used."""

    exit_code = 3


class Missing(BotError):
    """There is no such agent, session, fact or file."""

    exit_code = 4


class Locked(BotError):
    """Another process runs on this home."""

    exit_code = 5


class Fenced(Locked):
    """Another process has taken the agent over; nothing that this one still does for it is kept."""


class Unreachable(BotError):
    """A platform or a model provider does not answer."""

    exit_code = 6


class Refused(BotError):
    """A rule forbids it."""

    exit_code = 7


class StateError(BotError):
    """The state file cannot be read or written. What was acknowledged is in it; what failed was not acknowledged."""


class NewerState(StateError):
    """The state file was written by a newer Scrubjay, whose notation this one does not know."""


class Unstorable(BotError):
    """A value that the state file cannot hold. Only what it belongs to was not written."""


@contextmanager
def from_extra(extra: str, subject: str) -> Iterator[None]:
    """Import inside the block what an extra of `pyproject.toml` brings; the subject is what cannot be done without it.

    Raises:
        ConfigError: a library is not installed; the hint is the command that installs it.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] in OURS:  # a mistake in the program
            raise
        raise ConfigError(
            tr("{subject} needs the library {library}, which is not installed.", subject=subject, library=error.name),
            hint=tr('Run: pip install "{name}[{extra}]"', name=distribution(), extra=extra),
        ) from error


def distribution() -> str:
    """Return the name under which this program was installed."""
    from importlib.metadata import PackageNotFoundError, version  # slow to load, and only a lack wants it

    try:
        version("scrubjay-words")
    except PackageNotFoundError:
        return "scrubjay"
    return "scrubjay-words"
