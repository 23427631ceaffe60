"""`scrubjay memory`: look into what an agent remembers, and change it."""

from __future__ import annotations

import dataclasses
import re
from functools import partial
from typing import Annotated

from cyclopts import Parameter

from bot.cli import memory_output as output
from bot.cli.commands import knowledge, life, purge
from bot.cli.commands.knowledge import ACTOR, new_operation
from bot.cli.help import (
    ANYTHING,
    JSON,
    OWNERS,
    AgentOption,
    Answer,
    CountOption,
    FilterArguments,
    LimitOption,
    NoInputOption,
    Run,
    Whose,
    WordsOption,
    command,
    group,
    joined,
    most_passages,
)
from bot.cli.invocation import Invocation
from bot.errors import Refused, UsageError
from bot.texts import receipts
from bot.texts.catalogue import tr
from bot.texts.memory import of_memory
from memory import Hit, Memory, Origin, Scope, Written
from memory.errors import NotFound, SecretFound

ID = re.compile(r"\^?[a-z0-9]{6,}")


async def recall(
    *question: Annotated[str, Parameter(help="What you want to know.")],
    whose: Whose = OWNERS,
    limit: LimitOption = None,
    narrowed: FilterArguments = ANYTHING,
    words: WordsOption = False,
    run: Run,
) -> Answer:
    """Find what an agent remembers, and where it stands.

    Ask in your own words and in any language; the question needs no quotes.
    Without a question, the newest facts are listed that the options leave.

    Examples:
      scrubjay memory recall where is the spare key
      scrubjay memory recall "Andy's birthday" --agent work --limit 3
      scrubjay memory search "blue pot" --words
      scrubjay memory recall "replies" --entity Peter --kind opinion --since 30d
      scrubjay memory recall "where is he?" --entity Peter --as-of 2025-11-27
      scrubjay memory recall "blue pot" --json | jq -r '.hits[].source'
    """
    text, where = joined(question), narrowed.resolve(run)
    if not text and narrowed == ANYTHING:
        raise UsageError(tr("There is no question."), hint=tr('Try: scrubjay memory recall "where is the spare key?"'))
    agent, scope = run.config.agent(whose.agent), whose.scope
    options = run.config.memory_of(agent).recall
    most, room = most_passages(limit, options.limit), options.budget_chars
    async with run.memory(agent, by_words=words) as memory, run.told(agent, by_words=words) as told:
        if told:
            from bot.sessions.told import search_with_sessions

            search = partial(search_with_sessions, memory, told, text)
            recalled = (await search(scope=scope, limit=most, budget_chars=room, where=where)).joined()
        else:
            recalled = await memory.recall(text, scope=scope, limit=most, budget_chars=room, where=where)
    output.print_recall(run.terminal, recalled)
    return output.recall_json(recalled)


async def explain(
    *wanted: Annotated[str, Parameter(help="A question, or the id of an entry.")],
    whose: Whose = OWNERS,
    limit: LimitOption = None,
    narrowed: FilterArguments = ANYTHING,
    words: WordsOption = False,
    run: Run,
) -> Answer:
    """Show why something is found, and what nearly was.

    A table has every part of every score.
    With an id instead of a question, show everything about that one entry.

    Examples:
      scrubjay memory explain "where is the spare key?"
      scrubjay memory explain ^k3f9a2mq
    """
    text = joined(wanted)
    if not text:
        raise UsageError(tr("Explain what?"), hint=tr('Try: scrubjay memory explain "where is the spare key?"'))
    agent, zone = run.config.agent(whose.agent), run.config.owner.zone
    options = run.config.memory_of(agent).recall
    async with run.memory(agent, by_words=words) as memory:
        hit = await _by_id(memory, text, whose.scope)
        if hit is not None:
            if not run.terminal.as_json:  # which tells nothing of conversations, and needs none of their records
                from bot.sessions.tracing import trace_fact

                output.print_entry(run.terminal, hit, zone)
                async with run.transcripts() as reader:
                    run.terminal.out(await trace_fact(memory, hit, reader, agent, zone=zone))
            return output.hit_json(hit)
        most = most_passages(limit, options.limit)
        where, room = narrowed.resolve(run), options.budget_chars
        recalled = await memory.recall(text, scope=whose.scope, limit=most, budget_chars=room, where=where)
    output.print_explanation(run.terminal, recalled, zone)
    return output.recall_json(recalled) | {"near": [output.hit_json(other) for other in recalled.near]}


