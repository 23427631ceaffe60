"""`/about`: all that is remembered of one person, place or project, or of oneself."""

from __future__ import annotations

from bot.agent.offline.about import about_reply, recall_of
from bot.commands.base import Call, Command, Parameter, suggest_names
from bot.texts.catalogue import mark, tr
from bot.texts.formatting import did_you_mean
from bot.turn import Reply
from memory.capture.subjects import ME
from memory.knowledge.about import about

SELF = frozenset({"", "me", "myself", "mich", "我"})
PRIVATE = mark("What I know about you I tell in a private chat. Here: `/about NAME`")


async def run(call: Call) -> Reply:
    """Quote the facts about whom is asked for, newest first, with their places."""
    turn, wanted = call.turn, call.argument.strip()
    name = ME if wanted.casefold() in SELF else wanted
    if name == ME and not turn.is_owners:
        return Reply(tr(PRIVATE))
    found = await turn.agent.memory.run(about, name, scope=turn.scope)
    if found is None:
        names = [written for written, _ in (await turn.agent.memory.stats(scope=turn.scope)).entities]
        text = tr("I know nothing about {name} yet.", name=wanted) if wanted else tr("I know nothing about you yet.")
        return Reply(f"{text} {did_you_mean(wanted, names)}".rstrip())
    return about_reply(recall_of(found, call.turn.text), tr("From memory:"))


COMMAND = Command(
    summary=mark("what I remember of somebody"),
    usage=mark("/about [NAME]"),
    example=mark("/about Alice"),
    run=run,
    detail=mark('By any of their names, and without a name of you. "What do you know about Alice?" asks the same.'),
    parameter=Parameter("name", mark("a person, place or project; nothing for yourself"), suggest_names),
)
