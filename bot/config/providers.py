"""Known providers of language models, and what finds a way to one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Provider:
    """Somebody in the cloud who wants a key, or a program on this machine.

    Attributes:
        name: as people know it.
        base_url: where it is reached.
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
class Found:
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


def with_keys(environment: Mapping[str, str]) -> tuple[Found, ...]:
    """Providers whose key stands in the environment; nothing is sent. `OPENAI_BASE_URL` says whose key it really is."""
    found = [provider for provider in CLOUD if environment.get(provider.variable, "").strip()]
    other = environment.get("OPENAI_BASE_URL", "").strip()
    return tuple(
        Found(
            replace(provider, name="OPENAI_BASE_URL", base_url=other, likes=())
            if other and provider is CLOUD[0]
            else provider
        )
        for provider in found
    )
