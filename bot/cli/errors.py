"""What ends a command: exit codes, messages, crash reports."""

from __future__ import annotations

import os
import secrets
import sys
import traceback
from types import TracebackType
from typing import TYPE_CHECKING, Final, Self

from cyclopts import CoercionError, CycloptsError, MissingArgumentError, UnusedCliTokensError

from bot.errors import BotError
from bot.paths import reason

if TYPE_CHECKING:
    from bot.cli.invocation import Invocation


INTERRUPTED: Final = 130
FAILED: Final = 1

MEMORY_CODES: Final = {
    "PathRefused": 7,
    "NotFound": 4,
    "Busy": 5,
    "NotYours": 7,
}
"""Exit codes of the memory library's errors, by class; all others are 1."""

PLAIN_TYPES: Final = {"int": "a whole number", "float": "a number", "bool": "true or false"}


class ExitHandler:
    """Holds the exit code; as a context manager it turns what went wrong into it."""

    def __init__(self, invocation: Invocation) -> None:
        self._invocation = invocation
        self.code = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, error: BaseException | None, _trace: TracebackType | None
    ) -> bool:
        if error is None:
            return False
        if isinstance(error, SystemExit) and isinstance(error.__context__, BrokenPipeError):
            return True  # rich has met the broken pipe first, and has hushed standard output
        if isinstance(error, SystemExit | GeneratorExit):
            return False
        self.code = self._end(first_cause(error))
        return True

    def _end(self, error: BaseException) -> int:
        if isinstance(error, BrokenPipeError):
            _hush()
            return 0
        terminal = self._invocation.terminal
        if isinstance(error, KeyboardInterrupt):
            terminal.err("Interrupted.")
            return INTERRUPTED
        code, message, hint = explain(error)
        if not message:
            return self._surprise(error)
        terminal.err(f"error: {message}")
        if hint:
            terminal.err(hint.strip("\n"))
        return code

    def _surprise(self, error: BaseException) -> int:

        sentence = record(error, self._invocation)
        self._invocation.terminal.err(sentence)
        return FAILED


def explain(error: BaseException) -> tuple[int, str, str]:
    """Exit code, message and hint of an error that was foreseen; no message for any other."""
    if isinstance(error, BotError):
        return error.exit_code, error.message, error.hint
    if isinstance(error, CycloptsError):
        return 2, usage(error), _where_to_read(error)
    from adapters.port import AdapterError
    from memory import Error as MemoryFailure

    if isinstance(error, MemoryFailure):
        return MEMORY_CODES.get(type(error).__name__, FAILED), error.message, error.hint
    if isinstance(error, AdapterError):
        return 6, str(error), ""
    if isinstance(error, OSError) and error.filename is not None:
        return FAILED, f"The system refused {error.filename}: {reason(error)}.", "Run: scrubjay doctor"
    return FAILED, "", ""


def usage(error: CycloptsError) -> str:
    """A misuse of the command line, in our words where the library's are for developers."""
    if isinstance(error, UnusedCliTokensError):
        return f"Nothing here takes {' '.join(error.unused_tokens or [])!r}."
    if isinstance(error, MissingArgumentError) and error.argument is not None:
        return f"A value for {error.keyword or error.argument.name} is missing."
    text = str(error)
    if isinstance(error, CoercionError):
        for kind, plain in PLAIN_TYPES.items():
            text = text.replace(f"into {kind}.", f"into {plain}.")
    return text


def first_cause(error: BaseException) -> BaseException:
    """The first error inside groups of errors, which is what a task group raises; an interrupt goes before all."""
    if not isinstance(error, BaseExceptionGroup):
        return error
    leaves = [first_cause(inner) for inner in error.exceptions]
    interrupts = [leaf for leaf in leaves if isinstance(leaf, KeyboardInterrupt)]
    return (interrupts or leaves)[0]


def _where_to_read(error: CycloptsError) -> str:
    chain = " ".join(["scrubjay", *(error.command_chain or ())])
    return f"Try: {chain} --help"


def _hush() -> None:
    """The reader of our output has gone (`| head`): what is still buffered goes nowhere, without a complaint."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


def record(error: BaseException, invocation: Invocation) -> str:
    """Write an error into the log file of the home; what to tell the person, with the traceback if that fails."""
    number = secrets.token_hex(4)
    what = f"error: Something in Scrubjay itself went wrong ({type(error).__name__}), id {number}."
    try:
        path = _write(error, number, invocation)
    except (OSError, BotError):
        return f"{what} There is no log file to write to, so here is the traceback:\n{_traceback(error)}"
    return f"{what} What was acknowledged is on disk.\nThe traceback is in {path}; please report it with the id."


def _write(error: BaseException, number: str, invocation: Invocation) -> str:
    import structlog

    from bot.log import Mask, to_file

    path = invocation.home.log_file
    with to_file(path, level="info", clock=invocation.clock, mask=Mask()):
        event = structlog.get_logger("bot.cli")
        event.error("command.failed", id=number, exc_info=(type(error), error, error.__traceback__))
    return str(path)


def _traceback(error: BaseException) -> str:
    return "".join(traceback.format_exception(error))
