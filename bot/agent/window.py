"""How a model's context window is shared out: every limit scales with its size."""

from __future__ import annotations

from dataclasses import dataclass

CHARS_PER_TOKEN = 4
"""For limits that are kept in characters; counts come from `bot.llm.tokens`."""


@dataclass(frozen=True, slots=True)
class Window:
    """A window of so many tokens, question and answer together."""

    tokens: int

    @property
    def reserve(self) -> int:
        """Tokens kept free for the answer and what its tools bring."""
        return min(20_000, self.tokens // 4)

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
