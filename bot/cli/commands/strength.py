"""`scrubjay memory`: how strong facts are, what fades next, and what is kept from fading."""

from __future__ import annotations

import dataclasses
from typing import Annotated

from cyclopts import Parameter

from bot.cli import memory_output as output
from bot.cli.commands.knowledge import ACTOR, new_operation
from bot.cli.help import AgentOption, CountOption, JsonOption, LimitOption, Run, ScopeOption, most_passages, scope_of
from bot.errors import UsageError
from bot.texts import receipts
from bot.texts.catalogue import tr


async def stats(*, agent: AgentOption = None, scope: ScopeOption = "owner", json: JsonOption = False, run: Run) -> None:
    """Count what an agent remembers.

    By store, kind and category, by the people and places it is about, by
    strength; what fades soon, links, and how observations were judged. How
    often a recall found an answer is not counted.

    Examples:
      scrubjay memory stats
      scrubjay memory stats --agent work --json
    """
    from memory.life.stats import life_stats

    async with run.memory(agent, by_words=True) as memory:
        counted = await memory.stats(scope=scope_of(scope))
        life = await memory.run(life_stats, scope=scope_of(scope))
    if json:
        totals = dataclasses.asdict(counted) | {"entities": dict(counted.entities)}
        run.terminal.json(totals | {"life": dataclasses.asdict(life)})
    else:
        output.print_stats(run.terminal, counted)
        output.print_life(run.terminal, life)


async def due(
    *,
    days: Annotated[int, Parameter(metavar="N", help="How many days ahead.")] = 30,
    agent: AgentOption = None,
    scope: ScopeOption = "owner",
    limit: CountOption = 20,
    json: JsonOption = False,
    run: Run,
) -> None:
    """Show which facts fade next, the first to fade first.

    What has faded stays in its file, and is found by its own words and with
    --faded. A fact that an answer cites, that is told again or that is
    pinned does not fade.

    Examples:
      scrubjay memory due
      scrubjay memory due --days 90 --json | jq -r '.facts[].id'
    """
    from memory.life.reviews import due as find_due

    if days < 1 or limit < 1:
        raise UsageError(tr("Nothing fades in less than a day."), hint=tr("Give --days and --limit a number from 1."))
    async with run.memory(agent, by_words=True) as memory:
        fading = await memory.run(find_due, scope=scope_of(scope), days=days, limit=limit)
    if json:
        facts = [output.hit_json(hit) for hit in fading.facts]
        run.terminal.json({"facts": facts, "faded": fading.faded, "pinned": fading.pinned})
        return
    for hit in fading.facts:
        run.terminal.out(f"{hit.strength.due if hit.strength else ''}  {receipts.listed(hit)[2:]}")
    run.terminal.err(receipts.due_summary(fading, days))


async def wander(
    *,
    agent: AgentOption = None,
    scope: ScopeOption = "owner",
    limit: LimitOption = None,
    json: JsonOption = False,
    run: Run,
) -> None:
    """Walk over facts that are linked, by chance.

    It begins where nobody has been for long, and jumps now and then.

    Examples:
      scrubjay memory wander
      scrubjay memory wander --limit 3 --json
    """
    from memory.life.wander import wander as walk

    steps = most_passages(limit, 5)
    async with run.memory(agent, by_words=True) as memory:
        hits = await memory.run(walk, scope=scope_of(scope), seed=new_operation(), steps=steps)
    if json:
        run.terminal.json({"facts": [output.hit_json(hit) for hit in hits]})
    else:
        output.print_facts(run.terminal, hits)
    if not hits:
        run.terminal.err(tr("There are no facts to wander over yet."))


async def pin(
    fact: Annotated[str, Parameter(help="The id of a fact.")],
    /,
    *,
    off: Annotated[bool, Parameter(negative=(), help="Let it fade again.")] = False,
    agent: AgentOption = None,
    scope: ScopeOption = "owner",
    json: JsonOption = False,
    run: Run,
) -> None:
    """Keep a fact from fading.

    Ids stand behind whatever recall finds. Undo takes a pin back.

    Examples:
      scrubjay memory pin ^k3f9a2mq
      scrubjay memory pin ^k3f9a2mq --off
    """
    from memory import Origin
    from memory.journal.records import Operation
    from memory.life.reviews import pin as pin_fact

    operation = Operation(new_operation(), ACTOR, Origin.OWNER, scope_of(scope))
    async with run.memory(agent, writes=True, by_words=True) as memory:
        hit = await memory.run(pin_fact, fact, operation, is_pinned=not off)
    if json:
        run.terminal.json(output.hit_json(hit))
    else:
        run.terminal.out(receipts.pinned(hit))
