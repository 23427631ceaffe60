"""`scrubjay status`: one screen about this home."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from bot import __version__, instance, receipts
from bot.cli.help import JsonOption, Run, single
from bot.cli.invocation import Invocation
from bot.errors import BotError
from memory import Error

NO_MODEL = "none: answers are quotes from memory (scrubjay init adds one)"


async def status(*, json: JsonOption = False, run: Run) -> None:
    """Show on one screen what is here and whether it runs.

    Examples:
      scrubjay status
      scrubjay status --json | jq '.agents[] | {name, facts: .index.facts}'
    """
    from bot.llm.endpoint import endpoint_of
    from bot.storage.dead_letters import read_depths

    home, config, holder = run.home, run.config, instance.holder(run.home)
    accounts = await _accounts(run) if holder else {}
    now = run.clock.now()
    queues = [
        asdict(depth)
        | {"oldest": depth.oldest.isoformat() if depth.oldest else None}
        | {"oldest_s": round((now - depth.oldest).total_seconds()) if depth.oldest else 0}
        for depth in await read_depths(home.database)
    ]
    agents = [await _agent_json(run, name) for name in config.agents]
    if json:
        run.terminal.json(
            {
                "version": __version__,
                "home": str(home.state),
                "config": str(home.config),
                "config_exists": home.config.exists(),
                "running": asdict(holder) if holder else None,
                "agents": agents,
                "accounts": accounts,
                "queues": queues,
            }
        )
        return
    rows = [
        ("version", __version__),
        ("running", str(holder) if holder else "no"),
        (
            "configuration",
            str(home.config if home.config.exists() else f"{home.config} (not there; the defaults hold)"),
        ),
        ("state", str(home.state)),
        ("time zone", config.owner.zone.key),
        ("model", endpoint_of(config.model).label if config.model.is_configured else NO_MODEL),
        *accounts.items(),
        *((f"queue of {queue['agent']}", _describe_queue(queue)) for queue in queues),
    ]
    run.terminal.table(rows, heads=("Scrubjay", ""))
    run.terminal.out()
    table = [_row(agent, config.default_agent) for agent in agents]
    run.terminal.table(table, heads=("agent", "model", "facts", "files", "searched by", "index"))


async def _accounts(run: Invocation) -> dict[str, str]:
    """The state of each bot account of the running service."""
    from bot import control

    if not run.home.control.exists():  # a chat in a terminal has none
        return {}
    try:
        return dict((await control.ask(run.home.control, "accounts"))["accounts"])
    except BotError as error:
        return {"service": str(error)}


def _describe_queue(queue: dict[str, Any]) -> str:
    since = f", the oldest for {queue['oldest_s']} s" if queue["oldest"] else ""
    dead = f", {queue['dead']} given up (scrubjay sessions dead list)" if queue["dead"] else ""
    return f"{queue['waiting']} unanswered{since}, {queue['owed']} to be delivered{dead}"


async def _agent_json(run: Invocation, name: str) -> dict[str, Any]:
    """One agent with the state of its index, or with the error that kept it from being read."""
    folder = run.home.workspace(name, run.config.agents[name].workspace)
    model = run.config.model_of(name)
    agent: dict[str, Any] = {
        "name": name,
        "model": {"name": model.name, "base_url": model.base_url} if model.is_configured else None,
        "workspace": str(folder),
        "index": None,
        "problem": "",
    }
    if not folder.is_dir():
        return agent | {"problem": "no workspace yet; run: scrubjay init"}
    try:
        async with run.memory(name, look=True) as memory:
            return agent | {"index": asdict(await memory.status())}
    except Error as error:
        return agent | {"problem": str(error)}


def _row(agent: dict[str, Any], default: str) -> tuple[str, ...]:
    """An agent's row in the table; an index that is missing is no news: it is made when it is first needed."""
    name = f"{agent['name']} (default)" if agent["name"] == default else agent["name"]
    index, model = agent["index"], agent["model"]["name"] if agent["model"] else "none"
    if index is None:
        return (name, model, "", "", "", agent["problem"])
    searched_by, left = receipts.mode(index["mode"]), index["unembedded"]
    if index["embedder"] and left:
        searched_by += f" ({left:,} to be embedded)"
    state = "not made yet" if index["state"] == "missing" else f"{index['state']} {index['reason']}".strip()
    return (name, model, str(index["facts"]), str(index["files"]), searched_by, state)


app = single("status", status)
