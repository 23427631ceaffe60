"""The configuration as a whole: its sections, and the options of agents, tools, owner, terminal and reminders."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import time
from pathlib import Path
from typing import Annotated, Literal
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import BaseModel, Field, SecretStr, StringConstraints, field_validator, model_validator

from bot.config.options.fields import FilePath, Name, Section, merged, refuse, zone_called
from bot.config.options.jobs import JobsSection
from bot.config.options.media import FilesSection, VoiceSection
from bot.config.options.memory import MemoryOptions
from bot.config.options.operations import DashboardSection, HealthSection, LogSection, StoreSection, TelemetrySection
from bot.config.options.platforms import (
    AccessSection,
    ChatsSection,
    DiscordSection,
    LimitsSection,
    RouteSection,
    TelegramSection,
)
from bot.config.options.providers import PrimaryModelOptions, completed
from bot.config.options.sessions import SessionOptions
from bot.config.options.usage import UsageSection
from bot.errors import Missing
from bot.paths import Home
from bot.texts.catalogue import tr
from bot.texts.formatting import did_you_mean


class AgentOptions(Section):
    """One agent: a persona with its own workspace, and a memory that no other agent sees."""

    about: str = Field(default="", max_length=500, examples=["Garden, seeds, and when to sow them."])
    """What this agent is for, in a sentence; shown in lists, and part of what it knows about itself."""
    workspace: FilePath | None = Field(default=None, examples=["~/notes/work"])
    """Its folder of Markdown, if it is to be one of yours; relative to this file."""
    model: PrimaryModelOptions | None = Field(
        default=None, examples=[{"name": "qwen3:8b", "base_url": "http://localhost:11434/v1"}]
    )
    """A language model of its own. What it leaves out is as in the section model below, unless it has a base_url of its
    own. An empty name: none for this agent."""
    session: SessionOptions | None = Field(default=None, examples=[{"flush": {"soft_tokens": 8000}}])
    """What is other for this agent's conversations than `session` below says; an option that stands here replaces the
    one there."""
    memory: MemoryOptions | None = Field(
        default=None, examples=[{"ranking": "openclaw", "extra_paths": {"handbook": "~/handbook"}}]
    )
    """What is other for this agent's memory than `memory` below says; an option that stands here replaces the one
    there."""


class ToolsOptions(Section):
    """The tools that a model may call."""

    aliases: Literal["none", "lancedb"] = Field(default="none", examples=["lancedb"])
    """lancedb also offers memory_recall, memory_store and memory_forget, for instructions that were written for
    OpenClaw's LanceDB plugin; they do what memory_search, remember and forget do."""


class OwnerOptions(Section):
    """You: the person whom the agents work for."""

    name: str = Field(default="", max_length=80, examples=["Robin"])
    """How the agents call you."""
    timezone: str = Field(
        default="auto",
        examples=["Europe/Berlin"],
        json_schema_extra={"allowed": '"auto", or a name such as Europe/Berlin or America/New_York'},
    )
    """Your time zone: it decides what "today" is, and the name of the daily log. "auto" takes the one of this
    machine."""
    language: Literal["auto", "en", "de", "zh"] = Field(default="auto", examples=["de"])
    """The language of the program's own words: English, German or Chinese. "auto" takes the one you write in, and at
    the command line the one of this machine."""

    @field_validator("timezone")
    @classmethod
    def _known(cls, name: str) -> str:
        if name != "auto":
            zone_called(name)
        return name

    @property
    def zone(self) -> ZoneInfo:
        """The time zone itself; this machine's for "auto", UTC where the machine does not say."""
        if self.timezone != "auto":
            return zone_called(self.timezone)
        from tzlocal import get_localzone_name

        try:
            return ZoneInfo(get_localzone_name() or "UTC")
        except (ZoneInfoNotFoundError, ValueError):
            return ZoneInfo("UTC")


class ChatOptions(Section):
    """The conversation in the terminal."""

    agent: str | None = Field(default=None, examples=["work"], json_schema_extra={"allowed": "the name of an agent"})
    """Who answers when no --agent is given; the first agent above if left out."""


class RemindersOptions(Section):
    """Reminders."""

    quiet: Annotated[str, StringConstraints(pattern=r"^(off|([01]\d|2[0-3]):[0-5]\d-([01]\d|2[0-3]):[0-5]\d)$")] = (
        Field(
            default="off",
            examples=["22:00-07:00"],
            json_schema_extra={"allowed": "off, or two times such as 22:00-07:00"},
        )
    )
    """Hours in which what repeats, or is brought up by what is talked of, waits for their end, in the owner's time
    zone. A reminder that was asked for at a time comes at that time."""

    @property
    def quiet_hours(self) -> tuple[time, time] | None:
        """From when to when it is quiet; None for never."""
        begins, _, ends = self.quiet.partition("-")
        return (time.fromisoformat(begins), time.fromisoformat(ends)) if ends and begins != ends else None


def standard_agents() -> dict[str, AgentOptions]:
    """The two agents that exist before anything is configured."""
    return {
        "personal": AgentOptions(about="Everyday life: people, plans, home, health."),
        "work": AgentOptions(about="Work: projects, decisions, colleagues, deadlines."),
    }


