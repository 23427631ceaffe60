"""Reminders: a fact that says when, the job that fires it in the chat it was asked for in, and what is said of it."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from functools import cache
from importlib import resources
from zoneinfo import ZoneInfo

from adapters.port import Address, Button, Happening, Inbound, Sender
from bot.storage.jobs import next_instant
from bot.storage.keys import Principal
from bot.storage.port import Envelope, Job
from bot.turn import Reply, Turn
from memory import Fact, Kind, Origin, Written
from memory.capture.reminders import Reminder
from memory.language.detect import language
from memory.language.instants import Unclear, as_local, instant_of
from memory.life.intentions import Intention

REMINDER = "reminder"
"""The command of the jobs, and with what their names begin."""

SNOOZED = " snoozed"
"""How the name of the job ends that fires a reminder once more."""

SHORTEST = timedelta(minutes=5)
"""Between two firings of what repeats."""


Quiet = tuple[time, time]
"""From when to when what repeats waits, on the owner's clock; the end may be on the next day."""


class NotSet(Exception):
    """A reminder that cannot be set; the message is for the person, and nothing was written."""


@dataclass(frozen=True, slots=True)
class ReminderPhrases:
    """One language's sentences, as `reminders.toml` explains them."""

    days: str
    months: str
    instant: str
    set: str
    set_every: str
    missing: str
    vague: str
    past: str
    impossible: str
    several: str
    odd: str
    fired: str
    cancel: str
    minutes: str
    hour: str
    tomorrow: str
    done: str

    def at(self, instant: datetime) -> str:
        """Return an instant of the person's clock in words."""
        return self.instant.format(
            day=self.days.split()[instant.weekday()],
            number=instant.day,
            month=self.months.split()[instant.month - 1],
            year=instant.year,
            time=f"{instant:%H:%M}",
        )

    def lack(self, lack: Unclear) -> str:
        """Return what is asked back."""
        return {
            Unclear.MISSING: self.missing,
            Unclear.VAGUE: self.vague,
            Unclear.PAST: self.past,
            Unclear.IMPOSSIBLE: self.impossible,
            Unclear.SEVERAL: self.several,
            Unclear.ODD: self.odd,
        }[lack]


@cache
def _all_phrases() -> Mapping[str, ReminderPhrases]:
    text = resources.files("bot").joinpath("reminders.toml").read_text(encoding="utf-8")
    return {code: ReminderPhrases(**own) for code, own in tomllib.loads(text).items()}


def reminder_phrases(text: str) -> ReminderPhrases:
    """Return the phrases in the language of a text; English for those that have none."""
    known = _all_phrases()
    return known.get(language(text), known["en"])


def first_due(due: str, every: str, zone: ZoneInfo, *, after: datetime) -> datetime:
    """Return when something is due first: a given instant, also a past one, or the next one of what repeats.

    Raises:
        ValueError: it is neither.
    """
    return next_instant(every, zone.key, after=after) if every else instant_of(due, zone)


def reminder_job(intention: Intention, at: datetime, *, agent: str, by: Principal, to: Address, zone: ZoneInfo) -> Job:
    """Return the job that fires an intention in a chat, on behalf of who asked for it."""
    text = f"/{REMINDER} {intention.id} {intention.instants}"
    inbound = Inbound("", to, Sender("schedule", ""), text, "", at, happening=Happening.JOB)
    return Job(f"{REMINDER} {intention.id}", at, Envelope(agent, by, inbound), repeats=intention.every, zone=zone.key)


async def set_reminder(turn: Turn, reminder: Reminder, *, op_id: str, actor: str, origin: Origin) -> Reply:
    """Write a reminder down, put it on the schedule, and say when it comes. Both are on disk when this returns.

    Raises:
        NotSet: it does not say when, or not so that it can be kept.
        Error: as `Memory.remember` does, `SecretFound` among them.
    """
    phrases, when, zone = reminder_phrases(turn.text), reminder.when, turn.agent.zone
    if when.lack:
        raise NotSet(phrases.lack(when.lack))
    if when.every:
        first = next_instant(when.every, zone.key, after=turn.at)
        if next_instant(when.every, zone.key, after=first) - first < SHORTEST:
            raise NotSet(phrases.odd)
    due = as_local(when.due) if when.due else ""
    fact = Fact(reminder.what, Kind.INTENTION, attributes=(("every", when.every) if when.every else ("due", due),))
    written = await turn.agent.memory.remember(fact, origin=origin, scope=turn.scope, op_id=op_id, actor=actor)
    intention = intention_of(written, turn, origin)
    at = first_due(intention.due, intention.every, zone, after=turn.at)
    job = reminder_job(intention, at, agent=turn.agent.name, by=turn.principal, to=turn.session.address, zone=zone)
    await turn.effects.reschedule(job)
    said = phrases.set_every if intention.every else phrases.set
    what = intention.text.rstrip(" .!。！")
    text = said.format(when=phrases.at(at.astimezone(zone)), what=what, source=written.at)
    return Reply(
        text, buttons=(Button(phrases.cancel, f"/reminders cancel {intention.id}"),), origins=frozenset({origin})
    )


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
