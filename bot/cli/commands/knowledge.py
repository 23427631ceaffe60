"""`scrubjay memory`: what an agent makes of what it remembers, and what was done to it."""

from __future__ import annotations

import dataclasses
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import date, timedelta
from difflib import ndiff
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from bot.cli import memory_output as output
from bot.cli.help import OWNERS, AgentOption, Answer, CountOption, Run, Whose, YesOption
from bot.cli.invocation import Invocation
from bot.errors import UsageError
from bot.texts import receipts
from bot.texts.catalogue import tr, trn
from bot.texts.memory import of_memory
from memory.recall.filters import FilterOptions

if TYPE_CHECKING:
    from bot.agent.writer import ModelWriter

ACTOR = "owner"
"""Whoever can run a command in the owner's account is the owner."""


def new_operation() -> str:
    """A new id for what a command writes."""
    return f"cli:{secrets.token_hex(8)}"


async def journal(
    about: Annotated[str, Parameter(help="A file of the workspace, or the id of a fact.")] = "",
    /,
    *,
    whose: Whose = OWNERS,
    limit: CountOption = 20,
    run: Run,
) -> Answer:
    """Show what was done to a memory, the newest change first.

    When, what, by whom, in which file, and which lines went and came.

    Examples:
      scrubjay memory journal
      scrubjay memory journal USER.md --limit 5
      scrubjay memory journal ^k3f9a2mq --json | jq -r '.changes[].at'
    """
    from memory.knowledge.history import changes

    async with run.memory(whose.agent, by_words=True) as memory:
        entries = await memory.run(changes, limit=limit, scope=whose.scope, about=about)
    for change in entries:
        run.terminal.out(receipts.changed(change, run.config.owner.zone))
    if not entries:
        run.terminal.note(
            tr("Nothing was done about {about}.", about=about) if about else tr("Nothing was done to this memory yet.")
        )
    return {"changes": [dataclasses.asdict(change) for change in entries]}


async def review(
    decision: Annotated[str, Parameter(help="accept, edit or reject; without it, what waits is shown.")] = "",
    name: Annotated[str, Parameter(help="Of the proposal.")] = "",
    /,
    *text: Annotated[str, Parameter(help="With edit: the line as it ought to be.")],
    agent: AgentOption = None,
    run: Run,
) -> Answer:
    """Look through changes that are proposed to USER.md and MEMORY.md.

    Nothing is written to these files until you accept it, and undo takes it
    back. A rejected proposal is not made again.

    Examples:
      scrubjay memory review
      scrubjay memory review accept p3f9a2c81
      scrubjay memory review edit p3f9a2c81 Metric units, please.
    """
    from memory.knowledge.proposals import accept, reject, suggest, waiting

    op_id = new_operation()
    line = " ".join(text)
    known = {"", "accept", "edit", "reject"}
    if decision not in known or (decision and not name) or bool(line) != (decision == "edit"):
        raise UsageError(tr("That is no decision."), hint=tr("Try: scrubjay memory review accept ID"))
    async with run.memory(agent, writes=True) as memory:
        if not decision:
            await memory.run(suggest, op_id=op_id, actor=ACTOR)
            proposals = await memory.run(waiting)
            for proposal in proposals:
                run.terminal.out(f"{proposal.id}  {proposal.change.path}", style="bold")
                run.terminal.out(receipts.diff(proposal.change))
                run.terminal.out(of_memory(proposal.change.reason), style="dim")
            counted = trn("{count:,} proposal.", "{count:,} proposals.", len(proposals))
            run.terminal.note(counted if proposals else tr("Nothing waits for you."))
            return {"proposals": [dataclasses.asdict(proposal) for proposal in proposals]}
        if decision == "reject":
            change = await memory.run(reject, name, op_id=op_id, actor=ACTOR)
            told = tr("Not taken: {path}: {line}", path=change.path, line=change.after or change.before)
        else:
            change = await memory.run(accept, name, text=line, op_id=op_id, actor=ACTOR)
            told = tr("Done: {path}: {line}", path=change.path, line=change.after or change.before)
    run.terminal.out(told)
    return {"change": dataclasses.asdict(change)}


