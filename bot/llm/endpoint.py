"""One model of one provider: where it is reached, and with what key."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import groupby
from urllib.parse import urlsplit

from pydantic import SecretStr

from bot.config.options.fields import is_local
from bot.config.options.providers import ModelOptions

HIDDEN = "[hidden]"

FRAGMENT = 8
"""Characters of a key that must not be told: providers like to repeat its beginning when they refuse it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """One model of one provider.

    Attributes:
        model: its id there.
        base_url: the address before `/chat/completions`.
        api_key: empty for a local server that asks for none.
        temperature: None leaves it to the provider; many models refuse anything else.
        connect_s: seconds until a connection stands.
        read_s: seconds of silence after which an answer is given up.
    """

    model: str
    base_url: str
    api_key: SecretStr = field(default_factory=lambda: SecretStr(""))
    temperature: float | None = None
    connect_s: float = 10.0
    read_s: float = 120.0

    @property
    def label(self) -> str:
        """What it is called in messages and logs: `qwen3:8b at localhost:11434`."""
        return f"{self.model} at {self.host}" if self.model else self.host

    @property
    def host(self) -> str:
        """Host and port, without a password that somebody may have put before them."""
        return urlsplit(self.base_url).netloc.rpartition("@")[2]

    @property
    def is_local(self) -> bool:
        return is_local(self.base_url)

    def mask(self, text: str) -> str:
        """Return the text without the key, and without any larger part of it."""
        key = self.api_key.get_secret_value()
        size = min(FRAGMENT, len(key))
        is_secret = [False] * len(text)
        for at in range(len(text) - size + 1) if size else ():
            if text[at : at + size] in key:
                is_secret[at : at + size] = [True] * size
        runs = groupby(zip(text, is_secret, strict=True), key=lambda pair: pair[1])
        return "".join(HIDDEN if hidden else "".join(sign for sign, _ in run) for hidden, run in runs)


def endpoint_of(options: ModelOptions) -> Endpoint:
    """Return the endpoint that is configured."""
    return Endpoint(
        model=options.name,
        base_url=options.base_url,
        api_key=options.api_key,
        temperature=options.temperature,
        connect_s=options.timeouts.connect,
        read_s=options.timeouts.silence,
    )
