from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bot.errors import BotError
from bot.selftest import OpenScratch, prove
from memory import FrozenClock, Line, Memory, Recall, Scope, Where
from memory.model import EVERYWHERE


class Blind(Memory):
    """Finds nothing."""

    async def recall(
        self, query: str, *, scope: Scope, limit: int = 6, budget_chars: int = 8000, where: Where = EVERYWHERE
    ) -> Recall:
        return Recall(query, "words", "The index is empty.", 0, ())


class Stubborn(Memory):
    """Forgets nothing."""

    async def forget(
        self, token: str, *, only: Sequence[int] = (), op_id: str, scope: Scope, actor: str
    ) -> tuple[Line, ...]:
        return ()


def opening(kind: type[Memory]) -> OpenScratch:
    @asynccontextmanager
    async def open_scratch(workspace: Path, index: Path) -> AsyncIterator[Memory]:
        yield await kind.open(workspace, index=index, clock=FrozenClock(datetime(2026, 11, 21, tzinfo=UTC)))

    return open_scratch


async def test_a_memory_that_works_says_where_it_found_the_fact(tmp_path: Path) -> None:
    assert await prove(opening(Memory), beside=tmp_path) == "memory/2026-11-21.md#L4"


async def test_nothing_is_left_behind(tmp_path: Path) -> None:
    await prove(opening(Memory), beside=tmp_path)

    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("kind", "told"),
    [(Blind, "written was not found. The index is empty."), (Stubborn, "what was forgotten was still found")],
)
async def test_a_memory_that_does_not_work_says_what_it_failed_at(
    tmp_path: Path, kind: type[Memory], told: str
) -> None:
    with pytest.raises(BotError) as failed:
        await prove(opening(kind), beside=tmp_path)

    assert told in failed.value.message
    assert failed.value.hint == "Run: scrubjay doctor"
