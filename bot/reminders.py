"""Reminders, which come at their time, and intentions that come up when what they wait for is spoken of."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from datetime import MAXYEAR, UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import structlog

from adapters.port import AdapterState, Address, Button
from bot.access.permissions import Taint
from bot.storage.keys import Principal
from bot.storage.port import Envelope, Job
from bot.storage.tables.jobs import next_instant
from bot.texts.catalogue import mark, tr
from bot.texts.formatting import in_words, truncate
from bot.turn import Reply, Turn, job_event
from memory import OWNER, Clock, Error, Fact, Kind, Origin, Recall, Written
from memory.capture.wishes.reminders import Reminder
from memory.knowledge.context import KnowledgeContext
from memory.language.time.instants import Unclear, as_local, at_local, instant_of
from memory.life.intentions import Intention, intentions, triggered

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)

REMINDER = "reminder"
"""The command of the jobs, and with what their names begin."""

SNOOZED = " snoozed"
"""How the name of the job ends that fires a reminder once more."""

SNOOZE = "/reminders snooze"
"""What the buttons under a reminder type that has come, before its id and a span."""

CANCEL = "/reminders cancel "
"""What the button types that cancels a reminder, before its id."""

MIN_GAP = timedelta(minutes=5)
"""Between two firings of what repeats."""

COOL_DOWN = timedelta(days=1)
"""Between two times that the same intention comes up."""

A_DAY = 3
"""So many come up for an agent in a day, whatever triggers they have."""

MAX_LISTED, MAX_BUTTONS, MAX_LABEL_CHARS = 20, 5, 24
FAR = datetime(MAXYEAR, 12, 31, tzinfo=UTC)  # of what comes at no time that can be read

NONE = mark("There is nothing to remind you of. `/remind tomorrow at 9 call Ana` sets a reminder.")

Quiet = tuple[time, time]
"""From when to when what repeats waits, on the owner's clock; the end may be on the next day."""

LACKS = {
    Unclear.MISSING: mark(
        'When shall I remind you? Say it with a time, for example "remind me tomorrow at 9 to …". Nothing was noted.'
    ),
    Unclear.VAGUE: mark(
        'When exactly? Say it with a time, for example "in 2 hours" or "tomorrow at 9". Nothing was noted.'
    ),
    Unclear.PAST: mark("That time is over. When shall I remind you instead? Nothing was noted."),
    Unclear.IMPOSSIBLE: mark("The calendar or the clock has no such time. When shall I remind you? Nothing was noted."),
    Unclear.SEVERAL: mark("I read several times in that. When shall I remind you? Nothing was noted."),
    Unclear.ODD: mark(
        "I cannot repeat it like that. I can every day, every weekday, every Monday, every month on the 1st, every "
        "year, or every 5, 10, 15, 20, 30 minutes or 2, 3, 4, 6, 8, 12 hours. Nothing was noted."
    ),
}
"""What is asked back, by what is not clear."""


class NotSet(Exception):
    """A reminder that cannot be set; the message is for the person, and nothing was written."""


def first_due(due: str, every: str, zone: ZoneInfo, *, after: datetime) -> datetime:
    """Return when something is due first: a given instant, also a past one, or the next one of what repeats.

    Raises `ValueError` if it is neither.
    """
    return next_instant(every, zone.key, after=after) if every else instant_of(due, zone)


def next_due(intention: Intention, zone: ZoneInfo, *, after: datetime) -> datetime | None:
    """Return what `first_due` does; None if its time cannot be read or is farther than the calendar reaches."""
    try:
        return first_due(intention.due, intention.every, zone, after=after)
    except (ValueError, OverflowError):
        return None


def due_on(
    intention: Intention, first: date, last: date, zone: ZoneInfo, *, now: datetime, later: Mapping[str, datetime]
) -> datetime | None:
    """Return when a reminder comes from now on, on some days; None if it does not, or its time cannot be read.

    `later` is when jobs are due, by their names: that of one that was put off counts, too.
    """
    begins = at_local(first, time(), zone).astimezone(UTC)
    due = next_due(intention, zone, after=max(now, begins - timedelta(minutes=1)))
    dues = (one.astimezone(zone) for one in (due, later.get(f"{REMINDER} {intention.id}{SNOOZED}")) if one)
    return min((one for one in dues if one > now and first <= one.date() <= last), default=None)


