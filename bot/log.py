"""The log: one line per event, for people on a terminal, as JSON elsewhere; secrets never appear in it."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import TextIO

import structlog
from structlog.typing import EventDict, Processor

from bot.paths import make_private
from memory import Clock
from memory.secrets import find_secrets, mask

LARGEST = 2 * 1024 * 1024
KEPT = 3
"""Bytes of the log file, and how many older ones stay beside it: a log never fills the disk."""

LONGEST_SEARCHED = 20_000
"""Characters of a log line in which secrets are looked for by their looks: a traceback is no longer."""

SHORTEST_SECRET = 4
"""Masking shorter texts would black out ordinary words."""


class Mask:
    """Hides registered secrets, in every line, wherever a library or a traceback may put them."""

    SIGN = "[hidden]"

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        self._secrets: set[str] = set()
        for secret in secrets:
            self.add(secret)

    def add(self, secret: str) -> None:
        """Hide this text from now on."""
        if len(secret) >= SHORTEST_SECRET:
            self._secrets.add(secret)

    def text(self, text: str) -> str:
        """A text without the registered secrets, and without what looks like one; the longer one goes first."""
        for secret in sorted(self._secrets, key=len, reverse=True):
            text = text.replace(secret, self.SIGN)
        return mask(text, find_secrets(text[:LONGEST_SEARCHED])) if text else text

    def __call__(self, _logger: object, _method: str, event: EventDict) -> EventDict:
        """As a processor of structlog."""
        return {name: self._value(value) for name, value in event.items()}

    def _value(self, value: object) -> object:
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, Mapping):
            return {name: self._value(inner) for name, inner in value.items()}
        if isinstance(value, list | tuple | set | frozenset):
            return [self._value(inner) for inner in value]
        return value if isinstance(value, int | float | None) else self.text(str(value))


@contextmanager
def to_file(path: Path, *, level: str, clock: Clock, mask: Mask) -> Iterator[None]:
    """Log JSON lines into a file that is turned over before it grows large, until the block ends."""
    make_private(path.parent)
    handler = RotatingFileHandler(path, maxBytes=LARGEST, backupCount=KEPT, encoding="utf-8", delay=True)
    with _logging(handler, structlog.processors.JSONRenderer(ensure_ascii=False), level=level, clock=clock, mask=mask):
        yield


@contextmanager
def to_stream(stream: TextIO, *, level: str, clock: Clock, mask: Mask) -> Iterator[None]:
    """Log to a stream until the block ends: lines for people if it is a terminal, JSON lines if not."""
    renderer: Processor = structlog.processors.JSONRenderer(ensure_ascii=False)
    if stream.isatty():
        renderer = structlog.dev.ConsoleRenderer()
    with _logging(logging.StreamHandler(stream), renderer, level=level, clock=clock, mask=mask):
        yield


@contextmanager
def _logging(handler: logging.Handler, renderer: Processor, *, level: str, clock: Clock, mask: Mask) -> Iterator[None]:
    """One handler on the root of the standard library's logging, for structlog's events and everybody else's."""
    shared: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.stdlib.ExtraAdder(),
        _Stamp(clock),
    ]
    last: list[Processor] = [
        structlog.stdlib.ProcessorFormatter.remove_processors_meta,
        structlog.processors.format_exc_info,
        mask,
        renderer,
    ]
    handler.setFormatter(structlog.stdlib.ProcessorFormatter(foreign_pre_chain=shared, processors=last))
    root = logging.getLogger()
    handlers_before, level_before = root.handlers[:], root.level
    wanted = logging.getLevelNamesMapping()[level.upper()]
    root.handlers[:] = [handler]
    root.setLevel(wanted)
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.make_filtering_bound_logger(wanted),
        cache_logger_on_first_use=False,
    )
    try:
        yield
    finally:
        root.handlers[:] = handlers_before
        root.setLevel(level_before)
        handler.close()
        structlog.reset_defaults()


class _Stamp:
    """Adds the time of the injected clock to an event."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    def __call__(self, _logger: object, _method: str, event: EventDict) -> EventDict:
        event["at"] = self._clock.now().isoformat(timespec="milliseconds")
        return event
