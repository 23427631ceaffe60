"""Where a model is reached: address, key, patience; and how to speak of it without giving the key away."""

from __future__ import annotations

from dataclasses import dataclass, field
from ipaddress import ip_address
from urllib.parse import urlsplit

from pydantic import SecretStr

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
        """Whether it runs on this machine."""
        name = urlsplit(self.base_url).hostname or ""
        try:
            return ip_address(name).is_loopback
        except ValueError:
            return name == "localhost" or name.endswith(".localhost")

    def masked(self, text: str) -> str:
        """The text without the key, and without any larger part of it."""
        key = self.api_key.get_secret_value()
        size = min(FRAGMENT, len(key))
        told = bytearray(len(text))
        for at in range(len(key) - size + 1) if size else ():
            _mark(told, text, key[at : at + size])
        return "".join(
            HIDDEN if told[at] else sign for at, sign in enumerate(text) if not (told[at] and at and told[at - 1])
        )


def _mark(told: bytearray, text: str, part: str) -> None:
    at = text.find(part)
    while at >= 0:
        told[at : at + len(part)] = b"\1" * len(part)
        at = text.find(part, at + 1)
