"""What can be answered with the command `scrubjay init`, an option for each question."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from bot.errors import UsageError
from bot.texts.catalogue import tr


def token_in(file: Path | None) -> str | None:
    """The token in a file, None without one; raises `UsageError` if it cannot be read."""
    if file is None:
        return None
    try:
        return file.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        message = tr("The token cannot be read from {file}: {reason}.", file=file, reason=error)
        raise UsageError(message, hint=tr("Name a file with one line.")) from error


@dataclass(frozen=True, slots=True)
class Person:
    """Who you are, and where and when you are reached."""

    name: Annotated[str | None, Parameter(metavar="NAME", help="What the agents call you.")] = None
    timezone: Annotated[str | None, Parameter(metavar="ZONE", help="Your time zone, such as Europe/Berlin.")] = None
    language: Annotated[str | None, Parameter(metavar="CODE", help="The program's language: en, de, zh, or auto.")] = (
        None
    )
    quiet_hours: Annotated[
        str | None, Parameter(metavar="HOURS", help="When reminders that repeat wait: 22:00-07:00, or off.")
    ] = None


@dataclass(frozen=True, slots=True)
class Memories:
    """Your agents, and where they keep what they remember."""

    agents: Annotated[
        str | None, Parameter(metavar="NAMES", help="Your agents, separated by commas; personal,work if left out.")
    ] = None
    memory_folder: Annotated[
        Path | None, Parameter(metavar="FOLDER", help="Where each agent gets a folder for its memory.")
    ] = None
    import_from: Annotated[
        tuple[Path, ...], Parameter(metavar="PATH", negative=(), help="Memory of another program to move in.")
    ] = ()
    import_agent: Annotated[
        str | None, Parameter(metavar="NAME", help="Whose memory that becomes; the default agent if left out.")
    ] = None


@dataclass(frozen=True, slots=True)
class Platforms:
    """Your bots, and whether the system starts them."""

    telegram_token_file: Annotated[
        Path | None, Parameter(metavar="FILE", help="Where the token of your bot on Telegram stands.")
    ] = None
    discord_token_file: Annotated[
        Path | None, Parameter(metavar="FILE", help="Where the token of your bot on Discord stands.")
    ] = None
    owner: Annotated[
        tuple[str, ...],
        Parameter(metavar="ID", negative=(), help="You there, if you know it (telegram:12345); else you get a code."),
    ] = ()
    service: Annotated[
        bool | None, Parameter(negative="--no-service", help="Whether the system starts it, and keeps it running.")
    ] = None
    no_test: Annotated[bool, Parameter(help="Do not show the tokens to their platforms first.")] = False


@dataclass(frozen=True, slots=True)
class ModelAnswers:
    """The model that was named with the command."""

    model: Annotated[str | None, Parameter(metavar="NAME", help="A language model, as its provider calls it.")] = None
    base_url: Annotated[
        str | None, Parameter(metavar="URL", help="Where the model is reached; OpenAI if left out.")
    ] = None
    key_from: Annotated[
        str | None, Parameter(metavar="VARIABLE", help="The environment variable that holds the model's key.")
    ] = None


@dataclass(frozen=True, slots=True)
class Answers:
    """All answers; raises `UsageError` if something about a model is given, and not its name."""

    person: Person
    memories: Memories
    platforms: Platforms
    model: ModelAnswers

    def __post_init__(self) -> None:
        if not self.model.model and (self.model.base_url or self.model.key_from):
            raise UsageError(tr("The model has no name."), hint=tr("Add --model NAME, as its provider calls it."))


NO_ANSWERS = Answers(Person(), Memories(), Platforms(), ModelAnswers())
"""No question is answered with the command."""
