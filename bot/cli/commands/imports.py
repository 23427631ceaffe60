"""`scrubjay import`: move in what other programs remember, look at it first, and take it out again."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from bot.cli.commands.knowledge import ACTOR, new_operation
from bot.cli.help import JSON, AgentOption, Answer, NoInputOption, Run, YesOption, command, single
from bot.cli.terminal import Terminal
from bot.errors import UsageError
from bot.paths import expanded
from bot.texts.catalogue import localized, tr, trn
from bot.texts.formatting import local_day, truncate

if TYPE_CHECKING:
    from bot.imports.plan import Plan
    from bot.imports.runner import ImportReport

EXAMPLE_COLUMNS = 90
MAX_REASONS = 12


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
    no_input: NoInputOption = False,
    run: Run,
) -> Answer:
    """Move in what other programs remember.

    First it shows what would come of it, and asks.

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
        return print_formats(run.terminal)
    from bot.imports.plan import Only, choose_importer, make_plan
    from bot.imports.runner import ImportRunner
    from bot.imports.sources.places import Source
    from bot.memories import unwritable_secrets

    if only and only not in {*Only}:
        raise UsageError(tr('--only is "{word}".', word=only), hint=tr("Say memories or conversations."))
    wanted, zone = Only(only) if only else None, run.config.owner.zone
    name = run.config.agent(agent)
    workspace = run.config.workspaces(run.home)[name]
    values = unwritable_secrets(run.config)
    with Source.at(expanded(source)) as opened:
        importer = choose_importer(opened, form)
        async with run.memory(name, writes=True, by_words=True) as memory:
            day = run.today.isoformat()
            plan = await make_plan(memory, workspace, opened, importer, day=day, zone=zone, only=wanted)
            print_plan(run.terminal, plan, source, name)
            question = trn(
                "Import {count} item into {agent}?", "Import {count} items into {agent}?", len(plan.due), agent=name
            )
            if dry_run or not plan.due or not (yes or run.terminal.confirm(question)):
                if plan.due:
                    run.terminal.note(tr("Nothing was written."))
                return {"plan": plan_json(plan), "done": None}
            runner = ImportRunner(memory, plan, workspace=workspace, zone=zone, secrets=values, actor=ACTOR)
            with run.terminal.progress(tr("Importing"), of=tr("items")) as progress:
                report = await runner.run(opened, wanted, progress=progress)
    print_report(run.terminal, report, agent)
    return {"plan": plan_json(plan), "done": dataclasses.asdict(report)}


app = single("import", import_, json=JSON)


@command(app, "list", json=JSON)
async def listing(*, agent: AgentOption = None, run: Run) -> Answer:
    """List what was imported, the newest first.

    Examples:
      scrubjay import list
      scrubjay import list --agent work --json | jq -r '.imports[].id'
    """
    from bot.imports.runner import list_imports

    async with run.memory(agent, by_words=True) as memory:
        imports = await list_imports(memory)
    states = {"done": tr("done"), "undone": tr("undone"), "unfinished": tr("broken off: import it again to go on")}
    rows = [
        (one.id, local_day(one.at, run.config.owner.zone), f"{one.files:,}", f"{one.facts:,}", states[one.state])
        for one in imports
    ]
    heads = (tr("import"), tr("day"), tr("files"), tr("facts"), tr("state"))
    lack = tr("Nothing was imported into {agent} yet.", agent=run.config.agent(agent))
    run.terminal.table(rows, heads=heads, lack=lack)
    return {"imports": [dataclasses.asdict(done) for done in imports]}


@command(app, json=JSON)
async def undo(
    id: Annotated[str, Parameter(help="Which one, as `scrubjay import list` names it.")],
    /,
    *,
    agent: AgentOption = None,
    run: Run,
) -> Answer:
    """Take an import out again, as if it had never been.

    Files that you have edited since stay, and are named.

    Examples:
      scrubjay import undo mem0-2026-11-21
    """
    from bot.imports.runner import undo_import

    async with run.memory(agent, writes=True, by_words=True) as memory:
        with run.terminal.progress(tr("Undoing")) as progress:
            count, kept = await undo_import(memory, id, op_id=new_operation(), actor=ACTOR, progress=progress)
    run.terminal.out(trn("Undone: {count} file.", "Undone: {count} files.", count))
    for path in kept:
        run.terminal.note(tr("{path} was edited since, and stays.", path=path))
    return {"undone": count, "kept": [*kept]}