def reminder_job(intention: Intention, at: datetime, *, agent: str, by: Principal, to: Address, zone: ZoneInfo) -> Job:
    """Return the job that fires an intention in a chat, on behalf of who asked for it."""
    name = f"{REMINDER} {intention.id}"
    event = job_event(to, f"{name} {intention.instants}", at=at)
    return Job(name, at, Envelope(agent, by, event), repeats=intention.every, zone=zone.key)


async def set_reminder(
    turn: Turn, reminder: Reminder, *, op_id: str, actor: str, origin: Origin, replaces: str = ""
) -> Reply:
    """Write a reminder down, put it on the schedule, and say when it comes. Both are on disk when this returns.

    Where it `replaces` one, by its id, that goes; `/undo` takes both back. One that is set already is not noted again,
    and comes where it was asked for last.

    Raises:
        NotSet: it does not say when, or not so that it can be kept.
        Error: as `Memory.remember` does, `SecretFound` among them.
    """
    when, zone = reminder.when, turn.agent.zone
    if when.lack:
        raise NotSet(tr(LACKS[when.lack]))
    if when.every:
        first = next_instant(when.every, zone.key, after=turn.at)
        if next_instant(when.every, zone.key, after=first) - first < MIN_GAP:
            raise NotSet(tr(LACKS[Unclear.ODD]))
    due = as_local(when.due) if when.due else ""
    fact = Fact(reminder.what, Kind.INTENTION, attributes=(("every", when.every) if when.every else ("due", due),))
    memory, scope, whose = turn.agent.memory, turn.scope, turn.whose
    if replaces:
        superseded = await memory.supersede(
            replaces, fact, origin=origin, scope=scope, op_id=op_id, actor=actor, whose=whose, reach=turn.reach
        )
        intention = intention_of(superseded.written, turn, origin)
    elif known := await _find_same(turn, fact, op_id=op_id, origin=origin):
        intention = known
    else:
        written = await memory.remember(fact, origin=origin, scope=scope, op_id=op_id, actor=actor)
        intention = intention_of(written, turn, origin)
    at = first_due(intention.due, intention.every, zone, after=turn.at)
    job = reminder_job(intention, at, agent=turn.agent.name, by=turn.principal, to=turn.session.address, zone=zone)
    await turn.effects.reschedule(job, without=[f"{REMINDER} {replaces}"])
    receipt = set_for(intention, at.astimezone(zone), is_again=bool(intention.every))
    return Reply(receipt, buttons=(Button(tr("Cancel"), f"{CANCEL}{intention.id}"),), origins=frozenset({origin}))


async def _find_same(turn: Turn, fact: Fact, *, op_id: str, origin: Origin) -> Intention | None:
    """Return a reminder of the same at the same time, not from a worse origin; None also in a turn that is repeated.

    Where memory is shared, that of somebody else is not meant: it comes elsewhere, and is to come there.
    """
    if await turn.agent.memory.is_done(op_id):
        return None
    wanted = (fact.text.strip().casefold(), fact.attribute("due") or "", fact.attribute("every") or "")
    whose = turn.whose if turn.scope == OWNER else None

    def find(context: KnowledgeContext) -> Intention | None:
        known = (one for one in intentions(context, turn.scope) if Origin.worst((one.origin, origin)) == origin)
        same = (one for one in known if (one.text.casefold(), one.due, one.every) == wanted)
        return next((one for one in same if whose is None or context.journal.author(one.id) in whose), None)

    return await turn.agent.memory.run(find)


async def coming_reminders(turn: Turn, known: Iterable[Intention]) -> Sequence[tuple[datetime, Intention]]:
    """Return those that are to come, each with its next time, the next one first; `FAR` if that cannot be read."""
    now, later = turn.agent.clock.now(), await turn.effects.due(REMINDER)
    listed: list[tuple[datetime, Intention]] = []
    for one in (one for one in known if one.instants):
        due = (next_due(one, turn.agent.zone, after=now) or FAR).astimezone(UTC)
        snoozed = later.get(f"{REMINDER} {one.id}{SNOOZED}")
        due = min(due, snoozed) if snoozed and due > now else snoozed or due
        if due > now:
            listed.append((due, one))
    return sorted(listed, key=lambda pair: pair[0])


