"""What one turn may cost: requests, tokens, seconds, and how often it may do the same thing."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from bot.llm.port import ToolCall, Usage


@dataclass(frozen=True, slots=True)
class Budget:
    """Limits of one turn. When one is reached, the model is asked once more, for an answer without tools."""

    requests: int = 12
    calls: int = 40
    tokens: int = 400_000
    seconds: float = 300.0
    same_call: int = 3
    """How often the identical call is carried out; the next one is told to stop."""


class Spent:
    """What a turn has used of its budget so far."""

    def __init__(self, budget: Budget, *, elapsed: Callable[[], float]) -> None:
        self._budget = budget
        self._elapsed = elapsed
        self._began = elapsed()
        self._tokens = 0
        self._seen: Counter[str] = Counter()
        self.requests = 0

    @property
    def seconds_left(self) -> float:
        """Until the turn has to have an answer."""
        return max(0.0, self._budget.seconds - (self._elapsed() - self._began))

    @property
    def reached(self) -> str:
        """Which limit has been reached, in words; empty if none."""
        if self.requests >= self._budget.requests:
            return f"it has been going on for {self.requests} steps"
        if self._seen.total() >= self._budget.calls:
            return f"it has called {self._seen.total()} tools"
        if self._tokens >= self._budget.tokens:
            return f"it has used {self._tokens:,} tokens"
        return "its time is up" if self.seconds_left <= 0 else ""

    def asked(self, usage: Usage | None, *, estimate: int) -> None:
        """One more request, with what the provider counted or what we estimate."""
        self.requests += 1
        self._tokens += usage.total if usage else estimate

    def is_repetition(self, call: ToolCall) -> bool:
        """Count a call; whether the very same has been carried out often enough."""
        same = f"{call.name} {json.dumps(call.arguments, sort_keys=True)}"
        self._seen[same] += 1
        return self._seen[same] > self._budget.same_call
