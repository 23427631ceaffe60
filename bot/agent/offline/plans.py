"""Plans that an order names: found by their words, and put off by some time."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import time

from bot.agent.offline.quoting import content_terms, list_ahead, stands_for
from bot.agent.offline.timeline import named_days
from bot.reminders import coming_reminders
from bot.turn import Turn
from memory import Hit
from memory.capture.wishes.reminders import LANGUAGES, read_when
from memory.knowledge.timeline import read_coming
from memory.language.time import dates
from memory.language.time.calendar import Days
from memory.language.time.instants import at_local, find_when, repeated_weekdays
from memory.language.words import ALL_STOP_WORDS
from memory.life.intentions import intentions
from memory.life.reviews import day_said


async def find_named(turn: Turn, what: str) -> Sequence[Hit]:
    """Return the plans and reminders to come that have all words of a text, on the day that it names, if any.

    What comes each week is none of a day: that it is off once does not end it.
    """
    span, memory = read_coming(what, turn.local), turn.agent.memory
    terms = content_terms(read_when(span.subject if span else what, turn.local)[0].rest) - ALL_STOP_WORDS
    found = list[tuple[Hit, Sequence[Days]]]()
    for due, reminder in await coming_reminders(turn, await memory.run(intentions, turn.scope)):
        day = due.astimezone(turn.agent.zone).date()
        found.append((await memory.find(reminder.id, scope=turn.scope), [] if reminder.every else [Days(day, day)]))
    for plan in (told[0] for told in await list_ahead(turn) if told):
        found.append((plan, [] if repeated_weekdays(plan.content, LANGUAGES) else named_days(plan, turn.local.date())))
    then = [hit for hit, days in found if not span or any(one.distance(span.first, span.last) == 0 for one in days)]
    said = [(hit, content_terms(hit.content)) for hit in then] if terms else []
    return [hit for hit, words in said if all(any(stands_for(term, word) for word in words) for term in terms)]


def put_off(plan: Hit, after: str, turn: Turn) -> str:
    """Return the text of a plan with its day put off; empty if it names not one day, or is put off by hours."""
    today = turn.local.date()
    said = day_said(plan, plan.source.path, today)
    named = [(place, day.first) for place in dates.find(plan.content, said) for day in place.days if day.first >= said]
    if len(named) != 1 or repeated_weekdays(plan.content, LANGUAGES):
        return ""
    ((place, day),) = named
    moved = find_when(after, at_local(day, time(12), turn.agent.zone), codes=LANGUAGES).due
    then = moved.date() if moved else day
    return f"{plan.content[: place.start]}{then}{plan.content[place.end :]}" if then != day else ""
