"""`scrubjay memory`: how observations become facts, how strong facts are, what fades next and what is kept from it."""

from __future__ import annotations

import dataclasses
from typing import Annotated

from cyclopts import Parameter

from bot.cli import memory_output as output
from bot.cli.commands.knowledge import ACTOR, new_operation
from bot.cli.help import OWNERS, AgentOption, Answer, CountOption, LimitOption, Run, Whose, joined, most_passages
from bot.errors import Refused, UsageError
from bot.texts import receipts
from bot.texts.catalogue import tr
from bot.texts.memory import of_memory
from memory import Origin
from memory.errors import SecretFound
from memory.journal.records import Operation


async def observe(
    *text: Annotated[str, Parameter(help="A sentence that can be understood by itself.")],
    whose: Whose = OWNERS,
    run: Run,
) -> Answer:
    """Let memory decide whether something is worth a note.

    What is known is counted and not written again. What is like something
    known is noted beside it. What is new is noted if it matters; the rest is
    kept for a day and then goes. What you want kept, remember instead.

    Examples:
      scrubjay memory observe The heating was noisy this morning.
      scrubjay memory observe "We decided to move to Graz." --json
    """
    said = joined(text)
    if not said:
        message = tr("There is nothing to observe.")
        raise UsageError(message, hint=tr('Try: scrubjay memory observe "The heating was noisy."'))
    async with run.memory(whose.agent, writes=True) as memory:
        try:
            observation = await memory.observe(
                said, origin=Origin.OWNER, scope=whose.scope, op_id=f"observe:{new_operation()}", actor=ACTOR
            )
        except SecretFound as error:
            hint = tr("Leave it out. What you want kept all the same: scrubjay memory remember --keep-secrets")
            raise Refused(of_memory(error.message), hint=hint) from error
    run.terminal.out(receipts.judged(observation))
    return dataclasses.asdict(observation)


async def surprises(*, whose: Whose = OWNERS, limit: LimitOption = None, run: Run) -> Answer:
    """Show what was observed and not to be expected, newest first.

    New things that matter, and what contradicts something known.

    Examples:
      scrubjay memory surprises
      scrubjay memory surprises --limit 3 --json
    """
    from memory.life import gate

    async with run.memory(whose.agent, by_words=True) as memory:
        events = await memory.run(gate.surprises, scope=whose.scope, limit=most_passages(limit, 10))
    for surprise in events:
        run.terminal.out(receipts.unexpected(surprise))
    if not events:
        run.terminal.note(tr("Nothing that was observed was a surprise."))
    return {"surprises": [dataclasses.asdict(surprise) for surprise in events]}


async def calibrate(*, agent: AgentOption = None, run: Run) -> Answer:
    """Measure what similarity means to an agent's embedder.

    Pairs of sentences that say the same, and pairs that nearly do, are held
    against each other in three languages. What comes of it is kept, and
    decides when an observation is like something known. The built-in embedder
    has been measured; one of your own is measured by this command, and until
    then observations are compared by words.

    Examples:
      scrubjay memory calibrate
      scrubjay memory calibrate --agent work --json | jq .bands
    """
    from bot.memories import Memories
    from memory.life.calibrate import keep, measure, measured

    name = run.config.agent(agent)
    run.home.prepare()
    kept = None
    with run.quiet(run.config, name):
        async with Memories(run.home, run.config, clock=run.clock, say=run.terminal.err) as memories:
            embedding = memories.embedding(name)
            calibration = await measure(embedding.embedder) if embedding else measured()
            if embedding and calibration.bands:
                kept = keep(calibration.measure, calibration.bands, embedding.cache)
    run.terminal.out(calibration.measure, style="bold")
    for code, linked in calibration.linked.items():
        begins = ""
        if calibration.bands and (bands := calibration.bands.get(code)):
            begins = tr(
                "unrelated {unrelated:.3f}, like it from {link:.3f}, the same from {merge:.3f}",
                unrelated=bands.unrelated,
                link=bands.link,
                merge=bands.merge,
            )
        shares = tr(
            "{linked:.0%} of paraphrases found, {mistaken:.1%} of unrelated texts mistaken",
            linked=linked,
            mistaken=calibration.mistaken[code],
        )
        run.terminal.out(f"  {code}  {shares}  {begins}".rstrip())
    if kept:
        run.terminal.note(tr("Kept in {file}", file=kept))
    elif embedding is None:
        run.terminal.note(tr("No embedder is set up, so words are compared. Their bands come with Scrubjay."))
    else:
        run.terminal.note(
            tr("This embedder does not tell the same from the unrelated: observations are compared by words.")
        )
    return {**dataclasses.asdict(calibration), "kept": str(kept) if kept else None}


