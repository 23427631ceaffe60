"""`scrubjay sessions`: look conversations up, read them, take them along, see what the model saw."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from dataclasses import asdict, dataclass
from datetime import tzinfo
from json import loads
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Parameter

from bot.cli.help import CountOption, JsonOption, Run, command, group
from bot.errors import Missing, UsageError
from bot.paths import create
from bot.sessions.files import heading, line, marks
from bot.texts.catalogue import localized, mark, tr
from bot.texts.formatting import truncate

if TYPE_CHECKING:
    from bot.agent.context.context_log import Context
    from bot.cli.invocation import Invocation
    from bot.storage.port import Recorded, Session
    from bot.storage.tables.transcripts import TranscriptReader


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
app.command("bot.cli.commands.dead:app", name="dead", help="What was given up, and how to try it again.", sort_key=9)

AgentOption = Annotated[
    str | None, Parameter(name=("--agent", "-a"), metavar="NAME", help="Only this agent's; all agents' if left out.")
]
SessionName = Annotated[str | None, Parameter(help="Which one; the one that was used last if left out.")]

HEADS = (mark("session"), mark("agent"), mark("where"), mark("began"), mark("used"), mark("messages"), "")
CONTEXT_HEADS = ("", mark("piece"), mark("tokens"), mark("begins"))

MAX_OPENING_CHARS = 51
"""Characters of a piece in the table."""

MAX_NAMED_SESSIONS = 3
"""How many of the sessions that could be meant are named."""


@command(app, "list")
async def listing(*, agent: AgentOption = None, limit: CountOption = 20, json: JsonOption = False, run: Run) -> None:
    """List sessions, the one that was used last first.

    Examples:
      scrubjay sessions list
      scrubjay sessions list --agent work --limit 5
      scrubjay sessions list --json | jq -r '.sessions[].id'
    """
    if limit < 1:
        raise UsageError(tr("--limit is {count}.", count=limit), hint=tr("Ask for one session or more."))
    async with run.transcripts() as archive:
        sessions = await _sessions(run, archive, agent)
    shown = sessions[:limit]
    if json:
        run.terminal.json({"sessions": [session_json(session) for session in shown], "all": len(sessions)})
        return
    if not sessions:
        run.terminal.err(tr("There are no sessions yet. Begin one with: scrubjay chat"))
        return
    zone = run.config.owner.zone
    run.terminal.table([row(session, zone) for session in shown], heads=[tr(head) for head in HEADS])
    if len(sessions) > limit:
        count = len(sessions)
        run.terminal.err(tr("{left:,} more; see them with --limit {count}.", left=count - limit, count=count))


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
    found = await find(run, session, agent)
    if json:
        run.terminal.json(session_json(found.session) | {"entries": [loads(line(entry)) for entry in found.recorded]})
    else:
        run.terminal.out(markdown(run, found))


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
    found = await find(run, session, agent)
    text = f"{markdown(run, found)}\n"
    if form == "jsonl":
        text = "".join([heading(found.session), *map(line, found.recorded)])
    if to is None:
        run.terminal.out(text.rstrip("\n"))
    elif create(to, text):
        run.terminal.err(tr("Written: {file}", file=to))
    else:
        raise UsageError(tr("{file} exists, and is left as it is.", file=to), hint=tr("Name another file with --to."))


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
    from bot.agent.context.context_log import ContextLog

    found = await find(run, session, agent)
    seen = await ContextLog(run.home.state / "sessions").last(found.session.agent, found.session.key)
    if seen is None or seen.turn not in {recorded.entry.turn for recorded in found.recorded}:
        hint = tr("The last request of each chat is kept, and none while there is no model (see: scrubjay doctor).")
        raise Missing(tr("What a model saw in session {id} is not known.", id=found.session.id), hint=hint)
    if json:
        run.terminal.json(session_json(found.session) | asdict(seen) | {"reported": seen.reported})
        return
    if full:
        for n, piece in enumerate(seen.pieces, 1):
            head = tr("=== {number}. {piece}, {tokens:,} tokens", number=n, piece=piece.what, tokens=piece.tokens)
            run.terminal.out(f"{head}\n{piece.text}\n")
    else:
        run.terminal.table(context_rows(seen), heads=[tr(head) for head in CONTEXT_HEADS])
        run.terminal.out()
    run.terminal.out("\n".join(context_sums(seen)))


def markdown(run: Invocation, found: Found) -> str:
    """Format a session as Markdown."""
    from bot.sessions.export import document
    from bot.sessions.transcript import exchanges

    turns = exchanges(found.recorded, agent=found.session.agent)
    return document(found.session, turns, zone=run.config.owner.zone).rstrip()


@dataclass(frozen=True, slots=True)
class Found:
    """A session with its entries."""

    session: Session
    recorded: tuple[Recorded, ...]


async def find(run: Invocation, wanted: str | None, agent: str | None) -> Found:
    """The session that is meant, with its entries.

    Args:
        wanted: an id, the beginning of one, or a key; None means the one that was used last.
        agent: whose session; anybody's if left out.

    Raises:
        Missing: there is none.
        UsageError: several could be meant.
        StateError: the state file cannot be read.
    """
    async with run.transcripts() as archive:
        if archive is None:
            raise _no_sessions()
        return await _read(archive, _pick(await _sessions(run, archive, agent), wanted))


async def found_sessions(run: Invocation, agent: str) -> AsyncIterator[Found]:
    """Yield all sessions of an agent with their entries; raises `StateError`: the state file cannot be read."""
    async with run.transcripts() as archive:
        if archive is None:
            return
        for session in await _sessions(run, archive, agent):
            yield await _read(archive, session)


async def _read(archive: TranscriptReader, session: Session) -> Found:
    recorded = await archive.transcript(session.agent, session.key, after=session.first - 1)
    return Found(session, tuple(entry for entry in recorded if entry.seq <= session.last))


async def _sessions(run: Invocation, archive: TranscriptReader | None, agent: str | None) -> list[Session]:
    """The sessions of one agent, or of all, the one that was used last first; none before the first chat.

    Raises:
        Missing: there is no such agent, and never was.
    """
    names = await archive.agents() if archive else ()
    if agent is not None:
        names = (agent if agent in names else run.config.agent(agent),)
    sessions = [session for name in names for session in await archive.sessions(name)] if archive else []
    return sorted(sessions, key=lambda session: (session.used, session.last), reverse=True)


def _pick(sessions: list[Session], wanted: str | None) -> Session:
    """The one that is wanted; of the sessions with one key, the last."""
    if not sessions:
        raise _no_sessions()
    if wanted is None:
        return sessions[0]
    by_key = [session for session in sessions if session.key == wanted]
    by_id = [session for session in sessions if wanted and session.id.startswith(wanted.upper())]
    fitting = by_key[:1] or by_id
    if not fitting:
        message = tr('No session is called "{name}".', name=wanted)
        raise Missing(message, hint=tr("Run `scrubjay sessions list` to see which there are."))
    if len(fitting) > 1:
        names = ", ".join(session.id for session in fitting[:MAX_NAMED_SESSIONS])
        left = len(fitting) - MAX_NAMED_SESSIONS
        more = tr(" and {count} more", count=left) if left > 0 else ""
        told = {"count": len(fitting), "beginning": wanted, "names": names, "more": more}
        message = tr('{count} sessions begin with "{beginning}": {names}{more}.', **told)
        raise UsageError(message, hint=tr("Type more of the id."))
    return fitting[0]


def _no_sessions() -> Missing:
    return Missing(tr("There are no sessions yet."), hint=tr("Begin one with: scrubjay chat"))


def session_json(session: Session) -> dict[str, Any]:
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
    } | marks(session)


def row(session: Session, zone: tzinfo) -> tuple[str, ...]:
    """A session in a table; `HEADS` says what is what."""
    where = session.key.removeprefix(f"agent:{session.agent}:")
    times = (f"{at.astimezone(zone):%Y-%m-%d %H:%M}" for at in (session.began, session.used))
    state = tr("over") if session.is_over else tr("open")
    return (session.id, session.agent, where, *times, str(session.messages), state)


def context_rows(context: Context) -> list[tuple[str, ...]]:
    """A row for each piece, and one for each file within the first; `CONTEXT_HEADS` says what is what."""
    return [
        (str(row.number), row.name, localized(row.tokens, ","), truncate(row.text, MAX_OPENING_CHARS))
        if row.number
        else ("", f"  {row.name}", localized(row.tokens, ","), row.text)
        for row in context.rows()
    ]


def context_sums(context: Context) -> Iterator[str]:
    """What had no room, and how full the window was."""
    if context.omission:
        yield context.omission
    yield tr(
        "{model} saw {tokens:,} tokens{correction}, {share} of {window:,}, at {at}.",
        model=context.model or tr("The model"),
        tokens=context.tokens,
        correction=context.correction,
        share=context.share,
        window=context.window,
        at=context.at,
    )