async def reflect(
    *,
    since: Annotated[str, Parameter(metavar="WHEN", help="Only what was said since: 7d, 2w, 2026-11-01.")] = "",
    dry_run: Annotated[bool, Parameter(help="Show what would change, and write nothing.")] = False,
    agent: AgentOption = None,
    run: Run,
) -> Answer:
    """Bring opinions and pages up to what was said.

    Facts move the confidence of opinions in bank/opinions.md; the pages in
    bank/ are written from all facts. While Scrubjay runs, it happens every
    night. Your own lines in these pages stay, and a run that finds nothing
    new writes nothing.

    Examples:
      scrubjay memory reflect
      scrubjay memory reflect --since 7d --dry-run
      scrubjay memory reflect --json | jq '.contradictions'
    """
    from bot.jobs.reflect import counted
    from memory.knowledge.reflection.reflect import reflect

    first = FilterOptions(since=since or None).resolve(run.today).since
    async with run.memory(agent, writes=not dry_run, by_words=True) as memory:
        day = date.fromisoformat(first) if first else None
        reflection = await memory.run(reflect, since=day, dry_run=dry_run, op_id=new_operation(), actor=ACTOR)
    for page in reflection.pages:
        run.terminal.out(page.path, style="bold")
        if dry_run:
            _print_diff(run, page.before, page.after)
        for line in page.kept:
            run.terminal.note(tr("  kept below the generated part, where you had put it: {line}", line=line))
    for conflict in reflection.contradictions:
        run.terminal.out(
            tr(
                "In conflict: {one} ({place}) and: {other} ({there})",
                one=conflict.earlier,
                place=conflict.places[0],
                other=conflict.later,
                there=conflict.places[1],
            )
        )
    for path, reason in reflection.left.items():
        run.terminal.note(tr("{path} was left as it is: {reason}", path=path, reason=of_memory(reason)))
    told = [tr("This would be done:"), counted(reflection)] if dry_run else [counted(reflection)]
    run.terminal.note(" ".join([*told, *([tr("See scrubjay memory review.")] if reflection.proposals else [])]))
    return dataclasses.asdict(reflection)


def _print_diff(run: Invocation, before: str, after: str) -> None:
    for line in ndiff(before.splitlines(), after.splitlines()):
        if line[:2] in {"- ", "+ "}:
            run.terminal.out(f"  {line}")


async def timeline(
    *days: Annotated[str, Parameter(help="Days and a subject, in your own words; without any, the last week.")],
    whose: Whose = OWNERS,
    limit: Annotated[CountOption, Parameter(help="How many entries at most.")] = 100,
    run: Run,
) -> Answer:
    """Show what an agent remembers of some days, day by day.

    Examples:
      scrubjay memory timeline
      scrubjay memory timeline November
      scrubjay memory timeline "2026-01-01 to 2026-01-31" kitchen --json
    """
    from bot.agent.offline.timeline import by_day, read_days

    async with run.memory(whose.agent, by_words=True) as memory:
        page = await read_days(memory, " ".join(days), today=run.today, scope=whose.scope, limit=limit)
    span = page.span
    for line in by_day(page.hits):
        run.terminal.out(line)
    more = f" {tr('There is more: raise --limit, or ask for fewer days.')}" if page.is_cut else ""
    told = trn(
        "{count:,} passage from {first} to {last}.",
        "{count:,} passages from {first} to {last}.",
        len(page.hits),
        first=span.first,
        last=span.last,
    )
    if span.subject and not page.hits:
        days_said = tr("{first} to {last}", first=span.first, last=span.last)
        told = tr("There is nothing about {subject} from {days}.", subject=span.subject, days=days_said)
    run.terminal.note(f"{told}{more}")
    hits = [output.hit_json(hit) for hit in page.hits]
    return {"first": str(span.first), "last": str(span.last), "subject": span.subject, "entries": hits}


