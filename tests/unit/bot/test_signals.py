from __future__ import annotations

import asyncio
import os
import signal

import pytest

from bot.signals import ENDINGS, ending


@pytest.mark.parametrize("number", ENDINGS)
async def test_a_request_to_end_is_passed_on(number: signal.Signals) -> None:
    stopped = asyncio.Event()

    with ending(stopped.set):
        os.kill(os.getpid(), number)
        async with asyncio.timeout(10):
            await stopped.wait()


async def test_afterwards_the_signals_do_again_what_they_did() -> None:
    with ending(lambda: None):
        pass

    assert [signal.getsignal(number) for number in ENDINGS] == [signal.SIG_DFL, signal.SIG_DFL]
