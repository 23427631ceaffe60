"""A known model is told what it is given, under whatever name its server has it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from datetime import UTC, datetime

import httpx2
import openai
import pytest
from aiohttp import web

from memory.embed.endpoint import (
    FOR_PASSAGES,
    NONE,
    Endpoint,
    EndpointClient,
    RetryPolicy,
    backoff,
    prefixes_for,
    retry_after,
)
from memory.errors import EmbeddingFailed, TextRefused
from memory.ports import FrozenClock, Purpose
from tests.unit.memory.embed.scripted import ScriptedEndpoint, json_body, status, trigrams, vectors

QUICK = RetryPolicy(attempts=3, request_s=5, deadline_s=20, first_wait_s=0.001, longest_wait_s=0.01)

Open = Callable[[Endpoint], EndpointClient]


@pytest.fixture
async def wire(endpoint: ScriptedEndpoint) -> AsyncIterator[EndpointClient]:
    opened = connected(Endpoint(endpoint.url, "scripted", api_key="k-1"))
    yield opened
    await opened.close()


def connected(endpoint: Endpoint) -> EndpointClient:
    return EndpointClient(endpoint, clock=FrozenClock(datetime(2026, 11, 21, tzinfo=UTC)))


async def test_rows_come_in_the_order_of_the_texts(wire: EndpointClient, endpoint: ScriptedEndpoint) -> None:
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
    wire: EndpointClient, endpoint: ScriptedEndpoint, step: Callable[[list[str]], web.Response] | str
) -> None:
    endpoint.script.extend([step, step])

    assert await wire.ask(["one", "two"], QUICK) == [trigrams("one"), trigrams("two")]
    assert len(endpoint.requests) == 3


async def test_an_endpoint_that_hangs_is_given_up_and_asked_again(
    wire: EndpointClient, endpoint: ScriptedEndpoint
) -> None:
    endpoint.script.append("hang")

    assert await wire.ask(["one"], replace(QUICK, request_s=0.2)) == [trigrams("one")]


async def test_the_deadline_holds_whatever_the_tries(wire: EndpointClient, endpoint: ScriptedEndpoint) -> None:
    endpoint.script.extend(["hang"] * 9)

    with pytest.raises(EmbeddingFailed, match=r"no answer within 0\.3 s"):
        await wire.ask(["one"], replace(QUICK, deadline_s=0.3))


async def test_one_failure_too_many_is_told_with_its_reason(wire: EndpointClient, endpoint: ScriptedEndpoint) -> None:
    endpoint.script.extend([status(503)] * 3)

    with pytest.raises(EmbeddingFailed, match="HTTP 503") as caught:
        await wire.ask(["one"], QUICK)
    assert "words" in caught.value.hint
    assert len(endpoint.requests) == 3


async def test_a_long_pause_is_handed_on_and_not_slept_through(
    wire: EndpointClient, endpoint: ScriptedEndpoint
) -> None:
    endpoint.script.append(status(429, retry_after="3600"))

    with pytest.raises(EmbeddingFailed) as caught:
        await wire.ask(["one"], QUICK)
    assert caught.value.retry_after_s == 3600
    assert len(endpoint.requests) == 1


@pytest.mark.parametrize(("code", "hint"), [(401, "key"), (403, "key"), (404, "address")])
async def test_a_wrong_setting_is_told_at_once(
    wire: EndpointClient, endpoint: ScriptedEndpoint, code: int, hint: str
) -> None:
    endpoint.script.append(status(code))

    with pytest.raises(EmbeddingFailed) as caught:
        await wire.ask(["one"], QUICK)
    assert hint in caught.value.hint
    assert "k-1" not in str(caught.value)
    assert len(endpoint.requests) == 1


@pytest.mark.parametrize("code", [400, 413, 422])
async def test_a_refused_request_is_not_repeated(wire: EndpointClient, endpoint: ScriptedEndpoint, code: int) -> None:
    endpoint.script.append(status(code))

    with pytest.raises(TextRefused):
        await wire.ask(["one"], QUICK)
    assert len(endpoint.requests) == 1


async def test_nobody_there_is_a_failure_with_a_reason() -> None:
    wire = connected(Endpoint("http://127.0.0.1:9/v1", "scripted"))

    with pytest.raises(EmbeddingFailed, match="gave no vectors"):
        await wire.ask(["one"], QUICK)
    await wire.close()


NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)


def now() -> datetime:
    return NOW


def answered(status: int, *, code: str | None = None, **headers: str) -> openai.APIStatusError:
    request = httpx2.Request("POST", "http://127.0.0.1/v1/embeddings")
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    response = httpx2.Response(status, request=request, headers=named)
    return openai.APIStatusError("no", response=response, body={"code": code})


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        (None, None),
        ("7", 7.0),
        ("0", 0.0),
        ("1.5", 1.5),
        ("-3", 0.0),
        ("Sat, 21 Nov 2026 12:00:30 GMT", 30.0),
        ("Sat, 21 Nov 2026 11:00:00 GMT", 0.0),
        ("soon", None),
        ("", None),
        ("nan", None),
        ("inf", None),
        ("1e300", 86_400.0),
        ("Sat, 21 Nov 9999 12:00:30 GMT", 86_400.0),
        ("Sat, 31 Feb 2026 12:00:30 GMT", None),
    ],
)
def test_retry_after_is_seconds_or_a_date(header: str | None, seconds: float | None) -> None:
    assert retry_after(header, NOW) == seconds


@pytest.mark.parametrize("status", [408, 409, 429, 500, 502, 503, 529])
def test_a_passing_failure_is_tried_again(status: int) -> None:
    assert backoff(FOR_PASSAGES, now=now)(answered(status)) is True


@pytest.mark.parametrize("status", [400, 401, 403, 404, 413, 422])
def test_a_lasting_failure_is_not(status: int) -> None:
    assert backoff(FOR_PASSAGES, now=now)(answered(status)) is False


def test_a_used_up_quota_does_not_come_back_by_waiting() -> None:
    assert backoff(FOR_PASSAGES, now=now)(answered(429, code="insufficient_quota")) is False


def test_the_wait_is_the_one_that_was_asked_for() -> None:
    assert backoff(FOR_PASSAGES, now=now)(answered(429, retry_after="7")) == 7.0


def test_a_wait_beyond_our_patience_is_not_begun() -> None:
    short = RetryPolicy(attempts=3, request_s=1, deadline_s=5, longest_wait_s=2)

    assert backoff(short, now=now)(answered(429, retry_after="7")) is False


def test_a_broken_answer_is_tried_again() -> None:
    assert backoff(FOR_PASSAGES, now=now)(EmbeddingFailed("half a body")) is True


def test_a_mistake_of_ours_is_not() -> None:
    assert backoff(FOR_PASSAGES, now=now)(TypeError("ours")) is False


@pytest.mark.parametrize(
    ("model", "name"),
    [
        ("nomic-embed-text", "nomic"),
        ("nomic-ai/nomic-embed-text-v1.5", "nomic"),
        ("nomic-embed-text:latest", "nomic"),
        ("bge-m3", "none"),
        ("BAAI/bge-m3", "none"),
        ("qwen3-embedding:0.6b", "qwen3"),
        ("Qwen/Qwen3-Embedding-8B", "qwen3"),
        ("embeddinggemma", "gemma"),
        ("google/embeddinggemma-300m", "gemma"),
        ("intfloat/multilingual-e5-large", "e5"),
        ("e5-base-v2", "e5"),
        ("intfloat/multilingual-e5-large-instruct", "e5-instruct"),
        ("text-embedding-3-small", "none"),
        ("somebody/mine5-large", "none"),
    ],
)
def test_the_family_is_told_by_the_name(model: str, name: str) -> None:
    assert prefixes_for(model).name == name


def test_a_question_and_a_passage_are_marked_differently() -> None:
    nomic = prefixes_for("nomic-embed-text")

    assert nomic.written("tea", Purpose.QUERY) == "search_query: tea"
    assert nomic.written("tea", Purpose.PASSAGE) == "search_document: tea"


def test_an_unknown_model_gets_the_text_alone() -> None:
    assert NONE.written("tea", Purpose.QUERY) == "tea"
