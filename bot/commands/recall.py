"""`/recall`: search memory and show what was found, with sources."""

from __future__ import annotations

from dataclasses import replace

from bot.agent.offline.timeline import by_day
from bot.commands.base import Call, Command, Parameter
from bot.sessions.told import search_with_sessions
from bot.texts.catalogue import mark, tr
from bot.texts.receipts import incomplete, quoted, remark
from bot.turn import Reply
from memory import RecallForm
from memory.recall.filters import split_options

MAX_PASSAGES = 5


async def run(call: Call) -> Reply:
    """Show the best passages; `/why` then explains their order."""
    if not call.argument:
        return Reply(tr("What are you looking for? Type it after the command: `/recall spare key`"))
    turn = call.turn
    text, where, limit = split_options(call.argument, turn.local.date())
    beside = await search_with_sessions(
        turn.agent.memory, turn.session_memory, text, scope=turn.scope, limit=limit or MAX_PASSAGES, where=where
    )
    found = replace(beside.joined(), query=call.argument)
    if not found.hits:
        return Reply(f"{tr('Nothing found.')} {remark(found)}", evidence=found)
    is_timeline = found.form is RecallForm.TIMELINE
    lines = by_day(found.related) if is_timeline else (quoted(hit, n) for n, hit in enumerate(found.hits, 1))
    passages = "\n".join(lines)
    if not (is_timeline or found.answers):
        passages = f"{tr('Nothing fits for certain. What comes closest:')}\n{passages}"
    how = tr("`/why` explains this order, `/forget ID` takes one away.")
    return Reply(f"{passages}\n\n{how}{incomplete(found)}", evidence=found)


COMMAND = Command(
    summary=mark("search memory"),
    usage=mark("/recall WORDS OR A QUESTION"),
    example=mark("/recall spare key"),
    detail=mark(
        "Narrow it anywhere in the line: `--entity Peter`, `--kind opinion`, `--category decision`, `--tag garden` "
        "(a hashtag of yours), `--since 30d`, `--until 2026-01-31`, `--as-of 2025-11-27` (what held then), "
        '`--believed "last March"` (what was known by then), `--faded` (what has faded or was merged, too), '
        "`--in handbook` (a file, a folder, or an extra folder by its name), `-k 25`. Without words, the newest of "
        "these facts are listed."
    ),
    run=run,
    parameter=Parameter("words", mark("words or a question")),
)