async def check(
    *,
    fix: Annotated[bool, Parameter(help="Remove evidence and generated lines that point at nothing.")] = False,
    agent: AgentOption = None,
    run: Run,
) -> Answer:
    """Look for links, ids, pages and evidence that do not hold together.

    Bullets that cannot be read, links to lines that are gone, versions that
    nobody has merged, an id that two lines have, pages that no fact is about,
    generated parts without an end. The exit code is 1 if anything is left.

    Examples:
      scrubjay memory check
      scrubjay memory check --fix
      scrubjay memory check --json | jq -r '.findings[].path'
    """
    from memory.knowledge import check as checks

    async with run.memory(agent, writes=fix, by_words=True) as memory:
        if fix:
            found = await memory.run(checks.fix, op_id=new_operation(), actor=ACTOR)
        else:
            found = await memory.run(checks.check)
        problems = [
            checks.Finding("bullet", problem.path, problem.line or 0, problem.message, problem.hint)
            for problem in await memory.problems()
        ]
    findings = sorted([*found, *problems], key=lambda finding: (finding.path, finding.line))
    for finding in findings:
        place = f"{finding.path}:{finding.line}" if finding.line else finding.path
        run.terminal.out(f"{place}  [{finding.id}]", style="bold")
        run.terminal.out(f"   {of_memory(finding.message)} {of_memory(finding.hint)}".rstrip())
    if findings:
        fixable = sum(finding.is_fixable for finding in findings)
        hint = f" {tr('{count} of them go with --fix.', count=fixable)}" if fixable else ""
        run.terminal.note(f"{trn('{count:,} finding.', '{count:,} findings.', len(findings))}{hint}")
    else:
        run.terminal.note(tr("Everything holds together."))
    run.exit_code = 1 if findings else 0
    return {"findings": [dataclasses.asdict(finding) for finding in findings]}


@asynccontextmanager
async def _writer(run: Invocation, name: str) -> AsyncIterator[ModelWriter | None]:
    """Open the first model of an agent to write with; None if it has none."""
    from bot.agent.writer import ModelWriter
    from bot.llm.pool import Models

    run.terminal.log_apart()
    async with Models(run.clock) as models:
        opened = [await models.open(options) for options in run.config.model_of(name).in_order]
        yield ModelWriter(opened[0].model) if opened else None


async def retain(
    *,
    day: Annotated[str, Parameter(metavar="DAY", help="Which one, such as 2026-11-20; yesterday if left out.")] = "",
    dry_run: Annotated[bool, Parameter(help="Show what would be noted, and write nothing.")] = False,
    agent: AgentOption = None,
    run: Run,
) -> Answer:
    """Note what you told and wrote on a day and nobody noted yet.

    At most five facts go into the log of that day: of what you said in private
    chats, and of what else stands in the log. The agent's model makes them, or
    rules do if there is none. While Scrubjay runs, it happens every night; a
    day that is done stays as it is.

    Examples:
      scrubjay memory retain
      scrubjay memory retain --day 2026-11-20 --dry-run
    """
    from bot.jobs.retain import retain
    from bot.sessions.archive import told_on

    zone, name = run.config.owner.zone, run.config.agent(agent)
    try:
        chosen = date.fromisoformat(day) if day else run.today - timedelta(days=1)
    except ValueError as error:
        raise UsageError(tr("{given} is no day.", given=day), hint=tr("Write it as 2026-11-20.")) from error
    if chosen >= run.today and not dry_run:
        message = tr("{day} is not over yet.", day=chosen)
        raise UsageError(message, hint=tr("Each day is done once. See what there is with --dry-run."))
    async with (
        run.memory(agent, writes=True, by_words=True) as memory,
        _writer(run, name) as writer,
        run.transcripts() as reader,
    ):
        statements = await told_on(reader, name, chosen, zone) if reader else []
        facts = await retain(memory, statements, chosen, writer=writer, actor=f"agent:{name}", dry_run=dry_run)
    for noted in facts:
        places = [source if "#L" in source else tr("said in a chat") for source in noted.sources]
        run.terminal.out(f"{noted.fact.text} ({', '.join(dict.fromkeys(places))})")
    count = len(facts)
    run.terminal.note(
        trn("{count:,} fact of {day} would be noted.", "{count:,} facts of {day} would be noted.", count, day=chosen)
        if dry_run
        else trn("{count:,} fact of {day} noted.", "{count:,} facts of {day} noted.", count, day=chosen)
    )
    return {"day": chosen.isoformat(), "facts": [dataclasses.asdict(noted) for noted in facts]}


