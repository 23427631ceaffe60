"""`scrubjay agents`: who there is to talk to."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Parameter

from bot.cli.help import JSON, Answer, Run, command, group
from bot.cli.invocation import Invocation
from bot.errors import UsageError
from bot.starter import FILES
from bot.texts.catalogue import tr

if TYPE_CHECKING:
    from adapters.port import Address, Sender

PAGE = """
Who there is to talk to.

Each agent has its own folder of Markdown, and a memory that no other sees.
Add one under `agents:` in config.yaml.

Examples:
  scrubjay agents list
  scrubjay agents show work
  scrubjay agents route telegram user=12345
"""

PLACES = ("account", "guild", "chat", "thread", "role", "user")

app = group("agents", PAGE)


@command(app, "list", json=JSON)
def listing(*, run: Run) -> Answer:
    """List the agents.

    Examples:
      scrubjay agents list
      scrubjay agents list --json | jq -r '.agents[].name'
    """
    agents = [_agent_json(run, name) for name in run.config.agents]
    rows = [(_name(agent), agent["about"], agent["workspace"]) for agent in agents]
    run.terminal.table(rows, heads=(tr("agent"), tr("about"), tr("workspace")))
    return {"agents": agents}


@command(app, json=JSON)
def show(
    name: Annotated[str | None, Parameter(help="Which one; the default agent if left out.")] = None, /, *, run: Run
) -> Answer:
    """Show one agent: its model, where it lives, and which of its files are there.

    Examples:
      scrubjay agents show
      scrubjay agents show work --json | jq -r .workspace
    """
    agent = _agent_json(run, run.config.agent(name))
    is_lost = run.config.has_lost(agent["name"], run.home)
    lack = tr("Run: scrubjay doctor") if is_lost else tr("none yet; run: scrubjay init")
    rows = [
        (tr("name"), _name(agent)),
        (tr("about"), agent["about"] or tr("nothing said")),
        (tr("model"), agent["model"] or tr("none: answers are quotes from memory")),
        (tr("workspace"), agent["workspace"]),
        (tr("index"), agent["index"]),
        (tr("files"), ", ".join(agent["files"]) or lack),
    ]
    run.terminal.table(rows, heads=("", ""))
    return agent


@command(app, json=JSON)
async def route(
    platform: Annotated[Literal["telegram", "discord"], Parameter(help="telegram or discord.")],
    /,
    *where: Annotated[str, Parameter(help="account=, guild=, chat=, thread=, role= or user=, each with an id.")],
    run: Run,
) -> Answer:
    """Show which agent answers somewhere, and why; and what holds in that chat.

    For what /agent or /settings has changed there, give account= and chat=.

    Examples:
      scrubjay agents route telegram user=12345
      scrubjay agents route discord guild=81384788765712384 role=5 role=6
    """
    from bot.access.access import Access
    from bot.access.chat_settings import shown
    from bot.access.routing import Routing
    from bot.service.run import access_rules, routes
    from bot.storage.tables.people import read_access_store

    config = run.config
    register = await read_access_store(run.state)
    routing = Routing(config.default_agent, tuple(config.agents), rules=routes(config), register=register)
    place, sender = _somewhere(platform, where)
    place = register.known(place)
    decision = routing.decide(place, sender)
    shares = routing.shares(place, decision.agent)
    settings = asdict(Access(access_rules(config), register=register).settings(place))
    run.terminal.out(f"{decision.agent} ({tr(decision.because)})")
    if shares:
        run.terminal.out(tr("Whoever may speak there sees all that it knows (shares: workspace)."))
    if place.chat:
        run.terminal.out(", ".join(f"{name} {shown(value)}" for name, value in settings.items()))
    return {"agent": decision.agent, "because": decision.because, "shares": shares, "settings": settings}


def _somewhere(platform: str, where: tuple[str, ...]) -> tuple[Address, Sender]:
    from adapters.port import Address, ChatKind, Sender

    said = [condition.partition("=")[::2] for condition in where]
    for name, _ in said:
        if name not in PLACES:
            message = tr('"{name}" is no condition of a route.', name=name)
            raise UsageError(message, hint=tr("There are: {names}.", names=", ".join(PLACES)))
    ids = dict(said)
    is_group = ids.get("chat", "").startswith("-")
    kind = ChatKind.CHANNEL if "guild" in ids else ChatKind.GROUP if is_group else ChatKind.PRIVATE
    place = Address(
        platform, ids.get("account", ""), ids.get("chat", ""), kind, thread=ids.get("thread"), guild=ids.get("guild")
    )
    roles = tuple(value for name, value in said if name == "role")
    return place, Sender(ids.get("user", ""), "", roles=roles)


def _agent_json(run: Invocation, name: str) -> dict[str, Any]:
    from bot.llm.endpoint import endpoint_of

    options = run.config.agents[name]
    folder = run.home.workspace(name, options.workspace)
    model = run.config.model_of(name)
    return {
        "name": name,
        "default": name == run.config.default_agent,
        "about": options.about,
        "model": endpoint_of(model).label if model.is_configured else "",
        "workspace": str(folder),
        "index": str(run.home.index(name)),
        "files": [file for file in FILES if (folder / file).is_file()],
    }


def _name(agent: dict[str, Any]) -> str:
    return tr("{name} (default)", name=agent["name"]) if agent["default"] else str(agent["name"])
