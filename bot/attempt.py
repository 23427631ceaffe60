"""One request to an adapter, and what became of it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from dataclasses import dataclass
from enum import Enum

import structlog

from adapters.port import (
    AdapterError,
    Ambiguous,
    ChatMoved,
    LoginRefused,
    MessageGone,
    NotSent,
    Outbound,
    Receipt,
    SendRefused,
    SlowDown,
)

TIMEOUT_S = 120

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)


class Fate(Enum):
    """What is known about a message whose request failed."""

    UNSENT = "no byte was taken"
    UNCLEAR = "it may have arrived"
    REFUSED = "it never will"
    GONE = "what was to be edited is not there"
    MOVED = "the chat has another id"
    BROKEN = "the adapter failed in a way of its own"


_FATES: tuple[tuple[type[AdapterError], Fate], ...] = (
    (ChatMoved, Fate.MOVED),
    (MessageGone, Fate.GONE),
    (SendRefused, Fate.REFUSED),
    (SlowDown, Fate.UNSENT),
    (NotSent, Fate.UNSENT),
    (LoginRefused, Fate.UNSENT),
    (Ambiguous, Fate.UNCLEAR),
)
"""The first that fits counts."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A request that failed; `wait_s` if the platform asked for it, `chat` if it has another id now."""

    fate: Fate
    reason: str
    wait_s: float | None = None
    chat: str = ""


async def attempt(request: Awaitable[Receipt], out: Outbound) -> Receipt | Failure:
    """Wait for a request about a message, but not for ever."""
    try:
        async with asyncio.timeout(TIMEOUT_S):
            return await request
    except TimeoutError:
        return Failure(Fate.UNCLEAR, f"no answer within {TIMEOUT_S} s")
    except Exception as error:
        fate = next((fate for kind, fate in _FATES if isinstance(error, kind)), Fate.BROKEN)
        if fate is Fate.BROKEN:
            log.exception("adapter.failed", part=out.id, platform=out.to.platform)
            return Failure(fate, f"{out.to.platform} adapter: {error!r}")
        wait_s, chat = getattr(error, "seconds", None), getattr(error, "chat", "")
        return Failure(fate, str(error), wait_s, chat)
