"""`/reminders`: what I shall remind you of; cancel, snooze, done."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import datetime, timedelta

from bot.commands.base import Call, Command, Parameter
from bot.errors import Missing
from bot.reminders import REMINDER, SNOOZED, list_reminders, next_due, reminder_job, set_for, set_reminder
from bot.texts.catalogue import mark, tr
from bot.texts.formatting import in_words
from bot.turn import Reply, Turn
from memory import OWNER
from memory.capture.wishes.reminders import Reminder
from memory.knowledge.context import check_author
from memory.language.time.instants import MORNING, When, at_local
from memory.life.intentions import Intention, find_intention

_SPAN = re.compile(r"([1-9]\d{0,3})([mh])")
_UNITS = {"m": timedelta(minutes=1), "h": timedelta(hours=1)}


async def run(call: Call) -> Reply:
    """List reminders, or do what a button under one asks for."""
    turn = call.turn
    match call.argument.split():
        case []:
            return await list_reminders(turn)
        case ["cancel", name]:
            return await _cancel(turn, await _find(call, name))
        case ["done", name]:
            found = await _find(call, name)
            if _once_ahead(turn, found):
                return await _cancel(turn, found)
            await turn.effects.reschedule(without=[f"{REMINDER} {found.id}{SNOOZED}"])
            return Reply(f"✓ {found.text}", origins=frozenset({found.origin}), in_place=True)
        case ["snooze", name, span]:
            return await _snooze(turn, await _find(call, name), span)
    return Reply(tr("`{usage}`: nothing has changed.", usage=tr(COMMAND.usage)))


async def _find(call: Call, name: str) -> Intention:
    """Find a reminder by its id, or by its number in the list that was shown last, which stays as others go."""
    turn, listed = call.turn, await call.context.transcript.last_listed(call.turn.session)
    by_number = {str(number): hit.id for number, hit in enumerate(listed, 1)}
    found = await turn.agent.memory.run(find_intention, by_number.get(name, name.removeprefix("^")), turn.scope)
    if found is None or not found.instants:
        message = tr("There is no reminder `{name}` any more.", name=name)
        raise Missing(message, hint=tr("`/reminders` lists those that there are."))
    is_put_off = f"{REMINDER} {found.id}{SNOOZED}" in await turn.effects.due(REMINDER)
    if is_put_off or turn.scope == OWNER:
        await turn.agent.memory.run(check_author, found.id, turn.whose)
    return found


async def _cancel(turn: Turn, found: Intention) -> Reply:
    memory, by = turn.agent.memory, turn.principal.id
    await memory.run(check_author, found.id, turn.whose)
    gone = await memory.forget_facts([found.id], op_id=turn.op_id(0), scope=turn.scope, actor=by, reach=turn.reach)
    place = ", ".join(f"`{line.path}:{line.number}`" for line in gone)
    # its words would be masked here, as everywhere
    due = next_due(found, turn.agent.zone, after=turn.agent.clock.now())
    when = in_words(due.astimezone(turn.agent.zone)) if due else found.due
    when += " · " + tr("again and again (`{every}`)", every=found.every) if found.every else ""
    return Reply(tr("Cancelled: {words} ({place}). `/undo` brings it back.", words=when, place=place))


async def _snooze(turn: Turn, found: Intention, span: str) -> Reply:
    zone, counted, ahead = turn.agent.zone, _SPAN.fullmatch(span), _once_ahead(turn, found)
    at = at_local(turn.local.date() + timedelta(days=1), MORNING, zone) if span == "tomorrow" else None
    at = (ahead or turn.at) + int(counted[1]) * _UNITS[counted[2]] if counted else at
    if at is None:
        return Reply(tr("For how long? `10m`, `1h` or `tomorrow`. Nothing has changed."))
    if ahead:  # it would come at both times
        moved, by = Reminder(found.text, When("", due=at.astimezone(zone))), turn.principal.id
        return await set_reminder(turn, moved, op_id=turn.op_id(0), actor=by, origin=found.origin, replaces=found.id)
    job = reminder_job(found, at, agent=turn.agent.name, by=turn.principal, to=turn.session.address, zone=zone)
    await turn.effects.reschedule(replace(job, name=job.name + SNOOZED, repeats=""))
    return Reply(set_for(found, at.astimezone(zone)), origins=frozenset({found.origin}), in_place=True)


def _once_ahead(turn: Turn, found: Intention) -> datetime | None:
    """Return when a reminder comes that comes once, and has not come yet."""
    due = None if found.every else next_due(found, turn.agent.zone, after=turn.at)
    return due if due and due > turn.at else None


COMMAND = Command(
    summary=mark("what I shall remind you of"),
    usage=mark("/reminders [cancel N | snooze N 10m|1h|tomorrow | done N]"),
    run=run,
    private=False,
    detail=mark(
        "Lists them, the next one first, with buttons that cancel. N is a number of the list that was shown last, or "
        "an id; `/forget N` cancels it, too, and `/undo` takes either back. The buttons under a reminder type the rest "
        "for you."
    ),
    parameter=Parameter("what", mark("nothing for the list; or cancel, snooze or done with a number or an id")),
)
