"""Discord's and the network's errors as those of the port."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import aiohttp
import discord

from adapters.port import AdapterError, Ambiguous, LoginRefused, MessageGone, NotSent, SendRefused, SlowDown

TOO_MANY_EDITS = 30046
INVALID_WEBHOOK_TOKEN = 50027
NO_HISTORY = 160002
SESSION_CLOSED = "Session is closed"
"""How aiohttp says that nothing can be sent any more."""

BAN_S = 60.0
"""How long to keep away when Discord's front door answers 429 without saying for how long."""

HINTS = {
    50001: "The bot does not see this channel; let its role view it.",
    50007: "This person takes no direct messages from the bot: it shares no server with them, or they closed them.",
    50013: "The bot lacks a permission there: Send Messages, Send Messages in Threads, Attach Files, Embed Links.",
    40005: "The files are larger than Discord takes.",
}


class Gone(MessageGone):
    """The channel, the message or the right to answer does not exist, or no longer."""


class NoReply(SendRefused):
    """The bot may write there, but not refer to another message, because it may not read the history."""


@contextmanager
def failures(what: str) -> Iterator[None]:
    """Turn what goes wrong in the block into an `AdapterError` that begins with `what`."""
    try:
        yield
    except discord.RateLimited as error:
        raise SlowDown(f"{what}: Discord asks to wait.", seconds=error.retry_after) from error
    except discord.HTTPException as error:
        raise _answered(what, error) from error
    except (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError) as error:
        raise NotSent(f"{what}: Discord cannot be reached ({type(error).__name__}).") from error
    except RuntimeError as error:
        if str(error) != SESSION_CLOSED:
            raise
        raise NotSent(f"{what}: the connection to Discord has just been closed.") from error
    except (aiohttp.ClientError, OSError, TimeoutError) as error:
        raise Ambiguous(f"{what}: the connection to Discord broke ({type(error).__name__}).") from error


def _answered(what: str, error: discord.HTTPException) -> AdapterError:
    """What an error answer means."""
    said = f"{what}: Discord says {error.status} ({error.code}: {error.text or 'no reason given'})."
    if error.status == 429 or error.code == TOO_MANY_EDITS:
        return SlowDown(said, seconds=_wait_s(error))
    if error.status >= 500:
        return Ambiguous(said)
    if error.status == 404 or error.code == INVALID_WEBHOOK_TOKEN:
        return Gone(said)
    if error.code == NO_HISTORY:
        return NoReply(said)
    if error.status == 401:
        return LoginRefused(said)
    hint = HINTS.get(error.code)
    return SendRefused(f"{said} {hint}" if hint else said)


def _wait_s(error: discord.HTTPException) -> float:
    given = error.response.headers.get("Retry-After", "")
    return float(given) if given.replace(".", "", 1).isdecimal() else BAN_S


UNREADABLE = (ArithmeticError, AttributeError, IndexError, KeyError, RecursionError, TypeError, ValueError)
"""What the library raises over data that is not as it expects."""
