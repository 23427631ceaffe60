"""`scrubjay workspace`: an agent's files where a database has them, as a folder to look at and to edit."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from bot.cli.help import JSON, Answer, Run, command, group
from bot.errors import UsageError
from bot.paths import expanded
from bot.texts.catalogue import tr

PAGE = """
An agent's files as a folder, from a shared database.

At home the workspace is such a folder already. Where several machines share a
database (store.url), its files are there, and a folder is made of them here.

Examples:
  scrubjay workspace checkout personal ~/notes/personal
  scrubjay workspace sync personal ~/notes/personal
"""

WAIT_S = 30
"""How long an edit waits for the process that works for the agent."""

app = group("workspace", PAGE)


@command(app, json=JSON)
async def checkout(
    agent: Annotated[str, Parameter(help="Whose files.")],
    folder: Annotated[Path, Parameter(help="Where to; a new or empty folder.")],
    /,
    *,
    run: Run,
) -> Answer:
    """Write an agent's files into a folder.

    Examples:
      scrubjay workspace checkout personal ~/notes/personal
    """
    from bot.postgresql.workspaces import Checkout

    name, place = run.config.agent(agent), expanded(folder).resolve()
    if place.exists() and (not place.is_dir() or any(place.iterdir())):
        message = tr("{folder} is not an empty folder.", folder=place)
        hint = tr(
            "For one that was checked out before: scrubjay workspace sync {agent} {folder}", agent=name, folder=place
        )
        raise UsageError(message, hint=hint)
    async with Checkout.open(_url(run), name, place) as edits:
        count, _ = await edits.fetch()
    run.terminal.out(tr("{count} files in {folder}", count=count, folder=place))
    return {"agent": name, "folder": str(place), "files": count}


@command(app, json=JSON)
async def sync(
    agent: Annotated[str, Parameter(help="Whose files.")],
    folder: Annotated[Path, Parameter(help="A folder of an earlier checkout.")],
    /,
    *,
    run: Run,
) -> Answer:
    """Send what was edited in a folder, then bring it up to date.

    A file that has changed on both sides stays as it is here, and is named.

    Examples:
      scrubjay workspace sync personal ~/notes/personal
    """
    from bot.postgresql.workspaces import Checkout

    name, place = run.config.agent(agent), expanded(folder).resolve()
    async with Checkout.open(_url(run), name, place) as edits:
        sent, conflicts = await edits.send()
        waited = 0
        if left := await edits.waiting():
            run.terminal.err(tr("Waiting for the process that works for {agent} …", agent=name))
        while left and waited < WAIT_S:
            await asyncio.sleep(1)
            waited, left = waited + 1, await edits.waiting()
        fetched, aside = await edits.fetch(keep=conflicts | left)
    run.tell_aside(name, aside)
    run.terminal.out(tr("{sent} sent, {fetched} fetched", sent=len(sent), fetched=fetched))
    for path in sorted(conflicts):
        run.terminal.note(tr("{path} has changed on both sides; yours was kept, and not sent.", path=path))
    if conflicts:
        hint = tr("To send it, bring it into a new copy: scrubjay workspace checkout {agent} FOLDER", agent=name)
        run.terminal.note(hint)
        run.exit_code = 1
    for path in sorted(left):
        run.terminal.note(tr("{path} waits for the process that works for {agent}.", path=path, agent=name))
    summary = {"sent": sorted(sent), "conflicts": sorted(conflicts), "waiting": sorted(left), "fetched": fetched}
    return {"agent": name, "folder": str(place), **summary}


def _url(run: Run) -> str:
    return run.shared_store(tr("The files of this home are folders already: {folder}", folder=run.home.workspaces))
