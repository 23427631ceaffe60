"""`/captured`: show what was noted unasked, take it back; keep or drop what was proposed."""

from __future__ import annotations

from bot.agent.auto_capture import buttons, remember_all
from bot.agent.offline.notes import ALREADY, answer
from bot.commands.base import Call, Command, Parameter
from bot.errors import Missing
from bot.texts.catalogue import mark, tr
from bot.turn import PendingAction, Reply

WHAT = mark(
    "I say by myself when I have noted something unasked, with buttons under it. `memory.auto_capture` sets that."
)


async def run(call: Call) -> Reply:
    """Carry out what a button under captured facts, or under a message passed on, asks for."""
    match call.argument.lower().split():
        case ["show" | "undo" | "keep" | "drop" as choice, token]:
            made, done = await call.context.transcript.find_pending(call.turn.session, token)
            if made and not made.facts and choice in {"keep", "drop"}:
                answers = ("no" if choice == "drop" else "yes", token, call.context.offers, call.context.transcript)
                return await answer(call.turn, *answers, declined=tr("Nothing was noted."), keep_secrets=False)
            if done:
                return Reply(done).with_note(tr(ALREADY))
            if made is None or not made.holds(call.turn):
                raise Missing(tr("Those buttons hold for a week, for whom they were made. Nothing was changed."))
            return await _carry_out(call, choice, made)
    return Reply(tr(WHAT))


async def _carry_out(call: Call, choice: str, made: PendingAction) -> Reply:
    turn, texts = call.turn, [fact.text for fact in made.facts]
    if choice == "show":
        listed = "\n".join(f"- {fact.text}" + (f" `^{fact.id}`" if fact.id else "") for fact in made.facts)
        return Reply(listed, buttons=buttons(made))
    if choice == "keep" and not made.operations:
        kept = await remember_all(turn, texts, source=made.source, closes=made.token)
        return kept or Reply(tr("All of that is known already."), closes=made.token)
    if choice == "drop" and not made.operations:
        return Reply(tr("Nothing was noted."), closes=made.token)
    if choice == "undo" and made.operations:
        undone = await turn.agent.memory.undo(
            len(made.operations),
            op_id=turn.op_id(0),
            scope=turn.scope,
            actor=turn.principal.id,
            whose=turn.whose,
            only=made.operations,
        )
        gone = [f"- {text}" for text in texts] if len(undone) == len(texts) else [one.removed for one in undone]
        return Reply("\n".join((tr("Not remembered any more:"), *gone)), closes=made.token)
    return Reply(tr(WHAT))


COMMAND = Command(
    summary=mark("show, undo, keep or drop what I found worth noting"),
    usage=mark("/captured show | undo | keep | drop TOKEN"),
    example="/captured undo 3f9a2c81",
    run=run,
    detail=mark(
        "With `memory.auto_capture` I note, or propose, what you tell me without being asked; the buttons under "
        "that type this for you, for a week."
    ),
    parameter=Parameter("choice", mark("show, undo, keep or drop, then what I gave you to type")),
)
