"""`scrubjay sessions`: look conversations up, read them, take them along, see what the model saw."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from bot.cli.help import command, group
from bot.cli.options import AgentOption, JsonOption, Run
from bot.errors import Missing, UsageError

if TYPE_CHECKING:
    from bot.agent.context import Context
    from bot.cli.invocation import Invocation
    from bot.cli.sessions_found import Found

PAGE = """
Look conversations up, read them, take them along.

A session is a conversation from its beginning, or from /new, to the next /new.
It is named by its id, by the first characters of it, or by its key.

Examples:
  scrubjay sessions list
  scrubjay sessions show
  scrubjay sessions export 01KAJ2 --to talk.md
  scrubjay sessions context
"""

app = group("sessions", PAGE)
app.command("bot.cli.dead:app", name="dead", help="What was given up, and how to try it again.", sort_key=9)

SessionName = Annotated[str | None, Parameter(help="Which one; the one that was used last if left out.")]


@command(app, "list")
async def listing(
    *,
    agent: AgentOption = None,
    limit: Annotated[int, Parameter(name=("--limit", "-n"), metavar="N", help="How many at most.")] = 20,
    json: JsonOption = False,
    run: Run,
) -> None:
    """List sessions, the one that was used last first.

    Examples:
      scrubjay sessions list
      scrubjay sessions list --agent work --limit 5
      scrubjay sessions list --json | jq -r '.sessions[].id'
    """
    from bot.cli import sessions_found, sessions_view

    if limit < 1:
        raise UsageError(f"--limit is {limit}.", hint="Ask for one session or more.")
    sessions = await sessions_found.listed(run, agent)
    shown = sessions[:limit]
    if json:
        run.terminal.json({"sessions": [sessions_view.told(one) for one in shown], "all": len(sessions)})
        return
    if not sessions:
        run.terminal.err("There are no sessions yet. Begin one with: scrubjay chat")
        return
    zone = run.config.owner.zone
    run.terminal.table([sessions_view.row(one, zone) for one in shown], heads=sessions_view.HEADS)
    if len(sessions) > limit:
        run.terminal.err(f"{len(sessions) - limit} more; see them with --limit {len(sessions)}.")


@command(app)
async def show(
    session: SessionName = None, /, *, agent: AgentOption = None, json: JsonOption = False, run: Run
) -> None:
    """Show a session: who said what when, and which tools were used.

    Examples:
      scrubjay sessions show
      scrubjay sessions show 01KAJ2
      scrubjay sessions show --agent work --json | jq '.entries[].type'
    """
    from bot.cli import sessions_found, sessions_view

    found = await sessions_found.one(run, session, agent)
    if json:
        run.terminal.json(sessions_view.told(found.session) | {"entries": sessions_view.entries(found)})
    else:
        run.terminal.out(_markdown(run, found))


@command(app)
async def export(
    session: SessionName = None,
    /,
    *,
    to: Annotated[
        Path | None, Parameter(metavar="FILE", help="Where to; standard output if left out. It must not exist.")
    ] = None,
    form: Annotated[
        Literal["markdown", "jsonl"],
        Parameter(name="--as", help="For people, or every entry with all that belongs to it."),
    ] = "markdown",
    agent: AgentOption = None,
    run: Run,
) -> None:
    """Write a session to a file of its own.

    Examples:
      scrubjay sessions export > talk.md
      scrubjay sessions export 01KAJ2 --to talk.md
      scrubjay sessions export 01KAJ2 --as jsonl --to talk.jsonl
    """
    from bot.cli import sessions_found, sessions_view
    from bot.files import create

    found = await sessions_found.one(run, session, agent)
    text = f"{_markdown(run, found)}\n" if form == "markdown" else sessions_view.lines(found)
    if to is None:
        run.terminal.out(text.rstrip("\n"))
    elif create(to, text):
        run.terminal.err(f"Written: {to}")
    else:
        raise UsageError(f"{to} exists, and is left as it is.", hint="Name another file with --to.")


@command(app)
async def context(
    session: SessionName = None,
    /,
    *,
    full: Annotated[bool, Parameter(help="Every word of it.")] = False,
    agent: AgentOption = None,
    json: JsonOption = False,
    run: Run,
) -> None:
    """Show what the model saw last in a session, with token counts.

    The same as /context in a chat: the rules, the files, the tools, the history,
    and what memory handed over, in the order in which the model reads them.

    Examples:
      scrubjay sessions context
      scrubjay sessions context 01KAJ2 --full
      scrubjay sessions context --json | jq '.pieces[] | {what, tokens}'
    """
    from bot.cli import sessions_found, sessions_view

    found = await sessions_found.one(run, session, agent)
    seen = await _seen(run, found)
    if json:
        run.terminal.json(sessions_view.told(found.session) | sessions_view.told_context(seen))
        return
    if full:
        run.terminal.out("\n\n".join(sessions_view.words(seen)))
    else:
        run.terminal.table(sessions_view.pieces(seen), heads=sessions_view.PIECES)
    run.terminal.out("\n".join(["", *sessions_view.sums(seen)]))


async def _seen(run: Invocation, found: Found) -> Context:
    """The last request of a session.

    Raises:
        Missing: there was none, or a later session of the same chat has taken its place.
    """
    from bot.agent.context import ContextLog

    seen = await ContextLog(run.home.state / "sessions").last(found.session.agent, found.session.key)
    if seen is None or seen.turn not in {one.entry.turn for one in found.recorded}:
        hint = "The last request of each chat is kept, and none while there is no model (see: scrubjay doctor)."
        raise Missing(f"What a model saw in session {found.session.id} is not known.", hint=hint)
    return seen


def _markdown(run: Invocation, found: Found) -> str:
    from bot.session.markdown import document
    from bot.session.talk import exchanges

    turns = exchanges(found.recorded, agent=found.session.agent)
    return document(found.session, turns, zone=run.config.owner.zone).rstrip()
