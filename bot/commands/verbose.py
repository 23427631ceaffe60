"""`/verbose`: whether this chat is told how answers come about."""

from __future__ import annotations

from adapters.port import Button
from bot.access.chat_settings import shown
from bot.commands.base import Call, Command, Parameter
from bot.texts.catalogue import mark, tr
from bot.turn import Reply

ABOUT = {
    True: mark("Under an answer stands which tools it took, and when the conversation was shortened."),
    False: mark("Answers come without a word about the tools that they took."),
}


async def run(call: Call) -> Reply:
    """Show whether it is so in this chat, or change it."""
    access, register, to = call.context.access, call.context.register, call.turn.session.address
    wanted = call.argument.casefold()
    if wanted not in {"", "on", "off"}:
        return Reply(tr("Say `/verbose on` or `/verbose off`."), private=True)
    if wanted:
        await register.set(to, "verbose", wanted)
    is_on = access.settings(to).verbose
    change = Button(tr("Say less") if is_on else tr("Tell me"), f"/verbose {shown(not is_on)}")
    return Reply(f"{tr(ABOUT[is_on])} `{shown(is_on)}`", buttons=(change,), private=True, in_place=True)


COMMAND = Command(
    summary=mark("whether answers say which tools they took"),
    usage="/verbose [on | off]",
    example="/verbose on",
    run=run,
    owner_only=True,
    is_shared=True,
    detail=mark("It holds in all threads of this chat."),
    parameter=Parameter.one_of("state", mark("on or off; without one, it is shown"), "on", "off"),
)
