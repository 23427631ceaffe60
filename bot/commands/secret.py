"""`/secret`: answer whether something that looks like a secret is to be kept."""

from __future__ import annotations

from bot.agent.offline.notes import ALREADY, accept
from bot.commands.base import Call, Command, Parameter
from bot.texts.catalogue import mark, tr
from bot.turn import Reply


async def run(call: Call) -> Reply:
    """Write down what was asked about, or let go of it."""
    match call.argument.lower().split():
        case ["yes" | "no" as choice, token]:
            made, done = await call.context.transcript.find_pending(call.turn.session, token)
            if done:
                return Reply(done).with_note(tr(ALREADY))
            if choice == "no":
                is_closed = call.context.offers.drop(call.turn, token)
                text = tr("Not noted. In the record of this conversation it stays masked.")
                return Reply(text, closes=token if is_closed else "")
            return await accept(call.turn, token, call.context.offers, made, keep_secrets=True)
    return Reply(tr("I ask by myself when something looks like a secret; the question says what to type."))


COMMAND = Command(
    summary=mark("keep or drop what looks like a secret"),
    usage=mark("/secret yes | no TOKEN"),
    example="/secret no 3f9a2c81",
    run=run,
    detail=mark("When a message looks like it holds a password, a key or a card number, I ask before it is noted."),
    parameter=Parameter("answer", mark("yes or no, then what I gave you to type")),
)
