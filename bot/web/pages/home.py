"""Home: how everything is, today in numbers, what wants a look, what was remembered today."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import Any

from adapters.terminal import HERE
from bot.storage.keys import SessionKey
from bot.supervision import RUNNING
from bot.texts.catalogue import mark, tr, trn
from bot.texts.memory import of_memory
from bot.web.page import Group, Page, View
from memory import Status
from memory.knowledge.proposals import waiting

MAX_REMEMBERED = 20


@dataclass(frozen=True, slots=True)
class Attention:
    """Something that wants a look: what it is, and the page where something can be done about it."""

    text: str
    to: str
    label: str


async def context(view: View) -> Mapping[str, Any]:
    agent, service = view.agent, view.app.context
    status = await agent.memory.status()
    today = view.today.isoformat()
    written = await agent.memory.day(today, scope=view.scope)
    usage = await service.usage.of_today(agent.name)
    entries = [entry for entry in await service.usage.store.since(service.usage.today) if entry.agent == agent.name]
    cost, unpriced = service.usage.cost(entries)
    return {
        "health": view.beside.health.bars(agent.name),
        "today": today,
        "index": status,
        "usage": usage,
        "cost": service.usage.money(cost) if unpriced < usage.tokens else "",
        "remembered": written[-MAX_REMEMBERED:][::-1],
        "count": len(written),
        "recent": () if written else await agent.memory.recent(5, scope=view.scope),
        "warnings": [warning async for warning in _warnings(view, status)],
    }


async def _warnings(view: View, status: Status) -> AsyncIterator[Attention]:
    """Yield what wants a look, the worst first."""
    service, agent = view.app.context, view.agent
    models = await service.models(SessionKey(agent.name, HERE))
    for model in models:
        if model.outage:
            silent = tr("{model} does not answer: {reason}.", model=model.name, reason=model.outage.error.again())
            works = tr("Memory, commands and reminders go on without it; it is asked again {when}.", when=model.retry)
            yield Attention(f"{silent} {works}", "/doctor", tr("Doctor"))
    if not models:
        text = tr("No language model is set up: answers are quotes from memory.")
        yield Attention(text, "/config", tr("Config"))
    for account, state in service.accounts().items():
        if state != RUNNING and account != HERE.account:
            yield Attention(f"{account}: {state}", "/doctor", tr("Doctor"))
    if status.reason:
        yield Attention(of_memory(status.reason), "/doctor", tr("Doctor"))
    if dead := [letter for letter in await service.dead_letters.list() if letter.agent == agent.name]:
        text = trn("{count} message was given up.", "{count} messages were given up.", len(dead))
        yield Attention(text, "/sessions", tr("Sessions"))
    if asking := service.pairings.open:
        text = trn("{count} person asks to be let in.", "{count} people ask to be let in.", len(asking))
        yield Attention(text, "/people", tr("People"))
    if proposed := await agent.memory.run(waiting):
        text = trn("{count} proposal waits for you.", "{count} proposals wait for you.", len(proposed))
        yield Attention(text, "/inbox", tr("Inbox"))


PAGE = Page(
    path="/home",
    title=mark("Home"),
    context=context,
    group=Group.OVERVIEW,
    key="h",
    live=("memory.", "turn.", "account.", "adapter.", "model.", "job.", "index.", "pairing.", "health."),
)
