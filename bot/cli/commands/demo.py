"""`scrubjay demo`: a home to look around in, with half a year of an invented person."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from bot.cli.help import JSON, Answer, Run, single
from bot.texts.catalogue import tr


async def demo(
    *, to: Annotated[Path, Parameter(metavar="FOLDER", help="Where it goes.")] = Path("scrubjay-demo"), run: Run
) -> Answer:
    """Make a home with half a year in it, to look around.

    Two agents, notes in English, German and Chinese, pages, opinions, a few
    conversations, a reminder. It takes some seconds and no network. Your own home
    is not touched. A demo home that is there already is made anew, without what
    was said in it since; any other folder is refused.

    Examples:
      scrubjay demo
      scrubjay demo --to /tmp/robin
      SCRUBJAY_HOME=scrubjay-demo scrubjay chat
      SCRUBJAY_HOME=scrubjay-demo scrubjay memory recall "where is the spare key?"
    """
    from bot.demo.home import embed, make

    with run.terminal.progress(tr("Living through half a year"), of=tr("days")) as progress:
        home = await make(to, clock=run.clock, progress=progress)
    with run.terminal.progress(tr("Embedding"), of=tr("passages")) as progress:
        await embed(home, clock=run.clock, progress=progress)
    root = home.config.parent
    run.terminal.out(tr("Half a year of Robin, who does not exist, is in {folder}. Look around:", folder=root))
    named = f"SCRUBJAY_HOME={shlex.quote(str(root))} scrubjay"
    run.terminal.out(f"  {named} chat")
    run.terminal.out(f'  {named} memory recall "where is the spare key?"')
    run.terminal.out(f"  {named} memory stats")
    run.terminal.out(tr("The notes are Markdown; they lie in {folder}.", folder=home.workspaces))
    return {"home": str(root), "agents": [path.name for path in sorted(home.workspaces.iterdir())]}


app = single("demo", demo, json=JSON)