async def list_reminders(turn: Turn) -> Reply:
    """List what is to come, the next one first; what it names is its evidence, so numbers mean these."""
    if not (listed := await coming_reminders(turn, await turn.agent.memory.run(intentions, turn.scope))):
        return Reply(tr(NONE))
    lines, hits = [], [await turn.agent.memory.find(one.id, scope=turn.scope) for _, one in listed[:MAX_LISTED]]
    evidence = Recall("/reminders", "words", tr("Listed, the next one first."), 0.0, tuple(hits))
    for number, (due, one) in enumerate(listed[:MAX_LISTED], 1):
        at = in_words(due.astimezone(turn.agent.zone)) if due.year < FAR.year else one.due
        again = " · " + tr("again and again (`{every}`)", every=one.every) if one.every else ""
        lines.append(f"{number}. {at}: {one.text}{again} · `{one.source}` · `^{one.id}`")
    lines += [tr("… and {count} more", count=len(listed) - MAX_LISTED)] if len(listed) > MAX_LISTED else []
    buttons = tuple(
        Button(f"✗ {truncate(one.text, MAX_LABEL_CHARS)}", f"{CANCEL}{one.id}") for _, one in listed[:MAX_BUTTONS]
    )
    return Reply("\n".join(lines), buttons=buttons, evidence=evidence)


def set_for(intention: Intention, at: datetime, *, is_again: bool = False) -> str:
    """Return what is said of a reminder at an instant of the person's clock, `is_again` if that is the next of many."""
    when, what, source = in_words(at), intention.text.rstrip(" .!?。！？"), intention.source
    once = mark("I will remind you on {when}: {what}. ({source})")
    again = mark("I will remind you again and again, next on {when}: {what}. ({source})")
    return tr(again if is_again else once, when=when, what=what, source=source)


def intention_of(written: Written, turn: Turn, origin: Origin) -> Intention:
    """Return what was written as an intention."""
    fact = written.fact
    due, every = fact.attribute("due") or "", fact.attribute("every") or ""
    return Intention(fact.id or "", fact.text, due, every, "", str(written.at), turn.scope, origin)


def quiet_end(now: datetime, quiet: Quiet | None) -> datetime | None:
    """Return when the quiet hours end in which an instant lies; None if it lies in none."""
    if quiet is None:
        return None
    begins, ends = quiet
    at, is_over_midnight = now.time(), begins > ends
    is_quiet = at >= begins or at < ends if is_over_midnight else begins <= at < ends
    if not is_quiet:
        return None
    day = now.date() + timedelta(days=1 if is_over_midnight and at >= begins else 0)
    return datetime.combine(day, ends, now.tzinfo)


class Triggers:
    """Chooses the intentions that join a turn, and keeps what has come up in the marks, also over restarts.

    Nothing is brought up in the `quiet` hours of the owner's clock; None for none.
    """

    def __init__(self, marks: AdapterState, *, clock: Clock, quiet: Quiet | None = None) -> None:
        self._marks = marks
        self._clock = clock
        self._quiet = quiet
        self._choosing = asyncio.Lock()

    async def join(self, turn: Turn) -> tuple[Intention, ...]:
        """Return what comes up in a turn; the same for a turn that is repeated.

        Nothing of the owner's where others read along, and nothing that others have written where they are not at home.
        """
        is_quiet = quiet_end(self._clock.now().astimezone(turn.agent.zone), self._quiet) is not None
        if turn.is_job or is_quiet or not turn.text.strip():
            return ()
        try:
            waiting = await turn.agent.memory.waiting(turn.scope)
        except Error as error:
            log.warning("triggers.not_read", turn=turn.id, reason=str(error))
            return ()
        spoken_of = triggered(waiting, turn.text) if waiting else ()
        visible = (one for one in spoken_of if turn.is_owners or one.scope != OWNER)
        due = [one for one in visible if Taint.of([one.origin], is_owners=turn.is_owners) is Taint.CLEAN]
        if not due:
            return ()
        account = f"triggers.{turn.agent.name}"
        async with self._choosing:  # sessions are answered side by side
            marks = await self._marks.load(account)
            parted = {name: mark.partition(" ") for name, mark in marks.items()}
            fired = {name: (datetime.fromisoformat(at), by) for name, (at, _, by) in parted.items()}
            now, joining = self._clock.now(), list[Intention]()
            today = now.astimezone(turn.agent.zone).date()
            count = sum(at.astimezone(turn.agent.zone).date() == today for at, _ in fired.values())
            for intention in due:
                at, by = fired.get(intention.id, (None, ""))
                if by == turn.id:
                    joining.append(intention)
                elif count < A_DAY and (at is None or now - at >= COOL_DOWN):
                    await self._marks.save(account, intention.id, f"{now.isoformat()} {turn.id}", lasting=True)
                    joining.append(intention)
                    count += 1
        return tuple(joining)


def brought_up(intention: Intention) -> str:
    """Return an intention that has come up as people are shown it."""
    return f"💡 {intention.text} (`{intention.source}`)"
