"""`/whoami`: who the bot takes you for, and what you may see here."""

from __future__ import annotations

from bot.commands.base import Call, Command
from bot.texts.catalogue import mark, tr
from bot.turn import Reply
from memory import OWNER


async def run(call: Call) -> Reply:
    """The numeric identity, the role, and the scope."""
    turn = call.turn
    role = tr("my owner") if turn.principal.is_owner else tr("a guest")
    name = f", {turn.principal.name}" if turn.principal.name else ""
    seen = tr("only what was said in this chat")
    if turn.scope == OWNER:
        seen = (
            tr("everything that is private to the owner") if turn.is_owners else tr("all that it knows, as all here do")
        )
    you = tr("You are {role} (`{id}`).", role=role + name, id=turn.principal.id)
    agent = tr(
        "{agent} answers here and searches {seen} (scope `{scope}`).",
        agent=turn.agent.name,
        seen=seen,
        scope=turn.scope,
    )
    return Reply("\n".join([you, agent, tr("Session `{session}`.", session=turn.session)]))


COMMAND = Command(summary=mark("who you are to me, and what you can see here"), usage="/whoami", run=run)
