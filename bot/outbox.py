"""Delivers what is owed: in order within a chat, chats side by side."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from functools import partial

import structlog

from adapters.port import Adapter, Ambiguous, LoginRefused, NotSent, Outbound, Receipt, SendRefused, SlowDown
from bot.durable.port import Coordinator, Grant, Part, PartState
from bot.lanes import Lanes
from bot.pause import Pause
from bot.platforms import Platforms

SEND_TIMEOUT_S = 120
LONGEST_WAIT_S = 60
REPEATS = 5
"""How often a part whose fate is unclear is sent again where the platform recognises the repetition."""

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)


class _Fate(Enum):
    UNSENT = "no byte was taken"
    UNCLEAR = "it may have arrived"
    REFUSED = "it never will"


@dataclass(frozen=True, slots=True)
class _Failure:
    fate: _Fate
    reason: str
    wait_s: float | None = None


class Outbox:
    """Hands parts to their adapters until each has a receipt or is given up."""

    def __init__(self, coordinator: Coordinator, *, platforms: Platforms, pause: Pause) -> None:
        self._coordinator = coordinator
        self._platforms = platforms
        self._pause = pause

    async def run(self, grant: Grant) -> None:
        """Deliver for one agent until cancelled, beginning with what an earlier process still owed."""
        async with asyncio.TaskGroup() as group:
            lanes: Lanes[Part] = Lanes(group, partial(self._serve, grant))
            accounts = self._platforms.accounts
            seen = 0
            while True:
                for part in await self._coordinator.outgoing(grant, accounts, after=seen):
                    lanes.put(_chat(part), part)
                    seen = part.seq

    async def _serve(self, grant: Grant, owed: deque[Part]) -> None:
        while owed:
            part = owed.popleft()
            adapter = self._platforms.adapter(part.out.to)
            if part.state is PartState.SENDING and not adapter.capabilities.idempotent:
                await self._give_up(grant, part, "the process ended while it was being sent; it may have arrived")
            else:
                await self._deliver(grant, part, adapter)

    async def _deliver(self, grant: Grant, part: Part, adapter: Adapter) -> None:
        repeatable = adapter.capabilities.idempotent
        for tries, usual_wait in enumerate(_waits(), start=1):
            if not repeatable:  # where a repetition is recognised, recovery may as well begin anew
                await self._coordinator.sending(grant, part.seq)
            outcome = await _attempt(adapter, part.out)
            match outcome:
                case Receipt():
                    return await self._coordinator.receipt(grant, part.seq, outcome)
                case _Failure(_Fate.REFUSED, reason):
                    return await self._give_up(grant, part, reason)
                case _Failure(_Fate.UNCLEAR, reason) if not repeatable or tries > REPEATS:
                    return await self._give_up(grant, part, f"{reason}; it may have arrived")
                case _Failure(_, reason, wait_s):
                    if not repeatable:
                        await self._coordinator.requeue(grant, part.seq)
                    log.warning("part.delayed", part=part.out.id, chat=_chat(part), tries=tries, reason=reason)
                    await self._pause(usual_wait if wait_s is None else wait_s)
        return None

    async def _give_up(self, grant: Grant, part: Part, reason: str) -> None:
        log.error("part.dead", part=part.out.id, chat=_chat(part), reason=reason)
        await self._coordinator.dead(grant, part.seq, reason)


async def _attempt(adapter: Adapter, out: Outbound) -> Receipt | _Failure:
    try:
        async with asyncio.timeout(SEND_TIMEOUT_S):
            return await adapter.send(out)
    except SlowDown as error:
        return _Failure(_Fate.UNSENT, str(error), error.seconds)
    except (NotSent, LoginRefused) as error:
        return _Failure(_Fate.UNSENT, str(error))
    except SendRefused as error:
        return _Failure(_Fate.REFUSED, str(error))
    except (Ambiguous, TimeoutError) as error:
        return _Failure(_Fate.UNCLEAR, str(error) or f"no answer within {SEND_TIMEOUT_S} s")
    except Exception as error:
        log.exception("adapter.failed", part=out.id, platform=out.to.platform)
        return _Failure(_Fate.UNCLEAR, f"{out.to.platform} adapter: {error!r}")


def _waits() -> Iterator[float]:
    """Seconds between tries: 1, 2, 4 ... up to a minute, without end: what is owed stays owed."""
    wait_s = 1
    while True:
        yield wait_s
        wait_s = min(2 * wait_s, LONGEST_WAIT_S)


def _chat(part: Part) -> str:
    return f"{part.out.to.account}:{part.out.to.chat}"
