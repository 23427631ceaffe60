"""`scrubjay status`: one screen about this home."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from bot import __version__, instance, receipts
from bot.cli.help import JsonOption, Run, single
from bot.cli.invocation import Invocation
from bot.errors import BotError
from memory import Error

if TYPE_CHECKING:
    from datetime import datetime

    from bot.storage.dead_letters import Depth

NO_MODEL = "none: answers are quotes from memory (scrubjay init adds one)"


async def status(*, json: JsonOption = False, run: Run) -> None:
    """Show on one screen what is here and whether it runs.

    Examples:
      scrubjay status
      scrubjay status --json | jq '.agents[] | {name, facts: .index.facts}'
    """
    found = await _found(run)
    if json:
        run.terminal.json(found)
        return
    from bot.llm.endpoint import endpoint_of

    config, holder = run.config, instance.holder(run.home)
    file = run.home.config if run.home.config.exists() else f"{run.home.config} (not there; the defaults hold)"
    rows = [
        ("version", __version__),
        ("running", str(holder) if holder else "no"),
        ("configuration", str(file)),
        ("state", str(run.home.state)),
        ("time zone", config.owner.zone.key),
        ("model", endpoint_of(config.model).label if config.model.is_configured else NO_MODEL),
        *((account, stands) for account, stands in found["accounts"].items()),
        *((f"queue of {queue['agent']}", _queue(queue)) for queue in found["queues"]),
    ]
    run.terminal.table(rows, heads=("Scrubjay", ""))
    run.terminal.out()
    agents = [_row(agent, config.default_agent) for agent in found["agents"]]
    run.terminal.table(agents, heads=("agent", "model", "facts", "files", "searched by", "index"))


async def _found(run: Invocation) -> dict[str, Any]:
    from bot.storage.dead_letters import depths

    home, holder = run.home, instance.holder(run.home)
    return {
        "version": __version__,
        "home": str(home.state),
        "config": str(home.config),
        "config_exists": home.config.exists(),
        "running": asdict(holder) if holder else None,
        "agents": [await _agent(run, name) for name in run.config.agents],
        "accounts": await _accounts(run) if holder else {},
        "queues": [_told(depth, now=run.clock.now()) for depth in await depths(home.database)],
    }


async def _accounts(run: Invocation) -> dict[str, str]:
    """How the bot accounts of the running service stand."""
    from bot import control

    if not run.home.counter.exists():  # a chat in a terminal has none
        return {}
    try:
        return dict((await control.ask(run.home.counter, "accounts"))["accounts"])
    except BotError as error:
        return {"service": str(error)}


def _told(depth: Depth, *, now: datetime) -> dict[str, Any]:
    told = asdict(depth) | {"oldest": depth.oldest.isoformat() if depth.oldest else None}
    return told | {"oldest_s": round((now - depth.oldest).total_seconds()) if depth.oldest else 0}


def _queue(queue: dict[str, Any]) -> str:
    since = f", the oldest for {queue['oldest_s']} s" if queue["oldest"] else ""
    dead = f", {queue['dead']} given up (scrubjay sessions dead list)" if queue["dead"] else ""
    return f"{queue['waiting']} unanswered{since}, {queue['owed']} to be delivered{dead}"


async def _agent(run: Invocation, name: str) -> dict[str, Any]:
    """One agent with the state of its index; the error's text where that cannot be had."""
    folder = run.home.workspace(name, run.config.agents[name].workspace)
    model = run.config.model_of(name)
    told: dict[str, Any] = {
        "name": name,
        "model": {"name": model.name, "base_url": model.base_url} if model.is_configured else None,
        "workspace": str(folder),
        "index": None,
        "problem": "",
    }
    if not folder.is_dir():
        return told | {"problem": "no workspace yet; run: scrubjay init"}
    try:
        async with run.memory(name, look=True) as memory:
            return told | {"index": asdict(await memory.status())}
    except Error as error:
        return told | {"problem": str(error)}


def _row(agent: dict[str, Any], default: str) -> tuple[str, ...]:
    name = f"{agent['name']} (default)" if agent["name"] == default else agent["name"]
    index, model = agent["index"], agent["model"]["name"] if agent["model"] else "none"
    if index is None:
        return (name, model, "", "", "", agent["problem"])
    return (name, model, str(index["facts"]), str(index["files"]), _searched(index), _stands(index))


def _searched(index: dict[str, Any]) -> str:
    """By what, and how far the embedding has come while it is under way."""
    by, left = receipts.mode(index["mode"]), index["unembedded"]
    return f"{by} ({left:,} to be embedded)" if index["embedder"] and left else by


def _stands(index: dict[str, Any]) -> str:
    """An index that is missing is no news: it is made when it is first needed."""
    return "not made yet" if index["state"] == "missing" else f"{index['state']} {index['reason']}".strip()


app = single("status", status)
