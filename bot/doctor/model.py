"""Check: every agent's language model answers, and calls tools."""

from __future__ import annotations

from collections.abc import AsyncIterator

from bot.config.providers import ModelOptions
from bot.doctor.base import Check, CheckContext, Finding, Severity
from bot.llm.detection import try_completion
from bot.llm.endpoint import endpoint_of
from bot.llm.errors import ModelError

SMALL = 8000
"""Tokens. In less, the rules, the tools and a few recalled passages leave little room for a conversation."""


async def detect(context: CheckContext) -> AsyncIterator[Finding]:
    """A word from each model that an agent uses; two agents with the same one ask once."""
    config = context.examined.config
    if config is None:  # which model is meant is not known; the check of the configuration says why
        return
    users: dict[ModelOptions, list[str]] = {}
    for name in config.agents:
        for options in config.model_of(name).in_order:
            users.setdefault(options, []).append(name)
    if without := ", ".join(name for name in config.agents if not config.model_of(name).is_configured):
        yield Finding("model.none", Severity.NOTE, without, "none; answers are quotes from memory")
    for options, agents in users.items():
        whose = ", ".join(agents)
        yield await _asked(context, options, whose)
        if options.context_tokens < SMALL:
            message = f"{options.name} has room for {options.context_tokens:,} tokens, which is little"
            hint = f"Raise the model's context_tokens in config.yaml to {SMALL} or more, if the model has that room."
            yield Finding("model.small", Severity.WARNING, whose, message, hint)


async def _asked(context: CheckContext, options: ModelOptions, whose: str) -> Finding:
    endpoint = endpoint_of(options)
    try:
        trial = await try_completion(endpoint, clock=context.clock)
    except ModelError as error:
        return Finding("model.silent", Severity.ERROR, whose, error.message.rstrip("."), error.hint)
    answered = f"{endpoint.label} answered in {trial.ms / 1000:.1f} s"
    if trial.calls_tools is False:
        message = f"{answered}, and called no tool when asked to"
        hint = "It will not look into memory by itself. Choose a model that can call tools."
        return Finding("model.no_tools", Severity.WARNING, whose, message, hint)
    return Finding("model.answers", Severity.NOTE, whose, answered)


CHECK = Check("model", "language model", detect)
"""Nothing but two short questions is sent, none of it from memory."""
