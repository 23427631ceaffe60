"""An endpoint's vectors are saved as they come, and one bad text or hour does not spoil the rest."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime

import numpy as np
import pytest

from memory.embed.checks import unit
from memory.embed.endpoint import Endpoint, RetryPolicy
from memory.embed.openai import OpenAIEmbedder
from memory.errors import EmbedderBroken, EmbeddingFailed, TextRefused, VectorRefused
from memory.ports import Embedder, FrozenClock
from tests.unit.memory.embed.scripted import DIMS, ScriptedEndpoint, status, trigrams, vectors

QUICK = RetryPolicy(attempts=2, request_s=5, deadline_s=20, first_wait_s=0.001, longest_wait_s=0.01)
TEXTS = [f"the {number}th note about the garden" for number in range(10)]


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock(datetime(2026, 11, 21, 12, tzinfo=UTC))


@pytest.fixture
async def embedder(endpoint: ScriptedEndpoint, clock: FrozenClock) -> AsyncIterator[OpenAIEmbedder]:
    opened = OpenAIEmbedder(
        Endpoint(endpoint.url, "nomic-embed-text", batch=4, queries=QUICK, passages=QUICK), clock=clock
    )
    yield opened
    await opened.close()


def expected(texts: list[str]) -> list[list[float]]:
    rows: list[list[float]] = unit([trigrams(f"search_document: {text}") for text in texts]).tolist()
    return rows


async def received(embedder: Embedder, texts: list[str]) -> tuple[list[list[float]], Exception | None]:
    """Every row until the end, and how it came to an end."""
    rows: list[list[float]] = []
    try:
        async for block in embedder.embed_passages(texts):
            rows += block.tolist()
    except (EmbeddingFailed, TextRefused, VectorRefused, EmbedderBroken) as error:
        return rows, error
    return rows, None


async def test_texts_go_out_in_batches_with_their_prefix(embedder: OpenAIEmbedder, endpoint: ScriptedEndpoint) -> None:
    assert await received(embedder, TEXTS) == (expected(TEXTS), None)
    assert [len(batch) for batch in endpoint.requests] == [4, 4, 2]
    assert endpoint.requests[0][0] == f"search_document: {TEXTS[0]}"


async def test_a_question_has_its_own_prefix(embedder: OpenAIEmbedder, endpoint: ScriptedEndpoint) -> None:
    vector = await embedder.embed_query("where?")

    assert endpoint.requests == [["search_query: where?"]]
    assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-6)


async def test_the_first_answer_fixes_the_size(embedder: OpenAIEmbedder) -> None:
    before = embedder.dims
    await embedder.embed_query("where?")

    assert (before, embedder.dims) == (None, DIMS)


async def test_the_self_test_passes(embedder: OpenAIEmbedder) -> None:
    await embedder.probe()


async def test_the_self_test_catches_a_server_that_answers_the_same_to_all(
    embedder: OpenAIEmbedder, endpoint: ScriptedEndpoint
) -> None:
    endpoint.script.extend([lambda texts: vectors(["same"] * len(texts))] * 9)

    with pytest.raises(EmbedderBroken):
        await embedder.probe()


async def test_what_came_before_a_failure_is_kept_and_the_rest_resumes(
    embedder: OpenAIEmbedder, endpoint: ScriptedEndpoint, clock: FrozenClock
) -> None:
    endpoint.script.extend([vectors, status(500), status(500)])

    first, error = await received(embedder, TEXTS)
    assert isinstance(error, EmbeddingFailed)
    assert first == expected(TEXTS[:4])

    clock.advance(seconds=60)
    assert await received(embedder, TEXTS[len(first) :]) == (expected(TEXTS[4:]), None)


async def test_a_refused_text_is_found_among_its_neighbours(
    embedder: OpenAIEmbedder, endpoint: ScriptedEndpoint
) -> None:
    await embedder.embed_query("hello")
    endpoint.refuses = "2th"

    rows, error = await received(embedder, TEXTS)
    assert isinstance(error, TextRefused)
    assert rows == expected(TEXTS[:2])
    assert await received(embedder, TEXTS[3:]) == (expected(TEXTS[3:]), None)


async def test_a_refusal_before_any_answer_is_not_held_against_the_text(
    embedder: OpenAIEmbedder, endpoint: ScriptedEndpoint
) -> None:
    endpoint.script.append(status(400, error="unknown model"))

    rows, error = await received(embedder, TEXTS)

    assert (rows, type(error)) == ([], EmbeddingFailed)
    assert len(endpoint.requests) == 1


@pytest.mark.parametrize(
    "bad",
    [[float("nan")] * DIMS, [0.0] * DIMS, [float("inf")] * DIMS, None, [], ["a"] * DIMS, [[1.0]], {"a": 1}],
    ids=["nan", "zero", "infinite", "null", "empty", "letters", "nested", "object"],
)
async def test_a_bad_vector_is_refused_and_its_neighbours_are_kept(
    embedder: OpenAIEmbedder, endpoint: ScriptedEndpoint, bad: object
) -> None:
    endpoint.script.append(lambda texts: vectors(texts, row2=bad))

    rows, error = await received(embedder, TEXTS)

    assert isinstance(error, VectorRefused)
    assert rows == expected(TEXTS[:2])


async def test_a_bad_vector_for_a_question_is_refused(embedder: OpenAIEmbedder, endpoint: ScriptedEndpoint) -> None:
    endpoint.script.append(lambda texts: vectors(texts, row0=[0.0, 0.0]))

    with pytest.raises(VectorRefused):
        await embedder.embed_query("where?")


async def test_vectors_of_another_size_stop_everything(embedder: OpenAIEmbedder, endpoint: ScriptedEndpoint) -> None:
    await embedder.embed_query("where?")
    endpoint.script.append(lambda texts: vectors(texts, row0=[1.0, 2.0, 3.0]))

    with pytest.raises(EmbedderBroken, match=f"3 numbers a vector instead of {DIMS}"):
        await embedder.embed_query("where?")


async def test_an_endpoint_that_is_down_is_left_alone_for_a_while(
    embedder: OpenAIEmbedder, endpoint: ScriptedEndpoint, clock: FrozenClock
) -> None:
    endpoint.script.extend([status(503)] * 2)
    with pytest.raises(EmbeddingFailed):
        await embedder.embed_query("where?")
    asked = len(endpoint.requests)

    with pytest.raises(EmbeddingFailed, match="left alone") as caught:
        await embedder.embed_query("where?")
    assert caught.value.retry_after_s == 30
    assert len(endpoint.requests) == asked

    clock.advance(seconds=31)
    await embedder.embed_query("where?")
    await embedder.embed_query("where?")


async def test_an_hour_that_the_endpoint_asks_for_is_kept(
    embedder: OpenAIEmbedder, endpoint: ScriptedEndpoint, clock: FrozenClock
) -> None:
    endpoint.script.append(status(429, retry_after="3600"))
    with pytest.raises(EmbeddingFailed):
        await embedder.embed_query("where?")

    clock.advance(seconds=3599)
    with pytest.raises(EmbeddingFailed, match="left alone"):
        await embedder.embed_query("where?")
    clock.advance(seconds=2)
    await embedder.embed_query("where?")


async def test_a_surrogate_without_its_other_half_is_sent_as_a_question_mark(
    embedder: OpenAIEmbedder, endpoint: ScriptedEndpoint
) -> None:
    await embedder.embed_query("a\ud800b")

    assert endpoint.requests == [["search_query: a?b"]]


async def test_the_identity_names_model_size_and_prefixes_but_not_the_address(clock: FrozenClock) -> None:
    one = OpenAIEmbedder(Endpoint("http://127.0.0.1:1/v1", "nomic-embed-text", dims=256), clock=clock)
    other = OpenAIEmbedder(Endpoint("http://10.0.0.1/v1", "nomic-embed-text", dims=256), clock=clock)
    larger = OpenAIEmbedder(Endpoint("http://127.0.0.1:1/v1", "nomic-embed-text"), clock=clock)

    assert one.identity == other.identity == "openai:nomic-embed-text:256:nomic"
    assert larger.identity != one.identity
