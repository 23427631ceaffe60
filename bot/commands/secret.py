"""`/secret`: answer whether something that looks like a secret is to be kept."""

from __future__ import annotations

from bot.agent.offline.notes import answer
from bot.commands.base import Call, Command, Parameter
from bot.texts.catalogue import mark, tr
from bot.turn import Reply


async def run(call: Call) -> Reply:
    """Write down what was asked about, or let go of it."""
    match call.argument.lower().split():
        case ["yes" | "no" as choice, token]:
            asked = (choice, token, call.context.offers, call.context.transcript)
            declined = tr("Not noted. In the record of this conversation it stays masked.")
            return await answer(call.turn, *asked, declined=declined, keep_secrets=True)
    return Reply(tr("I ask by myself when something looks like a secret; the question says what to type."))


COMMAND = Command(
    summary=mark("keep or drop what looks like a secret"),
    usage=mark("/secret yes | no TOKEN"),
    example="/secret no 3f9a2c81",
    run=run,
    detail=mark("When a message looks like it holds a password, a key or a card number, I ask before it is noted."),
    parameter=Parameter("answer", mark("yes or no, then what I gave you to type")),
)
