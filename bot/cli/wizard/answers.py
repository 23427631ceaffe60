"""What can be answered with the command `scrubjay init`, an option for each question."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter


@Parameter(name="*")
@dataclass(frozen=True, slots=True)
class Answers:
    """Who you are, your agents and where they keep what they remember, their model, your bots."""

    name: Annotated[str | None, Parameter(metavar="NAME")] = None
    """What the agents call you."""
    timezone: Annotated[str | None, Parameter(metavar="ZONE")] = None
    """Your time zone, such as Europe/Berlin."""
    language: Annotated[str | None, Parameter(metavar="CODE")] = None
    """The program's language: en, de, zh, or auto."""
    quiet_hours: Annotated[str | None, Parameter(metavar="HOURS")] = None
    """When reminders that repeat wait: 22:00-07:00, or off."""
    agents: Annotated[str | None, Parameter(metavar="NAMES")] = None
    """Your agents, separated by commas; personal,work if left out."""
    memory_folder: Annotated[Path | None, Parameter(metavar="FOLDER")] = None
    """Where each agent gets a folder for its memory."""
    import_from: Annotated[tuple[Path, ...], Parameter(metavar="PATH")] = ()
    """Memory of another program to move in."""
    import_agent: Annotated[str | None, Parameter(metavar="NAME")] = None
    """Whose memory that becomes; the default agent if left out."""
    model: Annotated[str | None, Parameter(metavar="NAME")] = None
    """A language model, as its provider calls it."""
    base_url: Annotated[str | None, Parameter(metavar="URL")] = None
    """Where the model is reached; OpenAI if left out."""
    key_from: Annotated[str | None, Parameter(metavar="VARIABLE")] = None
    """The environment variable that holds the model's key."""
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


NO_ANSWERS = Answers()
"""No question is answered with the command."""
