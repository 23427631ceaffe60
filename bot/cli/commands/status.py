"""`scrubjay status` and `scrubjay paths`: one screen about this home, and where everything lives."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any

from cyclopts import Parameter

from bot import __version__
from bot.cli.help import JSON, Answer, Run, single
from bot.cli.invocation import Invocation
from bot.cli.terminal import every
from bot.errors import BotError
from bot.system import instance
from bot.texts import receipts
from bot.texts.catalogue import mark, tr
from bot.texts.memory import of_memory
from memory import Error

AGAIN_S = 2.0

NO_MODEL = mark("none: answers are quotes from memory (scrubjay init adds one)")


async def status(
    *,
    watch: Annotated[bool, Parameter(alias="-w", help="Show it anew every two seconds; Ctrl-C leaves.")] = False,
    run: Run,
) -> Answer | None:
    """Show on one screen what is here and whether it runs.

    Examples:
      scrubjay status
      scrubjay status --watch
      scrubjay status --json | jq '.agents[] | {name, facts: .index.facts}'
    """
    terminal = run.terminal
    is_live = watch and not terminal.as_json and terminal.console.is_terminal and not terminal.console.is_dumb_terminal
    if watch and not is_live:
        terminal.err(tr("Nobody watches here, so this is shown once."))
    if not is_live:
        now = await collected(run)
        _show(run, now)
        return now
    async for _ in every(AGAIN_S):
        now = await collected(run)
        terminal.console.clear()
        _show(run, now)
        at = run.clock.now().astimezone(run.config.owner.zone)
        terminal.err(tr("{time}  Ctrl-C leaves.", time=f"{at:%H:%M:%S}"))
    return None


def paths(*, run: Run) -> Answer:
    """Show where everything lives.

    Set SCRUBJAY_HOME to keep all of it in one folder.

    Examples:
      scrubjay paths
      SCRUBJAY_HOME=~/scrubjay scrubjay paths
      scrubjay paths --json | jq -r .config
    """
    run.use_owner_language()
    home = run.home
    places = {
        "config": home.config,
        "workspaces": home.workspaces,
        "state": home.state,
        "database": home.database,
        "cache": home.cache,
        "logs": home.logs,
    }
    run.terminal.table(
        [(name, str(path), "" if path.exists() else tr("not there yet")) for name, path in places.items()],
        heads=(tr("what"), tr("where"), ""),
    )
    run.terminal.note(tr("Chosen by {what}.", what=home.chosen_by))
    return {"chosen_by": home.chosen_by} | {name: str(path) for name, path in places.items()}


async def collected(run: Invocation) -> dict[str, Any]:
    """Everything that is shown, as `--json` has it."""
    from bot.storage.database import read_state
    from bot.storage.tables.dead_letters import queue_depths

    home, config, holder, now = run.home, run.config, instance.holder(run.home), run.clock.now()
    queues = [
        asdict(depth)
        | {"oldest": depth.oldest.isoformat() if depth.oldest else None}
        | {"oldest_s": round((now - depth.oldest).total_seconds()) if depth.oldest else 0}
        for depth in await read_state(run.state, queue_depths)
    ]
    accounts = {}
    if holder and home.control.exists():  # a chat in a terminal has none
        from bot.service import control

        try:
            accounts = dict((await control.ask(home.control, "accounts"))["accounts"])
        except BotError as error:
            accounts = {"service": str(error)}
    return {
        "version": __version__,
        "home": str(home.state),
        "config": str(home.config),
        "config_exists": home.config.exists(),
        "running": asdict(holder) if holder else None,
        "agents": [await _agent_json(run, name) for name in config.agents],
        "accounts": accounts,
        "queues": queues,
    }


def _show(run: Invocation, now: dict[str, Any]) -> None:
    """Print two tables: the home, and its agents."""
    from bot.llm.endpoint import endpoint_of

    home, config = run.home, run.config
    rows = [
        (tr("version"), __version__),
        (tr("running"), str(instance.Holder(**now["running"])) if now["running"] else tr("no")),
        (
            tr("configuration"),
            str(home.config) if now["config_exists"] else tr("{file} (not there; the defaults hold)", file=home.config),
        ),
        (tr("state"), str(home.state)),
        (tr("time zone"), config.owner.zone.key),
        (tr("model"), endpoint_of(config.model).label if config.model.is_configured else tr(NO_MODEL)),
        *((name, tr(stands)) for name, stands in now["accounts"].items()),
    ]
    for queue in now["queues"]:
        told = tr(
            "{waiting} unanswered{since}, {owed} to be delivered{dead}",
            waiting=queue["waiting"],
            since=tr(", the oldest for {seconds} s", seconds=queue["oldest_s"]) if queue["oldest"] else "",
            owed=queue["owed"],
            dead=tr(", {count} given up (scrubjay sessions dead list)", count=queue["dead"]) if queue["dead"] else "",
        )
        rows.append((tr("queue of {agent}", agent=queue["agent"]), told))
    run.terminal.table(rows, heads=("Scrubjay", ""))
    run.terminal.out()
    heads = (tr("agent"), tr("model"), tr("facts"), tr("files"), tr("searched by"), tr("index"))
    run.terminal.table([_row(agent, config.default_agent) for agent in now["agents"]], heads=heads)


async def _agent_json(run: Invocation, name: str) -> dict[str, Any]:
    """One agent with the state of its index, or with the error that kept it from being read."""
    folder = run.config.workspaces(run.home)[name]
    model = run.config.model_of(name)
    agent: dict[str, Any] = {
        "name": name,
        "model": {"name": model.name, "base_url": model.base_url} if model.is_configured else None,
        "workspace": str(folder),
        "index": None,
        "problem": "",
    }
    is_shared = bool(run.config.store.url.get_secret_value())
    if not (is_shared or folder.is_dir() or run.config.has_lost(name, run.home)):
        return agent | {"problem": tr("no workspace yet; run: scrubjay init")}
    try:
        async with run.memory(name, look=True) as memory:
            return agent | {"index": asdict(await memory.status())}
    except Error as error:
        return agent | {"problem": of_memory(error)}


def _row(agent: dict[str, Any], default: str) -> tuple[str, ...]:
    """An agent's row in the table; an index that is missing is no news: it is made when it is first needed."""
    name = tr("{name} (default)", name=agent["name"]) if agent["name"] == default else agent["name"]
    index, model = agent["index"], agent["model"]["name"] if agent["model"] else tr("none")
    if index is None:
        return (name, model, "", "", "", agent["problem"])
    searched_by, left = receipts.mode(index["mode"]), index["unembedded"]
    if index["embedder"] and left:
        searched_by += tr(" ({count:,} to be embedded)", count=left)
    state = tr("not made yet")
    if index["state"] != "missing":
        stands = tr(receipts.INDEX_STATES.get(index["state"], index["state"]))
        state = ". ".join(filter(None, (stands, of_memory(index["reason"]))))
    return (name, model, str(index["facts"]), str(index["files"]), searched_by, state)


app = single("status", status, json=JSON)
paths_app = single("paths", paths, json=JSON)
