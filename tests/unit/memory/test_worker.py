from __future__ import annotations

import asyncio
import gc
from collections.abc import Generator
from threading import Event

import pytest

from memory.worker import WorkThread


async def test_an_errand_after_the_end_is_refused_instead_of_never_ending() -> None:
    def steps() -> Generator[None, None, None]:
        yield

    thread = WorkThread("test")
    await thread.close()

    with pytest.raises(RuntimeError, match="has been closed"):
        thread.start_job(steps())


async def test_what_comes_behind_is_not_waited_for_but_comes_before_whatever_is_asked_next() -> None:
    thread, goes_on, order = WorkThread("test"), Event(), list[str]()

    def follow() -> None:
        goes_on.wait()
        order.append("behind")

    await thread.run_before(follow, order.append, "first")
    assert order == ["first"]
    goes_on.set()
    await thread.run(order.append, "next")
    await thread.close()
    assert order == ["first", "behind", "next"]


async def test_what_goes_wrong_behind_is_told_by_the_event_loop() -> None:
    told, thread = list[str](), WorkThread("test")
    asyncio.get_running_loop().set_exception_handler(lambda _, context: told.append(str(context["exception"])))

    def fail() -> None:
        raise ValueError("a fault")

    await thread.run_before(fail, str)
    await thread.close()
    await asyncio.sleep(0)
    gc.collect()
    assert told == ["a fault"]
