"""`scrubjay logs`: what the log says, for people or as JSON lines; followed as it grows."""

from __future__ import annotations

import json
import logging
import os
import sys
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from datetime import datetime, tzinfo
from pathlib import Path
from typing import Annotated, Any, Literal, Self, TextIO

from cyclopts import Parameter

from bot.cli.help import AgentOption, Run, single
from bot.cli.terminal import clean, every
from bot.errors import UsageError
from bot.texts.catalogue import tr

LOOK_S = 0.5
"""How often a followed log is looked at."""

COLOURS = {"debug": "dim", "warning": "yellow", "error": "red", "critical": "red"}

FIRST = ("at", "level", "event")
"""Fields that stand at the beginning of a line for people; the logger is left out."""


async def logs(
    *,
    follow: Annotated[bool, Parameter(alias="-f", help="Go on with what comes; Ctrl-C leaves.")] = False,
    level: Annotated[
        Literal["debug", "info", "warning", "error"] | None,
        Parameter(metavar="LEVEL", help="Only from this level on: debug, info, warning or error."),
    ] = None,
    agent: Annotated[AgentOption, Parameter(help="Only what is about it.")] = None,
    lines: Annotated[int, Parameter(alias="-n", metavar="N", help="How many of the last lines.")] = 50,
    run: Run,
) -> None:
    """Show what the log says.

    `run` and `chat` write to one log file of the home, which is turned over
    at 2 MB; what you say is not in it. A service's log is also where its
    supervisor keeps it: scrubjay service logs, or docker logs.

    Examples:
      scrubjay logs
      scrubjay logs -f --level warning
      scrubjay logs --agent work --lines 500 --json | jq -r .event
    """
    if lines < 0:
        raise UsageError(tr("{count} lines cannot be shown.", count=lines), hint=tr("Give --lines 0 or more."))
    path = run.home.log_file
    config = run.use_owner_language()
    levels, whose = logging.getLevelNamesMapping(), run.config.agent(agent) if agent else ""
    least = levels[level.upper()] if level else 0

    def is_wanted(line: str) -> bool:
        """Whether it is shown; what is no event always is, unless an agent's are wanted."""
        event = read_event(line)
        its_level = levels.get(str(event.get("level", "critical")).upper(), logging.CRITICAL)
        return its_level >= least and whose in {"", event.get("agent")}

    def show(line: str) -> None:
        event = read_event(line)
        if run.terminal.as_json:
            print(clean(line))
        else:
            run.terminal.out(for_people(event, config.owner.zone), style=COLOURS.get(str(event.get("level"))))

    if not path.exists():
        run.terminal.err(tr("Nothing has been logged yet: {path} is not there.", path=path))
    with ExitStack() as stack:
        grown = stack.enter_context(FollowedFile(path)) if follow else None
        for line in deque(filter(is_wanted, read_lines(path)), maxlen=lines):
            show(line)
        if grown is None:
            return
        async for _ in every(LOOK_S):
            for line in filter(is_wanted, grown.lines()):
                show(line)
            sys.stdout.flush()  # whoever reads at the other end of a pipe would wait for some thousand characters


def read_lines(path: Path) -> Iterator[str]:
    """Yield the lines of a log file and of those that were turned over, the oldest first."""
    older = sorted(path.parent.glob(f"{path.name}.[0-9]*"), key=lambda file: -int(file.suffix[1:]))
    for file in (*older, path):
        try:
            with file.open(encoding="utf-8", errors="replace") as opened:
                yield from (line.rstrip("\n") for line in opened)
        except FileNotFoundError:
            continue  # turned over this very moment, or not there yet


def read_event(line: str) -> dict[str, Any]:
    """Return a line's event; a line that is none becomes one, so that nothing is hidden."""
    try:
        event = json.loads(line)
    except (ValueError, RecursionError):
        event = None
    return event if isinstance(event, dict) else {"event": line}


def for_people(event: Mapping[str, Any], zone: tzinfo) -> str:
    """Return an event on one line, a traceback on its own below it."""
    try:
        at = f"{datetime.fromisoformat(str(event['at'])).astimezone(zone):%m-%d %H:%M:%S} "
    except (KeyError, ValueError):
        at = ""
    told = {name: value for name, value in event.items() if name not in {*FIRST, "logger", "exception"}}
    fields = "  ".join(f"{name}={value}" for name, value in told.items())
    level = f"{event['level']:<8}" if "level" in event else ""
    trace = "".join(f"\n  {line}" for line in str(event.get("exception", "")).splitlines())
    return f"{at}{level}{event.get('event', '')}  {fields}".rstrip() + trace


class FollowedFile:
    """A log file that is written to: what has come since the last look, also across its being turned over.

    It may come into being later.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: TextIO | None = None
        self._begun = ""

    def __enter__(self) -> Self:
        self._file = self._opened()
        if self._file:
            self._file.seek(0, os.SEEK_END)
        return self

    def __exit__(self, *_: object) -> None:
        if self._file:
            self._file.close()

    def lines(self) -> Iterable[str]:
        """Yield complete lines that have not been yielded yet."""
        yield from self._rest()
        if self._file:
            held = os.fstat(self._file.fileno())
            try:
                now = self._path.stat()
            except FileNotFoundError:
                now = None
            if now and os.path.samestat(held, now) and now.st_size >= self._file.tell():
                return
            yield from self._rest()  # what was written between the look and the turning over
            self._file.close()
        self._file = self._opened()
        yield from self._rest()

    def _rest(self) -> Iterable[str]:
        *ended, self._begun = (self._begun + (self._file.read() if self._file else "")).split("\n")
        return ended

    def _opened(self) -> TextIO | None:
        try:
            return self._path.open(encoding="utf-8", errors="replace")
        except FileNotFoundError:
            return None


app = single("logs", logs, json="Print the events as they are, one JSON object on each line.")
