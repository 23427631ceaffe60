"""Why a model gave no answer.

ModelError                     exit code 6; whose fault it is (`blame`) says what to do next
 |   the request: change it
 +-- Rejected                  the provider finds it invalid
 |    +-- NoToolSupport        this model takes no tools
 |    +-- ContextTooLong       it does not fit; `limit` says how much would, if the provider told
 |   the account or the configuration: somebody has to change something, asking again is useless
 +-- Unauthorised              the key is missing, wrong, or not allowed to do this
 +-- OutOfCredit               the account has no money or quota left
 +-- NoSuchModel               there is no model of that name
 +-- WrongAddress              something answers, but it is no model: a web page, another service
 |   the provider: it may pass
 +-- BadAnswer                 garbage instead of an answer
 +-- RateLimited               too many requests; `seconds` says when to come back
 +-- Unavailable               no connection, no answer in time, a server error
 |    +-- Resting              it failed so often that it is left alone for a while
 +-- Truncated                 the stream ended before anything was said
"""

from __future__ import annotations

from enum import Enum
from typing import ClassVar

from bot.errors import BotError


class Blame(Enum):
    """Whose fault a failure is."""

    REQUEST = "this request only; others will be answered"
    ACCOUNT = "the key or the configuration; nothing will be answered until somebody changes it"
    PROVIDER = "the other side; it may pass"


class ModelError(BotError):
    """The model gave no answer.

    Attributes:
        blame: whose fault it is.
        tries: how often a request that ends like this is worth asking in all.
        seconds: when the provider wants to be asked again, if it said so.
    """

    exit_code = 6
    blame: ClassVar[Blame] = Blame.PROVIDER
    tries: ClassVar[int] = 1

    def __init__(self, message: str, *, hint: str = "", seconds: float | None = None) -> None:
        super().__init__(message, hint=hint)
        self.seconds = seconds


class Rejected(ModelError):
    """The provider finds the request invalid."""

    blame = Blame.REQUEST


class NoToolSupport(Rejected):
    """The model takes no tools."""


class ContextTooLong(Rejected):
    """The request does not fit into the model's window; `limit` is its size in tokens, None if it was not told."""

    def __init__(self, message: str, *, hint: str = "", limit: int | None = None) -> None:
        super().__init__(message, hint=hint)
        self.limit = limit


class Unauthorised(ModelError):
    """The key is missing, wrong, or not allowed to do this."""

    blame = Blame.ACCOUNT


class OutOfCredit(ModelError):
    """The account has no money or quota left."""

    blame = Blame.ACCOUNT


class NoSuchModel(ModelError):
    """There is no model of that name."""

    blame = Blame.ACCOUNT


class WrongAddress(ModelError):
    """Something answers at this address, but it does not speak the protocol."""

    blame = Blame.ACCOUNT


class BadAnswer(ModelError):
    """Garbage instead of an answer."""

    tries = 2


class RateLimited(ModelError):
    """Too many requests."""

    tries = 3


class Unavailable(ModelError):
    """No connection, no answer in time, or a server error."""

    tries = 3


class Resting(Unavailable):
    """It failed so often that it is left alone for a while; nothing was sent."""

    tries = 1


class Truncated(ModelError):
    """The stream ended before anything was said."""

    tries = 2
