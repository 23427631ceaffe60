"""What a person sees of an error that nobody foresaw: one sentence and an id; the traceback goes into the log file."""

from __future__ import annotations

import secrets
import traceback
from typing import TYPE_CHECKING

from bot.errors import BotError

if TYPE_CHECKING:
    from bot.cli.invocation import Invocation


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
