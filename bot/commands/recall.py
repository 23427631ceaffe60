"""`/recall`: search memory and show what was found, with sources."""

from __future__ import annotations

from bot.commands.base import Call, Command, Parameter
from bot.receipts import incomplete, quoted
from bot.sessions.statements import recall_with_sessions
from bot.turn import Reply

MAX_PASSAGES = 5


async def run(call: Call) -> Reply:
    """Show the best passages; `/why` then explains their order."""
    if not call.argument:
        return Reply("What are you looking for? Type it after the command: `/recall spare key`")
    found = await recall_with_sessions(
        call.turn.agent.memory, call.turn.told, call.argument, scope=call.turn.scope, limit=MAX_PASSAGES
    )
    if not found.hits:
        return Reply(f"Nothing found. {found.remark}", evidence=found)
    passages = "\n".join(quoted(hit, n) for n, hit in enumerate(found.hits, 1))
    return Reply(
        f"{passages}\n\n`/why` explains this order, `/forget ID` takes one away.{incomplete(found)}", evidence=found
    )


COMMAND = Command(
    name="recall",
    summary="search memory",
    usage="/recall WORDS OR A QUESTION",
    example="/recall spare key",
    run=run,
    private=True,
    parameter=Parameter("words", "words or a question"),
)
