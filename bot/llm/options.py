"""The section of the configuration that names the model, and the endpoint that it makes."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import urlsplit

from pydantic import Field, SecretStr, field_validator

from bot.configuring.section import Seconds, Section, Whole, refuse
from bot.llm.endpoint import Endpoint
from bot.llm.port import Limits
from bot.llm.providers import CLOUD

COMPLETIONS = "/chat/completions"


class TimeoutOptions(Section):
    """How long the model may take, in seconds."""

    connect: Seconds = Field(
        default=10.0,
        description="Until a connection stands.",
        examples=[5],
    )
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
    base_url: str = Field(
        default="https://api.openai.com/v1",
        description="Where it is reached, as http://localhost:11434/v1 for Ollama; most addresses end in /v1.",
        examples=["http://localhost:11434/v1"],
        json_schema_extra={"allowed": "an address that begins with http:// or https://"},
    )
    api_key: SecretStr = Field(
        default=SecretStr(""),
        description="The provider's key. Better a reference than the key itself; local servers need none.",
        examples=["${OPENAI_API_KEY}"],
    )
    context_tokens: Whole = Field(
        default=32_000,
        ge=2000,
        le=10_000_000,
        description="How many tokens fit into it, question and answer together. What is older is summarised in time. "
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
    timeouts: TimeoutOptions = Field(default_factory=TimeoutOptions)

    @field_validator("name", "base_url", "api_key", mode="before")
    @classmethod
    def _trimmed(cls, given: object) -> object:
        """Keys are pasted, with the line break behind them."""
        return given.strip() if isinstance(given, str) else given

    @field_validator("base_url")
    @classmethod
    def _is_address(cls, given: str) -> str:
        allowed = "an address such as https://api.openai.com/v1 or http://localhost:11434/v1"
        try:
            parts = urlsplit(given)
            host, _ = parts.hostname, parts.port
        except ValueError as error:
            raise refuse(allowed, hint=str(error)) from error
        if parts.scheme not in {"http", "https"} or not host or any(sign.isspace() for sign in given):
            raise refuse(allowed, hint="" if "://" in given else f"Did you mean {_guess(given)} ?")
        if "@" in parts.netloc:
            raise refuse(f"{allowed}, without a password in it", hint="Put the key into api_key.")
        if parts.query or parts.fragment:
            raise refuse(f"{allowed}, without ? and #")
        return given.rstrip("/").removesuffix(COMPLETIONS)

    @field_validator("api_key")
    @classmethod
    def _is_sendable(cls, given: SecretStr) -> SecretStr:
        key = given.get_secret_value()
        if not key.isascii() or not key.isprintable() or " " in key:
            raise refuse("a key without spaces, line breaks and special signs", hint="Copy it again from the provider.")
        return given

    def doubts(self) -> Iterator[tuple[str, str, str]]:
        """What is possible and hardly meant, as (option, what is so, what to do)."""
        has_key, host = bool(self.api_key.get_secret_value()), self.endpoint.host
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
    def limits(self) -> Limits:
        """How far each of its answers may go."""
        return Limits(output_tokens=self.output_tokens, total_s=self.timeouts.total)

    @property
    def endpoint(self) -> Endpoint:
        """Where it is reached."""
        return Endpoint(
            model=self.name,
            base_url=self.base_url,
            api_key=self.api_key,
            temperature=self.temperature,
            connect_s=self.timeouts.connect,
            read_s=self.timeouts.silence,
        )


def _guess(given: str) -> str:
    """An address to which its scheme is missing; what runs on this machine is seldom encrypted."""
    is_local = Endpoint(model="", base_url=f"http://{given}").is_local
    return f"{'http' if is_local else 'https'}://{given}"
