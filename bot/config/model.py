"""Every option but the platforms'."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Literal, TypeVar
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

from pydantic import BaseModel, Field, SecretStr, StringConstraints, field_validator, model_validator

from bot.config.fields import Address, Key, Seconds, Section, Whole, refuse
from bot.config.media import FilesSection, VoiceSection
from bot.config.memory import MemoryOptions
from bot.config.platforms import (
    AccessSection,
    ChatsSection,
    DiscordSection,
    HealthSection,
    LimitsSection,
    RouteSection,
    TelegramSection,
)
from bot.config.providers import CLOUD
from bot.config.sessions import SessionOptions
from bot.errors import Missing
from bot.formatting import did_you_mean

S = TypeVar("S", bound=Section)

COMPLETIONS = "/chat/completions"

SEEING = re.compile(
    r"gpt-(4o|4\.1|4-turbo|[5-9])|\bo[134](?!-mini|\w)|\bo4-mini|claude|gemini|grok-[4-9]|pixtral|llava|moondream"
    r"|mistral-(medium|small)-?3|minicpm-v|gemma-?[34]|llama-?4|vision|omni|\dvl|(?<![a-z])vl(?![a-z])"
)
"""What the names of models hold that see pictures, by their providers' pages."""


class TimeoutOptions(Section):
    """How long the model may take, in seconds."""

    connect: Seconds = Field(default=10.0, description="Until a connection stands.", examples=[5])
    silence: Seconds = Field(
        default=120.0,
        description="Without a sign of life. A large model on a small machine may take minutes to its first word.",
        examples=[300],
    )
    total: Seconds = Field(
        default=300.0,
        description="For one answer, with everything: waiting, asking again, the last word.",
        examples=[600],
    )


class ModelOptions(Section):
    """The language model: any endpoint that speaks the OpenAI protocol, in the cloud or on this machine."""

    name: str = Field(
        default="",
        max_length=200,
        description="Its name at the provider. Empty: no model, answers are quotes from memory.",
        examples=["gpt-5-mini"],
    )
    base_url: Address = Field(
        default="https://api.openai.com/v1",
        description="Where it is reached, as http://localhost:11434/v1 for Ollama; most addresses end in /v1.",
        examples=["http://localhost:11434/v1"],
    )
    api_key: Key = Field(
        default=SecretStr(""),
        description="The provider's key. Better a reference than the key itself; local servers need none.",
        examples=["${OPENAI_API_KEY}"],
    )
    context_tokens: Whole = Field(
        default=32_000,
        ge=2000,
        le=10_000_000,
        description="How many tokens fit into it, question and answer together; what is oldest is left out. "
        "Local servers are often started with 4096, whatever the model could do.",
        examples=[128_000],
    )
    output_tokens: Whole | None = Field(
        default=None,
        ge=16,
        le=1_000_000,
        description="How long one answer may be; left out, the provider decides.",
        examples=[4096],
    )
    temperature: float | None = Field(
        default=None,
        ge=0,
        le=2,
        description="How freely it words things, from 0 to 2; left out, the provider decides.",
        examples=[0.7],
    )
    sees: Literal["auto", "yes", "no"] = Field(
        default="auto",
        description="Whether it is shown the pictures that people send; auto goes by its name.",
        examples=["yes"],
    )
    timeouts: TimeoutOptions = Field(default_factory=TimeoutOptions)

    @field_validator("name")
    @classmethod
    def _trimmed(cls, given: str) -> str:
        return given.strip()

    @field_validator("base_url")
    @classmethod
    def _without_verb(cls, given: str) -> str:
        return given.removesuffix(COMPLETIONS)

    def doubts(self) -> Iterator[tuple[str, str, str]]:
        """What is possible and hardly meant, as (option, what is so, what to do)."""
        has_key, host = bool(self.api_key.get_secret_value()), urlsplit(self.base_url).netloc.rpartition("@")[2]
        if not self.name and has_key:
            yield "name", "there is a key and no model to use it for", "Name one, or run: scrubjay init"
        wants_key = next((one for one in CLOUD if urlsplit(one.base_url).netloc == host), None)
        if self.name and wants_key and not has_key:
            hint = f"Set it, for example to ${{{wants_key.variable}}}."
            yield "api_key", f"there is none, and {wants_key.name} wants one", hint

    @property
    def is_configured(self) -> bool:
        """Whether there is a model at all."""
        return bool(self.name)

    @property
    def sees_pictures(self) -> bool:
        """Whether pictures are put before it."""
        return self.sees == "yes" or (self.sees == "auto" and SEEING.search(self.name.lower()) is not None)


