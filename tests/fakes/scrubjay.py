"""The command line as a program of its own, on a fixed day: `python -m tests.fakes.scrubjay memory recall key`.

`--at 2026-11-22T08:00+00:00` as the first words plays another day.
"""

from __future__ import annotations

import sys
from datetime import UTC, datetime

from bot.cli.main import main
from memory import FrozenClock

MORNING = datetime(2026, 11, 21, 9, 30, tzinfo=UTC)


def run(words: list[str]) -> int:
    """The exit code."""
    if words[:1] == ["--at"]:
        return main(words[2:], clock=FrozenClock(datetime.fromisoformat(words[1])))
    return main(words, clock=FrozenClock(MORNING))


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:]))
