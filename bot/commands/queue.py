"""`/queue`: what becomes of messages that come while one is answered in this chat."""

from __future__ import annotations

from adapters.port import Button
from bot.access.chat_settings import QueueMode
from bot.commands.base import Call, Command, Parameter, beginning
from bot.texts.catalogue import mark, tr
from bot.turn import Reply

DEFAULT = "default"

ABOUT = {
    QueueMode.COLLECT: mark("What comes while I answer is answered together, afterwards."),
    QueueMode.FOLLOW_UP: mark("What comes while I answer is answered afterwards, each message for itself."),
    QueueMode.STEER: mark("What you write while I work goes into that work at its next step."),
    QueueMode.INTERRUPT: mark("What you write while I answer stops that answer, and is answered instead."),
}

LABELS = {
    QueueMode.COLLECT: mark("Together"),
    QueueMode.FOLLOW_UP: mark("One by one"),
    QueueMode.STEER: mark("Steer"),
    QueueMode.INTERRUPT: mark("Interrupt"),
}


async def run(call: Call) -> Reply:
    """Show the mode of this chat, or change it."""
    access, register, to = call.context.access, call.context.register, call.turn.session.address
    if call.argument:
        found = [one.value for one in beginning(call.argument, (*QueueMode, DEFAULT))]
        if len(found) != 1:
            known = ", ".join(f"`{mode}`" for mode in (*QueueMode, DEFAULT))
            return Reply(tr("There is no such mode; there are {known}.", known=known), private=True)
        await register.set(to, "queue", None if found == [DEFAULT] else found[0])
    mode, is_set = access.settings(to).queue, "queue" in register.settings(to)
    others = [Button(tr(LABELS[other]), f"/queue {other}") for other in QueueMode if other is not mode]
    if is_set:
        others.append(Button(tr("As configured"), f"/queue {DEFAULT}"))
    text = f"{tr(ABOUT[mode])} `{mode}`{' ' + tr('(set here)') if is_set else ''}"
    return Reply(text, buttons=tuple(others), private=True, in_place=True)


COMMAND = Command(
    summary=mark("what becomes of messages that come while I answer"),
    usage="/queue [collect | follow_up | steer | interrupt | default]",
    example="/queue steer",
    run=run,
    owner_only=True,
    is_shared=True,
    detail=mark(
        "It holds in all threads of this chat, until `/queue default`. Only whoever is answered can steer or "
        "interrupt that answer; `/stop` and buttons never wait."
    ),
    parameter=Parameter.one_of("mode", mark("what becomes of them; without one, it is shown"), *QueueMode, DEFAULT),
)
