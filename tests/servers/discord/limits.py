"""Discord's rate limits: buckets per route and channel, announced in headers; generous until a test tightens them."""

from __future__ import annotations

import hashlib
import re
import time
from collections import defaultdict, deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase

VIA = {"Via": "1.1 discord"}
"""Without this header discord.py takes a 429 for a Cloudflare ban and raises instead of waiting."""


@dataclass(frozen=True, slots=True)
class Rule:
    """So many requests in so many seconds, on routes that fit the pattern."""

    on: str
    count: int
    window_s: float


@dataclass(frozen=True, slots=True)
class Verdict:
    """The headers to send, and how long to wait if it was one request too many."""

    headers: Mapping[str, str]
    wait_s: float = 0.0
    is_global: bool = False


GLOBAL = {"X-RateLimit-Global": "true", "X-RateLimit-Scope": "global"}
BAN_WINDOW_S, INVALID_BEFORE_BAN = 600.0, 10_000


class Limits:
    """Sliding windows. The rule added last that fits a route counts."""

    def __init__(self, *, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._rules = [Rule("*", 1000, 1.0)]
        self._overall = Rule("*", 1000, 1.0)
        self._all: deque[float] = deque()
        self._invalid: deque[float] = deque()
        self._monotonic = monotonic
        self._taken: dict[str, deque[float]] = defaultdict(deque)

    def add(self, rule: Rule) -> None:
        self._rules.insert(0, rule)
        self._taken.clear()

    def allow_overall(self, count: int, window_s: float) -> None:
        """Set the limit of all requests of the bot together; Discord's own is 50 in a second."""
        self._overall = Rule("*", count, window_s)

    def count_invalid(self, status: int) -> None:
        """Count an answer that Discord takes for a sign of abuse."""
        if status in {401, 403, 429}:
            self._invalid.append(self._monotonic())

    @property
    def invalid(self) -> int:
        """How many there were in the last ten minutes; from 10,000 on, Discord bans the address."""
        _forget(self._invalid, self._monotonic() - BAN_WINDOW_S)
        return len(self._invalid)

    def admit(self, method: str, path: str, *, epoch: float) -> Verdict:
        """Count a request; interactions and webhooks are not limited. `epoch` is the time, for the headers."""
        if re.match(r"/(interactions|webhooks)/", path):
            return Verdict({})
        now = self._monotonic()
        if self.invalid >= INVALID_BEFORE_BAN:
            return Verdict({}, BAN_WINDOW_S)
        _forget(self._all, now - self._overall.window_s)
        if len(self._all) >= self._overall.count:
            return Verdict(VIA | GLOBAL, self._overall.window_s - (now - self._all[0]), is_global=True)
        self._all.append(now)
        rule = next(rule for rule in self._rules if fnmatchcase(f"{method} {path}", rule.on))
        major = re.match(r"/(?:channels|guilds)/(\d+)", path)
        shape = method + re.sub(r"\d{5,}", "#", path)
        taken = self._taken[f"{shape} {major[1] if major else ''}"]
        _forget(taken, now - rule.window_s)
        is_over = len(taken) >= rule.count
        if not is_over:
            taken.append(now)
        reset_s = rule.window_s - (now - taken[0])
        headers = VIA | {
            "X-RateLimit-Limit": str(rule.count),
            "X-RateLimit-Remaining": str(rule.count - len(taken)),
            "X-RateLimit-Reset-After": f"{reset_s:.3f}",
            "X-RateLimit-Reset": f"{epoch + reset_s:.3f}",
            "X-RateLimit-Bucket": hashlib.sha256(shape.encode()).hexdigest()[:32],
        }
        return Verdict(headers, reset_s if is_over else 0.0)


def _forget(instants: deque[float], until: float) -> None:
    """Drop the instants up to this one."""
    while instants and instants[0] <= until:
        instants.popleft()
