"""`/remind`: be reminded of something, once or again and again."""

from __future__ import annotations

from bot.commands.base import Call, Command, Parameter
from bot.reminders import NotSet, set_reminder
from bot.texts.catalogue import mark, tr
from bot.texts.memory import of_memory
from bot.turn import Reply
from memory.capture.wishes.reminders import read_typed
from memory.errors import SecretFound

EXAMPLES = mark("For example `/remind tomorrow at 9 call Ana`, or `/remind every weekday at 9 stand-up`.")


async def run(call: Call) -> Reply:
    turn = call.turn
    reminder = read_typed(call.argument, turn.local)
    if not call.argument or not (reminder.is_said or reminder.when.lack):
        asked_back = tr("Of what?") if call.argument else tr("When, and of what?")
        return Reply(f"{asked_back} {tr(EXAMPLES)}")
    try:
        return await set_reminder(turn, reminder, op_id=turn.op_id(0), actor=turn.principal.id, origin=turn.origin)
    except NotSet as error:
        return Reply(str(error))
    except SecretFound as error:
        return Reply(of_memory(error), masked=error.values)


COMMAND = Command(
    summary=mark("be reminded, once or again and again"),
    usage=mark("/remind WHEN WHAT"),
    example=mark("/remind tomorrow at 9 call Ana"),
    run=run,
    private=False,
    detail=mark(
        "WHEN is said as people say it, in English, German, Spanish, French or Chinese: in 20 minutes, next Friday "
        "at half past nine, on the 3rd, every weekday at 8. I write it down as a fact, and write to you here when "
        "it is due. `/reminders` lists them, with buttons that cancel."
    ),
    parameter=Parameter("what", mark("when, and of what"), is_long=True),
)
