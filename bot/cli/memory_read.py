"""The commands that look into a memory: recall, explain, stats, profile, status."""

from __future__ import annotations

import dataclasses
import re
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from bot.cli import memory_views as views
from bot.cli.options import (
    AgentOption,
    JsonOption,
    LimitOption,
    Run,
    ScopeOption,
    WordsOption,
    joined,
    scope_of,
)
from bot.errors import UsageError

if TYPE_CHECKING:
    from memory import Hit, Memory, Scope

BudgetOption = Annotated[int, Parameter(help="Characters that the profile may take up.")]

ID = re.compile(r"\^?[a-z0-9]{6,}")


async def recall(
    *question: Annotated[str, Parameter(help="What you want to know.")],
    agent: AgentOption = None,
    scope: ScopeOption = "owner",
    limit: LimitOption = None,
    words: WordsOption = False,
    json: JsonOption = False,
    run: Run,
) -> None:
    """Find what an agent remembers, and where it stands.

    Ask in your own words and in any language; the question needs no quotes.

    Examples:
      scrubjay memory recall where is the spare key
      scrubjay memory recall "Andy's birthday" --agent work --limit 3
      scrubjay memory recall "blue pot" --words
      scrubjay memory recall "blue pot" --json | jq -r '.hits[].source'
    """
    text = joined(question)
    if not text:
        raise UsageError("There is no question.", hint='Try: scrubjay memory recall "where is the spare key?"')
    options = run.config.memory_of(run.config.agent(agent)).recall
    most = options.limit if limit is None else _within(limit)
    async with run.memory(agent, by_words=words) as memory:
        found = await memory.recall(text, scope=scope_of(scope), limit=most, budget_chars=options.budget_chars)
    if json:
        run.terminal.json(views.recall_json(found))
    else:
        views.recall(run.terminal, found)


async def explain(
    *wanted: Annotated[str, Parameter(help="A question, or the id of an entry.")],
    agent: AgentOption = None,
    scope: ScopeOption = "owner",
    words: WordsOption = False,
    json: JsonOption = False,
    run: Run,
) -> None:
    """Show why something is found, and what nearly was.

    A table has every part of every score.
    With an id instead of a question, show everything about that one entry.

    Examples:
      scrubjay memory explain "where is the spare key?"
      scrubjay memory explain ^k3f9a2mq
    """
    text = joined(wanted)
    if not text:
        raise UsageError("Explain what?", hint='Try: scrubjay memory explain "where is the spare key?"')
    options = run.config.memory_of(run.config.agent(agent)).recall
    async with run.memory(agent, by_words=words) as memory:
        hit = await _by_id(memory, text, scope_of(scope))
        if hit is not None:
            views.entry(run.terminal, hit, json=json)
            return
        found = await memory.recall(text, scope=scope_of(scope), limit=options.limit, budget_chars=options.budget_chars)
    if json:
        near = [views.hit_json(other) for other in found.near]
        run.terminal.json(views.recall_json(found) | {"near": near})
    else:
        views.explanation(run.terminal, found)


async def stats(*, agent: AgentOption = None, scope: ScopeOption = "owner", json: JsonOption = False, run: Run) -> None:
    """Count what an agent remembers.

    By kind of statement, by category, by the people and places it is about.

    Examples:
      scrubjay memory stats
      scrubjay memory stats --agent work --json
    """
    async with run.memory(agent, by_words=True) as memory:
        counted = await memory.stats(scope=scope_of(scope))
    if json:
        run.terminal.json(dataclasses.asdict(counted) | {"entities": dict(counted.entities)})
    else:
        views.stats(run.terminal, counted)


async def profile(
    *,
    agent: AgentOption = None,
    scope: ScopeOption = "owner",
    budget: BudgetOption = 2000,
    json: JsonOption = False,
    run: Run,
) -> None:
    """Show what belongs into USER.md.

    Standing instructions and preferences that stand in the notes and not
    yet in a file that is always loaded. Nothing is changed: copy over what
    is right.

    Examples:
      scrubjay memory profile
      scrubjay memory profile --budget 500 --json
    """
    if budget < 1:
        raise UsageError(f"A profile of {budget} characters holds nothing.", hint="Give --budget a number from 1.")
    async with run.memory(agent) as memory:
        offered = await memory.profile(scope=scope_of(scope), budget_chars=budget)
    if json:
        run.terminal.json(views.offer_json(offered))
    else:
        views.offer(run.terminal, offered)


async def status(*, agent: AgentOption = None, json: JsonOption = False, run: Run) -> None:
    """Show how the index stands, and what can be found by meaning.

    The index is derived from the files: delete it, and it comes back the same.

    Examples:
      scrubjay memory status
      scrubjay memory status --json | jq '{state, mode, embedded, unembedded}'
    """
    async with run.memory(agent, look=True) as memory:
        stands = await memory.status()
    if json:
        run.terminal.json(dataclasses.asdict(stands))
    else:
        views.status(run.terminal, stands)


async def _by_id(memory: Memory, text: str, scope: Scope) -> Hit | None:
    """The entry with this id; a word that merely looks like an id is a question."""
    from memory.errors import NotFound

    if not ID.fullmatch(text):
        return None
    try:
        return await memory.find(text, scope=scope)
    except NotFound:
        if text.startswith("^"):
            raise
        return None


def _within(limit: int) -> int:
    if not 1 <= limit <= 50:
        raise UsageError(f"{limit} passages cannot be handed over.", hint="Give --limit a number from 1 to 50.")
    return limit
