"""Language models as they are configured, and the providers that are known."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Literal, Self, TypeVar
from urllib.parse import urlsplit

from pydantic import BeforeValidator, Field, SecretStr, field_validator, model_validator

from bot.config.environment import VARIABLES
from bot.config.options.fields import Address, Key, Seconds, Section, Whole, merged, refuse, strip_text


@dataclass(frozen=True, slots=True)
class Provider:
    """Somebody in the cloud who wants a key, or a program on this machine.

    Attributes:
        variable: the environment variable that usually holds its key; empty for a local server.
        likes: how the names of models begin that suit a chat with tools, the best first.
    """

    name: str
    base_url: str
    variable: str = ""
    likes: tuple[str, ...] = ()


CLOUD = (
    Provider("OpenAI", "https://api.openai.com/v1", "OPENAI_API_KEY", ("gpt-5-mini", "gpt-4.1-mini", "gpt-4o-mini")),
    Provider("OpenRouter", "https://openrouter.ai/api/v1", "OPENROUTER_API_KEY", ("openrouter/auto",)),
    Provider("Anthropic", "https://api.anthropic.com/v1", "ANTHROPIC_API_KEY", ("claude-sonnet", "claude-haiku")),
    Provider(
        "Google", "https://generativelanguage.googleapis.com/v1beta/openai", "GEMINI_API_KEY", ("models/gemini-flash",)
    ),
    Provider("Mistral", "https://api.mistral.ai/v1", "MISTRAL_API_KEY", ("mistral-medium-latest", "mistral-small")),
    Provider("DeepSeek", "https://api.deepseek.com/v1", "DEEPSEEK_API_KEY", ("deepseek-chat", "deepseek")),
    Provider("Groq", "https://api.groq.com/openai/v1", "GROQ_API_KEY", ("openai/gpt-oss", "llama-3.3")),
    Provider("xAI", "https://api.x.ai/v1", "XAI_API_KEY", ("grok",)),
    Provider("Together", "https://api.together.xyz/v1", "TOGETHER_API_KEY", ("openai/gpt-oss", "meta-llama")),
)

LOCAL = (
    Provider("Ollama", "http://127.0.0.1:11434/v1", likes=("qwen3", "gpt-oss", "llama3")),
    Provider("LM Studio", "http://127.0.0.1:1234/v1", likes=("qwen", "openai/gpt-oss", "llama")),
    Provider("llama.cpp", "http://127.0.0.1:8080/v1"),
)


@dataclass(frozen=True, slots=True)
class ModelSource:
    """A way to a model.

    Attributes:
        provider: whose it is; its `base_url` is the one to use.
        models: what it offers, as far as it was asked.
    """

    provider: Provider
    models: tuple[str, ...] = ()

    @property
    def api_key(self) -> str:
        """What belongs into the configuration: a reference, never the key."""
        return f"${{{self.provider.variable}}}" if self.provider.variable else ""

    @property
    def proposal(self) -> str:
        """The model to begin with; empty if nobody knows. At home any is better than none, a cloud's are not alike."""
        for liked in self.provider.likes:
            if fitting := [name for name in self.models if name.startswith(liked)]:
                return min(fitting, key=len)
        return "" if self.provider.variable else next(iter(self.models), "")


def with_keys(environment: Mapping[str, str] = VARIABLES) -> tuple[ModelSource, ...]:
    """Providers whose key stands in the environment; nothing is sent. `OPENAI_BASE_URL` says whose key it really is."""
    providers = list(CLOUD)
    if other := environment.get("OPENAI_BASE_URL", "").strip():
        providers[0] = replace(CLOUD[0], name="OPENAI_BASE_URL", base_url=other, likes=())
    return tuple(ModelSource(provider) for provider in providers if environment.get(provider.variable, "").strip())


COMPLETIONS = "/chat/completions"

SEEING = re.compile(
    r"gpt-(4o|4\.1|4-turbo|[5-9])|\bo[134](?!-mini|\w)|\bo4-mini|claude|gemini|grok-[4-9]|pixtral|llava|moondream"
    r"|mistral-(medium|small)-?3|minicpm-v|gemma-?[34]|llama-?4|vision|omni|\dvl|(?<![a-z])vl(?![a-z])"
)
"""What the names of models hold that see pictures, by their providers' pages."""


