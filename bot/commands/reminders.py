"""`/reminders`: what I shall remind you of; cancel, snooze, done."""

from __future__ import annotations

from dataclasses import replace
from datetime import MAXYEAR, UTC, datetime, timedelta

from adapters.port import Button
from bot.commands.base import Call, Command, Parameter
from bot.errors import Missing
from bot.reminders import CANCEL, REMINDER, SNOOZED, next_due, reminder_job, set_for
from bot.texts.catalogue import mark, tr
from bot.texts.formatting import in_words, truncate
from bot.turn import Reply, Turn
from memory import OWNER
from memory.knowledge.context import check_author
from memory.language.time.instants import MORNING, at_local
from memory.life.intentions import Intention, find_intention, intentions

MAX_LISTED = 20
MAX_BUTTONS = 5
MAX_LABEL_CHARS = 24
FAR = datetime(MAXYEAR, 12, 31, tzinfo=UTC)  # of what comes at no time that can be read

NONE = mark("There is nothing to remind you of. `/remind tomorrow at 9 call Ana` sets a reminder.")


async def run(call: Call) -> Reply:
    """List reminders, or do what a button under one asks for."""
    turn = call.turn
    match call.argument.split():
        case []:
            return await _list(turn)
        case ["cancel", name]:
            return await _cancel(turn, await _find(turn, name))
        case ["done", name]:
            found = await _find(turn, name)
            await turn.effects.reschedule(without=[f"{REMINDER} {found.id}{SNOOZED}"])
            return Reply(f"✓ {found.text}", origins=frozenset({found.origin}), in_place=True)
        case ["snooze", name, span]:
            return await _snooze(turn, await _find(turn, name), span)
    return Reply(tr("`{usage}`: nothing has changed.", usage=tr(COMMAND.usage)))


async def _find(turn: Turn, name: str) -> Intention:
    found = await turn.agent.memory.run(find_intention, name.removeprefix("^"), turn.scope)
    if found is None or not found.instants:
        raise Missing(
            tr("There is no reminder `{name}` any more.", name=name),
            hint=tr("`/reminders` lists those that there are."),
        )
    is_put_off = f"{REMINDER} {found.id}{SNOOZED}" in await turn.effects.due(REMINDER)
    if is_put_off or turn.scope == OWNER:
        await turn.agent.memory.run(check_author, found.id, turn.whose)
    return found


async def _list(turn: Turn) -> Reply:
    now, later = turn.agent.clock.now(), await turn.effects.due(REMINDER)
    listed: list[tuple[datetime, Intention]] = []
    for one in await turn.agent.memory.run(intentions, turn.scope):
        if not one.instants:
            continue
        due = (next_due(one, turn.agent.zone, after=now) or FAR).astimezone(UTC)
        snoozed = later.get(f"{REMINDER} {one.id}{SNOOZED}")
        due = min(due, snoozed) if snoozed and due > now else snoozed or due
        if due > now:
            listed.append((due, one))
    if not listed:
        return Reply(tr(NONE))
    listed.sort(key=lambda pair: pair[0])
    lines = []
    for number, (due, one) in enumerate(listed[:MAX_LISTED], 1):
        at = in_words(due.astimezone(turn.agent.zone)) if due.year < FAR.year else one.due
        again = " · " + tr("again and again (`{every}`)", every=one.every) if one.every else ""
        lines.append(f"{number}. {at}: {one.text}{again} · `{one.source}` · `^{one.id}`")
    if len(listed) > MAX_LISTED:
        lines.append(tr("… and {count} more", count=len(listed) - MAX_LISTED))
    buttons = tuple(
        Button(f"✗ {truncate(one.text, MAX_LABEL_CHARS)}", f"{CANCEL}{one.id}") for _, one in listed[:MAX_BUTTONS]
    )
    return Reply("\n".join(lines), buttons=buttons, origins=frozenset(one.origin for _, one in listed))


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
    now, zone = turn.at, turn.agent.zone
    spans = {"10m": timedelta(minutes=10), "1h": timedelta(hours=1)}
    if span == "tomorrow":
        at = at_local(now.astimezone(zone).date() + timedelta(days=1), MORNING, zone)
    elif span in spans:
        at = now + spans[span]
    else:
        return Reply(tr("For how long? `10m`, `1h` or `tomorrow`. Nothing has changed."))
    job = reminder_job(found, at, agent=turn.agent.name, by=turn.principal, to=turn.session.address, zone=zone)
    await turn.effects.reschedule(replace(job, name=job.name + SNOOZED, repeats=""))
    return Reply(set_for(found, at.astimezone(zone)), origins=frozenset({found.origin}), in_place=True)


COMMAND = Command(
    name="reminders",
    summary=mark("what I shall remind you of"),
    usage=mark("/reminders [cancel ID | snooze ID 10m|1h|tomorrow | done ID]"),
    example="/reminders",
    run=run,
    private=False,
    detail=mark(
        "Lists them, the next one first, with buttons that cancel; `/forget ^ID` of one cancels it, too, and "
        "`/undo` takes either back. The buttons under a reminder type the rest for you."
    ),
    parameter=Parameter("what", mark("nothing for the list; or cancel, snooze or done with an id")),
)
