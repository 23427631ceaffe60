"""`scrubjay sessions`: look conversations up, read them, take them along, see what the model saw, try again."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import asdict, dataclass
from json import loads
from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import Parameter

from bot.cli.help import JSON, AgentOption, Answer, CountOption, Run, command, group
from bot.cli.invocation import Invocation
from bot.cli.state import admin_client
from bot.errors import Missing, UsageError
from bot.paths import create
from bot.sessions.files import heading, line, marks
from bot.storage.port import Recorded, Session
from bot.storage.tables.transcripts import TranscriptReader
from bot.texts.catalogue import localized, tr
from bot.texts.formatting import truncate, with_weekday

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

OfAgent = Annotated[AgentOption, Parameter(help="Only this agent's; all agents' if left out.")]
SessionName = Annotated[str | None, Parameter(help="Which one; the one that was used last if left out.")]

MAX_OPENING_CHARS = 51
"""Characters of a piece in the table."""

MAX_NAMED_SESSIONS = 3
"""How many of the sessions that could be meant are named."""


@command(app, "list", json=JSON)
async def listing(*, agent: OfAgent = None, limit: CountOption = 20, run: Run) -> Answer:
    """List sessions, the one that was used last first.

    Examples:
      scrubjay sessions list
      scrubjay sessions list --agent work --limit 5
      scrubjay sessions list --json | jq -r '.sessions[].id'
    """
    async with run.transcripts() as archive:
        sessions = await _sessions(run, archive, agent)
    shown, count = sessions[:limit], len(sessions)
    rows, zone = [], run.config.owner.zone
    for session in shown:
        where = session.key.removeprefix(f"agent:{session.agent}:")
        times = (f"{at.astimezone(zone):%Y-%m-%d %H:%M}" for at in (session.began, session.used))
        state = tr("over") if session.is_over else tr("open")
        rows.append((session.id, session.agent, where, *times, str(session.messages), state))
    heads = (tr("session"), tr("agent"), tr("where"), tr("began"), tr("used"), tr("messages"), tr("state"))
    run.terminal.table(rows, heads=heads, lack=tr("There are no sessions yet. Begin one with: scrubjay chat"))
    if count > limit:
        run.terminal.note(tr("{left:,} more; see them with --limit {count}.", left=count - limit, count=count))
    return {"sessions": [session_json(session) for session in shown], "all": count}


@command(app, json=JSON)
async def show(session: SessionName = None, /, *, agent: OfAgent = None, run: Run) -> Answer:
    """Show a session: who said what when, and which tools were used.

    Examples:
      scrubjay sessions show
      scrubjay sessions show 01KAJ2
      scrubjay sessions show --agent work --json | jq '.entries[].type'
    """
    found = await find(run, session, agent)
    if not run.terminal.as_json:
        run.terminal.out(markdown(run, found))
    return session_json(found.session) | {"entries": [loads(line(entry)) for entry in found.recorded]}


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
    agent: OfAgent = None,
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


@command(app, json=JSON)
async def context(
    session: SessionName = None,
    /,
    *,
    full: Annotated[bool, Parameter(help="Every word of it.")] = False,
    agent: OfAgent = None,
    run: Run,
) -> Answer:
    """Show what the model saw last in a session, with token counts.

    The same as /context in a chat: the rules, the files, the tools, the history,
    and what memory handed over, in the order in which the model reads them.

    Examples:
      scrubjay sessions context
      scrubjay sessions context 01KAJ2 --full
      scrubjay sessions context --json | jq '.pieces[] | {what, tokens}'
    """
    from bot.agent.context.context_log import ContextLog
    from bot.commands.context import summary

    found = await find(run, session, agent)
    seen = await ContextLog(run.home.state / "sessions").last(found.session.agent, found.session.key)
    if seen is None or seen.turn not in {recorded.entry.turn for recorded in found.recorded}:
        hint = tr("The last request of each chat is kept, and none while there is no model (see: scrubjay doctor).")
        raise Missing(tr("What a model saw in session {id} is not known.", id=found.session.id), hint=hint)
    at = with_weekday(seen.at, run.config.owner.zone)
    run.terminal.out(tr("What {model} saw last ({at}):\n", model=seen.model or tr("the model"), at=at))
    if full:
        for n, piece in enumerate(seen.pieces, 1):
            head = tr("=== {number}. {piece}, {tokens:,} tokens", number=n, piece=piece.what, tokens=piece.tokens)
            run.terminal.out(f"{head}\n{piece.text}\n")
    else:
        rows = [
            (str(row.number), row.name, localized(row.tokens, ","), truncate(row.text, MAX_OPENING_CHARS))
            if row.number
            else ("", f"  {row.name}", localized(row.tokens, ","), row.text)
            for row in seen.rows()
        ]
        run.terminal.table(rows, heads=("", tr("piece"), tr("tokens"), tr("begins")))
        run.terminal.out()
    for told in summary(seen):
        run.terminal.out(told)
    return session_json(found.session) | asdict(seen) | {"reported": seen.reported}


DEAD_PAGE = """
What was given up, and how to try it again.