async def consolidate(
    *,
    dry_run: Annotated[bool, Parameter(help="Show what would be done, and write nothing.")] = False,
    undo: Annotated[str, Parameter(metavar="RUN", help="Take this run back: the facts that it made go.")] = "",
    agent: AgentOption = None,
    run: Run,
) -> Answer:
    """Make one fact of what was observed several times.

    Facts that say the same are merged, and what was used again and again
    comes into bank/. No line is changed: what another fact stands for is
    left out when memory is searched, and --undo brings it back. While
    Scrubjay runs, it happens by itself when enough has come together.

    Examples:
      scrubjay memory consolidate --dry-run
      scrubjay memory consolidate
      scrubjay memory consolidate --undo k3f9a2mq
    """
    from bot.jobs.consolidate import limits_of, report
    from memory.life.consolidation.plan import take_back

    name = run.config.agent(agent)
    if undo:
        async with run.memory(agent, writes=True, by_words=True) as memory:
            gone = await memory.run(take_back, undo, op_id=new_operation(), actor=ACTOR)
        facts = [change for change in gone if change.action == "remember"]
        for fact in facts:
            run.terminal.out(tr("gone: {text} ({path})", text=fact.removed, path=fact.path))
        run.terminal.note(
            tr(
                "{facts} taken back, {statements} there again.",
                facts=trn("{count:,} fact", "{count:,} facts", len(facts)),
                statements=trn("{count:,} statement", "{count:,} statements", len(gone) - len(facts)),
            )
        )
        return {"removed": [fact.id for fact in facts], "restored": len(gone) - len(facts)}
    async with run.memory(agent, writes=not dry_run) as memory, _writer(run, name) as writer:
        limits = limits_of(run.config.memory_of(name).consolidate, by_hand=True)
        done = await memory.consolidate(actor=f"agent:{name}", limits=limits, writer=writer, dry_run=dry_run)
    for line in report(done):
        run.terminal.out(line)
    if not (done.op_id or done.plan):
        run.terminal.note(f"{tr('Nothing to consolidate.')} {of_memory(done.reason)}".rstrip())
    return dataclasses.asdict(done)


async def merge(
    old: Annotated[str, Parameter(help="The name that goes on as another name.")],
    into: Annotated[str, Parameter(help="The name that stays; a new one renames.")],
    /,
    *,
    yes: YesOption = False,
    agent: AgentOption = None,
    run: Run,
) -> None:
    """Make two names of one person, place or project one, or give it a new name.

    The page that stays gets the other name as an alias, and what you wrote
    into the other page; that one becomes a pointer to it. Facts stay as they
    are, and undo takes it back.

    Examples:
      scrubjay memory merge Pete Peter
      scrubjay memory rename "Ana" "Ana Lopez" --yes
    """
    from memory.knowledge.reflection.merging import carry_out, plan_merge

    async with run.memory(agent, writes=True, by_words=True) as memory:
        plan = await memory.run(plan_merge, old, into)
        for path, before, after in (
            (plan.path, plan.before or "", plan.after), (plan.other, plan.other_before, plan.other_after)
        ):  # fmt: skip
            run.terminal.out(path, style="bold")
            if path:
                _print_diff(run, before, after)
        question = trn(
            "{count:,} fact of {old} will be {into}'s. Do it?",
            "{count:,} facts of {old} will be {into}'s. Do it?",
            plan.facts,
            old=old,
            into=into,
        )
        if not (yes or run.terminal.confirm(question)):
            run.terminal.err(tr("Nothing was changed."))
            return
        await memory.run(carry_out, plan, op_id=new_operation(), actor=ACTOR)
    run.terminal.err(tr("Done. The pages follow with the next reflection; scrubjay memory undo takes it back."))
