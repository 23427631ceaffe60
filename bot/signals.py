"""The signals that ask the process to end, told to what can end it well."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager

ENDINGS = (signal.SIGTERM, signal.SIGHUP)
"""What `kill`, a service supervisor and a closing terminal window send."""


INTERRUPT = (*ENDINGS, signal.SIGINT)
"""The same, and Ctrl-C, where nobody types."""


@contextmanager
def ending(stop: Callable[[], None], *, numbers: Collection[signal.Signals] = ENDINGS) -> Iterator[None]:
    """Call `stop` when one of these signals comes, instead of dying on the spot; for the running event loop."""
    loop = asyncio.get_running_loop()
    for number in numbers:
        loop.add_signal_handler(number, stop)
    try:
        yield
    finally:
        for number in numbers:
            loop.remove_signal_handler(number)
