"""The adapters by their accounts, and one attempt to send through them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Iterable
from dataclasses import dataclass
from enum import Enum

import structlog

from adapters.port import (
    Adapter,
    AdapterError,
    Address,
    Ambiguous,
    Capabilities,
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


class SendOutcome(Enum):
    """What is known about a message whose request failed."""

    UNSENT = "no byte was taken"
    UNCLEAR = "it may have arrived"
    REFUSED = "it never will"
    GONE = "what was to be edited is not there"
    MOVED = "the chat has another id"
    BROKEN = "the adapter failed in a way of its own"


_FATES: tuple[tuple[type[AdapterError], SendOutcome], ...] = (
    (ChatMoved, SendOutcome.MOVED),
    (MessageGone, SendOutcome.GONE),
    (SendRefused, SendOutcome.REFUSED),
    (SlowDown, SendOutcome.UNSENT),
    (NotSent, SendOutcome.UNSENT),
    (LoginRefused, SendOutcome.UNSENT),
    (Ambiguous, SendOutcome.UNCLEAR),
)
"""The first that fits counts."""


@dataclass(frozen=True, slots=True)
class SendFailure:
    """A request that failed; `wait_s` if the platform asked for it, `chat` if it has another id now."""

    fate: SendOutcome
    reason: str
    wait_s: float | None = None
    chat: str = ""


async def attempt(request: Awaitable[Receipt], out: Outbound) -> Receipt | SendFailure:
    """Wait for a request about a message, but not for ever."""
    try:
        async with asyncio.timeout(TIMEOUT_S):
            return await request
    except TimeoutError:
        return SendFailure(SendOutcome.UNCLEAR, f"no answer within {TIMEOUT_S} s")
    except Exception as error:
        fate = next((fate for kind, fate in _FATES if isinstance(error, kind)), SendOutcome.BROKEN)
        if fate is SendOutcome.BROKEN:
            log.exception("adapter.failed", part=out.id, platform=out.to.platform)
            return SendFailure(fate, f"{out.to.platform} adapter: {error!r}")
        wait_s, chat = getattr(error, "seconds", None), getattr(error, "chat", "")
        return SendFailure(fate, str(error), wait_s, chat)


UNKNOWN = Capabilities(text_limit=2000)
"""What any platform can take, for a chat whose adapter does not run at the moment."""


class Adapters:
    """One adapter for each bot account."""

    def __init__(self, adapters: Iterable[Adapter]) -> None:
        self._adapters = {f"{adapter.platform}.{adapter.bot}": adapter for adapter in adapters}

    @property
    def accounts(self) -> frozenset[str]:
        """The bot accounts (`Address.account`) that run."""
        return frozenset(self._adapters)

    def adapter(self, to: Address) -> Adapter:
        """The adapter that serves a chat; `KeyError` if its account does not run."""
        return self._adapters[to.account]

    def find(self, to: Address) -> Adapter | None:
        """The adapter that serves a chat; None if its account does not run."""
        return self._adapters.get(to.account)

    def capabilities(self, to: Address) -> Capabilities:
        """What can be sent there."""
        adapter = self.find(to)
        return adapter.capabilities if adapter else UNKNOWN
