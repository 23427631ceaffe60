"""`/reset`: begin a new conversation and save nothing of the old one."""

from __future__ import annotations

from bot.commands.base import Call, Command
from bot.texts.catalogue import mark, tr
from bot.turn import Reply

BEGINS = mark("A new conversation begins. Nothing of the last one was saved; what is in memory stays.")


async def run(call: Call) -> Reply:
    await call.check_own()
    return Reply(tr(BEGINS), ends_session=True)


COMMAND = Command(
    summary=mark("begin a new conversation without saving this one"),
    usage="/reset",
    run=run,
    private=False,
    detail=mark("`/new` saves it first. With `session.reset` in the configuration conversations end by themselves."),
)
