"""`/again`: have the last question answered anew. The worker puts that question in its place when its turn begins."""

from __future__ import annotations

from bot.commands.base import Call, Command
from bot.texts.catalogue import mark, tr
from bot.turn import Reply

NOT_YOURS = mark("Only who asked that, or my owner, may ask it again.")
TWICE = mark("I have just answered that again.")
"""It was typed a second time before the new answer was there."""


async def run(_: Call) -> Reply:
    """By now it is known that there is no question."""
    return Reply(tr("There is no answer to ask again for."))


COMMAND = Command(
    summary=mark("have the last question answered anew"),
    usage="/again",
    run=run,
    private=False,
    detail=mark(
        "The new answer takes the place of the last one, which I do not see when I write it. Only who asked, "
        "or my owner, may do that. What was noted or sent for the last answer stays; `/undo` takes notes "
        "back."
    ),
)