async def listing(*, whose: Whose = OWNERS, limit: CountOption = 20, run: Run) -> Answer:
    """List what an agent remembers, the newest fact first.

    With where each stands, and the id by which it is forgotten.

    Examples:
      scrubjay memory list
      scrubjay memory list --agent work --limit 100
      scrubjay memory list --json | jq -r '.facts[].content'
    """
    async with run.memory(whose.agent, by_words=True) as memory:
        facts = await memory.recent(limit, scope=whose.scope)
        count = (await memory.stats(scope=whose.scope)).facts
        if lack := "" if facts else of_memory((await memory.status()).reason):
            run.terminal.err(lack)
    output.print_facts(run.terminal, facts)
    if not (facts or lack):
        run.terminal.note(tr("There are no facts yet. Tell one with: scrubjay memory remember ..."))
    elif count > len(facts):
        run.terminal.note(tr("{left:,} more; see them with --limit {count}.", left=count - len(facts), count=count))
    return {"facts": [output.hit_json(hit) for hit in facts], "all": count}


async def profile(
    *,
    whose: Whose = OWNERS,
    budget: Annotated[int, Parameter(metavar="N", help="Characters that the profile may take up.")] = 2000,
    run: Run,
) -> Answer:
    """Show what belongs into USER.md.

    Standing instructions and preferences that stand in the notes and not
    yet in a file that is always loaded. Nothing is changed: copy over what
    is right.

    Examples:
      scrubjay memory profile
      scrubjay memory profile --budget 500 --json
    """
    if budget < 1:
        message = tr("A profile of {count} characters holds nothing.", count=budget)
        raise UsageError(message, hint=tr("Give --budget a number from 1."))
    async with run.memory(whose.agent) as memory:
        offered = await memory.profile(scope=whose.scope, budget_chars=budget)
    output.print_profile(run.terminal, offered)
    return output.profile_json(offered)


async def status(*, agent: AgentOption = None, run: Run) -> Answer:
    """Show how the index stands, and what can be found by meaning.

    The index is derived from the files: delete it, and it comes back the same.

    Examples:
      scrubjay memory status
      scrubjay memory status --json | jq '{state, mode, embedded, unembedded}'
    """
    async with run.memory(agent, look=True) as memory:
        state = await memory.status()
    output.print_status(run.terminal, state)
    return dataclasses.asdict(state)


async def _by_id(memory: Memory, text: str, scope: Scope) -> Hit | None:
    """The entry with this id; a word that merely looks like an id is a question."""
    if not ID.fullmatch(text):
        return None
    try:
        return await memory.find(text, scope=scope)
    except NotFound:
        if text.startswith("^"):
            raise
        return None


async def remember(
    *text: Annotated[str, Parameter(help="A sentence that can be understood by itself.")],
    whose: Whose = OWNERS,
    keep_secrets: Annotated[bool, Parameter(help="Keep what looks like a password or a key, too.")] = False,
    no_input: NoInputOption = False,
    run: Run,
) -> Answer:
    """Write something down to the letter, so that it is found again.

    Without words, every line of standard input is one thing to remember.
    What looks like a password, a key or a card number is asked about first.
    When the command says "Noted", it is on disk.

    Examples:
      scrubjay memory remember The spare key is under the blue pot.
      scrubjay memory remember "@Peter prefers short mails." --agent work
      scrubjay memory remember < facts.txt
    """
    run.terminal.asks = not no_input
    prompt = tr("One thing to remember per line; end with Ctrl-D.")
    statements = [" ".join(text)] if joined(text) else run.terminal.lines(prompt)
    if not statements:
        message = tr("There is nothing to remember.")
        raise UsageError(message, hint=tr('Try: scrubjay memory remember "The key is with Ana."'))
    written = []
    async with run.memory(whose.agent, writes=True) as memory:
        for statement in statements:
            receipt = await _remember(run, memory, statement, scope=whose.scope, keep_secrets=keep_secrets)
            written.append(receipt)
            run.terminal.out(receipts.noted(receipt))
    undone = f"scrubjay memory undo{f' --agent {whose.agent}' if whose.agent else ''}"
    run.terminal.note(tr("Take it back with: {command}", command=undone))
    return {"written": [output.receipt_json(receipt) for receipt in written]}


