"""A `scrubjay run` whose event loop writes down how late it is: `python -m benchmarks.probed_run FILE`.

A timer of the loop is due every `EVERY_S`. Where it is called more than `LATE_S` late, a line goes into the file: when
it was due and when it was called, in seconds of the machine's monotonic clock, and the processor time of this process
in between. The home and the tokens stand in the environment, as for `scrubjay run`.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import time
from pathlib import Path
from typing import TextIO

from bot.cli.main import main

EVERY_S, LATE_S = 0.005, 0.01


class ProbedPolicy(asyncio.DefaultEventLoopPolicy):
    """Makes event loops that write down when they are late."""

    def __init__(self, file: TextIO) -> None:
        super().__init__()
        self._file = file

    def new_event_loop(self) -> asyncio.AbstractEventLoop:
        """Make a loop with a timer in it."""
        loop = super().new_event_loop()
        self._rest(loop)
        return loop

    def _rest(self, loop: asyncio.AbstractEventLoop) -> None:
        loop.call_later(EVERY_S, self._look, loop, time.monotonic() + EVERY_S, time.process_time())

    def _look(self, loop: asyncio.AbstractEventLoop, due: float, cpu_s: float) -> None:
        now = time.monotonic()
        if now - due > LATE_S:
            self._file.write(f"{due:.4f} {now:.4f} {time.process_time() - cpu_s:.4f}\n")
        self._rest(loop)


def run(file: Path) -> int:
    """One life of the service; the exit code."""
    with file.open("w", encoding="utf-8", buffering=1) as written:
        asyncio.set_event_loop_policy(ProbedPolicy(written))
        return main(["run"])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path, metavar="FILE")
    sys.exit(run(parser.parse_args().file))
