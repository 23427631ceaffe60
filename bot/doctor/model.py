"""Check: every agent's language model answers, and calls tools."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from bot.config.options.providers import ModelOptions
from bot.doctor.base import Check, CheckContext, Finding, Severity
from bot.llm.detection import try_completion
from bot.llm.endpoint import endpoint_of
from bot.llm.errors import ModelError, NoSuchModel, OutOfCredit, Unauthorised, Unavailable, WrongAddress
from bot.texts.catalogue import localized, mark, tr

SMALL = 8000
"""Tokens. In less, the rules, the tools and a few recalled passages leave little room for a conversation."""

CAUSES: dict[type[ModelError], str] = {
    Unauthorised: "model.key_refused",
    NoSuchModel: "model.unknown",
    OutOfCredit: "model.no_credit",
    WrongAddress: "model.wrong_address",
    Unavailable: "model.down",
}
"""Why a model does not answer; any other cause is `model.silent`."""


async def detect(context: CheckContext) -> AsyncIterator[Finding]:
    """A word from each model that an agent uses, all asked at once; two agents with the same one ask once.

    Nothing but two short questions is sent, none of it from memory.
    """
    config = context.examined.config
    if config is None:  # which model is meant is not known; the check of the configuration says why
        return
    users: dict[ModelOptions, list[str]] = {}
    for name in config.agents:
        for options in config.model_of(name).in_order:
            users.setdefault(options, []).append(name)
    if without := ", ".join(name for name in config.agents if not config.model_of(name).is_configured):
        yield Finding("model.none", Severity.NOTE, without, tr("none; answers are quotes from memory"))
    if context.is_offline and users:
        models = ", ".join(sorted({endpoint_of(options).label for options in users}))
        message = tr("not asked (--offline): whether it answers is not known")
        yield Finding("model.not_asked", Severity.NOTE, models, message)
        return
    answers = await asyncio.gather(*(_ask(context, options, ", ".join(users[options])) for options in users))
    for (options, agents), answered in zip(users.items(), answers, strict=True):
        yield answered
        if options.context_tokens < SMALL:
            tokens = localized(options.context_tokens, ",")
            message = tr("{model} has room for {tokens} tokens, which is little", model=options.name, tokens=tokens)
            hint = tr(
                "Raise the model's context_tokens in config.yaml to {tokens} or more, if the model has that room.",
                tokens=SMALL,
            )
            yield Finding("model.small", Severity.WARNING, ", ".join(agents), message, hint)


async def _ask(context: CheckContext, options: ModelOptions, whose: str) -> Finding:
    endpoint = endpoint_of(options)
    try:
        trial = await try_completion(endpoint, clock=context.clock)
    except ModelError as error:
        cause = next((cause for kind, cause in CAUSES.items() if isinstance(error, kind)), "model.silent")
        return Finding(cause, Severity.ERROR, whose, error.message.rstrip("."), error.hint)
    answered = tr("{model} answered in {seconds} s", model=endpoint.label, seconds=f"{trial.ms / 1000:.1f}")
    if trial.calls_tools is False:
        message = tr("{answered}, and called no tool when asked to", answered=answered)
        hint = tr("It will not look into memory by itself. Choose a model that can call tools.")
        return Finding("model.no_tools", Severity.WARNING, whose, message, hint)
    return Finding("model.answers", Severity.NOTE, whose, answered)


CHECK = Check(
    mark("language model"),
    detect,
    {
        "none": "An agent has no language model, so it answers with quotes from its memory. That is a way to use "
        "Scrubjay; `scrubjay init` adds a model.",
        "not_asked": "With `--offline` no model is asked.",
        "answers": "The model gave a word and called a tool.",
        "key_refused": "The provider does not accept the key. Copy it again, and check which variable or file "
        "config.yaml takes it from.",
        "unknown": "The endpoint has no model of that name. The hint lists those that it has; a local server may have "
        "to load it first.",
        "no_credit": "The account at the provider has no credit or quota left.",
        "wrong_address": "Something answers at `base_url`, but it is no language model. Mostly `/v1` is missing.",
        "down": "Nothing answers at `base_url`, or only with errors. Is the server running, and the network up? "
        "Meanwhile agents answer with quotes from memory.",
        "silent": "The model gave no usable answer; the message holds the provider's own words.",
        "no_tools": "The model answers and cannot call tools, so it never looks into memory by itself. Choose another.",
        "small": "The model's window is small: rules, tools and memory leave little room for the conversation.",
    },
)
