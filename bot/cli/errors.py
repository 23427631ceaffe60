"""What ends a command: exit codes, messages, crash reports."""

from __future__ import annotations

import os
import sys
from errno import EDQUOT, EFBIG, EIO, ENOSPC
from shlex import join
from typing import TYPE_CHECKING, Final, Self

from bot.cli.invocation import Invocation
from bot.errors import BotError
from bot.paths import reason
from bot.texts.catalogue import set_language, tr
from bot.texts.memory import of_memory

if TYPE_CHECKING:
    from cyclopts import CycloptsError

INTERRUPTED: Final = 130
FAILED: Final = 1

MEMORY_CODES: Final = {"PathRefused": 7, "FilterRefused": 2, "NotFound": 4, "Busy": 5, "NotYours": 7}
"""Exit codes of the memory library's errors, by class; all others are 1."""

UNWRITTEN: Final = {ENOSPC, EDQUOT, EFBIG, EIO}
"""What the system says of an open file that takes no more, or fails; such an error names no file."""

PLAIN_TYPES: Final = {"int": "a whole number", "float": "a number", "bool": "true or false"}


class ExitHandler:
    """Context manager that turns errors into a message and an exit code."""

    def __init__(self, invocation: Invocation) -> None:
        self._invocation = invocation
        self.code = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> bool:
        if error is None:
            return False
        if isinstance(error, SystemExit) and isinstance(error.__context__, BrokenPipeError):
            return True  # rich has met the broken pipe first, and has hushed standard output
        if isinstance(error, SystemExit | GeneratorExit):
            return False
        self.code = self._report(first_cause(error))
        return True

    def _report(self, error: BaseException) -> int:
        """Print what happened; returns the exit code."""
        terminal = self._invocation.terminal
        if self._invocation.language:  # it was set in the task of the command, which has ended
            set_language(self._invocation.language)
        try:
            sys.stdout.flush()
        except OSError:  # the reader has gone (`| head`), or the disk is full: discard what is still buffered
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, sys.stdout.fileno())
            os.close(nowhere)
        if isinstance(error, BrokenPipeError):
            return 0
        if isinstance(error, KeyboardInterrupt):
            terminal.err(tr("Interrupted."))
            return INTERRUPTED
        code, message, hint = explain(error)
        if not message:
            terminal.err(crash_report(error, self._invocation))
            return FAILED
        terminal.err(tr("error: {message}", message=message))
        if hint:
            terminal.err(hint.strip("\n"))
        return code


def explain(error: BaseException) -> tuple[int, str, str]:
    """Exit code, message and hint of a foreseen error; the message is empty for any other."""
    if isinstance(error, BotError):
        return error.exit_code, error.message, error.hint
    from cyclopts import CycloptsError, UnknownCommandError

    if isinstance(error, CycloptsError):
        said = error.unused_tokens or []
        is_early = isinstance(error, UnknownCommandError) and said[0] in {"--agent", "-a"} and len(said) > 2
        rest = [*said[2:], *said[:2]] if is_early else ["--help"]  # an option stands behind the command that takes it
        return 2, usage(error), tr("Try: {command}", command=join(["scrubjay", *(error.command_chain or ()), *rest]))
    from adapters.port import AdapterError
    from memory import Error as MemoryFailure

    if isinstance(error, MemoryFailure):
        return MEMORY_CODES.get(type(error).__name__, FAILED), of_memory(error.message), of_memory(error.hint)
    if isinstance(error, AdapterError):
        return 6, str(error), ""
    if isinstance(error, OSError) and (error.filename is not None or error.errno in UNWRITTEN):
        if error.filename is not None:
            place = error.filename2 or error.filename  # of a copy, where to: that is what is full
            message = tr("The system refused {path}: {reason}.", path=place, reason=reason(error))
        elif error.errno == EIO:  # of a disk, or of a terminal that is gone; also where it is only read
            message = tr("Reading or writing failed: {reason}.", reason=reason(error))
        else:
            message = tr("Nothing more can be written: {reason}.", reason=reason(error))
        return FAILED, message, tr("Run: scrubjay doctor")
    return FAILED, "", ""


def usage(error: CycloptsError) -> str:
    """Describe a misuse of the command line, in plainer words than the library's."""
    from cyclopts import CoercionError, MissingArgumentError, UnusedCliTokensError

    if isinstance(error, UnusedCliTokensError):
        return tr("Nothing here takes {words!r}.", words=" ".join(error.unused_tokens or []))
    if isinstance(error, MissingArgumentError) and error.argument is not None:
        return tr("A value for {name} is missing.", name=error.keyword or error.argument.name)
    text = str(error)
    if isinstance(error, CoercionError):
        for kind, plain in PLAIN_TYPES.items():
            text = text.replace(f"into {kind}.", f"into {plain}.")
    return text


def first_cause(error: BaseException) -> BaseException:
    """The first error inside the exception groups that task groups raise; an interrupt goes first."""
    if not isinstance(error, BaseExceptionGroup):
        return error
    leaves = [first_cause(inner) for inner in error.exceptions]
    return next((leaf for leaf in leaves if isinstance(leaf, KeyboardInterrupt)), leaves[0])


def crash_report(error: BaseException, invocation: Invocation) -> str:
    """Write an unforeseen error into the log file of the home; returns what to tell the person.

    If the log file cannot be written, the returned text holds the traceback.
    """
    import secrets  # only a crash pays for loading these two
    import traceback

    number = secrets.token_hex(4)
    kind = type(error).__name__
    what = tr("error: Something in Scrubjay itself went wrong ({kind}), id {number}.", kind=kind, number=number)
    try:
        import structlog

        from bot.log import Mask, to_file

        path = invocation.home.log_file
        with to_file(path, level="info", clock=invocation.clock, mask=Mask()):
            event = structlog.get_logger("bot.cli")
            event.error("command.failed", id=number, exc_info=(type(error), error, error.__traceback__))
    except (OSError, BotError):
        written = "".join(traceback.format_exception(error))
        return f"{what} {tr('There is no log file to write to, so here is the traceback:')}\n{written}"
    traced = tr("The traceback is in {path}; please report it with the id.", path=path)
    return f"{what} {tr('What was acknowledged is on disk.')}\n{traced}"
