"""What an endpoint does not understand of the protocol, learnt from its complaints."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bot.llm.endpoint import Endpoint

OPTIONAL = (
    "stream_options",
    "temperature",
    "tool_choice",
    "max_tokens",
    "max_completion_tokens",
    "reasoning_content",
    "reasoning_details",
    "extra_content",
)
"""What a request can do without. Some models take no temperature, some servers do not know how to count usage."""

DENIALS = (
    "unsupported",
    "not support",
    "not permitted",
    "not allowed",
    "unrecognized",
    "unknown",
    "unexpected",
    "extra_forbidden",
    "additional propert",
)


class Dialect:
    """The parameters that an endpoint refuses. Each is left out after the first complaint, so it costs one request."""

    def __init__(self) -> None:
        self._refused: set[str] = set()

    def spoken(self, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """The parameters without those that are not understood."""
        return {name: value for name, value in parameters.items() if name not in self._refused}

    def limit_name(self, endpoint: Endpoint) -> list[str]:
        """What the output limit is called: OpenAI's newer models refuse the name that everybody else knows."""
        names = ["max_tokens", "max_completion_tokens"]
        if endpoint.host.endswith(("openai.com", "openai.azure.com")):
            names.reverse()
        return [name for name in names if name not in self._refused][:1]

    def learn(self, words: str, body: Mapping[str, Any]) -> list[str]:
        """Take note of a complaint about a request; what will be left out from now on, if anything."""
        if not any(denial in words.lower() for denial in DENIALS):
            return []
        sent = set(body) | {name for message in body["messages"] for name in _names(message)}
        learnt = [name for name in OPTIONAL if name in words and name in sent and name not in self._refused]
        self._refused.update(learnt)
        return learnt


def _names(message: Mapping[str, Any]) -> set[str]:
    return set(message).union(*message.get("tool_calls", ()))
