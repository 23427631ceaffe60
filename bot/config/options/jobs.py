"""Options of jobs: what is done again and again, and when."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, WithJsonSchema

from bot.config.options.fields import FilePath, Section, Whole, refuse, zone_called


def _cron(given: str) -> str:
    from cronsim import CronSim, CronSimError

    try:
        next(CronSim(given, datetime(2026, 1, 1, tzinfo=UTC)))
    except (CronSimError, StopIteration) as error:
        raise refuse(hint=f"{error}. Ask for every Monday at 8 with: 0 8 * * 1") from error
    return given


Cron = Annotated[
    str,
    AfterValidator(_cron),
    WithJsonSchema({"type": "string", "allowed": "minute, hour, day of the month, month, day of the week"}),
]
Zone = Annotated[
    str,
    AfterValidator(lambda given: zone_called(given).key),
    WithJsonSchema({"type": "string", "allowed": "a name such as Europe/Berlin or America/New_York"}),
]


class JobOptions(Section):
    """One job: whether it comes by itself, and when."""

    enabled: bool = Field(default=True, examples=[False])
    """Whether it comes by itself; `scrubjay jobs run` and `/jobs run` do it at any time."""
    at: Cron | None = Field(default=None, examples=["30 3 * * 1-5"])
    """When: a cron expression of five fields. Left out, as `scrubjay jobs list` shows it."""
    zone: Zone | None = Field(default=None, examples=["UTC"])
    """The time zone of that; the owner's if left out."""
    catch_up: Literal["late", "skip"] = Field(default="late", examples=["skip"])
    """What becomes of a time at which nothing ran: late makes up for it once, skip waits for the next."""


class OptionalJobOptions(JobOptions):
    """The same for a job that only comes if it is wanted."""

    enabled: bool = Field(default=False, examples=[True])
    """Whether it comes by itself; `scrubjay jobs run` and `/jobs run` do it at any time."""


class BackupJobOptions(OptionalJobOptions):
    """A backup of the whole home, as `scrubjay backup create` makes it, or by a program of yours."""

    folder: FilePath | None = Field(
        default=None, examples=["/mnt/nas/scrubjay"], json_schema_extra={"allowed": "a path"}
    )
    """Where backups go, better on another disk; relative to this file. Left out, the folder backups beside the
    workspaces."""
    daily: Whole = Field(default=7, ge=0, le=1000, examples=[14])
    """For how many days the newest backup of the day is kept."""
    weekly: Whole = Field(default=4, ge=0, le=1000, examples=[8])
    """For how many weeks the newest of the week is kept."""
    monthly: Whole = Field(default=6, ge=0, le=1000, examples=[12])
    """For how many months the newest of the month is kept."""
    recipient: str = Field(default="", max_length=200, examples=["age1..."])
    """A public key of age: only the owner of its private key can then read the backups."""
    command: tuple[str, ...] = Field(default=(), examples=[["/usr/local/bin/save-notes", "{workspaces}"]])
    """A program that does it instead, and its arguments, run without a shell. {config}, {workspaces} and {state} stand
    for the configuration file and the folders to save. That it failed is told to you."""
    timeout_minutes: Whole = Field(default=30, ge=1, le=600, examples=[120])
    """After so long it is ended."""


class JobsSection(Section):
    """What is done for each agent again and again."""

    retain: JobOptions = Field(default_factory=JobOptions)
    reflect: JobOptions = Field(default_factory=JobOptions)
    retention: JobOptions = Field(default_factory=JobOptions)
    consolidate: JobOptions = Field(default_factory=JobOptions)
    reindex: JobOptions = Field(default_factory=JobOptions)
    decay: OptionalJobOptions = Field(default_factory=OptionalJobOptions)
    digest: OptionalJobOptions = Field(default_factory=OptionalJobOptions)
    backup: BackupJobOptions = Field(default_factory=BackupJobOptions)
