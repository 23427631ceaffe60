"""`scrubjay import`: move in what other programs remember, look at it first, and take it out again."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from bot.cli import import_output as output
from bot.cli.commands.knowledge import ACTOR, new_operation
from bot.cli.help import AgentOption, JsonOption, NoInputOption, Run, YesOption, command, single
from bot.errors import UsageError
from bot.paths import expanded
from bot.texts.catalogue import tr, trn


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
        output.print_formats(run.terminal, json=json)
        return
    from bot.importers.places import Source
    from bot.imports.plan import Only, choose_importer, make_plan
    from bot.imports.runner import ImportRunner
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
            if not json:
                output.print_plan(run.terminal, plan, source, name)
            question = trn(
                "Import {count} item into {agent}?", "Import {count} items into {agent}?", len(plan.due), agent=name
            )
            if dry_run or not plan.due or not (yes or run.terminal.confirm(question)):
                if json:
                    run.terminal.json({"plan": output.plan_json(plan), "done": None})
                elif plan.due:
                    run.terminal.err(tr("Nothing was written."))
                return
            runner = ImportRunner(memory, plan, workspace=workspace, zone=zone, secrets=values, actor=ACTOR)
            with run.terminal.progress(tr("Importing"), of=tr("items")) as progress:
                report = await runner.run(opened, wanted, progress=progress)
    if json:
        run.terminal.json({"plan": output.plan_json(plan), "done": dataclasses.asdict(report)})
    else:
        output.print_report(run.terminal, report, agent)


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
        imports = await list_imports(memory)
    if json:
        run.terminal.json({"imports": [dataclasses.asdict(done) for done in imports]})
        return
    if not imports:
        run.terminal.err(tr("Nothing was imported yet."))
        return
    states = {"done": tr("done"), "undone": tr("undone"), "unfinished": tr("broken off: import it again to go on")}
    rows = [(done.id, done.at[:10], f"{done.files:,}", f"{done.facts:,}", states[done.state]) for done in imports]
    run.terminal.table(rows, heads=(tr("import"), tr("day"), tr("files"), tr("facts"), tr("state")))


@command(app)
async def undo(
    id: Annotated[str, Parameter(help="Which one, as `scrubjay import list` names it.")],
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
            count, kept = await undo_import(memory, id, op_id=new_operation(), actor=ACTOR, progress=progress)
    if json:
        run.terminal.json({"undone": count, "kept": [*kept]})
        return
    run.terminal.out(trn("Undone: {count} file.", "Undone: {count} files.", count))
    for path in kept:
        run.terminal.err(tr("{path} was edited since, and stays.", path=path))
