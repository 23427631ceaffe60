from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from aiohttp import web

from bot.doctor.base import Severity
from bot.doctor.embedder import CHECK
from memory import Embedder, FrozenClock
from memory.embed.endpoint import Endpoint
from memory.embed.lazy import endpoint
from tests.unit.bot.doctor.conftest import Look
from tests.unit.memory.embed.scripted import ScriptedEndpoint, serving, status, vectors


@pytest.fixture
async def server() -> AsyncIterator[ScriptedEndpoint]:
    async with serving() as scripted:
        yield scripted


@pytest.fixture
async def embedder(server: ScriptedEndpoint, clock: FrozenClock) -> AsyncIterator[Embedder]:
    opened = endpoint(Endpoint(server.url, "letters"), clock=clock)
    yield opened
    await opened.close()


async def test_where_meaning_is_switched_off_that_is_all_there_is_to_say(look: Look) -> None:
    (finding,) = await look(CHECK)

    assert (finding.id, finding.severity, finding.place) == ("embedder.none", Severity.NOTE, "personal, work")


async def test_an_embedder_that_passes_its_test_is_named_once_for_all_whom_it_serves(
    look: Look, embedder: Embedder
) -> None:
    (finding,) = await look(CHECK, embedder=embedder)

    assert (finding.id, finding.severity, finding.place) == ("embedder.works", Severity.NOTE, "personal, work")
    assert embedder.identity in finding.message


async def test_one_whose_vectors_mean_nothing_is_a_warning_that_says_what_holds_meanwhile(
    look: Look, embedder: Embedder, server: ScriptedEndpoint
) -> None:
    def same(texts: list[str]) -> web.Response:
        return vectors(texts, **{f"row{number}": [1.0, 0.0] for number in range(len(texts))})

    server.script.extend([same] * 10)

    (finding,) = await look(CHECK, embedder=embedder)

    assert (finding.id, finding.severity) == ("embedder.unusable", Severity.WARNING)
    assert "self-test" in finding.message
    assert "memory.embedder.kind: none" in finding.hint


async def test_one_that_lets_nobody_in_is_a_warning_with_the_reason(
    look: Look, embedder: Embedder, server: ScriptedEndpoint
) -> None:
    server.script.extend([status(401, error="bad key")] * 10)

    (finding,) = await look(CHECK, embedder=embedder)

    assert (finding.id, finding.severity) == ("embedder.unusable", Severity.WARNING)
    assert "key" in finding.hint
