"""`scrubjay agents`: who there is to talk to."""

from __future__ import annotations

from typing import Annotated, Any

from cyclopts import Parameter

from bot.cli.help import command, group
from bot.cli.invocation import Invocation
from bot.cli.options import JsonOption, Run
from bot.starter import FILES

PAGE = """
Who there is to talk to.

Each agent has its own folder of Markdown, and a memory that no other sees.
Add one under `agents:` in config.yaml.

Examples:
  scrubjay agents list
  scrubjay agents show work
"""

app = group("agents", PAGE)


@command(app, "list")
def listing(*, json: JsonOption = False, run: Run) -> None:
    """List the agents.

    Examples:
      scrubjay agents list
      scrubjay agents list --json | jq -r '.agents[].name'
    """
    agents = [_told(run, name) for name in run.config.agents]
    if json:
        run.terminal.json({"agents": agents})
        return
    rows = [(_marked(agent), agent["about"], agent["workspace"]) for agent in agents]
    run.terminal.table(rows, heads=("agent", "about", "workspace"))


@command(app)
def show(
    name: Annotated[str | None, Parameter(help="Which one; the default agent if left out.")] = None,
    /,
    *,
    json: JsonOption = False,
    run: Run,
) -> None:
    """Show one agent: its model, where it lives, and which of its files are there.

    Examples:
      scrubjay agents show
      scrubjay agents show work --json | jq -r .workspace
    """
    agent = _told(run, run.config.agent(name))
    if json:
        run.terminal.json(agent)
        return
    rows = [
        ("name", _marked(agent)),
        ("about", agent["about"] or "nothing said"),
        ("model", agent["model"] or "none: answers are quotes from memory"),
        ("workspace", agent["workspace"]),
        ("index", agent["index"]),
        ("files", ", ".join(agent["files"]) or "none yet; run: scrubjay init"),
    ]
    run.terminal.table(rows, heads=("", ""))


def _told(run: Invocation, name: str) -> dict[str, Any]:
    options = run.config.agents[name]
    folder = run.home.workspace(name, options.workspace)
    model = run.config.model_of(name)
    return {
        "name": name,
        "default": name == run.config.default_agent,
        "about": options.about,
        "model": model.endpoint.label if model.is_configured else "",
        "workspace": str(folder),
        "index": str(run.home.index(name)),
        "files": [file for file in FILES if (folder / file).is_file()],
    }


def _marked(agent: dict[str, Any]) -> str:
    return f"{agent['name']} (default)" if agent["default"] else str(agent["name"])
