from __future__ import annotations

import asyncio
import gc
from collections.abc import Generator
from functools import partial

import pytest

from memory.worker import WorkThread


async def test_an_errand_after_the_end_is_refused_instead_of_never_ending() -> None:
    def steps() -> Generator[None, None, None]:
        yield

    thread = WorkThread("test")
    await thread.close()

    with pytest.raises(RuntimeError, match="has been closed"):
        thread.start_job(steps())


async def test_what_is_deferred_is_done_once_and_before_whatever_is_asked_next_but_for_what_goes_ahead() -> None:
    thread, order = WorkThread("test"), list[str]()
    later = partial(order.append, "later")

    thread.defer(later, then=lambda _: order.append("told"))
    await thread.run_ahead(order.append, "first")
    thread.defer(later, then=lambda _: order.append("told"))
    await thread.run_ahead(order.append, "second")
    assert order == ["first", "second"]
    await thread.run(order.append, "next")
    assert [name for name in order if name != "told"] == ["first", "second", "later", "next"]
    await thread.close()
    assert order.count("told") == 1


async def test_what_is_deferred_is_done_though_nothing_else_is_asked() -> None:
    thread, told = WorkThread("test"), asyncio.Event()
    thread.defer(lambda: None, then=lambda _: told.set())
    await told.wait()
    await thread.close()


async def test_what_is_deferred_comes_before_a_job_and_before_the_end() -> None:
    def steps() -> Generator[None, None, None]:
        order.append("step")
        yield

    thread, order = WorkThread("test"), list[str]()
    later = partial(order.append, "later")
    thread.defer(later, then=lambda _: None)
    await asyncio.wrap_future(thread.start_job(steps()))
    assert order == ["later", "step"]
    thread.defer(later, then=lambda _: None)
    await thread.close()
    assert order == ["later", "step", "later"]


async def test_what_goes_wrong_later_is_told_by_the_event_loop() -> None:
    told, thread = list[str](), WorkThread("test")
    asyncio.get_running_loop().set_exception_handler(lambda _, context: told.append(str(context["exception"])))

    def fail() -> None:
        raise ValueError("a fault")

    thread.defer(fail, then=lambda _: None)
    await thread.run(str)
    await thread.close()
    await asyncio.sleep(0)
    gc.collect()
    assert told == ["a fault"]
