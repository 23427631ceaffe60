"""How a command reaches the state file: through the running service, or by itself while there is none."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

from bot.cli.invocation import Invocation
from bot.cli.records import hold_home

if TYPE_CHECKING:
    from bot.service.control import Answer

    Ask = Callable[..., Coroutine[Any, Any, Answer]]


@asynccontextmanager
async def admin_client(run: Invocation) -> AsyncIterator[Ask]:
    """Yield a function that asks `bot.service.control.AdminApi`: `await ask("people")`.

    Raises:
        Unreachable: a service runs and does not answer.
        Locked: a chat in a terminal holds the state file.
    """
    from bot.service import control
    from bot.system import instance

    if instance.serves(run.home):
        yield partial(control.ask, run.home.control)
        return
    from bot.access.pairing import Pairings
    from bot.postgresql.state import open_state
    from bot.service.control import AdminApi

    with hold_home(run, command="pair"):
        async with open_state(run.home, run.config, clock=run.clock) as core:
            pairings = Pairings(core.register, clock=run.clock, coordinator=core, marks=core.marks)
            yield AdminApi(core.register, pairings, core.dead_letters, dict).ask