async def undo(
    count: Annotated[int, Parameter(help="How many writes, newest first.")] = 1, /, *, whose: Whose = OWNERS, run: Run
) -> Answer:
    """Take back the last writes.

    What was remembered goes, what was forgotten comes back.

    Examples:
      scrubjay memory undo
      scrubjay memory undo 3 --agent work
    """
    if count < 1:
        raise UsageError(tr("{count} writes cannot be undone.", count=count), hint=tr("Give 1 or more."))
    async with run.memory(whose.agent, writes=True) as memory:
        undone = await memory.undo(count, op_id=new_operation(), scope=whose.scope, actor=ACTOR)
    output.print_undone(run.terminal, undone, run.config.owner.zone)
    return {"undone": [dataclasses.asdict(change) for change in undone]}


async def index(
    *,
    rebuild: Annotated[bool, Parameter(help="Build it from zero; the old one serves meanwhile.")] = False,
    agent: AgentOption = None,
    run: Run,
) -> Answer:
    """Bring the index up to date with the files, and embed what waits for it.

    It happens by itself: the first whenever a memory is opened, the second
    while Scrubjay runs. This is for scripts. What was embedded once is kept;
    break it off with Ctrl-C, and it goes on from there.

    Examples:
      scrubjay memory index
      scrubjay memory index --rebuild --agent work
    """
    async with run.memory(agent, writes=True) as memory:
        with run.terminal.progress(tr("Indexing"), of=tr("files")) as progress:
            done = await (memory.rebuild if rebuild else memory.sync)(progress=progress)
        with run.terminal.progress(tr("Embedding"), of=tr("passages")) as progress:
            await memory.embed(progress=progress)
        state = await memory.status()
    output.print_synced(run.terminal, done)
    run.terminal.out(receipts.told(state))
    return dataclasses.asdict(done) | {"mode": state.mode, "embedded": state.embedded}


async def _remember(run: Invocation, memory: Memory, statement: str, *, scope: Scope, keep_secrets: bool) -> Written:
    """Remember one statement. What looks like a secret is asked about; raises `Refused` if nobody agrees to keep it."""
    remember = partial(memory.remember, statement, origin=Origin.OWNER, scope=scope, op_id=new_operation(), actor=ACTOR)
    try:
        return await remember(keep_secrets=keep_secrets)
    except SecretFound as error:
        if error.is_registered or not run.terminal.is_interactive:
            hint = of_memory(error.hint) if error.is_registered else tr("To keep it all the same, add --keep-secrets.")
            raise Refused(of_memory(error.message), hint=hint) from error
        kinds = tr(" and ").join(map(tr, error.what.split(" and ")))
        if not run.terminal.confirm(tr("This looks like it holds {what}. Keep it in the notes?", what=kinds)):
            raise Refused(tr("Nothing was noted.")) from error
    return await remember(keep_secrets=True)


PAGE = """
Look into what an agent remembers, and change it.

Examples:
  scrubjay memory recall "where is the spare key?"
  scrubjay memory remember "The spare key is under the blue pot."
  scrubjay memory forget ^k3f9a2mq
"""

app = group("memory", PAGE)
command(app, alias="search", json=JSON)(recall)
command(app, "list", json=JSON)(listing)
for verb in (
    remember,
    purge.forget,
    undo,
    life.observe,
    life.surprises,
    knowledge.timeline,
    knowledge.journal,
    knowledge.retain,
    knowledge.reflect,
    knowledge.consolidate,
    knowledge.review,
    knowledge.check,
    explain,
    life.due,
    life.pin,
    life.stats,
    life.wander,
    profile,
    status,
    index,
    life.calibrate,
):
    command(app, json="" if verb is purge.forget else JSON)(verb)
command(app, alias="rename")(knowledge.merge)