def print_formats(terminal: Terminal) -> Answer:
    """Print what can be imported, and what of it is on this machine."""
    from bot.imports.discovery import find_memories, load_importers

    importers, sources = load_importers().values(), find_memories(Path.home())
    rows = [(importer.name, tr(importer.summary)) for importer in importers]
    terminal.table(rows, heads=(tr("format"), tr("what it is")))
    for source in sources:
        files = trn("{count} file", "{count} files", source.count)
        path = source.path
        terminal.note(
            tr("Found: {path} ({files}). Look at it with: scrubjay import {path} --dry-run", path=path, files=files)
        )
    formats = [{"name": importer.name, "summary": importer.summary} for importer in importers]
    found = [dataclasses.asdict(source) | {"path": str(source.path)} for source in sources]
    return {"formats": formats, "found": found}


def print_plan(terminal: Terminal, plan: Plan, source: Path, agent: str) -> None:
    """Print what would come of a source."""
    terminal.out(tr("{path}: {summary}", path=source, summary=tr(plan.importer.summary)), style="bold")
    for sort, count in plan.counts.items():
        if count:
            terminal.out(f"  {_counted(sort, count)}")
    if plan.first:
        terminal.out(tr("  from {first} to {last}", first=plan.first, last=plan.last))
    if plan.changed:
        terminal.out(
            trn("  {count} changed since it was imported", "  {count} changed since they were imported", plan.changed)
        )
    if plan.known:
        terminal.out(trn("  {count} is here already", "  {count} are here already", plan.known))
    _print_left_out(terminal, plan.left_out)
    for path, words in plan.examples:
        terminal.out(f"  {path or tr('a fact')}: {truncate(words, EXAMPLE_COLUMNS)}")
    if plan.settings:
        terminal.out(tr("What would go with it into config.yaml, where nothing was changed:"))
        for setting in plan.settings:
            terminal.out(f"  {setting.option}: {setting.value}  # {setting.theirs}")
    if not plan.due and not plan.settings:
        terminal.note(tr("There is nothing new in it for {agent}.", agent=agent))


def _print_left_out(terminal: Terminal, left_out: dict[str, list[str]]) -> None:
    from memory.privacy.secrets import find_secrets, mask

    for why, what in [*left_out.items()][:MAX_REASONS]:
        more = tr(" and {count} more", count=localized(len(what) - 1, ",")) if len(what) > 1 else ""
        name = truncate(mask(what[0], find_secrets(what[0])), EXAMPLE_COLUMNS)
        terminal.out(tr("  left out: {name}{more}: {why}", name=name, more=more, why=tr(why)))
    if len(left_out) > MAX_REASONS:
        count = sum(len(what) for what in [*left_out.values()][MAX_REASONS:])
        terminal.out(trn("  left out: {count} more", "  left out: {count} more", count))


def print_report(terminal: Terminal, report: ImportReport, agent: str | None) -> None:
    """Print what was done, and what can be done next."""
    done = [_counted(sort, count) for sort, count in report.counts.items()]
    if report.replaced:
        done.append(trn("{count} replaced", "{count} replaced", report.replaced))
    terminal.out(tr("Imported: {what}.", what=", ".join(done) or tr("nothing")))
    if report.masked:
        terminal.note(trn("Masked: {count} secret.", "Masked: {count} secrets.", report.masked))
    _print_left_out(terminal, report.left_out)
    found = tr(
        "It can be found by its words now, and by its meaning once that is computed: in the background while Scrubjay "
        "runs, or now with: scrubjay memory index"
    )
    terminal.note(found)
    command = f"scrubjay import undo {report.id}{f' --agent {agent}' if agent else ''}"
    terminal.note(tr("Take it out again with: {command}", command=command))


def _counted(sort: str, count: int) -> str:
    if sort == "fact":
        return trn("{count} fact", "{count} facts", count)
    if sort == "conversation":
        return trn("{count} conversation", "{count} conversations", count)
    return trn("{count} note", "{count} notes", count)


def plan_json(plan: Plan) -> dict[str, Any]:
    """Return the documented form of a plan."""
    return {
        "format": plan.importer.name,
        "new": dict(plan.counts),
        "changed": plan.changed,
        "known": plan.known,
        "left_out": {why: len(what) for why, what in plan.left_out.items()},
        "settings": [dataclasses.asdict(setting) for setting in plan.settings],
        "first": plan.first or None,
        "last": plan.last or None,
        "examples": [{"path": path or None, "text": words} for path, words in plan.examples],
    }
