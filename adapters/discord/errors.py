"""Errors of discord.py and aiohttp, as errors of the port."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import aiohttp
import discord

from adapters.port import AdapterError, Ambiguous, LoginRefused, MessageGone, NotSent, SendRefused, SlowDown

TOO_MANY_EDITS = 30046
INVALID_WEBHOOK_TOKEN = 50027
NO_HISTORY = 160002
SESSION_CLOSED = "Session is closed"
"""The text of aiohttp's error when nothing can be sent any more."""

DEFAULT_RETRY_AFTER_S = 60.0
"""How long to wait after a 429 without a Retry-After header, as Discord's front end sends."""

HINTS = {
    50001: "The bot does not see this channel; let its role view it.",
    50007: "This person takes no direct messages from the bot: it shares no server with them, or they closed them.",
    50013: "The bot lacks a permission there. Give its role Send Messages, Send Messages in Threads, Attach Files, "
    "Create Public Threads.",
    40005: "The files are larger than Discord takes.",
}

UNREADABLE = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    NameError,
    OSError,  # of an instant that the system's clock does not know
    RuntimeError,
    TypeError,
    ValueError,
    discord.DiscordException,
)
"""What discord.py raises when data is not as it expects."""


class Gone(MessageGone):
    """The channel, the message or the interaction does not exist, or no longer."""


class ReplyRefused(SendRefused):
    """The bot may write there, but not reply to a message, because it may not read the history."""


@contextmanager
def translate_errors(what: str) -> Iterator[None]:
    """Raise errors of the block as an `AdapterError` whose message begins with `what`."""
    try:
        yield
    except discord.RateLimited as error:
        raise SlowDown(f"{what}: Discord asks to wait.", seconds=error.retry_after) from error
    except discord.HTTPException as error:
        raise _response_error(what, error) from error
    except (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError) as error:
        raise NotSent(f"{what}: Discord cannot be reached ({type(error).__name__}).") from error
    except RuntimeError as error:
        if str(error) != SESSION_CLOSED:
            raise
        raise NotSent(f"{what}: the connection to Discord has just been closed.") from error
    except (aiohttp.ClientError, OSError, TimeoutError) as error:
        raise Ambiguous(f"{what}: the connection to Discord broke ({type(error).__name__}).") from error


def retry_after_s(headers: Mapping[str, str]) -> float:
    """Return how many seconds the answer to a request asks to wait."""
    retry_after = headers.get("Retry-After", "")
    return float(retry_after) if retry_after.replace(".", "", 1).isdecimal() else DEFAULT_RETRY_AFTER_S


def _response_error(what: str, error: discord.HTTPException) -> AdapterError:
    """Return the error of the port for an error response."""
    message = f"{what}: Discord says {error.status} ({error.code}: {error.text or 'no reason given'})."
    if error.status == 429 or error.code == TOO_MANY_EDITS:
        return SlowDown(message, seconds=retry_after_s(error.response.headers))
    if error.status >= 500:
        return Ambiguous(message)
    if error.status == 404 or error.code == INVALID_WEBHOOK_TOKEN:
        return Gone(message)
    if error.code == NO_HISTORY:
        return ReplyRefused(message)
    if error.status == 401:
        return LoginRefused(message)
    return SendRefused(f"{message} {HINTS.get(error.code, '')}".rstrip())
