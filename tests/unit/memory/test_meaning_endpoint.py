"""A provider that is down for an hour: words serve meanwhile, and embedding goes on when it is back."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import pytest

from memory import OWNER, Embedding, FrozenClock, Memory, Origin
from memory.embed.endpoint import Endpoint, RetryPolicy
from memory.embed.lazy import endpoint as behind
from tests.support.factories import NOON
from tests.unit.memory.embed.scripted import ScriptedEndpoint, serving, status

QUICK = RetryPolicy(attempts=1, request_s=5, deadline_s=20, first_wait_s=0.001, longest_wait_s=0.01)
FACTS = [f"The {number}th note about the garden." for number in range(40)]


@pytest.fixture
async def endpoint() -> AsyncIterator[ScriptedEndpoint]:
    async with serving() as scripted:
        yield scripted


async def test_a_provider_that_is_down_for_an_hour(tmp_path: Path, endpoint: ScriptedEndpoint) -> None:
    clock = FrozenClock(NOON)
    where = Endpoint(endpoint.url, "nomic-embed-text", batch=4, queries=QUICK, passages=QUICK)
    embedder = behind(where, clock=clock)
    opened = await Memory.open(
        tmp_path / "workspace",
        index=tmp_path / "index.sqlite",
        clock=clock,
        embedding=Embedding(embedder, tmp_path / "cache.sqlite"),
    )
    async with opened as memory:
        await remember(memory, FACTS[:20])
        await memory.embed()
        assert (await memory.recall("gardenz", scope=OWNER)).mode == "hybrid"

        endpoint.script.extend([status(503)] * 1000)
        await remember(memory, FACTS[20:])
        asked = len(endpoint.requests)
        for minute in range(60):
            await memory.embed()
            found = await memory.recall(f"garden {minute}", scope=OWNER)
            assert (found.mode, bool(found.hits)) == ("words", True)
            clock.advance(minutes=1)
        stands = await memory.status()
        assert (stands.mode, stands.embedded, stands.unembedded) == ("words", 20, 20)
        assert "503" in stands.mode_reason
        assert len(endpoint.requests) - asked <= 60

        endpoint.script.clear()
        clock.advance(minutes=1)
        await memory.embed()

        stands = await memory.status()
        assert (stands.mode, stands.embedded, stands.unembedded) == ("hybrid", 40, 0)
        assert (await memory.recall("gardenz", scope=OWNER)).mode == "hybrid"
    await embedder.close()
    assert clock.now() - NOON == timedelta(minutes=61)


async def remember(memory: Memory, texts: list[str]) -> None:
    for text in texts:
        await memory.remember(text, origin=Origin.OWNER, scope=OWNER, op_id=text, actor="owner")
