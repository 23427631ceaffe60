"""`scrubjay status`: one screen about this home."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from bot import __version__, instance
from bot.cli.help import single
from bot.cli.invocation import Invocation
from bot.cli.options import JsonOption, Run
from memory import Error


async def status(*, json: JsonOption = False, run: Run) -> None:
    """Show on one screen what is here and whether it runs.

    Examples:
      scrubjay status
      scrubjay status --json | jq '.agents[] | {name, facts: .index.facts}'
    """
    config = run.config
    holder = instance.holder(run.home)
    agents = [await _agent(run, name) for name in config.agents]
    if json:
        told = {"home": str(run.home.state), "config": str(run.home.config), "config_exists": run.home.config.exists()}
        running = asdict(holder) if holder else None
        run.terminal.json({"version": __version__, **told, "running": running, "agents": agents})
        return
    file = run.home.config if run.home.config.exists() else f"{run.home.config} (not there; the defaults hold)"
    rows = [
        ("version", __version__),
        ("running", str(holder) if holder else "no"),
        ("configuration", str(file)),
        ("state", str(run.home.state)),
        ("time zone", config.owner.zone.key),
        ("model", "none: answers are quotes from memory"),
    ]
    run.terminal.table(rows, heads=("Scrubjay", ""))
    run.terminal.out()
    run.terminal.table(
        [_row(agent, config.default_agent) for agent in agents], heads=("agent", "facts", "files", "index")
    )


async def _agent(run: Invocation, name: str) -> dict[str, Any]:
    """One agent with the state of its index; the error's text where that cannot be had."""
    folder = run.home.workspace(name, run.config.agents[name].workspace)
    told: dict[str, Any] = {"name": name, "workspace": str(folder), "index": None, "problem": ""}
    if not folder.is_dir():
        return told | {"problem": "no workspace yet; run: scrubjay init"}
    try:
        async with run.memory(name, look=True) as memory:
            return told | {"index": asdict(await memory.status())}
    except Error as error:
        return told | {"problem": str(error)}


def _row(agent: dict[str, Any], default: str) -> tuple[str, str, str, str]:
    name = f"{agent['name']} (default)" if agent["name"] == default else agent["name"]
    index = agent["index"]
    if index is None:
        return (name, "", "", agent["problem"])
    return (name, str(index["facts"]), str(index["files"]), _stands(index))


def _stands(index: dict[str, Any]) -> str:
    """An index that is missing is no news: it is made when it is first needed."""
    return "not made yet" if index["state"] == "missing" else f"{index['state']} {index['reason']}".strip()


app = single("status", status)
