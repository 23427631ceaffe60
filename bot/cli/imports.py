"""`scrubjay import`: move in what other programs remember, look at it first, and take it out again."""

from __future__ import annotations

import dataclasses
import secrets
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from bot.cli.help import AgentOption, JsonOption, NoInputOption, Run, YesOption, command, single
from bot.cli.knowledge import ACTOR
from bot.errors import UsageError
from bot.formatting import truncate
from bot.texts import tr, trn

if TYPE_CHECKING:
    from bot.cli.invocation import Invocation
    from bot.imports.plan import Plan
    from bot.imports.runner import ImportReport

EXAMPLE_COLUMNS = 90
MOST_REASONS = 12


async def import_(
    source: Annotated[Path | None, Parameter(help="The file or folder that the other program wrote.")] = None,
    /,
    *,
    agent: AgentOption = None,
    form: Annotated[
        str, Parameter(name="--as", metavar="FORMAT", help="What it is; found out by itself if left out.")
    ] = "",
    only: Annotated[str, Parameter(metavar="WHAT", help="memories or conversations; both if left out.")] = "",
    dry_run: Annotated[bool, Parameter(help="Say what it would do, and write nothing.")] = False,
    yes: YesOption = False,
    json: JsonOption = False,
    no_input: NoInputOption = False,
    run: Run,
) -> None:
    """Move in what another program remembers, after showing what would come of it.

    Takes exports of ChatGPT and Claude, an OpenClaw workspace, vaults of
    Obsidian and Logseq, Markdown, memories of Mem0 and Letta, and more: call
    it without a source for the list. ZIP files need not be unpacked.

    Everything goes into memory/imports/ of the workspace, dated as in the
    source. It is found like any note, and never obeyed. What was imported
    before is not imported again; what is broken off goes on with the next
    call; the whole is taken out again with: scrubjay import undo

    Examples:
      scrubjay import ~/Downloads/chatgpt-export.zip --dry-run
      scrubjay import ~/.openclaw/workspace --agent personal
      scrubjay import ~/Documents/Vault --yes
      scrubjay import memories.json --as mem0
      scrubjay import list
      scrubjay import undo chatgpt-2026-11-21
    """
    run.terminal.asks = not no_input
    if source is None:
        _print_formats(run, json=json)
        return
    from bot.config.model import secrets_of
    from bot.importers.places import Source
    from bot.imports.plan import Only, choose_importer, make_plan
    from bot.imports.runner import ImportRunner
    from bot.memories import SHORTEST_SECRET, Memories

    if only and only not in {*Only}:
        raise UsageError(tr('--only is "{word}".', word=only), hint=tr("Say memories or conversations."))
    wanted, zone = Only(only) if only else None, run.config.owner.zone
    name = run.config.agent(agent)
    workspace = Memories(run.home, run.config, clock=run.clock).workspace(name)
    values = [secret for secret in secrets_of(run.config) if len(secret) >= SHORTEST_SECRET]
    with Source.at(source.expanduser()) as opened:
        importer = choose_importer(opened, form)
        async with run.memory(name, writes=True, by_words=True) as memory:
            day = run.clock.now().astimezone(zone).date().isoformat()
            plan = await make_plan(memory, workspace, opened, importer, day=day, zone=zone, only=wanted)
            if not json:
                _print_plan(run, plan, source, name)
            if dry_run or not plan.due or not _is_sure(run, plan, name, yes=yes):
                if json:
                    run.terminal.json({"plan": _plan_json(plan), "done": None})
                elif plan.due:
                    run.terminal.err(tr("Nothing was written."))
                return
            runner = ImportRunner(memory, plan, workspace=workspace, zone=zone, secrets=values, actor=ACTOR)
            with run.terminal.progress(tr("Importing"), of=tr("items")) as progress:
                report = await runner.run(opened, wanted, progress=progress)
    if json:
        run.terminal.json({"plan": _plan_json(plan), "done": dataclasses.asdict(report)})
    else:
        _print_report(run, report, agent)


app = single("import", import_)


@command(app, "list")
async def listing(*, agent: AgentOption = None, json: JsonOption = False, run: Run) -> None:
    """List what was imported, the newest first.

    Examples:
      scrubjay import list
      scrubjay import list --agent work --json | jq -r '.imports[].id'
    """
    from bot.imports.runner import list_imports

    async with run.memory(agent, by_words=True) as memory:
        found = await list_imports(memory)
    if json:
        run.terminal.json({"imports": [dataclasses.asdict(one) for one in found]})
        return
    if not found:
        run.terminal.err(tr("Nothing was imported yet."))
        return
    states = {"done": tr("done"), "undone": tr("undone"), "unfinished": tr("broken off: import it again to go on")}
    rows = [(one.id, one.at[:10], f"{one.files:,}", f"{one.facts:,}", states[one.state]) for one in found]
    run.terminal.table(rows, heads=(tr("import"), tr("day"), tr("files"), tr("facts"), tr("state")))