AgentName = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9-]{0,31}$")]
"""What an agent is called, and its folder with it."""


class AgentOptions(Section):
    """One agent: a persona with its own workspace, and a memory that no other agent sees."""

    about: str = Field(
        default="",
        max_length=500,
        description="What this agent is for, in a sentence; shown in lists, and part of what it knows about itself.",
        examples=["Garden, seeds, and when to sow them."],
    )
    workspace: Path | None = Field(
        default=None,
        description="Its folder of Markdown, if it is to be one of yours; relative to this file.",
        examples=["~/notes/work"],
    )
    model: ModelOptions | None = Field(
        default=None,
        description="A language model of its own. What it leaves out is as in the section model below, unless it has "
        "a base_url of its own. An empty name: none for this agent.",
        examples=[{"name": "qwen3:8b", "base_url": "http://localhost:11434/v1"}],
    )
    session: SessionOptions | None = Field(
        default=None,
        description="What is other for this agent's conversations than `session` below says; an option that stands "
        "here replaces the one there.",
        examples=[{"flush": {"soft_tokens": 8000}}],
    )
    memory: MemoryOptions | None = Field(
        default=None,
        description="What is other for this agent's memory than `memory` below says; an option that stands here "
        "replaces the one there.",
        examples=[{"ranking": "openclaw", "extra_paths": {"handbook": "~/handbook"}}],
    )


class ToolsOptions(Section):
    """The tools that a model may call."""

    aliases: Literal["none", "lancedb"] = Field(
        default="none",
        description="lancedb also offers memory_recall, memory_store and memory_forget, for instructions that were "
        "written for OpenClaw's LanceDB plugin; they do what memory_search, remember and forget do.",
        examples=["lancedb"],
    )


class OwnerOptions(Section):
    """You: the person whom the agents work for."""

    name: str = Field(
        default="",
        max_length=80,
        description="How the agents call you.",
        examples=["Robin"],
    )
    timezone: str = Field(
        default="auto",
        description='Your time zone: it decides what "today" is, and the name of the daily log. '
        '"auto" takes the one of this machine.',
        examples=["Europe/Berlin"],
        json_schema_extra={"allowed": '"auto", or a name such as Europe/Berlin or America/New_York'},
    )

    @field_validator("timezone")
    @classmethod
    def _known(cls, name: str) -> str:
        if name != "auto":
            _zone(name)
        return name

    @property
    def zone(self) -> ZoneInfo:
        """The time zone itself; this machine's for "auto", UTC where the machine does not say."""
        if self.timezone != "auto":
            return _zone(self.timezone)
        from tzlocal import get_localzone_name

        try:
            return ZoneInfo(get_localzone_name() or "UTC")
        except (ZoneInfoNotFoundError, ValueError):
            return ZoneInfo("UTC")


class ChatOptions(Section):
    """The conversation in the terminal."""

    agent: str | None = Field(
        default=None,
        description="Who answers when no --agent is given; the first agent above if left out.",
        examples=["work"],
        json_schema_extra={"allowed": "the name of an agent"},
    )


class LogOptions(Section):
    """What is written down about the program's own work; never what you say."""

    level: Literal["debug", "info", "warning", "error"] = Field(
        default="info",
        description="From which level on.",
        examples=["debug"],
    )


