"""The command line as a program of its own, on a fixed day: `python -m tests.fakes.scrubjay memory recall key`."""

from __future__ import annotations

import sys
from datetime import UTC, datetime

from bot.cli.main import main
from memory import FrozenClock

if __name__ == "__main__":
    sys.exit(main(clock=FrozenClock(datetime(2026, 11, 21, 9, 30, tzinfo=UTC))))
