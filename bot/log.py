"""The log: one line per event, for people on a terminal, as JSON elsewhere; secrets never appear in it."""

from __future__ import annotations

import base64
import json
import logging
import os
import re
import stat
import sys
import weakref
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, asynccontextmanager, contextmanager, suppress
from functools import lru_cache, partial
from io import TextIOWrapper
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import TextIO
from urllib.parse import quote, quote_plus

from adapters.support import not_imported
from bot.errors import OURS
from bot.events import Events
from bot.paths import make_private, reason
from bot.texts.catalogue import tr
from bot.texts.formatting import as_json, on_one_line
from memory import Clock
from memory.privacy.secrets import find_secrets, mask

with not_imported("rich"):  # it would draw tracebacks, which stay plain here, and take 4 MB
    import structlog
    from structlog.typing import EventDict, Processor

MAX_BYTES = 2 * 1024 * 1024
"""Bytes of the log file: a log never fills the disk."""

OLDER_FILES = 3
"""How many older log files stay beside it."""

MAX_SEARCHED_CHARS = 20_000
"""Characters of a log line in which secrets are looked for by their looks: a traceback is no longer."""

MAX_REMEMBERED_CHARS, MAX_REMEMBERED = 256, 2048
"""Names, sessions and ids come again and again: so many texts of at most so many characters are searched only once."""

MIN_SECRET_CHARS = 4
"""Masking shorter texts would black out ordinary words."""

SHORTEST_IN_BASE64 = 8
"""What is left of a shorter secret inside a longer text in base64 could be any text."""

STAMP = "at"
"""The field with the time of an event, which holds no secret."""

_OWN_FIELDS = frozenset({"event", STAMP, "level", "logger", "exc_info"})
_AS_JSON: tuple[Processor, ...] = (structlog.processors.JSONRenderer(as_json),)

_listeners: list[Events] = []
"""Who is told every event, whatever the level of the log; logging is one for the whole process, and so is this."""


class Mask:
    """Hides registered secrets, in every line, wherever a library or a traceback may put them."""

    SIGN = "[hidden]"

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        self._spellings: set[str] = set()
        self._any: re.Pattern[str] | None = None
        self._remembered = lru_cache(MAX_REMEMBERED)(self._masked)
        for secret in secrets:
            self.add(secret)

    def add(self, secret: str) -> None:
        """Hide this text from now on, also as it stands in JSON, in an address, in base64 and in hexadecimal digits."""
        if len(secret) >= MIN_SECRET_CHARS:
            self._spellings |= _spellings(secret)
            longest_first = sorted(self._spellings, key=len, reverse=True)
            self._any = re.compile("|".join(map(re.escape, longest_first)), re.IGNORECASE)
            self._remembered.cache_clear()

    def text(self, text: str) -> str:
        """A text without the registered secrets, and without what looks like one; the longer one goes first."""
        return self._remembered(text) if len(text) <= MAX_REMEMBERED_CHARS else self._masked(text)

    def _masked(self, text: str) -> str:
        text = self.registered(text)
        return mask(text, find_secrets(text[:MAX_SEARCHED_CHARS])) if text else text

    def registered(self, text: str) -> str:
        """A text without the registered secrets alone: what its owner chose to keep stays."""
        return self._any.sub(self.SIGN, text) if self._any else text

    def __call__(self, _logger: object, _method: str, event: EventDict) -> EventDict:
        """As a processor of structlog."""
        return {self.text(name): value if name == STAMP else self._value(value) for name, value in event.items()}

    def _value(self, value: object) -> object:
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, Mapping):
            return {self.text(str(name)): self._value(inner) for name, inner in value.items()}
        if isinstance(value, list | tuple | set | frozenset):
            return [self._value(inner) for inner in value]
        return value if isinstance(value, int | float | None) else self.text(str(value))


