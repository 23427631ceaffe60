"""Errors of language models, and how the responses of providers become them."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Container, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from enum import Enum
from functools import partial, wraps
from math import isfinite
from typing import ClassVar, ParamSpec, Self, TypeVar

from bot.errors import BotError
from bot.llm.endpoint import Endpoint
from bot.texts.catalogue import mark, tr
from bot.texts.formatting import truncate

P = ParamSpec("P")
E = TypeVar("E", bound="ModelError")


class Blame(Enum):
    """Whose fault a failure is."""

    REQUEST = "this request only; others will be answered"
    ACCOUNT = "the key or the configuration; nothing will be answered until somebody changes it"
    PROVIDER = "the other side; it may pass"


class ModelError(BotError):
    """The model gave no answer.

    Attributes:
        tries: how often a request that ends like this is worth asking in all.
        refused: what is said of a request that is refused with it.
        remedy: what to do about that.
        seconds: when the provider wants to be asked again, if it said so.
        again: makes the same error in the language of then, which may be another one than when it was raised.
    """

    exit_code = 6
    blame: ClassVar[Blame] = Blame.PROVIDER
    tries: ClassVar[int] = 1
    refused: ClassVar[str] = ""
    remedy: ClassVar[str] = ""

    def __init__(self, message: str, *, hint: str = "", seconds: float | None = None) -> None:
        super().__init__(message, hint=hint)
        self.seconds = seconds
        self.again: Callable[[], ModelError] = lambda: self


def retellable(make: Callable[P, E]) -> Callable[P, E]:
    """Return a function that makes the same errors, and sets their `again`."""

    @wraps(make)
    def made(*args: P.args, **kwargs: P.kwargs) -> E:
        error = make(*args, **kwargs)
        error.again = partial(made, *args, **kwargs)
        return error

    return made


class Rejected(ModelError):
    """The provider finds the request invalid."""

    blame = Blame.REQUEST
    refused = mark("{model} finds the request invalid")
    remedy = mark("The provider's words say what it does not like.")


class NoToolSupport(Rejected):
    """The model takes no tools."""

    refused = mark("{model} takes no tools")
    remedy = mark("Memory needs them: choose a model that can call tools.")


class NoPictureSupport(Rejected):
    """The model takes no pictures at all, whatever they show."""

    refused = mark("{model} takes no pictures")
    remedy = mark("Set the model's sees to no in config.yaml, or choose one that sees.")


class ContextTooLong(Rejected):
    """The request does not fit into the model's window."""

    refused = mark("{model} cannot take a request of this length")
    remedy = mark("Begin afresh with /new, or ask for less.")


class FallbackTooSmall(ContextTooLong):
    """The request does not fit into the window of the model that would answer instead, of `window` tokens.

    `output` of them are kept free for the longest answer, as `bot.llm.tokens.Window` says.
    """

    def __init__(self, message: str, *, hint: str = "", window: int = 0, output: int = 0) -> None:
        super().__init__(message, hint=hint)
        self.window = window
        self.output = output


class CapReached(ModelError):
    """A cap on what models may take is reached; nothing was sent."""

    blame = Blame.REQUEST


class Unauthorised(ModelError):
    """The key is missing, wrong, or not allowed to do this."""

    blame = Blame.ACCOUNT
    refused = mark("{model} refused the key")
    remedy = mark("Check the model's api_key in config.yaml, and what that key is allowed to use.")


class OutOfCredit(ModelError):
    """The account has no money or quota left."""

    blame = Blame.ACCOUNT
    refused = mark("{model} has no credit left")
    remedy = mark("Top up the account, or choose another model in config.yaml.")


class NoSuchModel(ModelError):
    """There is no model of that name."""

    blame = Blame.ACCOUNT
    refused = mark("{model} does not exist")
    remedy = mark("Check the model's name in config.yaml against the provider's list.")


class WrongAddress(ModelError):
    """Something answers at this address, but it does not speak the protocol."""

    blame = Blame.ACCOUNT
    refused = mark("{model} does not answer as a model's endpoint does")


class BadAnswer(ModelError):
    """The answer cannot be decoded."""

    tries = 2


class RateLimited(ModelError):
    """Too many requests."""

    tries = 3
    refused = mark("{model} gets too many requests")
    remedy = mark("Wait a while, or ask the provider for a higher limit.")


class Unavailable(ModelError):
    """No connection, no answer in time, or a server error."""

    tries = 3
    refused = mark("{model} has trouble of its own")
    remedy = mark("It usually passes; the provider's status page knows more.")


class CircuitOpen(Unavailable):
    """It failed so often that it is not asked for a while; nothing was sent."""

    tries = 1


class Truncated(ModelError):
    """The stream ended before anything was said."""

    tries = 2