class Config(Section):
    """Everything that can be set."""

    agents: dict[Name, AgentOptions] = Field(default_factory=standard_agents, min_length=1)
    """Who there is to talk to. What stands here replaces the two that exist by default."""
    owner: OwnerOptions = Field(default_factory=OwnerOptions)
    memory: MemoryOptions = Field(default_factory=MemoryOptions)
    tools: ToolsOptions = Field(default_factory=ToolsOptions)
    reminders: RemindersOptions = Field(default_factory=RemindersOptions)
    chat: ChatOptions = Field(default_factory=ChatOptions)
    model: PrimaryModelOptions = Field(default_factory=PrimaryModelOptions)
    usage: UsageSection = Field(default_factory=UsageSection)
    telegram: TelegramSection = Field(default_factory=TelegramSection)
    discord: DiscordSection = Field(default_factory=DiscordSection)
    access: AccessSection = Field(default_factory=AccessSection)
    routes: tuple[RouteSection, ...] = Field(
        default=(), examples=[[{"agent": "work", "platform": "discord", "guild": "81384788765712384"}]]
    )
    """Which agent answers where: a list of an agent and conditions (platform, account, guild, chat, thread, role,
    user). Of those that fit, the most specific wins: user, role, thread, chat, guild, account, platform. With shares:
    workspace, whoever may speak there sees all that the agent knows: for people who trust each other."""
    voice: VoiceSection = Field(default_factory=VoiceSection)
    store: StoreSection = Field(default_factory=StoreSection)
    files: FilesSection = Field(default_factory=FilesSection)
    chats: ChatsSection = Field(default_factory=ChatsSection)
    session: SessionOptions = Field(default_factory=SessionOptions)
    jobs: JobsSection = Field(default_factory=JobsSection)
    limits: LimitsSection = Field(default_factory=LimitsSection)
    health: HealthSection = Field(default_factory=HealthSection)
    dashboard: DashboardSection = Field(default_factory=DashboardSection)
    log: LogSection = Field(default_factory=LogSection)
    telemetry: TelemetrySection = Field(default_factory=TelemetrySection)

    @model_validator(mode="after")
    def _agents_exist(self) -> Config:
        wanted = {"chat.agent": self.chat.agent, "telegram.agent": self.telegram.agent}
        wanted |= {"discord.agent": self.discord.agent}
        wanted |= {f"routes.{number}.agent": route.agent for number, route in enumerate(self.routes)}
        for at, agent in wanted.items():
            if agent is not None and agent not in self.agents:
                raise refuse(", ".join(self.agents), hint=did_you_mean(agent, self.agents), at=at)
        return self

    @property
    def default_agent(self) -> str:
        """Who answers when nobody is named."""
        return self.chat.agent or next(iter(self.agents))

    def workspaces(self, home: Home) -> dict[str, Path]:
        """The folder of each agent's Markdown."""
        return {name: home.workspace(name, options.workspace) for name, options in self.agents.items()}

    def has_lost(self, agent: str, home: Home) -> bool:
        """Whether an agent's folder is gone that was there: its index is. Made anew, its memory would seem empty."""
        is_shared = bool(self.store.url.get_secret_value())
        return not (is_shared or self.workspaces(home)[agent].exists()) and home.index(agent).exists()

    def memory_of(self, agent: str) -> MemoryOptions:
        """How an agent's memory works: the options that it has of its own, the others from `memory`."""
        return merged(self.memory, self.agents[agent].memory)

    def session_of(self, agent: str) -> SessionOptions:
        """How an agent's conversations go on: the options that it has of its own, the others from `session`."""
        return merged(self.session, self.agents[agent].session)

    def model_of(self, agent: str) -> PrimaryModelOptions:
        """The language model of an agent: its own, or the one of all.

        With a `base_url` of its own it stands alone: a key is never sent to another address than the one it was
        written for.
        """
        own = self.agents[agent].model
        return completed(own, self.model) if own else self.model

    def agent(self, wanted: str | None) -> str:
        """The name of an agent that exists: the wanted one, or the default; raises `Missing` if there is none."""
        if wanted is None:
            return self.default_agent
        if wanted not in self.agents:
            raise Missing(
                tr('No agent is called "{name}". There are: {names}.', name=wanted, names=", ".join(self.agents)),
                hint=did_you_mean(wanted, self.agents)
                or tr("Add it under agents: in config.yaml (see: scrubjay paths)."),
            )
        return wanted


def secrets_of(section: BaseModel) -> Iterator[str]:
    """Every secret that a configuration holds, so that the log can hide it."""
    return (secret for _, secret in keyed_secrets(section))


def keyed_secrets(value: object, key: tuple[str | int, ...] = ()) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Yield the options below a place that hold a secret, each with it."""
    if isinstance(value, SecretStr):
        if value.get_secret_value():
            yield key, value.get_secret_value()
    elif isinstance(value, BaseModel):
        for name in type(value).model_fields:
            yield from keyed_secrets(getattr(value, name), (*key, name))
    elif isinstance(value, dict | list | tuple):
        steps: Iterable[tuple[str | int, object]] = value.items() if isinstance(value, dict) else enumerate(value)
        for step, inner in steps:
            yield from keyed_secrets(inner, (*key, step))
