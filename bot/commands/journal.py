"""`/journal`: what was done to memory last, by whom, and where."""

from __future__ import annotations

from adapters.port import Button
from bot.commands.base import Call, Command, Parameter
from bot.texts.catalogue import mark, tr
from bot.texts.receipts import changed
from bot.turn import UNKNOWN, Reply
from memory.journal.records import UNDOABLE
from memory.journal.writer import CONSOLIDATED, DERIVED, RETAINED
from memory.knowledge.history import changes

USUAL = 10
MAX_LISTED = 50


async def run(call: Call) -> Reply:
    """Show the last changes, all of them or those of one file or fact, newest first."""
    turn, wanted = call.turn, call.argument.strip()
    limit = min(int(wanted), MAX_LISTED) if wanted.isdecimal() and len(wanted) <= len(str(MAX_LISTED)) else USUAL
    about = "" if wanted.isdecimal() else wanted
    found = await turn.agent.memory.run(changes, limit=limit, scope=turn.scope, about=about)
    if not found:
        if about:
            return Reply(
                tr("Nothing was done about `{about}`. Give a file or an id, as `/recall` shows them.", about=about)
            )
        return Reply(tr("Nothing was done to memory here yet."))
    newest = found[0]
    is_own = (turn.whose is None or newest.actor in turn.whose) and not newest.op_id.startswith(
        (RETAINED, DERIVED, CONSOLIDATED)
    )
    is_last = not about and is_own and newest.action in UNDOABLE and not newest.is_undone
    buttons = (Button(tr("Undo the newest"), "/undo"),) if is_last else ()
    shown = "\n".join(changed(one, turn.agent.zone) for one in found)
    return Reply(f"```\n{shown.replace('```', '`` `')}\n```", buttons=buttons, origins=UNKNOWN)


COMMAND = Command(
    summary=mark("what was done to memory last, and by whom"),
    usage=mark("/journal [HOW MANY | FILE | ID]"),
    example="/journal 5",
    run=run,
    detail=mark("Newest first, 10 unless you say how many (up to 50); of one file or one fact, if you name it."),
    parameter=Parameter("what", mark("how many, or a file, or an id")),
)
