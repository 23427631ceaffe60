"""Promotion: a fact that has proved itself becomes one of the pages in `bank/`, in its own words.

It has been cited three times on two days, without being corrected since, no newer fact took its place, and it is sure:
its confidence is .8, or it gives none and the owner said so. Opinions come into `bank/opinions.md` by reflection,
intentions stay where they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta, tzinfo

from memory.errors import Unparsable
from memory.files.notation import parse_fact
from memory.index.owners import whole_name
from memory.index.types import Stored
from memory.journal.records import Action
from memory.journal.state import JournalState, LifeEvent
from memory.knowledge.context import KnowledgeContext
from memory.knowledge.reflection.pages import EXPERIENCE, WORLD
from memory.knowledge.reflection.reflect import gather
from memory.knowledge.reflection.succession import find_superseded
from memory.language.time.validity import means_the_same
from memory.types import OWNER, Fact, Kind, Origin

CITED, DAYS, CONFIDENCE = 3, 2, 0.8
"""Cited uses, the days on which they were, and the confidence from which a fact is promoted."""
MAX_PROMOTIONS = 20
"""Facts that one run promotes, those that were cited most."""
PAGES = {Kind.WORLD: WORLD, Kind.OBSERVATION: WORLD, Kind.EXPERIENCE: EXPERIENCE, Kind.PROCEDURE: "bank/procedures.md"}
"""Where facts of a kind go."""


def find_promotions(context: KnowledgeContext) -> tuple[Stored, ...]:
    """Return the facts that have proved themselves and were never promoted, those that were cited most first."""
    state = context.journal.state
    done = promoted(state)
    cited = {
        name: len(uses)
        for name, events in state.lives.items()
        if name not in done and not state.merged_into(name) and (uses := _uses(events, context.zone))
    }
    best = sorted(cited, key=lambda name: (-cited[name], name))
    facts = [context.index.find(name, scope=OWNER) for name in best]
    sure = [fact for fact in facts if fact is not None and is_sure(fact)]
    over = find_superseded(gather(context)) if sure else {}
    return tuple(fact for fact in sure if fact.unit.name not in over)[:MAX_PROMOTIONS]


def promoted(state: JournalState) -> frozenset[str]:
    """Return the ids of facts that were promoted once, whether or not that was taken back."""
    events = (event for events in state.lives.values() for event in events if event.action == Action.PROMOTE)
    return frozenset(str(name) for event in events for name in event.details.get("from", ()))


def is_sure(fact: Stored) -> bool:
    """Return whether a fact may stand in `bank/`: nobody else's words, of a kind that has a page, and sure enough."""
    unit = fact.unit
    if unit.kind not in PAGES or unit.origin.is_foreign or whole_name(unit.name) != unit.name:
        return False
    # "dentist tomorrow" is found by its day, which its line in `bank/` would not tell; "born on 3 March 1990" tells it
    day = date.fromisoformat(unit.named) if unit.named else None
    is_lasting = day is None or means_the_same(unit.body, day, day + timedelta(days=8))
    return is_lasting and confidence_of(fact) >= CONFIDENCE and fact.path.startswith("memory/")


def confidence_of(fact: Stored) -> float:
    """Return how sure a fact is, 0 to 1; one that does not say so is as sure as who said it is the owner."""
    stated = dict(fact.unit.attributes).get("c")
    return float(stated) if stated is not None else CONFIDENCE * (fact.unit.origin is Origin.OWNER)


def to_fact(one: Stored) -> Fact | None:
    """Return the fact as it stands, with the days in which it holds; None if its line cannot be read."""
    try:
        fact = parse_fact(one.unit.text)
    except Unparsable:
        return None
    period = [("since", one.unit.since), ("until", one.unit.until)]
    known = dict(fact.attributes)
    added = tuple((name, day) for name, day in period if day and name not in known)
    return replace(fact, id=None, attributes=(*fact.attributes, *added))


def _uses(events: Sequence[LifeEvent], zone: tzinfo) -> list[LifeEvent]:
    """Return the cited uses of a fact if they are enough, and it was not corrected after the last of them."""
    reviews = [event for event in events if event.action == Action.REVIEW]
    uses = [event for event in reviews if event.details.get("reason") == "cited"]
    if not uses or any(event.seq > uses[-1].seq and event.details.get("rating") == "again" for event in reviews):
        return []
    days = {datetime.fromisoformat(event.at).astimezone(zone).date() for event in uses}
    return uses if len(uses) >= CITED and len(days) >= DAYS else []
