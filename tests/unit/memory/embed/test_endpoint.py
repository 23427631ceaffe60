"""One request, tried again where that helps; a wrong answer never passes for a right one."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from aiohttp import web

from memory.embed.endpoint import Endpoint, Wire
from memory.embed.patience import Patience
from memory.errors import EmbeddingFailed, TextRefused
from memory.ports import FrozenClock
from tests.unit.memory.embed.scripted import ScriptedEndpoint, json_body, status, trigrams, vectors

QUICK = Patience(attempts=3, request_s=5, deadline_s=20, first_wait_s=0.001, longest_wait_s=0.01)

Open = Callable[[Endpoint], Wire]


@pytest.fixture
async def wire(endpoint: ScriptedEndpoint) -> AsyncIterator[Wire]:
    opened = connected(Endpoint(endpoint.url, "scripted", api_key="k-1"))
    yield opened
    await opened.close()


def connected(endpoint: Endpoint) -> Wire:
    return Wire(endpoint, clock=FrozenClock(datetime(2026, 11, 21, tzinfo=UTC)))


async def test_rows_come_in_the_order_of_the_texts(wire: Wire, endpoint: ScriptedEndpoint) -> None:
    assert await wire.ask(["one", "two", "three"], QUICK) == [trigrams(text) for text in ("one", "two", "three")]
    assert endpoint.keys == ["Bearer k-1"]
    assert endpoint.bodies[0]["model"] == "scripted"
    assert "dimensions" not in endpoint.bodies[0]


async def test_a_size_is_asked_for_where_one_is_named(endpoint: ScriptedEndpoint) -> None:
    wire = connected(Endpoint(endpoint.url, "scripted", dims=64))

    await wire.ask(["one"], QUICK)
    await wire.close()

    assert endpoint.bodies[0]["dimensions"] == 64


PASSING: dict[str, Callable[[list[str]], web.Response] | str] = {
    "rate limit": status(429),
    "rate limit, at once": status(429, retry_after="0"),
    "rate limit, soon": status(429, retry_after="0.001"),
    "error": status(500),
    "error with nonsense": status(503, retry_after="soon"),
    "reset": "reset",
    "half a body": lambda _: json_body("{"),
    "a list": lambda _: json_body("[]"),
    "null": lambda _: json_body("null"),
    "no data": lambda _: json_body('{"data": null}'),
    "data of another kind": lambda _: json_body('{"data": "vectors"}'),
    "a foreign index": lambda _: json_body('{"data": [{"index": 7, "embedding": [1]}]}'),
    "no index": lambda _: json_body('{"data": [{"index": null, "embedding": [1]}, 3]}'),
    "too many": lambda texts: vectors([*texts, "more"]),
    "too few": lambda texts: vectors(texts[:-1]),
    "a page": lambda _: web.Response(text="<html>Please log in</html>", content_type="text/html"),
}


@pytest.mark.parametrize("step", PASSING.values(), ids=PASSING)
async def test_a_failure_that_passes_is_survived(
    wire: Wire, endpoint: ScriptedEndpoint, step: Callable[[list[str]], web.Response] | str
) -> None:
    endpoint.script.extend([step, step])

    assert await wire.ask(["one", "two"], QUICK) == [trigrams("one"), trigrams("two")]
    assert len(endpoint.requests) == 3


async def test_an_endpoint_that_hangs_is_given_up_and_asked_again(wire: Wire, endpoint: ScriptedEndpoint) -> None:
    endpoint.script.append("hang")

    assert await wire.ask(["one"], replace(QUICK, request_s=0.2)) == [trigrams("one")]


async def test_the_deadline_holds_whatever_the_tries(wire: Wire, endpoint: ScriptedEndpoint) -> None:
    endpoint.script.extend(["hang"] * 9)

    with pytest.raises(EmbeddingFailed, match=r"no answer within 0\.3 s"):
        await wire.ask(["one"], replace(QUICK, deadline_s=0.3))


async def test_one_failure_too_many_is_told_with_its_reason(wire: Wire, endpoint: ScriptedEndpoint) -> None:
    endpoint.script.extend([status(503)] * 3)

    with pytest.raises(EmbeddingFailed, match="HTTP 503") as caught:
        await wire.ask(["one"], QUICK)
    assert "words" in caught.value.hint
    assert len(endpoint.requests) == 3


async def test_a_long_pause_is_handed_on_and_not_slept_through(wire: Wire, endpoint: ScriptedEndpoint) -> None:
    endpoint.script.append(status(429, retry_after="3600"))

    with pytest.raises(EmbeddingFailed) as caught:
        await wire.ask(["one"], QUICK)
    assert caught.value.retry_after_s == 3600
    assert len(endpoint.requests) == 1


@pytest.mark.parametrize(("code", "hint"), [(401, "key"), (403, "key"), (404, "address")])
async def test_a_wrong_setting_is_told_at_once(wire: Wire, endpoint: ScriptedEndpoint, code: int, hint: str) -> None:
    endpoint.script.append(status(code))

    with pytest.raises(EmbeddingFailed) as caught:
        await wire.ask(["one"], QUICK)
    assert hint in caught.value.hint
    assert "k-1" not in str(caught.value)
    assert len(endpoint.requests) == 1


@pytest.mark.parametrize("code", [400, 413, 422])
async def test_a_refused_request_is_not_repeated(wire: Wire, endpoint: ScriptedEndpoint, code: int) -> None:
    endpoint.script.append(status(code))

    with pytest.raises(TextRefused):
        await wire.ask(["one"], QUICK)
    assert len(endpoint.requests) == 1


async def test_nobody_there_is_a_failure_with_a_reason() -> None:
    wire = connected(Endpoint("http://127.0.0.1:9/v1", "scripted"))

    with pytest.raises(EmbeddingFailed, match="gave no vectors"):
        await wire.ask(["one"], QUICK)
    await wire.close()
