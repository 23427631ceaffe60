"""Asks endpoints what they have: servers on this machine, and one real completion before a model is relied on."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from difflib import get_close_matches
from time import perf_counter

from bot.config.options.providers import LOCAL, ModelSource, Provider
from bot.llm.client import OpenAIModel
from bot.llm.endpoint import Endpoint
from bot.llm.errors import BadAnswer, ModelError, NoSuchModel, Rejected
from bot.llm.types import Limits, Message, Reason, Request, Role, Tool, answer
from bot.texts.catalogue import tr
from memory import Clock

PROBE_S = 1.0
MAX_LISTED = 5

TRIAL_LIMITS = Limits(output_tokens=1024, total_s=60)
"""A model may think before it says its one word."""

NOTE = Tool(
    "note", "Writes a word down.", {"type": "object", "properties": {"word": {"type": "string"}}, "required": ["word"]}
)


@dataclass(frozen=True, slots=True)
class Trial:
    """A completion that worked.

    Attributes:
        ms: milliseconds until it was there.
        calls_tools: whether it called a tool when asked to; None if that could not be found out. A model that does not
            has no way to its memory.
    """

    ms: int
    text: str
    calls_tools: bool | None


async def servers(*, clock: Clock, candidates: tuple[Provider, ...] = LOCAL) -> tuple[ModelSource, ...]:
    """Return the servers that answer on this machine, with their models; all are asked at once, for a second."""

    async def ask(provider: Provider) -> ModelSource | None:
        endpoint = Endpoint(model="", base_url=provider.base_url, connect_s=PROBE_S, read_s=PROBE_S)
        try:
            return ModelSource(provider, await models_of(endpoint, clock=clock))
        except ModelError:
            return None

    return tuple(source for source in await asyncio.gather(*map(ask, candidates)) if source)


async def models_of(endpoint: Endpoint, *, clock: Clock) -> tuple[str, ...]:
    """Return the models that an endpoint offers; raises `ModelError` if it does not tell."""
    async with OpenAIModel(endpoint, clock=clock) as model:
        return await model.models()


async def try_completion(endpoint: Endpoint, *, clock: Clock) -> Trial:
    """Ask for one word, and then for one call of a tool.

    Raises:
        ModelError: there is no answer. For a name that does not exist, the hint has those that do.
    """
    async with OpenAIModel(endpoint, clock=clock) as model:
        began = perf_counter()
        try:
            finished = await answer(model, _ask_for("Reply with one word: ready"))
        except NoSuchModel as error:
            raise NoSuchModel(error.message, hint=await _suggest_models(model, endpoint) or error.hint) from None
        ms = round((perf_counter() - began) * 1000)
        if finished.reason is Reason.EMPTY:
            message = tr("{model} answered with nothing at all.", model=model.name)
            raise BadAnswer(message, hint=tr("Try another model."))
        calls_tools: bool | None
        try:
            called = await answer(model, _ask_for("Use the tool to write down the word: ready", NOTE))
            calls_tools = any(call.name == NOTE.name and not call.fault for call in called.message.calls)
        except ModelError as error:
            calls_tools = False if isinstance(error, Rejected) else None
        return Trial(ms, finished.message.text.strip(), calls_tools)


def _ask_for(text: str, *tools: Tool) -> Request:
    return Request(history=(Message(Role.USER, text),), tools=tools, limits=TRIAL_LIMITS)


async def _suggest_models(model: OpenAIModel, endpoint: Endpoint) -> str:
    try:
        offered = await model.models()
    except ModelError:
        return ""
    near = get_close_matches(endpoint.model, offered, n=MAX_LISTED, cutoff=0.4)
    names, more = ", ".join(offered[:MAX_LISTED]), len(offered) - MAX_LISTED
    if more > 0:
        names += " " + tr("and {count:,} more", count=more)
    listed = tr("There are: {names}.", names=names) if offered else tr("It offers none.")
    return f"{tr('Did you mean {name}?', name=tr(' or ').join(near[:2]))} {listed}" if near else listed
