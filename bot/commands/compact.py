"""`/compact`: shorten the conversation for the model."""

from __future__ import annotations

from bot.commands.base import Call, Command, Parameter
from bot.storage.port import EntryKind
from bot.turn import Reply

NO_MODEL = "There is no language model here, so there is nothing to shorten."
NOTHING = "Nothing was shortened: the conversation is short, or the model gave no good summary. It goes on as it was."


async def run(call: Call) -> Reply:
    """Note what matters and summarise the conversation but for its newest part."""
    responder = await call.context.responder(call.turn.session)
    if responder is None:
        return Reply(NO_MODEL)
    fitted = await responder.compact(call.turn, call.argument)
    if not any(kind is EntryKind.COMPACTION for kind, _ in fitted.records):
        return fitted.tell(Reply(NOTHING))
    kept = fitted.history
    text = (
        f"The conversation is shortened. The newest {len(kept.exchanges)} of its turns stay as they are; the rest is:"
    )
    return fitted.tell(Reply(f"{text}\n\n{kept.summary}\n\n`/restore` lets all of it count again.", private=True))


COMMAND = Command(
    name="compact",
    summary="shorten this conversation for the model",
    usage="/compact [FOCUS]",
    example="/compact the boiler, and what it costs",
    run=run,
    owner_only=True,
    detail=(
        "What matters is noted first, then the oldest part becomes a summary with decisions, open to-dos, constraints, "
        "pending asks and exact identifiers. The records keep every word. It happens by itself when the window is full."
    ),
    parameter=Parameter("focus", "what must be kept above all"),
)
