"""What went wrong with a request -> one error of ours, which says what happened, where, and what to do."""

from __future__ import annotations

import re
from collections.abc import Callable

from bot.llm.complaint import Complaint
from bot.llm.endpoint import Endpoint
from bot.llm.errors import (
    BadAnswer,
    ContextTooLong,
    ModelError,
    NoSuchModel,
    NoToolSupport,
    OutOfCredit,
    RateLimited,
    Rejected,
    Truncated,
    Unauthorised,
    Unavailable,
    WrongAddress,
)

TOO_LONG = (
    "context length|context size|context window|context_length|prompt is too long|input is too long|"
    "input token count|reduce the length|too many tokens|maximum number of tokens allowed|too large for model"
)
NO_TOOLS = "support tool|support function call|enable-auto-tool-choice|tools? (?:is|are) not supported"
BAD_KEY = "api key not valid|(?:invalid|incorrect|missing|no) api.?key"
NO_CREDIT = "credit balance|insufficient (?:balance|credit|fund)"

SAYINGS: dict[str, type[ModelError]] = {
    TOO_LONG: ContextTooLong,
    NO_TOOLS: NoToolSupport,
    BAD_KEY: Unauthorised,
    NO_CREDIT: OutOfCredit,
}
"""What providers say instead of a status or a code that tells; each has its own words."""

LIMIT = re.compile(r"(?:context (?:length|size|window)\D{0,24}|> |tokens allowed \(|with )(\d[\d,]{2,9})")

CODES: dict[str, type[ModelError]] = {
    "insufficient_quota": OutOfCredit,
    "billing_hard_limit_reached": OutOfCredit,
    "billing_not_active": OutOfCredit,
    "context_length_exceeded": ContextTooLong,
    "exceed_context_size_error": ContextTooLong,
    "model_not_found": NoSuchModel,
    "invalid_api_key": Unauthorised,
}

STATUSES: dict[int, type[ModelError]] = {
    401: Unauthorised,
    402: OutOfCredit,
    403: Unauthorised,
    408: Unavailable,
    409: Unavailable,
    413: ContextTooLong,
    425: Unavailable,
    429: RateLimited,
}


def refused(complaint: Complaint, endpoint: Endpoint) -> ModelError:
    """The error for a response with an error status, or for an error inside a stream."""
    kind = _kind(complaint, endpoint)
    quoted = f": {endpoint.masked(complaint.words)}" if complaint.words and kind is not Unauthorised else ""
    what, hint = _SAID[kind](endpoint)
    message = f"{endpoint.label} {what} (HTTP {complaint.status}{quoted})."
    if kind is ContextTooLong:
        return _too_long(message, hint, complaint.words)
    return kind(message, hint=hint, seconds=complaint.seconds)


def unreachable(endpoint: Endpoint, reason: str) -> Unavailable:
    """No connection, or one that was lost before anything came."""
    local = f"Is the server running? Nothing answers at {endpoint.host}."
    hint = local if endpoint.is_local else "Check the network, and the model's base_url in config.yaml."
    detail = f": {endpoint.masked(reason)}" if reason else ""
    return Unavailable(f"{endpoint.label} cannot be reached{detail}.", hint=hint)


def too_slow(endpoint: Endpoint, seconds: float) -> Unavailable:
    """Silence for that long."""
    hint = "A large model on a small machine may need longer: raise the model's timeouts in config.yaml."
    return Unavailable(f"{endpoint.label} did not answer within {seconds:g} s.", hint=hint)


def broken_off(endpoint: Endpoint, reason: str) -> Truncated:
    """An answer that began and did not come to its end."""
    hint = "Ask again; if this goes on, the provider has trouble."
    return Truncated(f"{endpoint.label} broke off its answer: {endpoint.masked(reason)}.", hint=hint)


def garbled(endpoint: Endpoint) -> BadAnswer:
    """An answer that cannot be decoded."""
    return BadAnswer(f"{endpoint.label} sent something that is not JSON.", hint="Ask again; it may pass.")


def not_a_model(endpoint: Endpoint, what: str) -> WrongAddress:
    """An answer, but not one of a model's endpoint."""
    message = f"{endpoint.label} answered with {endpoint.masked(what)} instead of a completion."
    return WrongAddress(message, hint=_address_hint(endpoint))


def _kind(complaint: Complaint, endpoint: Endpoint) -> type[ModelError]:
    status, words = complaint.status, complaint.words.lower()
    if complaint.code in CODES:
        return CODES[complaint.code]
    for saying, kind in SAYINGS.items():
        if status < 500 and status != 429 and re.search(saying, words):
            return kind
    if status in {400, 404, 422} and "model" in words and _is_unknown(words, endpoint):
        return NoSuchModel
    if status in {404, 405} or complaint.is_page:
        return Unavailable if status >= 500 else STATUSES.get(status, WrongAddress)
    return STATUSES.get(status, Unavailable if status >= 500 else Rejected)


def _is_unknown(words: str, endpoint: Endpoint) -> bool:
    denied = ("not found", "not exist", "unknown model", "invalid model", "not a valid model", "no such model")
    return any(said in words for said in denied) or (endpoint.model.lower() in words and "not available" in words)


def _too_long(message: str, hint: str, words: str) -> ContextTooLong:
    found = LIMIT.search(words.lower())
    limit = int(found[1].replace(",", "")) if found else None
    told = f" It takes {limit} tokens: set the model's context_tokens to that." if limit else ""
    return ContextTooLong(message, hint=hint + told, limit=limit)


def _key_hint(endpoint: Endpoint) -> str:
    if not endpoint.api_key.get_secret_value():
        return "No key was sent. Set the model's api_key in config.yaml, for example to ${OPENAI_API_KEY}."
    return "Check the model's api_key in config.yaml, and what that key is allowed to use."


def _name_hint(endpoint: Endpoint) -> str:
    if endpoint.is_local:
        return f"Load it first (with Ollama: ollama pull {endpoint.model}), or set another name in config.yaml."
    return "Check the model's name in config.yaml against the provider's list."


def _address_hint(endpoint: Endpoint) -> str:
    base = endpoint.base_url.rstrip("/")
    if re.search(r"/v\d", base):
        return "Check the model's base_url in config.yaml."
    return f"Most addresses end in /v1; try this as the model's base_url: {base}/v1"


_SAID: dict[type[ModelError], Callable[[Endpoint], tuple[str, str]]] = {
    Unauthorised: lambda at: ("refused the key", _key_hint(at)),
    OutOfCredit: lambda _: ("has no credit left", "Top up the account, or choose another model in config.yaml."),
    NoSuchModel: lambda at: ("does not exist", _name_hint(at)),
    ContextTooLong: lambda _: ("cannot take a request of this length", "Begin afresh with /new, or ask for less."),
    NoToolSupport: lambda _: ("takes no tools", "Memory needs them: choose a model that can call tools."),
    Rejected: lambda _: ("finds the request invalid", "The provider's words say what it does not like."),
    RateLimited: lambda _: ("gets too many requests", "Wait a while, or ask the provider for a higher limit."),
    WrongAddress: lambda at: ("does not answer as a model's endpoint does", _address_hint(at)),
    Unavailable: lambda _: ("has trouble of its own", "It usually passes; the provider's status page knows more."),
}