def standard_agents() -> dict[str, AgentOptions]:
    """The two agents that exist before anything is configured."""
    return {
        "personal": AgentOptions(about="Everyday life: people, plans, home, health."),
        "work": AgentOptions(about="Work: projects, decisions, colleagues, deadlines."),
    }


class Config(Section):
    """Everything that can be set."""

    agents: dict[AgentName, AgentOptions] = Field(
        default_factory=standard_agents,
        min_length=1,
        description="Who there is to talk to. What stands here replaces the two that exist by default.",
    )
    owner: OwnerOptions = Field(default_factory=OwnerOptions)
    memory: MemoryOptions = Field(default_factory=MemoryOptions)
    tools: ToolsOptions = Field(default_factory=ToolsOptions)
    chat: ChatOptions = Field(default_factory=ChatOptions)
    model: ModelOptions = Field(default_factory=ModelOptions)
    telegram: TelegramSection = Field(default_factory=TelegramSection)
    discord: DiscordSection = Field(default_factory=DiscordSection)
    access: AccessSection = Field(default_factory=AccessSection)
    routes: tuple[RouteSection, ...] = Field(
        default=(),
        description="Which agent answers where: a list of an agent and conditions (platform, account, guild, chat, "
        "thread, role, user). Of those that fit, the most specific wins: user, role, thread, chat, guild, account, "
        "platform.",
        examples=[[{"agent": "work", "platform": "discord", "guild": "81384788765712384"}]],
    )
    voice: VoiceSection = Field(default_factory=VoiceSection)
    files: FilesSection = Field(default_factory=FilesSection)
    chats: ChatsSection = Field(default_factory=ChatsSection)
    session: SessionOptions = Field(default_factory=SessionOptions)
    limits: LimitsSection = Field(default_factory=LimitsSection)
    health: HealthSection = Field(default_factory=HealthSection)
    log: LogOptions = Field(default_factory=LogOptions)

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

    def memory_of(self, agent: str) -> MemoryOptions:
        """How an agent's memory works: the options that it has of its own, the others from `memory`."""
        return _merged(self.memory, self.agents[agent].memory)

    def session_of(self, agent: str) -> SessionOptions:
        """How an agent's conversations go on: the options that it has of its own, the others from `session`."""
        return _merged(self.session, self.agents[agent].session)

    def model_of(self, agent: str) -> ModelOptions:
        """The language model of an agent: its own, or the one of all.

        With a `base_url` of its own it stands alone: a key is never sent to another address than the one it was
        written for.
        """
        own = self.agents[agent].model
        return own if own and "base_url" in own.model_fields_set else _merged(self.model, own)

    def agent(self, wanted: str | None) -> str:
        """The name of an agent that exists: the wanted one, or the default.

        Raises:
            Missing: there is no such agent.
        """
        if wanted is None:
            return self.default_agent
        if wanted not in self.agents:
            raise Missing(
                f'No agent is called "{wanted}". There are: {", ".join(self.agents)}.',
                hint=did_you_mean(wanted, self.agents) or "Add it under agents: in config.yaml (see: scrubjay paths).",
            )
        return wanted


def secrets_of(section: BaseModel) -> Iterator[str]:
    """Every secret that a configuration holds, so that the log can hide it."""
    for name in type(section).model_fields:
        yield from _secrets_in(getattr(section, name))


def _secrets_in(value: object) -> Iterator[str]:
    if isinstance(value, SecretStr):
        yield from filter(None, [value.get_secret_value()])
    elif isinstance(value, BaseModel):
        yield from secrets_of(value)
    elif isinstance(value, dict | list | tuple):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _secrets_in(inner)


def _merged(common: S, own: S | None) -> S:
    """Return the options of all with those in their place that one agent has of its own."""
    return common.model_copy(update={name: getattr(own, name) for name in own.model_fields_set}) if own else common


def _zone(name: str) -> ZoneInfo:
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        hint = did_you_mean(name.replace(" ", "_"), available_timezones())
        raise refuse(hint=hint) from error
