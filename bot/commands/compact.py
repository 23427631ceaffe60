"""`/compact`: shorten the conversation for the model."""

from __future__ import annotations

from bot.commands.base import Call, Command, Parameter
from bot.storage.port import EntryKind
from bot.texts.catalogue import mark, tr
from bot.turn import Reply

SHORTENED = mark("The conversation is shortened. The newest {count} of its turns stay as they are; the rest is:")
TOO_SHORT = mark("Nothing was shortened: what was said last stays as it is, and before that there is too little.")
FAILED = mark("Nothing was shortened, and the conversation goes on as it was: {error}")


async def run(call: Call) -> Reply:
    """Note what matters and summarise the conversation but for its newest part."""
    responder = await call.context.responder(call.turn.session)
    if responder is None:
        return Reply(tr("There is no language model here, so there is nothing to shorten."))
    fitted = await responder.compact(call.turn, call.argument)
    kept = fitted.history
    if any(kind is EntryKind.COMPACTION for kind, _ in fitted.records):
        words = tr(SHORTENED, count=len(kept.exchanges))
        text = tr("{words}\n\n{summary}\n\n`/restore` lets all of it count again.", words=words, summary=kept.summary)
    else:
        text = tr(FAILED, error=fitted.failure) if fitted.failure else tr(TOO_SHORT)
    return fitted.tell(Reply(text, private=True))


COMMAND = Command(
    summary=mark("shorten this conversation for the model"),
    usage=mark("/compact [FOCUS]"),
    example=mark("/compact the boiler, and what it costs"),
    run=run,
    private=False,
    owner_only=True,
    detail=mark(
        "What matters is noted first, then the oldest part becomes a summary with decisions, open to-dos, "
        "constraints, pending asks and exact identifiers. The records keep every word. It happens by itself "
        "when the window is full."
    ),
    parameter=Parameter("focus", mark("what must be kept above all")),
)
