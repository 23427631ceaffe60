"""`scrubjay store`: agents in a database that several machines share, moved there and back, and looked after."""

from __future__ import annotations

import os
from contextlib import AsyncExitStack, closing
from dataclasses import asdict
from typing import Annotated
from urllib.parse import urlsplit

from cyclopts import Parameter

from bot.cli.help import JSON, AgentOption, Answer, Run, command, group
from bot.cli.state import hold_home
from bot.config.options.operations import SCHEMES
from bot.errors import UsageError, from_extra
from bot.texts.catalogue import tr

PAGE = """
Move agents between this home and a shared database.

Examples:
  scrubjay store migrate home postgresql://scrubjay@db/scrubjay
  scrubjay store migrate postgresql://scrubjay@db/scrubjay home
  scrubjay store index
"""

HOME = "home"
"""How this home is called as one side of a move."""

app = group("store", PAGE)


@command(app, json=JSON)
async def migrate(
    source: Annotated[str, Parameter(help="Where it is: home, or the address of a database.")],
    target: Annotated[str, Parameter(help="Where it goes: the other one.")],
    /,
    *,
    agent: Annotated[AgentOption, Parameter(help="Only this one; all if left out.")] = None,
    run: Run,
) -> Answer:
    """Move agents one at a time, and compare what has arrived.

    It can be broken off and run again: what has arrived stays. The side that it
    comes from is left as it is. Nobody may work for an agent meanwhile: end
    `scrubjay run` here, and the workers on the database.

    Examples:
      scrubjay store migrate home postgresql://scrubjay@db/scrubjay
      scrubjay store migrate postgresql://scrubjay@db/scrubjay home --agent work
    """
    from bot.postgresql.migrate import Store, move

    folders = run.config.workspaces(run.home)
    others = [side for side in (source, target) if side != HOME]
    if len(others) != 1 or urlsplit(others[0]).scheme not in SCHEMES:
        message = tr("One of the two has to be this home, the other the address of a database.")
        raise UsageError(message, hint=tr("For example: scrubjay store migrate home postgresql://scrubjay@db/scrubjay"))
    names = [run.config.agent(agent)] if agent else [*run.config.agents]
    with hold_home(run, command="store migrate"):
        async with AsyncExitStack() as stack:
            origin, goal = [
                await stack.enter_async_context(
                    Store.at_home(run.home.database, folders)
                    if side == HOME
                    else Store.shared(side, owner=f"migrate-{os.getpid()}")
                )
                for side in (source, target)
            ]
            moved = []
            async for result in move(origin, goal, {name: folders[name] for name in names}):
                moved.append(result)
                line = tr(
                    "{agent}: {said}, {rows} rows, {files} files",
                    agent=result.agent,
                    said=tr("moved") if result.is_new else tr("there already"),
                    rows=result.rows,
                    files=result.files,
                )
                run.terminal.out(line)
    if target != HOME:
        run.terminal.note(tr("Now set store.url in config.yaml, or start: scrubjay run --store {url}", url=goal.place))
    return {"from": str(origin.place), "to": str(goal.place), "agents": [asdict(result) for result in moved]}


@command(app, json=JSON)
async def index(*, run: Run) -> Answer:
    """Index the vectors of agents that have more than 20,000.

    Of an agent with fewer, a question is compared with each vector, which is
    exact and fast. With more, an index (HNSW) finds the nearest sooner, and
    nearly always the same. Run it by night, now and then: others may go on
    meanwhile, and where nothing is to be done it does nothing.

    Examples:
      scrubjay store index
      scrubjay store index --json
    """
    from asyncio import to_thread

    from memory.postgresql.connection import IndexDatabase

    url = run.shared_store(tr("The agents of this home are in no database."))
    with from_extra("postgresql", "PostgreSQL"):
        from memory.postgresql.vectors import index_nearest
    found = {}
    with closing(IndexDatabase(url)) as database:
        for name in run.config.agents:
            found[name] = await to_thread(index_nearest, database, name)
            line = tr("{agent}: {count} vectors are indexed", agent=name, count=found[name])
            run.terminal.out(line if found[name] else tr("{agent}: each vector is compared", agent=name))
    return {"indexed": found}
