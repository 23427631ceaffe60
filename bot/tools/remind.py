"""`remind`: set a reminder."""

from __future__ import annotations

from datetime import UTC
from typing import Annotated

from pydantic import Field

from bot.reminders import CANCEL, NotSet, set_reminder
from bot.texts.catalogue import mark
from bot.tools.base import ASK_FOR_SECRETS, Result, ToolError, Work, tool
from memory import Origin
from memory.capture.wishes.reminders import Reminder
from memory.errors import SecretFound
from memory.language.time.instants import When, find_when, instant_of
from memory.life.intentions import intentions


async def remind(
    work: Work,
    what: Annotated[str, Field(min_length=1, max_length=2000)],
    when: str = "",
    every: str = "",
    instead_of: str = "",
) -> Result:
    """Remind the person in this chat, once or again and again. It is written down as a fact and kept over restarts.

    Args:
        what: what to remind of, in the person's language and words.
        when: for once: a local ISO time such as `2026-12-01T09:00`, or as people say it ("tomorrow at 9").
        every: for again and again: a cron expression of five fields, or as people say it ("every weekday at 8").
        instead_of: the id of a reminder that is moved.
    """
    work.check_secrets(what)
    turn = work.turn
    now = turn.local
    if bool(when) == bool(every):
        raise ToolError("Give either when or every.")
    if every:
        said = When("", every=every) if len(every.split()) == 5 and every[0] in "*0123456789" else find_when(every, now)
    else:
        try:
            said = When("", due=instant_of(when.strip(), turn.agent.zone))
        except (ValueError, OverflowError):
            said = find_when(when, now)
    if said.due and said.due.astimezone(UTC) <= turn.at:  # of two in one zone, Python compares what the clock shows
        raise ToolError(f"{when} is over; it is {now:%Y-%m-%d %H:%M} now. Ask the person which time they mean.")
    memory, origin, moved = turn.agent.memory, Origin.AGENT if turn.is_owners else turn.origin, instead_of.strip("^ ")
    known = {one.id: one.text for one in await memory.run(intentions, turn.scope)}
    if moved and moved not in known and not await memory.is_done(work.op_id):
        raise ToolError(f"No reminder has the id {moved}. memory_search finds it by its words.")
    reminder = Reminder(what, said)
    try:
        reply = await set_reminder(turn, reminder, op_id=work.op_id, actor=work.actor, origin=origin, replaces=moved)
    except (NotSet, ValueError) as error:
        raise ToolError(f"Nothing was set. Ask the person: {error}") from error
    except SecretFound as error:
        raise ToolError(f"{error.message} {ASK_FOR_SECRETS}") from error
    name = reply.buttons[0].data.removeprefix(CANCEL)
    same = [f"^{one}" for one, text in known.items() if text.casefold() == what.strip().casefold()]
    besides = ", ".join(one for one in same if one not in {f"^{name}", f"^{moved}"})
    still = f" {besides} remind of the same and still come: forget them if this was to move them." if besides else ""
    return Result(f"{reply.text} Its id is ^{name}.{still}", told=(reply.text,))


TOOL = tool(remind, doing=mark("setting a reminder"), changes=True, not_done=mark("No new reminder was set."))