STATUS_OF = {
    "authentication_error": 401,
    "invalid_api_key": 401,
    "permission_error": 403,
    "insufficient_quota": 429,
    "rate_limit_error": 429,
    "rate_limit_exceeded": 429,
    "invalid_request_error": 400,
    "context_length_exceeded": 400,
}
"""What an error inside a stream would have had as its status; any other is the server's trouble."""

MAX_WORDS_CHARS = 300
"""Characters of a provider's own words that are worth repeating."""


@dataclass(frozen=True, slots=True)
class ErrorResponse:
    """An endpoint's refusal.

    Attributes:
        code: a name for the reason, if it gave one.
        words: its own words, on one line, cut; empty for a web page.
        is_page: whether a web page came where an error body belongs.
        seconds: when to ask again, if it said so.
    """

    status: int
    code: str = ""
    words: str = ""
    is_page: bool = False
    seconds: float | None = None

    @classmethod
    def of_response(cls, status: int, body: object, *, headers: Mapping[str, str], now: datetime) -> Self:
        """Read an error response; `body` is its JSON, or its text if it is none."""
        text, code = _read(body)
        is_page = text.lstrip()[:1] == "<"
        return cls(status, code, "" if is_page else _line(text), is_page, retry_after(headers, now))

    @classmethod
    def of_event(cls, body: object) -> Self:
        """Read an error that came inside a stream, where there is no status any more."""
        text, code = _read(body)
        if code.isdecimal() and 400 <= int(code[:4]) < 600:
            return cls(int(code), "", _line(text))
        return cls(STATUS_OF.get(code, 500), code, _line(text))


def _read(body: object) -> tuple[str, str]:
    """Return the words and the code of an error body, whatever it looks like."""
    if isinstance(body, list) and body:  # Google wraps it into a list
        return _read(body[0])
    if not isinstance(body, Mapping):
        return ("" if body is None else str(body)), ""
    inner = body.get("error")
    if isinstance(inner, Mapping | list):
        return _read(inner)
    text = body.get("message") or inner or body.get("detail") or body.get("msg") or ""
    # the most telling name: `code` where it is one, else `type` (vLLM and llama.cpp put the status into `code`)
    code = body.get("code")
    named = [value for value in (code, body.get("type")) if isinstance(value, str) and value]
    return (text if isinstance(text, str) else repr(text)), named[0] if named else str(code or "")


def _line(text: str) -> str:
    visible = "".join(sign if sign.isprintable() else " " for sign in text[: 4 * MAX_WORDS_CHARS])
    return truncate(visible, MAX_WORDS_CHARS + 1)


def retry_after(headers: Mapping[str, str], now: datetime) -> float | None:
    """Return the seconds until the next try: `Retry-After` is a number or a date (RFC 9110 §10.2.3)."""
    milliseconds, value = _number(headers.get("retry-after-ms")), headers.get("retry-after")
    if milliseconds is not None:
        return milliseconds / 1000
    if value is None:
        return None
    if (seconds := _number(value)) is not None:
        return seconds
    try:
        at = parsedate_to_datetime(value)
    except ValueError:
        return None
    return max(0.0, (at.replace(tzinfo=at.tzinfo or UTC) - now).total_seconds())


def _number(value: str | None) -> float | None:
    try:
        number = float(value or "")
    except ValueError:
        return None
    return max(0.0, number) if isfinite(number) else None


@dataclass(frozen=True, slots=True)
class Cause:
    """A kind of error, and by what a response is known to be one; everything that is set has to fit.

    Attributes:
        codes: the names that providers give to the reason.
        words: a regular expression that is found in the provider's words in lower case; `MODEL` stands for the model.
        is_page: only if a web page came.
    """

    kind: type[ModelError]
    statuses: Container[int] = range(1000)
    codes: Collection[str] = ()
    words: str = ""
    is_page: bool = False

    def fits(self, response: ErrorResponse, model: str) -> bool:
        """Return whether a response to a request to this model has the cause."""
        words = self.words.replace("MODEL", re.escape(model.lower()))
        return (
            response.status in self.statuses
            and (not self.codes or response.code in self.codes)
            and (not words or re.search(words, response.words.lower()) is not None)
            and (not self.is_page or response.is_page)
        )


TELLING = frozenset(range(500)) - {429}
"""Statuses with which the words say more than the status."""

