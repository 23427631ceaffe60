"""Jobs: what is done for an agent again and again, when it comes next, and how it went."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from bot.texts.catalogue import mark, tr
from bot.web.page import Changed, Group, Page, View, new_operation

SHOWN_RUNS = 10


async def context(view: View) -> Mapping[str, Any]:
    """Collect them, each with its last runs, the newest first."""
    runner, agent = view.app.context.jobs, view.agent.name
    jobs = [
        {
            "name": state.job.name,
            "summary": tr(state.job.summary),
            "due": state.due,
            "repeats": state.repeats,
            "zone": state.zone,
            "runs": [asdict(entry) for entry in await runner.log(state.job.name, agent)][::-1][:SHOWN_RUNS],
        }
        for state in await runner.states(agent)
    ]
    return {"jobs": jobs}


async def run(view: View) -> Changed:
    """Have a job carried out as soon as the agent's work allows it."""
    name = view.field("name")
    await view.app.context.jobs.request(name, view.agent.name)
    return Changed(tr("{name} is carried out now; this page shows its lines when it has ended.", name=name))


async def dry_run(view: View) -> Changed:
    """Say what a job would do; nothing is written."""
    name = view.field("name")
    entry = await view.app.context.jobs.run(name, view.agent.name, id=new_operation(), is_dry=True)
    lines = "\n".join(entry.lines) or tr("nothing")
    return Changed(tr("{name} would do this; nothing was written:\n{lines}", name=name, lines=lines))


PAGE = Page(
    path="/jobs",
    title=mark("Jobs"),
    context=context,
    group=Group.SERVICE,
    place=2,
    key="j",
    live=("job.",),
    actions={"run": run, "dry-run": dry_run},
)