A message is given up when its turn has broken three times over, or when the
process ended in four attempts at it alone; a part of an answer when its
platform will never take it, or it may have arrived already.

Examples:
  scrubjay sessions dead list
  scrubjay sessions dead retry personal:17
"""

dead_app = group("dead", DEAD_PAGE, sort_key=9)
app.command(dead_app)


@command(dead_app, "list", above="scrubjay sessions", json=JSON)
async def list_dead(*, run: Run) -> Answer:
    """List what was given up, and why.

    Examples:
      scrubjay sessions dead list
      scrubjay sessions dead list --json | jq -r '.dead[].reason'
    """
    async with admin_client(run) as ask:
        answer = await ask("dead")
    zone = run.use_owner_language().owner.zone
    rows = [
        (item["id"], item["kind"], with_weekday(item["at"], zone), item["where"], item["reason"])
        for item in answer["dead"]
    ]
    heads = (tr("id"), tr("what"), tr("since"), tr("where"), tr("why"))
    run.terminal.table(rows, heads=heads, lack=tr("Nothing was given up."))
    return answer


@command(dead_app, above="scrubjay sessions", json=JSON)
async def retry(id: Annotated[str, Parameter(help="Its id, such as personal:17, or all.")], /, *, run: Run) -> Answer:
    """Try it again. What tools did stays done; a part of an answer may come twice.

    Examples:
      scrubjay sessions dead retry personal:17
      scrubjay sessions dead retry all
    """
    async with admin_client(run) as ask:
        answer = await ask("retry", wanted=id)
    names = ", ".join(answer["retried"]) or tr("nothing")
    told = tr("Tried again: {names}. It happens while `scrubjay run` or `scrubjay chat` runs.", names=names)
    run.terminal.out(told)
    return answer


def markdown(run: Invocation, found: Found) -> str:
    """Format a session as Markdown."""
    from bot.sessions.export import document

    return document(found.session, found.recorded, zone=run.config.owner.zone).rstrip()


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
        sessions = await _sessions(run, archive, agent) if archive else []
        if archive is None or not sessions:
            raise Missing(tr("There are no sessions yet."), hint=tr("Begin one with: scrubjay chat"))
        return await _read(archive, sessions[0] if wanted is None else _pick(sessions, wanted))


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
    """The sessions of one agent, or of all, the last used first; none before the first chat. Raises `Missing`."""
    names = await archive.agents() if archive else ()
    if agent is not None:
        names = (agent if agent in names else run.config.agent(agent),)
    sessions = [session for name in names for session in await archive.sessions(name)] if archive else []
    return sorted(sessions, key=lambda session: (session.used, session.last), reverse=True)


def _pick(sessions: list[Session], wanted: str) -> Session:
    """The one that is wanted; of the sessions with one key, the last."""
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