def _spellings(secret: str) -> set[str]:
    """A secret as it may turn up in what libraries write."""
    quoted = json.dumps(secret)[1:-1]
    data = secret.encode("utf-8", "surrogatepass")
    spellings = {secret, quoted, json.dumps(quoted)[1:-1], json.dumps(secret, ensure_ascii=False)[1:-1]}
    spellings |= {repr(secret)[1:-1], repr(data)[2:-1], quote(data), quote(data, safe=""), quote_plus(data), data.hex()}
    for encode in (base64.b64encode, base64.urlsafe_b64encode) if len(data) >= SHORTEST_IN_BASE64 else ():
        spellings.add(encode(data).decode())
        for before in range(3):  # inside a longer text the digits depend on where it begins
            digits = encode(bytes(before) + data).decode()
            spellings.add(digits[-(-before * 8 // 6) : (before + len(data)) * 8 // 6])
    return spellings


class LogFile(RotatingFileHandler):
    """The log file, turned over before it grows large. Several processes may write to it at once.

    Older ones stand beside it as `<name>.1` and so on. A disk that takes none of the lines of an `is_copy` is no reason
    to complain: they also go elsewhere.
    """

    def __init__(self, path: Path, *, is_copy: bool = False) -> None:
        make_private(path.parent)
        self._path = path
        self._opened: os.stat_result | None = None
        super().__init__(path, maxBytes=MAX_BYTES, backupCount=OLDER_FILES, encoding="utf-8", delay=True)
        self._is_copy = is_copy
        self._is_told = False

    def emit(self, record: logging.LogRecord) -> None:
        """Write a line; where another process has turned the file over meanwhile, into the new one."""
        try:
            file = self._path.stat()
        except OSError:
            file = None
        try:
            if self.stream and (file is None or self._opened is None or not os.path.samestat(file, self._opened)):
                before, self.stream = self.stream, self._open()
                before.close()
                file = self._opened
            size = file.st_size if file and stat.S_ISREG(file.st_mode) else 0
            if size and size + len(self.format(record)) >= self.maxBytes:
                self.doRollover()
            logging.FileHandler.emit(self, record)  # without the library's own looks at the file, three for each line
        except (OSError, TypeError, ValueError):
            self.handleError(record)

    def _open(self) -> TextIOWrapper:
        stream = super()._open()
        self._opened = os.fstat(stream.fileno())
        return stream

    def handleError(self, record: logging.LogRecord) -> None:
        """Say that a line could not be written, unless another output has it; only once if it is the disk's fault."""
        if not isinstance(error := sys.exception(), OSError):
            super().handleError(record)
        elif not (self._is_copy or self._is_told):
            self._is_told = True
            told = tr("The system refused {path}: {reason}.", path=self._path, reason=reason(error))
            with suppress(OSError, ValueError):  # it may be a file on the same disk, or closed
                if sys.stderr:
                    sys.stderr.write(f"{told}\n")


def to_file(path: Path, *, level: str, clock: Clock, mask: Mask) -> AbstractContextManager[None]:
    """Log JSON lines into a file that is turned over before it grows large, until the block ends."""
    return _logging((LogFile(path), _AS_JSON), level=level, clock=clock, mask=mask)


def to_stream(
    stream: TextIO, *, level: str, clock: Clock, mask: Mask, copy: Path | None = None, form: str = "auto"
) -> AbstractContextManager[None]:
    """Log to a stream until the block ends: lines for people if it is a terminal, JSON lines if not.

    `copy` is a file that gets the same lines as JSON. The form `text` or `json` holds whatever the stream is.
    """
    is_for_people = stream.isatty() if form == "auto" else form == "text"
    renderers: tuple[Processor, ...] = (
        (_shown, structlog.dev.ConsoleRenderer(colors=stream.isatty())) if is_for_people else _AS_JSON
    )
    outputs: list[tuple[logging.Handler, tuple[Processor, ...]]] = [(logging.StreamHandler(stream), renderers)]
    if copy:
        outputs.append((LogFile(copy, is_copy=True), _AS_JSON))
    return _logging(*outputs, level=level, clock=clock, mask=mask)


@asynccontextmanager
async def shared_with(events: Events) -> AsyncIterator[Events]:
    """Until the block ends, publish what this program logs as events, too; secrets are hidden in them.

    What libraries log is not published.
    """
    _listeners.append(events)
    try:
        yield events
    finally:
        _listeners.remove(events)


class _Formatter(structlog.stdlib.ProcessorFormatter):
    """Formats a record once for the outputs that show it alike, and for what asks how long the line will be."""

    _last: tuple[Callable[[], logging.LogRecord | None], str] = (lambda: None, "")

    def format(self, record: logging.LogRecord) -> str:
        last, line = self._last
        if last() is not record:
            line = super().format(record)
            self._last = weakref.ref(record), line
        return line


class _Masked(Mapping[str, object]):
    """What is known of an event, with secrets hidden as soon as somebody looks at it: at most events nobody does."""

    def __init__(self, mask: Mask, fields: EventDict) -> None:
        self._mask = mask
        self._fields = fields
        self._shown: EventDict | None = None

    def __getitem__(self, name: str) -> object:
        return self._masked()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._masked())

    def __len__(self) -> int:
        return len(self._masked())

    def _masked(self) -> EventDict:
        if self._shown is None:
            self._shown = self._mask(None, "", self._fields)
        return self._shown


def _publish(mask: Mask, _logger: object, _method: str, event: EventDict) -> EventDict:
    """Pass an event on to the listeners, and leave it as it is; secrets are hidden from them."""
    if _listeners:
        fields = _Masked(mask, {name: value for name, value in event.items() if name not in _OWN_FIELDS})
        for events in _listeners:
            events.publish(
                str(event["event"]),
                at=event[STAMP],
                level=event["level"],
                logger=event.get("logger", ""),
                fields=fields,
            )
    return event


@contextmanager
def _logging(
    *outputs: tuple[logging.Handler, tuple[Processor, ...]], level: str, clock: Clock, mask: Mask
) -> Iterator[None]:
    """Handlers on the root of the standard library's logging, for structlog's events and everybody else's."""

    def stamp(_logger: object, _method: str, event: EventDict) -> EventDict:
        event[STAMP] = clock.now().isoformat(timespec="milliseconds")
        return event

    shared: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.stdlib.ExtraAdder(),
        stamp,
    ]
    before: list[Processor] = [
        structlog.stdlib.ProcessorFormatter.remove_processors_meta,
        structlog.processors.format_exc_info,
        mask,
    ]
    formatters = {
        renderers: _Formatter(foreign_pre_chain=shared, processors=[*before, *renderers]) for _, renderers in outputs
    }
    for handler, renderers in outputs:
        # libraries write below WARNING what passes through them: parameters of statements, bodies, texts
        handler.addFilter(
            lambda record: (
                hasattr(record, "_logger")  # structlog's
                or record.levelno >= logging.WARNING
                or record.name.partition(".")[0] in OURS
            )
        )
        handler.setFormatter(formatters[renderers])
    root = logging.getLogger()
    handlers_before, level_before, events_before = root.handlers[:], root.level, structlog.get_config()
    wanted = logging.getLevelNamesMapping()[level.upper()]
    root.handlers[:] = [handler for handler, _ in outputs]
    root.setLevel(wanted)
    structlog.configure(
        processors=[*shared, partial(_publish, mask), structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.make_filtering_bound_logger(logging.DEBUG),  # the handlers' loggers mind the level
        cache_logger_on_first_use=False,
    )
    try:
        yield
    finally:
        root.handlers[:] = handlers_before
        root.setLevel(level_before)
        for handler, _ in outputs:
            handler.close()
        structlog.configure(**events_before)


def _shown(_logger: object, _method: str, event: EventDict) -> EventDict:
    """An event whose texts a terminal shows and does not obey; a traceback keeps its lines, behind a margin."""

    def shown(name: str, value: object) -> object:
        if not isinstance(value, str):
            return value
        return "\n  ".join(map(on_one_line, value.splitlines())) if name == "exception" else on_one_line(value)

    return {name: shown(name, value) for name, value in event.items()}
