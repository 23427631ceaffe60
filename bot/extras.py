"""Libraries that only an extra of the installation brings, and what a person is told where one is missing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, version

from bot.errors import ConfigError
from bot.texts import tr

OURS = frozenset({"adapters", "bot", "memory"})
"""What is missing from these packages is a mistake in the program, and no choice of a person's."""


@contextmanager
def from_extra(extra: str, subject: str) -> Iterator[None]:
    """Import inside the block what an extra brings.

    Args:
        extra: its name in `pyproject.toml`.
        subject: what cannot be done without it, as the beginning of a sentence.

    Raises:
        ConfigError: a library is not installed; the hint is the command that installs it.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] in OURS:
            raise
        raise ConfigError(
            tr("{subject} needs the library {library}, which is not installed.", subject=subject, library=error.name),
            hint=tr('Run: pip install "{name}[{extra}]"', name=distribution(), extra=extra),
        ) from error


def distribution() -> str:
    """Return the name under which this program was installed."""
    try:
        version("scrubjay-words")
    except PackageNotFoundError:
        return "scrubjay"
    return "scrubjay-words"