CAUSES = (
    Cause(OutOfCredit, codes={"insufficient_quota", "billing_hard_limit_reached", "billing_not_active"}),
    Cause(ContextTooLong, codes={"context_length_exceeded", "exceed_context_size_error"}),
    Cause(NoSuchModel, codes={"model_not_found"}),
    Cause(Unauthorised, codes={"invalid_api_key"}),
    Cause(
        ContextTooLong,
        TELLING,
        words="context length|context size|context window|context limit|context_length|prompt length|"
        "prompt is too long|input is too long|"
        "input token count|reduce the length|too many tokens|maximum number of tokens allowed|too large for model",
    ),
    Cause(
        NoToolSupport,
        TELLING,
        words="support tool|support function call|enable-auto-tool-choice|tools? (?:is|are) not supported",
    ),
    Cause(
        NoPictureSupport,
        TELLING | {500},  # of llama.cpp
        words="^(?!.*(?:format|larger|exceed)).*(?:n[o']t support (?:image|vision)|support image input|at most 0 image|"
        "image(?:s|_url| inputs?)? (?:is|are) (?:not|only) supported|unknown variant .image_url)",
    ),
    Cause(Unauthorised, TELLING, words="api key not valid|(?:invalid|incorrect|missing|no) api.?key"),
    Cause(OutOfCredit, TELLING, words="credit balance|insufficient (?:balance|credit|fund)"),
    Cause(
        NoSuchModel,
        {400, 404, 422},
        words="model.*(?:not found|not exist)|(?:not found|not exist).*model|unknown model|invalid model|"
        "not a valid model|no such model|^(?=.*model)(?=.*MODEL).*not available",
    ),
    Cause(Unauthorised, {401, 403}),
    Cause(OutOfCredit, {402}),
    Cause(Unavailable, {408, 409, 425}),
    Cause(ContextTooLong, {413}),
    Cause(RateLimited, {429}),
    Cause(WrongAddress, {404, 405}),
    Cause(Unavailable, range(500, 1000)),
    Cause(WrongAddress, is_page=True),
    Cause(Rejected),
)
"""Why requests are refused; the first cause that fits holds. Codes tell most, then words, then the status."""

LIMIT = re.compile(
    r"(?:(?:context (?:length|size|window)|prompt length)\D{0,24}|> |tokens allowed \(|with )(\d[\d,]{2,9})"
)


@retellable
def refusal(response: ErrorResponse, endpoint: Endpoint) -> ModelError:
    """Return the error for a response with an error status, or for an error inside a stream."""
    kind = next(cause.kind for cause in CAUSES if cause.fits(response, endpoint.model))
    quoted = f": {endpoint.mask(response.words)}" if response.words and kind is not Unauthorised else ""
    hint = tr(kind.remedy) if kind.remedy else ""
    message = f"{tr(kind.refused, model=endpoint.label)} (HTTP {response.status}{quoted})."
    if kind is Unauthorised and not endpoint.api_key.get_secret_value():
        hint = tr("No key was sent. Set the model's api_key in config.yaml, for example to ${OPENAI_API_KEY}.")
    if kind is NoSuchModel and endpoint.is_local:
        hint = tr(
            "Load it first (with Ollama: ollama pull {model}), or set another name in config.yaml.",
            model=endpoint.model,
        )
    if kind is WrongAddress:
        hint = _address_hint(endpoint)
    if kind is ContextTooLong and (stated := LIMIT.search(response.words.lower())):
        limit = int(stated[1].replace(",", ""))
        hint += " " + tr("It takes {limit} tokens: set the model's context_tokens to that.", limit=limit)
    return kind(message, hint=hint, seconds=response.seconds)


@retellable
def no_connection(endpoint: Endpoint, reason: str) -> Unavailable:
    """Return the error for no connection, or one that was lost before anything came."""
    local = tr("Is the server running? Nothing answers at {host}.", host=endpoint.host)
    hint = local if endpoint.is_local else tr("Check the network, and the model's base_url in config.yaml.")
    detail = f": {endpoint.mask(reason)}" if reason else ""
    return Unavailable(f"{tr('{model} cannot be reached', model=endpoint.label)}{detail}.", hint=hint)


@retellable
def no_answer(endpoint: Endpoint, seconds: float) -> Unavailable:
    """Return the error for a silence of so many seconds."""
    hint = tr("A large model on a small machine may need longer: raise the model's timeouts in config.yaml.")
    message = tr("{model} did not answer within {seconds:g} s.", model=endpoint.label, seconds=round(seconds, 1))
    return Unavailable(message, hint=hint)


@retellable
def broken_stream(endpoint: Endpoint, reason: str) -> Truncated:
    """Return the error for an answer that began and did not come to its end."""
    hint = tr("Ask again; if this goes on, the provider has trouble.")
    message = tr("{model} broke off its answer: {reason}.", model=endpoint.label, reason=endpoint.mask(reason))
    return Truncated(message, hint=hint)


@retellable
def not_a_model(endpoint: Endpoint, what: str) -> WrongAddress:
    """Return the error for an answer that is not one of a model's endpoint."""
    message = tr(
        "{model} answered with {what} instead of a completion.", model=endpoint.label, what=endpoint.mask(what)
    )
    return WrongAddress(message, hint=_address_hint(endpoint))


def _address_hint(endpoint: Endpoint) -> str:
    base = endpoint.base_url.rstrip("/")
    if re.search(r"/v\d", base):
        return tr("Check the model's base_url in config.yaml.")
    return tr("Most addresses end in /v1; try this as the model's base_url: {base}/v1", base=base)
