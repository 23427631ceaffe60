"""The command line over a Notebook, as a program of its own: `python -m tests.fakes.scrubjay memory recall key`."""

from __future__ import annotations

import sys
from datetime import UTC, datetime

from bot.cli.main import main
from memory import FrozenClock
from tests.fakes.notebook import Notebook

if __name__ == "__main__":
    sys.exit(main(clock=FrozenClock(datetime(2026, 11, 21, 9, 30, tzinfo=UTC)), open_memory=Notebook.open))
