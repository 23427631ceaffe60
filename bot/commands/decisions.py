"""`/decisions`: what was decided, and where that stands."""

from __future__ import annotations

from bot.agent.offline.timeline import entry, read_decisions
from bot.commands.base import Call, Command, Parameter
from bot.texts.catalogue import mark, tr
from bot.turn import Reply

MAX_LISTED = 15


async def run(call: Call) -> Reply:
    """Show the newest decisions, or those on a topic."""
    topic = call.argument.strip()
    found = await read_decisions(call.turn.agent.memory, topic, scope=call.turn.scope, limit=MAX_LISTED)
    if not found:
        none = tr("I know of no decision about {topic}.", topic=topic) if topic else tr("I know of no decision.")
        return Reply(f"{none} {tr('A fact is one if it says so, or ends in `#decision`.')}")
    lines = [f"{(hit.time or '')[:10] or tr('without a day')} {entry(hit).removeprefix('- ')}" for hit in found]
    head = tr("Decided about {topic}:", topic=topic) if topic else tr("Decided, the newest first:")
    shown = "\n".join(f"- {line}" for line in lines)
    return Reply(f"{head}\n{shown}", origins=frozenset(hit.origin for hit in found))


COMMAND = Command(
    summary=mark("what was decided, and when"),
    usage=mark("/decisions [TOPIC]"),
    example=mark("/decisions kitchen"),
    run=run,
    parameter=Parameter("topic", mark("what it was about; nothing for the newest")),
)
