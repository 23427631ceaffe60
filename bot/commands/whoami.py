"""`/whoami`: who the bot takes you for, and what you may see here."""

from __future__ import annotations

from bot.commands.base import Call, Command
from bot.turn import Reply
from memory import OWNER


async def run(call: Call) -> Reply:
    """The numeric identity, the role, and the scope."""
    turn = call.turn
    role = "my owner" if turn.principal.is_owner else "a guest"
    name = f", {turn.principal.name}" if turn.principal.name else ""
    seen = "only what was said in this chat"
    if turn.scope == OWNER:
        seen = "everything that is private to the owner" if turn.is_owners else "all that it knows, as all here do"
    return Reply(
        f"You are {role}{name} (`{turn.principal.id}`).\n"
        f"{turn.agent.name} answers here and searches {seen} (scope `{turn.scope}`).\n"
        f"Session `{turn.session}`."
    )


COMMAND = Command(
    name="whoami",
    summary="who you are to me, and what you can see here",
    usage="/whoami",
    example="/whoami",
    run=run,
    private=True,
)
