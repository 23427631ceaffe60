"""What can be answered with the command `scrubjay init`, an option for each question."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from bot.errors import UsageError
from bot.texts.catalogue import tr


@dataclass(frozen=True, slots=True)
class Person:
    """Who you are, and where and when you are reached."""

    name: Annotated[str | None, Parameter(metavar="NAME")] = None
    """What the agents call you."""
    timezone: Annotated[str | None, Parameter(metavar="ZONE")] = None
    """Your time zone, such as Europe/Berlin."""
    language: Annotated[str | None, Parameter(metavar="CODE")] = None
    """The program's language: en, de, zh, or auto."""
    quiet_hours: Annotated[str | None, Parameter(metavar="HOURS")] = None
    """When reminders that repeat wait: 22:00-07:00, or off."""


@dataclass(frozen=True, slots=True)
class Memories:
    """Your agents, and where they keep what they remember."""

    agents: Annotated[str | None, Parameter(metavar="NAMES")] = None
    """Your agents, separated by commas; personal,work if left out."""
    memory_folder: Annotated[Path | None, Parameter(metavar="FOLDER")] = None
    """Where each agent gets a folder for its memory."""
    import_from: Annotated[tuple[Path, ...], Parameter(metavar="PATH")] = ()
    """Memory of another program to move in."""
    import_agent: Annotated[str | None, Parameter(metavar="NAME")] = None
    """Whose memory that becomes; the default agent if left out."""


@dataclass(frozen=True, slots=True)
class Platforms:
    """Your bots, and whether the system starts them."""

    telegram_token_file: Annotated[Path | None, Parameter(metavar="FILE")] = None
    """Where the token of your bot on Telegram stands."""
    discord_token_file: Annotated[Path | None, Parameter(metavar="FILE")] = None
    """Where the token of your bot on Discord stands."""
    owner: Annotated[tuple[str, ...], Parameter(metavar="ID")] = ()
    """You there, if you know it (telegram:12345); else you get a code."""
    service: Annotated[bool | None, Parameter(negative="--no-service")] = None
    """Whether the system starts it, and keeps it running."""
    no_test: bool = False
    """Do not show the tokens to their platforms first."""


@dataclass(frozen=True, slots=True)
class ModelAnswers:
    """The model that was named with the command."""

    model: Annotated[str | None, Parameter(metavar="NAME")] = None
    """A language model, as its provider calls it."""
    base_url: Annotated[str | None, Parameter(metavar="URL")] = None
    """Where the model is reached; OpenAI if left out."""
    key_from: Annotated[str | None, Parameter(metavar="VARIABLE")] = None
    """The environment variable that holds the model's key."""


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
