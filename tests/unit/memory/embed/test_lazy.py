"""An embedder is opened when it is first needed, once, and what is wrong with it is told every time."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from pathlib import Path

import pytest

from memory.embed import e5
from memory.embed.builtin import LocalEmbedder
from memory.embed.endpoint import Endpoint
from memory.embed.lazy import LazyEmbedder, builtin, endpoint
from memory.embed.openai import OpenAIEmbedder
from memory.errors import EmbedderBroken, EmbedderUnavailable, EmbeddingFailed
from memory.ports import Embedder, FrozenClock
from tests.fakes.embedder import DIMS, LetterEmbedder
from tests.support.factories import NOON


class Shop:
    """Opens an embedder, and counts how often."""

    def __init__(self, *errors: Exception) -> None:
        self.embedder = LetterEmbedder()
        self.errors = [*errors]
        self.opened = 0

    async def open(self) -> Embedder:
        self.opened += 1
        await asyncio.sleep(0)
        if self.errors:
            raise self.errors.pop(0)
        return self.embedder


async def test_nothing_is_opened_before_it_is_needed() -> None:
    shop = Shop()
    embedder = LazyEmbedder("letters", shop.open, dims=7)

    assert (embedder.identity, embedder.dims, shop.opened) == ("letters", 7, 0)
    await embedder.close()
    assert shop.opened == 0


async def test_it_is_opened_and_tested_once_for_all_who_ask() -> None:
    shop = Shop()
    embedder = LazyEmbedder("letters", shop.open)

    await asyncio.gather(*(embedder.embed_query(text) for text in "abc"), embedder.probe())
    rows = [block.shape async for block in embedder.embed_passages(["a", "b"])]

    assert shop.opened == 1
    assert sorted(shop.embedder.questions)[1:] == ["a", "b", "c"]
    assert (rows, embedder.dims) == ([(1, DIMS), (1, DIMS)], DIMS)


async def test_what_is_missing_is_looked_for_once() -> None:
    missing = EmbedderUnavailable("The weights are missing.")
    shop = Shop(missing)
    embedder = LazyEmbedder("letters", shop.open)

    for _ in range(2):
        with pytest.raises(EmbedderUnavailable) as caught:
            await embedder.embed_query("a")
        assert caught.value is missing
    assert shop.opened == 1


async def test_one_that_fails_its_test_is_never_used() -> None:
    shop = Shop()
    shop.embedder.error = EmbedderBroken("Nonsense.")
    embedder = LazyEmbedder("letters", shop.open)

    for _ in range(2):
        with pytest.raises(EmbedderBroken):
            await embedder.embed_query("a")
        shop.embedder.error = None
    with pytest.raises(EmbedderBroken):
        [rows async for rows in embedder.embed_passages(["a"])]
    assert (shop.embedder.questions, shop.embedder.asked) == ([], [])


async def test_one_that_does_not_answer_is_tested_again() -> None:
    shop = Shop()
    shop.embedder.error = EmbeddingFailed("Nothing answered.")
    embedder = LazyEmbedder("letters", shop.open)
    with pytest.raises(EmbeddingFailed):
        await embedder.probe()

    shop.embedder.error = None
    await embedder.embed_query("a")

    assert shop.opened == 1
    assert shop.embedder.questions[-1] == "a"


async def test_a_closed_one_opens_nothing_any_more() -> None:
    shop = Shop()
    embedder = LazyEmbedder("letters", shop.open)
    await embedder.probe()
    await embedder.close()

    with pytest.raises(EmbedderUnavailable):
        await embedder.embed_query("a")
    assert shop.opened == 1
    assert isinstance(shop.embedder.error, RuntimeError)


def idling(shop: Shop, clock: FrozenClock) -> LazyEmbedder:
    return LazyEmbedder("letters", shop.open, idle=timedelta(minutes=15), clock=clock)


def is_open(shop: Shop) -> bool:
    return not isinstance(shop.embedder.error, RuntimeError)


async def test_one_that_nobody_asks_for_a_while_leaves_and_the_next_question_opens_it_again() -> None:
    shop, clock = Shop(), FrozenClock(NOON)
    embedder = idling(shop, clock)
    await embedder.leave_if_idle()
    before = await embedder.embed_query("a")
    clock.advance(minutes=14)
    await embedder.leave_if_idle()
    assert is_open(shop)

    clock.advance(minutes=1)
    await embedder.leave_if_idle()
    assert not is_open(shop)

    shop.embedder = LetterEmbedder()
    assert (await embedder.embed_query("a") == before).all()
    assert (shop.opened, shop.embedder.questions) == (2, ["a"])  # it had passed its test before
    await embedder.leave_if_idle()
    assert is_open(shop)


async def test_one_that_is_in_use_stays_however_long_that_takes() -> None:
    shop, clock = Shop(), FrozenClock(NOON)
    embedder = idling(shop, clock)
    rows = embedder.embed_passages(["a", "b"])
    await anext(rows)

    clock.advance(hours=1)
    await embedder.leave_if_idle()
    assert is_open(shop)

    assert [block.shape async for block in rows] == [(1, DIMS)]
    await embedder.leave_if_idle()
    assert is_open(shop)
    clock.advance(minutes=15)
    await embedder.leave_if_idle()
    assert not is_open(shop)


async def test_a_question_that_comes_as_it_leaves_is_answered() -> None:
    shop, clock = Shop(), FrozenClock(NOON)
    embedder = idling(shop, clock)
    await embedder.probe()
    clock.advance(hours=1)
    left, shop.embedder = shop.embedder, LetterEmbedder()

    async with asyncio.TaskGroup() as group:
        group.create_task(embedder.leave_if_idle())
        answers = [group.create_task(embedder.embed_query(text)) for text in "abc"]

    assert isinstance(left.error, RuntimeError) == (shop.opened == 2)
    assert len({answer.result().tobytes() for answer in answers}) == 3


async def test_one_without_an_idle_time_stays() -> None:
    shop, clock = Shop(), FrozenClock(NOON)
    embedder = LazyEmbedder("letters", shop.open, clock=clock)
    await embedder.probe()

    clock.advance(days=400)
    await embedder.leave_if_idle()

    assert is_open(shop)


async def test_the_model_that_has_left_is_loaded_again(model_cache: Path) -> None:
    clock = FrozenClock(NOON)
    embedder = builtin(model_cache, idle=timedelta(minutes=1), clock=clock)
    before = await embedder.embed_query("where is the key?")
    clock.advance(minutes=1)
    await embedder.leave_if_idle()

    assert (await embedder.embed_query("where is the key?")).tobytes() == before.tobytes()
    await embedder.close()


async def test_the_builtin_one_is_the_local_model(model_cache: Path) -> None:
    embedder = builtin(model_cache)

    assert (embedder.identity, embedder.dims) == (LocalEmbedder.identity, e5.DIMS)
    assert (await embedder.embed_query("where is the key?")).shape == (e5.DIMS,)
    await embedder.close()


async def test_an_endpoint_has_its_identity_before_it_is_asked() -> None:
    where = Endpoint("http://127.0.0.1:9/v1", "nomic-embed-text", dims=256)
    embedder = endpoint(where, clock=FrozenClock(NOON))
    opened = OpenAIEmbedder(where, clock=FrozenClock(NOON))

    assert (embedder.identity, embedder.dims) == (opened.identity, 256)
    await opened.close()
    await embedder.close()
