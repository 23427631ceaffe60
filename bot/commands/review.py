"""`/review`: look through changes that are proposed to USER.md and MEMORY.md; accept, edit, put off or reject each."""

from __future__ import annotations

from adapters.port import Button
from bot.commands.base import Call, Command, Parameter
from bot.texts.catalogue import mark, tr
from bot.texts.memory import of_memory
from bot.texts.receipts import diff
from bot.turn import Reply
from memory.knowledge.proposals import Proposal, accept, reject, suggest, waiting

NOTHING = mark("Nothing waits for you. What I find worth keeping in USER.md or MEMORY.md, I propose here.")
ELSEWHERE = mark("I show proposals only in a private chat: they quote what you told me there.")


async def run(call: Call) -> Reply:
    """Show the oldest proposal, or decide about one and show the next."""
    turn, memory = call.turn, call.turn.agent.memory
    if not turn.is_owners:
        return Reply(tr(ELSEWHERE))
    choice, _, rest = call.argument.partition(" ")
    name, _, text = rest.strip().partition(" ")
    above = ""
    match [choice.lower(), name, text.strip()]:
        case ["", "", ""]:
            await memory.run(suggest, op_id=turn.op_id(0), actor=turn.delegate)
        case ["later", str(), ""]:
            others = await memory.run(waiting)
            at = next((n for n, one in enumerate(others) if one.id == name), -1)
            return _show((*others[at + 1 :], *others[: at + 1]))
        case ["edit", str(), ""] if name:
            return Reply(tr("Type the line as it ought to be: `/review edit {name}` and then the text.", name=name))
        case ["accept" | "edit", str(), str()] if name and bool(text) == (choice.lower() == "edit"):
            change = await memory.run(accept, name, text=text, op_id=turn.op_id(0), actor=turn.principal.id)
            above = tr("Done in `{path}`; `/undo` takes it back.", path=change.path)
        case ["reject", str(), ""]:
            await memory.run(reject, name, op_id=turn.op_id(0), actor=turn.principal.id)
            above = tr("Not taken; I shall not propose it again.")
        case _:
            return Reply(tr("I did not understand that. Type `{usage}`.", usage=tr(COMMAND.usage)))
    return _show(await memory.run(waiting), above=above)


def _show(proposals: tuple[Proposal, ...], above: str = "") -> Reply:
    """Show the first of these proposals with what can be done about it."""
    if not proposals:
        return Reply("\n\n".join(filter(None, (above, tr(NOTHING)))))
    name, others = proposals[0].id, len(proposals) - 1
    more = " " + tr("{others} more behind it.", others=others) if others else ""
    buttons = [
        Button(tr("Accept"), f"/review accept {name}"),
        Button(tr("Edit"), f"/review edit {name}"),
        *([Button(tr("Later"), f"/review later {name}")] if others else []),
        Button(tr("Reject"), f"/review reject {name}"),
    ]
    change = proposals[0].change
    ask = tr("Shall I change `{path}`?", path=change.path)
    shown = f"{ask}\n```diff\n{diff(change)}\n```\n{of_memory(change.reason)}\n\n`{name}`.{more}"
    return Reply("\n\n".join(filter(None, (above, shown))), buttons=tuple(buttons))


COMMAND = Command(
    summary=mark("changes that I propose to USER.md and MEMORY.md"),
    usage=mark("/review [accept | edit | later | reject ID]"),
    run=run,
    owner_only=True,
    detail=mark("I never change these two files by myself. `/review edit ID TEXT` takes a proposal in your own words."),
    parameter=Parameter("decision", mark("accept, edit, later or reject, then the id")),
)