@command(app)
async def undo(
    id: Annotated[str, Parameter(name="ID", help="Which one, as `scrubjay import list` names it.")],
    /,
    *,
    agent: AgentOption = None,
    json: JsonOption = False,
    run: Run,
) -> None:
    """Take an import out again, as if it had never been.

    Files that you have edited since stay, and are named.

    Examples:
      scrubjay import undo mem0-2026-11-21
    """
    from bot.imports.runner import undo_import

    async with run.memory(agent, writes=True, by_words=True) as memory:
        with run.terminal.progress(tr("Undoing")) as progress:
            op_id = f"cli:{secrets.token_hex(8)}"
            count, kept = await undo_import(memory, id, op_id=op_id, actor=ACTOR, progress=progress)
    if json:
        run.terminal.json({"undone": count, "kept": [*kept]})
        return
    run.terminal.out(trn("Undone: {count} file.", "Undone: {count} files.", count))
    for path in kept:
        run.terminal.err(tr("{path} was edited since, and stays.", path=path))


def _print_formats(run: Invocation, *, json: bool) -> None:
    """Say what can be imported, and what of it is on this machine."""
    import bot.importers
    from bot import plugins
    from bot.importers.base import Importer

    known = [one for _, one in plugins.load_all(bot.importers, "IMPORTER", Importer)]
    here = bot.importers.found(Path.home())
    if json:
        formats = [{"name": one.name, "summary": one.summary} for one in known]
        found = [dataclasses.asdict(one) | {"path": str(one.path)} for one in here]
        run.terminal.json({"formats": formats, "found": found})
        return
    run.terminal.table([(one.name, one.summary) for one in known], heads=(tr("format"), tr("what it is")))
    for one in here:
        files = trn("{count} file", "{count} files", one.count)
        run.terminal.err(
            tr("Found: {path} ({files}). Look at it with: scrubjay import {path} --dry-run", path=one.path, files=files)
        )


def _print_plan(run: Invocation, plan: Plan, source: Path, agent: str) -> None:
    run.terminal.out(tr("{path}: {summary}", path=source, summary=plan.importer.summary), style="bold")
    for sort, count in plan.counts.items():
        if count:
            run.terminal.out(f"  {_counted(sort, count)}")
    if plan.first:
        run.terminal.out(tr("  from {first} to {last}", first=plan.first, last=plan.last))
    if plan.changed:
        run.terminal.out(
            trn("  {count} changed since it was imported", "  {count} changed since they were imported", plan.changed)
        )
    if plan.known:
        run.terminal.out(trn("  {count} is here already", "  {count} are here already", plan.known))
    _print_left_out(run, plan.left_out)
    for path, words in plan.examples:
        place = path or tr("a fact")
        run.terminal.out(f"  {place}: {truncate(words, EXAMPLE_COLUMNS)}")
    if plan.settings:
        run.terminal.out(tr("Its options would be these in config.yaml. Nothing was changed:"))
        for one in plan.settings:
            run.terminal.out(f"  {one.option}: {one.value}  # {one.theirs}")
    if not plan.due and not plan.settings:
        run.terminal.err(tr("There is nothing new in it for {agent}.", agent=agent))


def _print_left_out(run: Invocation, left_out: dict[str, list[str]]) -> None:
    for why, what in [*left_out.items()][:MOST_REASONS]:
        more = tr(" and {count} more", count=f"{len(what) - 1:,}") if len(what) > 1 else ""
        name = truncate(what[0], EXAMPLE_COLUMNS)
        run.terminal.out(tr("  left out: {name}{more}: {why}", name=name, more=more, why=why))
    if len(left_out) > MOST_REASONS:
        count = sum(len(what) for what in [*left_out.values()][MOST_REASONS:])
        run.terminal.out(trn("  left out: {count} more", "  left out: {count} more", count))


def _is_sure(run: Invocation, plan: Plan, agent: str, *, yes: bool) -> bool:
    question = trn(
        "Import {count} item into {agent}?", "Import {count} items into {agent}?", len(plan.due), agent=agent
    )
    return yes or run.terminal.confirm(question)


def _print_report(run: Invocation, report: ImportReport, agent: str | None) -> None:
    done = [_counted(sort, count) for sort, count in report.counts.items()]
    if report.replaced:
        done.append(trn("{count} replaced", "{count} replaced", report.replaced))
    run.terminal.out(tr("Imported: {what}.", what=", ".join(done) or tr("nothing")))
    if report.masked:
        run.terminal.err(trn("Masked: {count} secret.", "Masked: {count} secrets.", report.masked))
    _print_left_out(run, report.left_out)
    run.terminal.err(
        tr(
            "It can be found by its words now, and by its meaning once that is computed: in the "
            "background while Scrubjay runs, or now with: scrubjay memory index"
        )
    )
    command = f"scrubjay import undo {report.id}{f' --agent {agent}' if agent else ''}"
    run.terminal.err(tr("Take it out again with: {command}", command=command))


def _counted(sort: str, count: int) -> str:
    if sort == "fact":
        return trn("{count} fact", "{count} facts", count)
    if sort == "conversation":
        return trn("{count} conversation", "{count} conversations", count)
    return trn("{count} note", "{count} notes", count)


def _plan_json(plan: Plan) -> dict[str, Any]:
    return {
        "format": plan.importer.name,
        "new": dict(plan.counts),
        "changed": plan.changed,
        "known": plan.known,
        "left_out": {why: len(what) for why, what in plan.left_out.items()},
        "settings": [dataclasses.asdict(one) for one in plan.settings],
        "first": plan.first or None,
        "last": plan.last or None,
        "examples": [{"path": path or None, "text": words} for path, words in plan.examples],
    }
