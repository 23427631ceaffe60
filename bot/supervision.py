"""What goes wrong without anybody having foreseen it: caught here, told in the log, and begun anew."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

import structlog

from adapters.port import LoginRefused
from bot.errors import Fenced
from bot.waiting import Pause

FIRST_WAIT_S = 1.0
LONGEST_WAIT_S = 60.0

RUNNING = "running"
"""How a job stands that does its work."""

FORESEEN = (Fenced, LoginRefused)
"""What beginning anew does not help against."""

T = TypeVar("T")

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Done(Generic[T]):
    """Work that came to an end, and what it came to."""

    result: T


async def outcome(
    work: Awaitable[T], what: str, *, foreseen: tuple[type[Exception], ...] = FORESEEN
) -> Done[T] | Exception:
    """What some work comes to, or an error that nobody foresaw, which is logged; others are raised."""
    try:
        return Done(await work)
    except foreseen:
        raise
    except Exception as error:
        log.exception("unforeseen", what=what)
        return error


def first(failures: ExceptionGroup[Exception]) -> Exception:
    """The first failure of a group itself."""
    failure: Exception = failures
    while isinstance(failure, ExceptionGroup):
        failure = failure.exceptions[0]
    return failure


@dataclass(slots=True)
class Supervision:
    """Keeps jobs running.

    Attributes:
        pause: waits before a job is begun anew; longer each time, unless it ran well in between.
        stands: told of a job's name and how it stands.
        monotonic: seconds.
    """

    pause: Pause
    stands: Callable[[str, str], None]
    monotonic: Callable[[], float] = time.monotonic

    async def keep(self, name: str, job: Callable[[], Awaitable[None]]) -> None:
        """Run a job until it ends by itself or is cancelled; begin it anew when it fails.

        Raises:
            Fenced: another process has taken the agent over.
            LoginRefused: the platform does not let the account in.
        """
        wait_s = FIRST_WAIT_S
        while True:
            began = self.monotonic()
            ended = await outcome(job(), name)
            if isinstance(ended, Done):
                return
            if isinstance(ended, ExceptionGroup) and (known := ended.subgroup(FORESEEN)):
                raise first(known) from ended
            if self.monotonic() - began > LONGEST_WAIT_S:
                wait_s = FIRST_WAIT_S
            log.warning("job.begins_anew", job=name, in_s=wait_s)
            self.stands(name, f"failed ({type(ended).__name__}) and is begun anew; the log tells more")
            await self.pause(wait_s)
            self.stands(name, RUNNING)
            wait_s = min(2 * wait_s, LONGEST_WAIT_S)
