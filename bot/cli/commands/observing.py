"""`scrubjay memory observe`, `surprises` and `calibrate`: what the gate decides, and what its numbers mean."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from bot.cli.commands.knowledge import ACTOR, new_operation
from bot.cli.help import AgentOption, JsonOption, LimitOption, Run, ScopeOption, joined, most_passages, scope_of
from bot.errors import Refused, UsageError
from bot.texts.catalogue import tr
from bot.texts.memory import of_memory
from bot.texts.receipts import judged, unexpected

if TYPE_CHECKING:
    from bot.cli.invocation import Invocation
    from memory.life.calibrate import Calibration

DEFAULT_LIMIT = 10


async def observe(
    *text: Annotated[str, Parameter(help="A sentence that can be understood by itself.")],
    agent: AgentOption = None,
    scope: ScopeOption = "owner",
    json: JsonOption = False,
    run: Run,
) -> None:
    """Let memory decide whether something is worth a note.

    What is known is counted and not written again. What is like something
    known is noted beside it. What is new is noted if it matters; the rest is
    kept for a day and then goes. What you want kept, remember instead.

    Examples:
      scrubjay memory observe The heating was noisy this morning.
      scrubjay memory observe "We decided to move to Graz." --json
    """
    from memory import Origin
    from memory.errors import SecretFound

    said = joined(text)
    if not said:
        message = tr("There is nothing to observe.")
        raise UsageError(message, hint=tr('Try: scrubjay memory observe "The heating was noisy."'))
    async with run.memory(agent, writes=True) as memory:
        try:
            observation = await memory.observe(
                said, origin=Origin.OWNER, scope=scope_of(scope), op_id=f"observe:{new_operation()}", actor=ACTOR
            )
        except SecretFound as error:
            hint = tr("Leave it out. What you want kept all the same: scrubjay memory remember --keep-secrets")
            raise Refused(of_memory(error.message), hint=hint) from error
    if json:
        run.terminal.json(dataclasses.asdict(observation))
    else:
        run.terminal.out(judged(observation))


async def surprises(
    *,
    agent: AgentOption = None,
    scope: ScopeOption = "owner",
    limit: LimitOption = None,
    json: JsonOption = False,
    run: Run,
) -> None:
    """Show what was observed and not to be expected, newest first.

    New things that matter, and what contradicts something known.

    Examples:
      scrubjay memory surprises
      scrubjay memory surprises --limit 3 --json
    """
    from memory.life import gate

    async with run.memory(agent, by_words=True) as memory:
        events = await memory.run(gate.surprises, scope=scope_of(scope), limit=most_passages(limit, DEFAULT_LIMIT))
    if json:
        run.terminal.json({"surprises": [dataclasses.asdict(surprise) for surprise in events]})
        return
    for surprise in events:
        run.terminal.out(unexpected(surprise))
    if not events:
        run.terminal.err(tr("Nothing that was observed was a surprise."))


async def calibrate(*, agent: AgentOption = None, json: JsonOption = False, run: Run) -> None:
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
    from memory.life.calibrate import as_json, keep, measure, measure_words

    name = run.config.agent(agent)
    run.home.prepare()
    kept = None
    with run.quiet(run.config, name):
        async with Memories(run.home, run.config, clock=run.clock, say=run.terminal.err) as memories:
            embedding = memories.embedding(name)
            calibration = await measure(embedding.embedder) if embedding else measure_words()
            if embedding and calibration.bands:
                kept = keep(calibration.measure, calibration.bands, embedding.cache)
    if json:
        run.terminal.json({**as_json(calibration), "kept": str(kept) if kept else None})
        return
    _print_calibration(run, calibration)
    if kept:
        run.terminal.err(tr("Kept in {file}", file=kept))
    elif embedding is None:
        run.terminal.err(tr("No embedder is set up, so words are compared. Their bands come with Scrubjay."))
    else:
        run.terminal.err(
            tr("This embedder does not tell the same from the unrelated: observations are compared by words.")
        )


def _print_calibration(run: Invocation, calibration: Calibration) -> None:
    run.terminal.out(calibration.measure, style="bold")
    for code, linked in calibration.linked.items():
        bands = calibration.bands.get(code) if calibration.bands else None
        begins = ""
        if bands:
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
