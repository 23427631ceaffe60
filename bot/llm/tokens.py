"""Estimates of tokens, and the window they must fit."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from math import ceil

from bot.llm.types import Message, Picture, Request, Tool, Usage

_PIECE = re.compile(
    r"_?[A-Z]?[a-z]{1,7}|[A-Z]{1,2}|[\u00c0-\u024f]"  # Latin: most English words are one token; accents cut words
    r"|\d{1,3}"
    r"|[\u0370-\u052f\u0590-\u06ff\u0900-\u0eff]{1,3}"  # Greek, Cyrillic, Hebrew, Arabic, of India, Thai, Lao
    r"|[\u3040-\u30ff]{1,2}"  # kana
    r"|[!-/:-@\[-`{-~]{1,3}\n*|\n+|\t+| {2,}"  # code, lists, indentation
    r"|[^ -~]"  # Chinese, Korean, emoji, whatever else
)
"""What is about one token to OpenAI's newer models (o200k): the lengths were chosen on prose, code, logs and data."""

COUNTED_CHARS = 100_000
"""Characters whose pieces are listed at once: a list of all pieces of a file of 20 MB takes eight times as much."""

PER_MESSAGE = 4
"""Tokens of the marks around a message, its role among them (OpenAI cookbook, "How to count tokens")."""

PER_REPLY = 3
"""Tokens with which every answer is opened, from the same source."""

PER_TOOL = 8
"""Tokens around a tool beside its schema, about; the ratio below corrects it with the rest."""

PIXELS_PER_TOKEN = 750
"""Of a picture: the most that a large provider counts (Anthropic, "Vision"); others count fewer tokens for it."""

MAX_KEPT_COUNTS = 16_384
"""Texts whose count is kept, by their hashes: the histories of all chats are counted again with every turn."""

MAX_KEPT_TOOLS = 512
"""Tools on offer whose count is kept."""

MIN_RATIO, MAX_RATIO = 0.5, 3.0
"""Bounds of a believable ratio; some servers report the uncached part only, or another request's count."""

WEIGHT = 0.8
"""What an older report weighs against the next one."""


CountText = Callable[[str], int]
"""Counts the tokens of a text, in linear time."""


def estimate(text: str) -> int:
    """Estimate the tokens of a text; most are within a fifth of o200k, and what a model reports corrects the rest.

    A tokenizer's tables would take 60 MB, a quarter of the whole process, and hold all of it up as they are read; for
    models with another vocabulary it would estimate, too.
    """
    if len(text) <= COUNTED_CHARS:
        return len(_PIECE.findall(text))
    parts = range(0, len(text), COUNTED_CHARS)
    return sum(len(_PIECE.findall(text, start, start + COUNTED_CHARS)) for start in parts)


def picture_tokens(picture: Picture) -> int:
    """Return how many tokens a picture takes, about."""
    return ceil(picture.width * picture.height / PIXELS_PER_TOKEN)


class TokenCounter:
    """Counts messages, tools and requests, and learns for each model how far off it is."""

    def __init__(self, count: CountText = estimate) -> None:
        self._count_anew = count
        self._kept: dict[int, int] = {}
        self.tool: Callable[[Tool], int] = lru_cache(MAX_KEPT_TOOLS)(
            lambda tool: PER_TOOL + self.text(tool.name + tool.description + json.dumps(tool.parameters))
        )
        self._reported: dict[str, float] = {}
        self._counted: dict[str, float] = {}

    def text(self, text: str) -> int:
        """Count the tokens of a text alone, uncorrected."""
        key = hash(text)
        known = self._kept.get(key)
        if known is None:
            if len(self._kept) >= MAX_KEPT_COUNTS:
                self._kept.clear()
            known = self._kept[key] = self._count_anew(text)
        return known

    def message(self, message: Message) -> int:
        """Count the tokens of a message with its calls and the thoughts that go back with them, uncorrected."""
        if not (message.extra or message.calls or message.pictures):
            return PER_MESSAGE + self.text(message.text)
        thoughts = sum(self.text(text) for text in message.extra.values() if isinstance(text, str))
        calls = sum(self.text(call.name + json.dumps(call.arguments)) + PER_MESSAGE for call in message.calls)
        return PER_MESSAGE + self.text(message.text) + calls + thoughts + sum(map(picture_tokens, message.pictures))

    def request(self, request: Request, *, model: str) -> int:
        """Count the tokens of a whole request as this model would count them."""
        return ceil(self._plain(request) * self.ratio(model))

    def ratio(self, model: str) -> float:
        """Reported tokens for each one counted; 1 until there was a report.

        The weighted mean of all reports: sum(w_i * reported_i) / sum(w_i * counted_i), where w falls by a fifth with
        each later report, so that long requests count for more than short ones and old ones fade.
        """
        if model not in self._counted:
            return 1.0
        return min(MAX_RATIO, max(MIN_RATIO, self._reported[model] / self._counted[model]))

    def learn(self, request: Request, usage: Usage, *, model: str) -> None:
        """Record what a model reported for a request."""
        if usage.prompt <= 0:
            return
        self._reported[model] = WEIGHT * self._reported.get(model, 0.0) + usage.prompt
        self._counted[model] = WEIGHT * self._counted.get(model, 0.0) + self._plain(request)

    def _plain(self, request: Request) -> int:
        messages = sum(self.message(message) for message in request.messages)
        return PER_REPLY + messages + sum(self.tool(tool) for tool in request.tools)


CHARS_PER_TOKEN = 4
"""For limits that are kept in characters."""


@dataclass(frozen=True, slots=True)
class Window:
    """A window of so many tokens, question and answer together; `output` is the longest answer, 0 if unknown."""

    tokens: int
    output: int = 0

    @property
    def reserve(self) -> int:
        """Tokens kept free for the answer and what its tools bring."""
        return max(min(20_000, self.tokens // 4), min(self.output, self.tokens // 2))

    @property
    def keep(self) -> int:
        """Tokens of the newest part of a conversation that a summary leaves as it is."""
        return min(20_000, self.tokens // 3)

    @property
    def soft(self) -> int:
        """Tokens before a request is full at which what matters is noted."""
        return min(4_000, self.tokens // 20)

    @property
    def bootstrap(self) -> int:
        """Tokens that the workspace's own files may take up in every request."""
        return min(15_000, self.tokens // 4)

    @property
    def bootstrap_file(self) -> int:
        """Tokens of one of them."""
        return self.bootstrap // 3

    @property
    def recalled(self) -> int:
        """Characters of the facts that are recalled for a message."""
        return min(2_400, self.tokens // 20 * CHARS_PER_TOKEN)

    @property
    def tool_result(self) -> int:
        """Characters of one tool's result."""
        return min(50_000, self.tokens // 8 * CHARS_PER_TOKEN)

    @property
    def request(self) -> int:
        """Tokens that a request may have."""
        return self.tokens - self.reserve
