"""A context to look at, and a check as a function."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from bot.config.loader import examine
from bot.doctor.base import Check, CheckContext, Finding, Severity
from bot.errors import BotError
from bot.paths import Home
from memory import Embedder, Embedding, FrozenClock, Memory, Mode
from memory.errors import Busy

Look = Callable[..., Awaitable[list[Finding]]]


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home.at(tmp_path / "home")


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock(datetime(2026, 11, 21, 9, 30, tzinfo=UTC))


@pytest.fixture
def look(home: Home, clock: FrozenClock) -> Look:
    """Run one check on the home as it is now; the memory of one agent may be `locked`, an `embedder` be configured.

    Other fields of the context can be given by name.
    """

    async def run(check: Check, locked: str = "", embedder: Embedder | None = None, **more: Any) -> list[Finding]:
        @asynccontextmanager
        async def open_memory(agent: str) -> AsyncIterator[Memory]:
            if agent == locked:
                raise Busy("Another process holds the workspace.", hint="Wait for it.")
            opened = await Memory.open(home.workspace(agent), index=home.index(agent), clock=clock, mode=Mode.READ_ONLY)
            async with opened as memory:
                yield memory

        embedding = Embedding(embedder, home.cache / "vectors.sqlite") if embedder else None
        known = {"embedding": lambda _: embedding, "ask": nobody, "rebuild": nobody} | more
        context = CheckContext(home, clock, examine(home, environment={}), open_memory, **known)
        return [finding async for finding in check.detect(context)]

    return run


async def nobody(*_: object, **_about: object) -> Any:
    """Answer as where no service runs, and nothing may be written."""
    raise BotError("There is nobody to ask.")


def wrong(findings: list[Finding]) -> list[Finding]:
    """What wants a look."""
    return [finding for finding in findings if finding.severity is not Severity.NOTE]