async def stats(*, whose: Whose = OWNERS, run: Run) -> Answer:
    """Count what an agent remembers.

    By store, kind and category, by the people and places it is about, by
    strength; what fades soon, links, and how observations were judged. How
    often a recall found an answer is not counted.

    Examples:
      scrubjay memory stats
      scrubjay memory stats --agent work --json
    """
    from memory.life.overview import life_stats

    async with run.memory(whose.agent, by_words=True) as memory:
        counted = await memory.stats(scope=whose.scope)
        life = await memory.run(life_stats, scope=whose.scope)
    output.print_stats(run.terminal, counted)
    output.print_life(run.terminal, life)
    totals = dataclasses.asdict(counted) | {"entities": dict(counted.entities)}
    return totals | {"life": dataclasses.asdict(life)}


async def due(
    days: Annotated[int, Parameter(metavar="N", help="How many days ahead.")] = 30,
    *,
    whose: Whose = OWNERS,
    limit: CountOption = 20,
    run: Run,
) -> Answer:
    """Show which facts fade next, the first to fade first.

    What has faded stays in its file, and is found by its own words and with
    --faded. What an answer cites, or is told again, fades later; what is
    pinned does not.

    Examples:
      scrubjay memory due
      scrubjay memory due 90 --json | jq -r '.facts[].id'
    """
    from memory.life.reviews import due as find_due

    if days < 1:
        raise UsageError(tr("Nothing fades in less than a day."), hint=tr("Give a number of days from 1."))
    async with run.memory(whose.agent, by_words=True) as memory:
        fading = await memory.run(find_due, scope=whose.scope, days=days, limit=limit)
    for hit in fading.facts:
        run.terminal.out(f"{hit.strength.due if hit.strength else ''}  {receipts.listed(hit)[2:]}")
    run.terminal.note(receipts.due_summary(fading, days))
    facts = [output.hit_json(hit) for hit in fading.facts]
    return {"facts": facts, "faded": fading.faded, "pinned": fading.pinned}


async def wander(*, whose: Whose = OWNERS, limit: LimitOption = None, run: Run) -> Answer:
    """Walk over facts that are linked, by chance.

    It begins where nobody has been for long, and jumps now and then.

    Examples:
      scrubjay memory wander
      scrubjay memory wander --limit 3 --json
    """
    from memory.life.wander import wander as walk

    steps = most_passages(limit, 5)
    async with run.memory(whose.agent, by_words=True) as memory:
        hits = await memory.run(walk, scope=whose.scope, seed=new_operation(), steps=steps)
    output.print_facts(run.terminal, hits)
    if not hits:
        run.terminal.note(tr("There are no facts to wander over yet."))
    return {"facts": [output.hit_json(hit) for hit in hits]}


async def pin(
    fact: Annotated[str, Parameter(help="The id of a fact.")],
    /,
    *,
    off: Annotated[bool, Parameter(help="Let it fade again.")] = False,
    whose: Whose = OWNERS,
    run: Run,
) -> Answer:
    """Keep a fact from fading.

    Ids stand behind whatever recall finds. Undo takes a pin back.

    Examples:
      scrubjay memory pin ^k3f9a2mq
      scrubjay memory pin ^k3f9a2mq --off
    """
    from memory.life.reviews import pin as pin_fact

    operation = Operation(new_operation(), ACTOR, Origin.OWNER, whose.scope)
    async with run.memory(whose.agent, writes=True, by_words=True) as memory:
        hit = await memory.run(pin_fact, fact, operation, is_pinned=not off)
    run.terminal.out(receipts.pinned(hit, run.config.owner.zone))
    return output.hit_json(hit)