class TimeoutOptions(Section):
    """How long the model may take, in seconds."""

    connect: Seconds = Field(default=10.0, examples=[5])
    """Until a connection stands."""
    silence: Seconds = Field(default=120.0, examples=[300])
    """Without a sign of life. A large model on a small machine may take minutes to its first word."""
    total: Seconds = Field(default=300.0, examples=[600])
    """For one answer, with everything: waiting, asking again, the last word."""


class ModelOptions(Section):
    """The language model: any endpoint that speaks the OpenAI protocol, in the cloud or on this machine."""

    name: Annotated[str, BeforeValidator(strip_text)] = Field(default="", max_length=200, examples=["gpt-5-mini"])
    """Its name at the provider. Empty: no model, answers are quotes from memory."""
    base_url: Address = Field(default="https://api.openai.com/v1", examples=["http://localhost:11434/v1"])
    """Where it is reached, as http://localhost:11434/v1 for Ollama; most addresses end in /v1."""
    api_key: Key = Field(default=SecretStr(""), examples=["${OPENAI_API_KEY}"])
    """The provider's key. Better a reference than the key itself; local servers need none."""
    context_tokens: Whole = Field(default=32_000, ge=2000, le=10_000_000, examples=[128_000])
    """How many tokens fit into it, question and answer together; what is oldest is left out. Local servers are often
    started with 4096, whatever the model could do."""
    output_tokens: Whole | None = Field(default=None, ge=16, le=1_000_000, examples=[4096])
    """How long one answer may be; left out, the provider decides. Of context_tokens a quarter, at most 20000, is kept
    free for it, or as much as stands here if that is more, up to a half."""
    temperature: float | None = Field(default=None, ge=0, le=2, examples=[0.7])
    """How freely it words things, from 0 to 2; left out, the provider decides."""
    sees: Literal["auto", "yes", "no"] = Field(default="auto", examples=["yes"])
    """Whether it is shown the pictures that people send; auto goes by its name."""
    timeouts: TimeoutOptions = Field(default_factory=TimeoutOptions)

    @field_validator("base_url")
    @classmethod
    def _without_verb(cls, given: str) -> str:
        return given.removesuffix(COMPLETIONS)

    def doubts(self) -> Iterator[tuple[str, str, str]]:
        """What is possible and hardly meant, as (option, what is so, what to do)."""
        has_key, host = bool(self.api_key.get_secret_value()), urlsplit(self.base_url).netloc.rpartition("@")[2]
        if not self.name and has_key:
            yield "name", "there is a key and no model to use it for", "Name one, or run: scrubjay init"
        wants_key = next((provider for provider in CLOUD if urlsplit(provider.base_url).netloc == host), None)
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


M = TypeVar("M", bound=ModelOptions)


def completed(own: M, other: M) -> M:
    """Return a model with what it leaves out as another one has it; with an address of its own it stands alone."""
    return own if "base_url" in own.model_fields_set else merged(other, own)


class PrimaryModelOptions(ModelOptions):
    """The language model: any endpoint that speaks the OpenAI protocol, in the cloud or on this machine."""

    fallbacks: tuple[ModelOptions, ...] = Field(
        default=(), examples=[[{"name": "qwen3:8b", "base_url": "http://localhost:11434/v1"}]]
    )
    """Models that answer, in this order, while this one does not: it is out, refuses the key, is unknown or gets too
    many requests. What one leaves out is as above, unless it has a base_url of its own."""

    @model_validator(mode="after")
    def _fallbacks_are_named(self) -> Self:
        for number, fallback in enumerate(self.fallbacks):
            if not fallback.name:
                raise refuse("the name of a model", at=f"fallbacks.{number}.name")
        return self

    @property
    def in_order(self) -> tuple[ModelOptions, ...]:
        """Every model, in the order in which they are asked; none if there is none at all."""
        if not self.is_configured:
            return ()
        first = ModelOptions.model_validate({name: getattr(self, name) for name in ModelOptions.model_fields})
        return (first, *(completed(fallback, first) for fallback in self.fallbacks))
