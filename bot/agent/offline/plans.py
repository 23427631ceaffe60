"""Plans that an order names: found by their words, and put off by some time."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, time

from bot.agent.offline.quoting import MIN_PART_LETTERS, content_terms, list_ahead
from bot.agent.offline.timeline import named_days
from bot.reminders import coming_reminders
from bot.turn import Turn
from memory import Hit
from memory.capture.wishes.reminders import LANGUAGES, read_when
from memory.language.time import dates
from memory.language.time.instants import at_local, find_when, repeated_weekdays
from memory.language.words import ALL_STOP_WORDS
from memory.life.intentions import intentions
from memory.life.reviews import day_said


async def find_named(turn: Turn, what: str) -> Sequence[Hit]:
    """Return the plans and reminders to come that have all words of a text, on the day that it names, if any.

    What comes each week is none of a day: that it is off once does not end it.
    """
    when, today, memory = read_when(what, turn.local)[0], turn.local.date(), turn.agent.memory
    day = when.due.date() if when.due else None
    coming = await coming_reminders(turn, await memory.run(intentions, turn.scope))
    then = [one.id for due, one in coming if day in {None, due.astimezone(turn.agent.zone).date()}]
    found = [await memory.find(name, scope=turn.scope) for name in then]
    for plan in (told[0] for told in await list_ahead(turn) if told):
        is_then = any(one.distance(day, day) == 0 for one in named_days(plan, today)) if day else True
        found += [plan] if is_then and not (day and repeated_weekdays(plan.content, LANGUAGES)) else []
    terms = content_terms(when.rest) - ALL_STOP_WORDS
    return [hit for hit in found if terms and all(_is_in(hit, term) for term in terms)]


def _is_in(plan: Hit, term: str) -> bool:
    is_part = len(term) >= MIN_PART_LETTERS  # of a longer word
    return any(term == word or (is_part and term in word) for word in content_terms(plan.content))


def later(begins: datetime, after: str) -> datetime | None:
    """Return the instant some time after another, as in "in a week"; None if that cannot be read."""
    return find_when(after, begins, codes=LANGUAGES).due


def put_off(plan: Hit, after: str, turn: Turn) -> str:
    """Return the text of a plan with its day put off; empty if it names not one day, or is put off by hours."""
    today = turn.local.date()
    said = day_said(plan, plan.source.path, today)
    named = [(place, day.first) for place in dates.find(plan.content, said) for day in place.days if day.first >= said]
    if len(named) != 1 or repeated_weekdays(plan.content, LANGUAGES):
        return ""
    ((place, day),) = named
    moved = later(at_local(day, time(12), turn.agent.zone), after)
    if moved is None or moved.date() == day:
        return ""
    return f"{plan.content[: place.start]}{moved.date()}{plan.content[place.end :]}"
