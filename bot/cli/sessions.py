"""`scrubjay sessions`: look conversations up, read them, take them along, see what the model saw."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import tzinfo
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Parameter

from bot.cli.help import AgentOption, JsonOption, Run, command, group
from bot.errors import Missing, UsageError
from bot.sessions.files import heading, line
from bot.storage.transcripts import open_archive

if TYPE_CHECKING:
    from bot.agent.context_log import Context
    from bot.cli.invocation import Invocation
    from bot.storage.port import Recorded, Session
    from bot.storage.transcripts import Archive


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
    if limit < 1:
        raise UsageError(f"--limit is {limit}.", hint="Ask for one session or more.")
    sessions = await listed(run, agent)
    shown = sessions[:limit]
    if json:
        run.terminal.json({"sessions": [told(one) for one in shown], "all": len(sessions)})
        return
    if not sessions:
        run.terminal.err("There are no sessions yet. Begin one with: scrubjay chat")
        return
    zone = run.config.owner.zone
    run.terminal.table([row(one, zone) for one in shown], heads=HEADS)
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
    found = await one(run, session, agent)
    if json:
        run.terminal.json(told(found.session) | {"entries": entries(found)})
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
    from bot.paths import create

    found = await one(run, session, agent)
    text = f"{_markdown(run, found)}\n" if form == "markdown" else lines(found)
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
    found = await one(run, session, agent)
    seen = await _seen(run, found)
    if json:
        run.terminal.json(told(found.session) | told_context(seen))
        return
    if full:
        run.terminal.out("\n\n".join(words(seen)))
    else:
        run.terminal.table(pieces(seen), heads=PIECES)
    run.terminal.out("\n".join(["", *sums(seen)]))


async def _seen(run: Invocation, found: Found) -> Context:
    """The last request of a session.

    Raises:
        Missing: there was none, or a later session of the same chat has taken its place.
    """
    from bot.agent.context_log import ContextLog

    seen = await ContextLog(run.home.state / "sessions").last(found.session.agent, found.session.key)
    if seen is None or seen.turn not in {one.entry.turn for one in found.recorded}:
        hint = "The last request of each chat is kept, and none while there is no model (see: scrubjay doctor)."
        raise Missing(f"What a model saw in session {found.session.id} is not known.", hint=hint)
    return seen


def _markdown(run: Invocation, found: Found) -> str:
    from bot.sessions.export import document
    from bot.sessions.transcript import exchanges

    turns = exchanges(found.recorded, agent=found.session.agent)
    return document(found.session, turns, zone=run.config.owner.zone).rstrip()


SHOWN = 3
"""How many of the sessions that could be meant are named."""


@dataclass(frozen=True, slots=True)
class Found:
    """A session with its entries."""

    session: Session
    recorded: tuple[Recorded, ...]


async def listed(run: Invocation, agent: str | None) -> list[Session]:
    """The sessions of one agent, or of all, the one that was used last first; none before the first chat.

    Raises:
        Missing: there is no such agent, and never was.
        StateError: the state file cannot be read.
    """
    if not run.home.database.exists():
        if agent is not None:
            run.config.agent(agent)
        return []
    async with open_archive(run.home.database) as archive:
        return await _sessions(run, archive, agent)


async def one(run: Invocation, wanted: str | None, agent: str | None) -> Found:
    """The session that is meant, with its entries.

    Args:
        run: whose home.
        wanted: an id, the beginning of one, or a key; None means the one that was used last.
        agent: whose session; anybody's if left out.

    Raises:
        Missing: there is none.
        UsageError: several could be meant.
        StateError: the state file cannot be read.
    """
    if not run.home.database.exists():
        raise _none()
    async with open_archive(run.home.database) as archive:
        session = _meant(await _sessions(run, archive, agent), wanted)
        recorded = await archive.transcript(session.agent, session.key, after=session.first - 1)
        return Found(session, tuple(entry for entry in recorded if entry.seq <= session.last))


async def _sessions(run: Invocation, archive: Archive, agent: str | None) -> list[Session]:
    names = await archive.agents()
    if agent is not None and agent not in names:
        names = (run.config.agent(agent),)
    elif agent is not None:
        names = (agent,)
    found = [session for name in names for session in await archive.sessions(name)]
    return sorted(found, key=lambda session: (session.used, session.last), reverse=True)


def _meant(sessions: list[Session], wanted: str | None) -> Session:
    """The one that is wanted; of the sessions with one key, the last."""
    if not sessions:
        raise _none()
    if wanted is None:
        return sessions[0]
    by_key = [session for session in sessions if session.key == wanted]
    by_id = [session for session in sessions if wanted and session.id.startswith(wanted.upper())]
    found = by_key[:1] or by_id
    if not found:
        raise Missing(f'No session is called "{wanted}".', hint="Run `scrubjay sessions list` to see which there are.")
    if len(found) > 1:
        names = ", ".join(session.id for session in found[:SHOWN])
        more = f" and {len(found) - SHOWN} more" if len(found) > SHOWN else ""
        raise UsageError(f'{len(found)} sessions begin with "{wanted}": {names}{more}.', hint="Type more of the id.")
    return found[0]


def _none() -> Missing:
    return Missing("There are no sessions yet.", hint="Begin one with: scrubjay chat")


HEADS = ("session", "agent", "where", "began", "used", "messages", "")
PIECES = ("", "piece", "tokens", "begins")

OPENING = 50
"""Characters of a piece in the table."""


def told(session: Session) -> dict[str, Any]:
    """A session without its words."""
    return {
        "id": session.id,
        "agent": session.agent,
        "key": session.key,
        "began": session.began.isoformat(),
        "used": session.used.isoformat(),
        "entries": session.entries,
        "messages": session.messages,
        "is_over": session.is_over,
    }


def row(session: Session, zone: tzinfo) -> tuple[str, ...]:
    """A session in a table; `HEADS` says what is what."""
    where = session.key.removeprefix(f"agent:{session.agent}:")
    began, used = (at.astimezone(zone) for at in (session.began, session.used))
    state = "over" if session.is_over else "open"
    times = (f"{began:%Y-%m-%d %H:%M}", f"{used:%Y-%m-%d %H:%M}")
    return (session.id, session.agent, where, *times, str(session.messages), state)


def lines(found: Found) -> str:
    """A session as the JSON lines of `state/sessions/<agent>/<session>.jsonl`."""
    return "".join([heading(found.session), *map(line, found.recorded)])


def entries(found: Found) -> list[dict[str, Any]]:
    """The same entries as values."""
    return [json.loads(line(one)) for one in found.recorded]


def told_context(context: Context) -> dict[str, Any]:
    """What a model saw, with every word; `reported` is what the model would count."""
    return asdict(context) | {"reported": context.reported}


def pieces(context: Context) -> list[tuple[str, ...]]:
    """A row for each piece, and one for each file within the first; `PIECES` says what is what."""
    rows: list[tuple[str, ...]] = []
    for number, piece in enumerate(context.pieces, 1):
        rows.append((str(number), piece.what, f"{piece.tokens:,}", _opening(piece.text)))
        if number == 1:
            rows += [("", f"  {file.path}", f"{file.tokens:,}", _cut(file.left_out)) for file in context.files]
    return rows


def words(context: Context) -> Iterator[str]:
    """Every piece under a line that says what it is."""
    for number, piece in enumerate(context.pieces, 1):
        yield f"=== {number}. {piece.what}, {piece.tokens:,} tokens\n{piece.text}"


def sums(context: Context) -> Iterator[str]:
    """What had no room, and how full the window was."""
    if context.left_out:
        earlier = "1 earlier exchange" if context.left_out == 1 else f"{context.left_out} earlier exchanges"
        yield f"{earlier} had no room."
    share = f"{100 * context.reported / context.window:.0f} %"
    counted = "" if context.reported == context.tokens else f", {context.reported:,} as the model counts"
    yield (
        f"{context.model or 'The model'} saw {context.tokens:,} tokens{counted}, {share} of {context.window:,}, "
        f"at {context.at}."
    )


def _opening(text: str) -> str:
    shown = " ".join(text.split())
    return shown if len(shown) <= OPENING else f"{shown[:OPENING]}…"


def _cut(left_out: int) -> str:
    return f"{left_out:,} characters had no room" if left_out else ""
