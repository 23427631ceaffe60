"""A memory to look around in: pages of its facts and of the names in them, how facts age, its days, its opinions.

And all that lives in it, in numbers: stores, strength, links, and how what came in was judged.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date, timedelta

from memory.errors import NotFound
from memory.files.markdown import given_id
from memory.index.owners import whole_name
from memory.index.terms import entity_key
from memory.index.types import EntityOrder, FactQuery
from memory.journal.records import Action
from memory.knowledge.context import KnowledgeContext
from memory.knowledge.reflection.opinions import fold
from memory.life.reviews import DUE_DAYS
from memory.recall.passages import to_hit
from memory.recall.recall import with_keys, with_strength
from memory.strength import FIRST_STABILITY, Life, fold_life, number
from memory.types import OWNER, Evidence, Filter, Hit, Kind, Scope

BINS = 10
FORECAST_DAYS = 90
STABILITIES = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512)
"""Days: the upper ends of the bins of stability; what is above goes into a further one."""
MAX_NODES = 60
FROM_ONE = 12
"""Neighbours that are followed from one node of the graph."""
MAX_OF_DAY = 10
"""Facts of this day in earlier years and months."""
MAX_OPINIONS = 2_000
STORES = {
    "episodic": (Kind.EXPERIENCE,),
    "semantic": (Kind.WORLD, Kind.OPINION, Kind.OBSERVATION),
    "procedural": (Kind.PROCEDURE,),
    "prospective": (Kind.INTENTION,),
}
"""The kinds of facts that a store holds, the usual one first."""


@dataclass(frozen=True, slots=True)
class FactPage:
    """A page of a list: facts with how strong they are, and how many the whole list has."""

    facts: tuple[Hit, ...]
    total: int


def list_facts(context: KnowledgeContext, query: FactQuery, *, scope: Scope) -> FactPage:
    """Return a page of the facts of a scope."""
    index = context.index
    narrowed = replace(query, where=with_keys(index, query.where, scope=scope))
    listing = index.facts.listed(narrowed, scope=scope, fading=context.fading, today=context.today.isoformat())
    hits = map(to_hit, index.stored(listing.ids, scope=scope))
    return FactPage(with_strength(index, hits, context.fading, scope=scope, today=context.today), listing.total)


def count_days(context: KnowledgeContext, *, scope: Scope) -> dict[str, int]:
    """Return how many facts each ISO day has, of the days that have any text, the earliest first."""
    return {count.day: count.facts for count in context.index.facts.days(scope=scope)}


def on_this_day(context: KnowledgeContext, *, scope: Scope) -> tuple[Hit, ...]:
    """Return facts of this day in earlier years, then of its number in earlier months, the newest first of each."""
    today, index = context.today, context.index
    counts = index.facts.days(scope=scope)
    days = [count.day for count in counts if count.facts and count.day < today.isoformat()]
    years = [day for day in reversed(days) if day[5:] == f"{today:%m-%d}"]
    months = [day for day in reversed(days) if day[8:] == f"{today:%d}" and day not in years]
    hits: list[Hit] = []
    for day in [*years, *months][:MAX_OF_DAY]:
        query = FactQuery(day=day, limit=MAX_OF_DAY - len(hits))
        ids = index.facts.listed(query, scope=scope, fading=context.fading, today=today.isoformat()).ids
        hits += map(to_hit, index.stored(ids, scope=scope))
        if len(hits) >= MAX_OF_DAY:
            break
    return tuple(hits)


@dataclass(frozen=True, slots=True)
class StrengthOverview:
    """How the facts of a scope age; what was merged into another fact is counted nowhere else.

    Attributes:
        facts: how many there are.
        retrievability: facts by retrievability in tenths, the weakest first.
        stability: facts by days of stability, in the bins of `STABILITIES` and one above; without what does not age.
        difficulty: reviewed facts by difficulty, from 1 to 10.
        fading: by ISO day, how many fade on each of the next thirty days.
        faded, pinned, merged: how many have faded, are kept from fading, are represented by another.
        mean: the mean retrievability.
    """

    facts: int
    retrievability: tuple[int, ...]
    stability: tuple[int, ...]
    difficulty: tuple[int, ...]
    fading: Mapping[str, int]
    faded: int
    pinned: int
    merged: int
    mean: float


def strength_overview(context: KnowledgeContext, *, scope: Scope, days: int = DUE_DAYS) -> StrengthOverview:
    """Count how strong the facts of a scope are."""
    ages = context.index.facts.ages(scope=scope)
    alive = [age for age in ages if not age.merged]
    facts, today, fading = sum(age.facts for age in alive), context.today, context.fading
    bins, fades, total = Counter[int](), Counter[date](), 0.0
    stabilities, difficulties = Counter[int](), Counter[int]()
    for age in alive:
        now = fading.retrievability(age, today)
        bins[min(BINS - 1, int(BINS * now))] += age.facts
        total += now * age.facts
        if on := fading.fades_on(age):
            fades[on] += age.facts
        if age.speed is not None:
            stabilities[bisect_left(STABILITIES, age.stability or FIRST_STABILITY)] += age.facts
        difficulties[round(age.difficulty or 0)] += age.facts
    ahead = [today + timedelta(days=offset) for offset in range(1, days + 1)]
    return StrengthOverview(
        facts=facts,
        retrievability=tuple(bins[place] for place in range(BINS)),
        stability=tuple(stabilities[place] for place in range(len(STABILITIES) + 1)),
        difficulty=tuple(difficulties[place] for place in range(1, 11)),
        fading={day.isoformat(): fades[day] for day in ahead},
        faded=sum(count for day, count in fades.items() if day <= today),
        pinned=sum(age.facts for age in alive if age.pinned),
        merged=sum(age.facts for age in ages) - facts,
        mean=total / facts if facts else 0.0,
    )


@dataclass(frozen=True, slots=True)
class LifeStats:
    """Counts over the facts of a scope.

    Attributes:
        stores: facts of each store, and under `sensory` the raw observations, which only the owner's scope has.
        strength: facts by their retrievability in tenths, from `0.0` to `0.9`; what does not age is in the last.
        faded, pinned, merged: how many have faded, are kept from fading, are represented by another.
        due: how many fade within thirty days.
        links, linked: how many links there are, and how many facts have one.
        gate: observations by what was decided about them; `merge` counts those that said the same as a fact.
        reviews: by their reason.
    """

    stores: Mapping[str, int]
    strength: Mapping[str, int]
    faded: int
    pinned: int
    merged: int
    due: int
    links: int
    linked: int
    gate: Mapping[str, int]
    reviews: Mapping[str, int]


def life_stats(context: KnowledgeContext, *, scope: Scope) -> LifeStats:
    """Count what a scope may see."""
    facts = context.index.lives.facts(scope=scope)
    context.journal.refresh()
    events = [(fact.name, event) for fact in facts for event in context.journal.state.lives.get(fact.name, ())]
    gate = Counter(str(event.details.get("decision")) for _, event in events if event.action == Action.GATE)
    gate["merge"] += sum(event.action == Action.RESTATE for _, event in events)
    reasons = Counter(str(event.details.get("reason")) for _, event in events if event.action == Action.REVIEW)
    names = {fact.name for fact in facts}
    newest = {name: event.details.get("links", {}) for name, event in events if event.action == Action.LINK}
    pairs = {frozenset((name, other)) for name, others in newest.items() for other in others if other in names}
    kinds = Counter(fact.kind for fact in facts if not fact.merged)
    stores = {name: sum(kinds[kind] for kind in held) for name, held in STORES.items()}
    strength = strength_overview(context, scope=scope)
    return LifeStats(
        stores=({"sensory": len(context.sensory.entries())} if scope == OWNER else {}) | stores,
        strength={f"{place / BINS:.1f}": count for place, count in enumerate(strength.retrievability)},
        faded=strength.faded,
        pinned=strength.pinned,
        merged=strength.merged,
        due=sum(strength.fading.values()),
        links=len(pairs),
        linked=len({name for pair in pairs for name in pair}),
        gate={name: count for name, count in sorted(gate.items()) if count},
        reviews=dict(sorted(reasons.items())),
    )


@dataclass(frozen=True, slots=True)
class StrengthCurve:
    """How strong one fact was, is, and will be if it is not reviewed.

    The points are ISO days, from the writing to the end of the forecast, with the retrievability on each. A review has
    its ISO instant and its reason; the writing comes first. `fades` is the ISO day on which it fades, or has faded,
    None if it does not: its retrievability is below `least` then.
    """

    reviews: tuple[tuple[str, str], ...]
    points: tuple[tuple[str, float], ...]
    fades: str | None
    least: float


def strength_curve(context: KnowledgeContext, id: str, *, scope: Scope) -> StrengthCurve:
    """Return the curve of a fact; raises `NotFound` if the scope has no such fact."""
    name = whole_name(given_id(id))
    lives = context.index.lives.facts(scope=scope, names=[name])
    if not lives:
        raise NotFound(f"There is no fact ^{name} in memory.", hint="Ids stand behind each hit.")
    life = lives[0]
    context.journal.refresh()
    events = context.journal.state.lives.get(name, ())
    written = life.known or ""
    counted = [event for event in events if event.action in {Action.REVIEW, Action.RESTATE}]
    reviews = [(event.at, str(event.details.get("reason") or event.action)) for event in counted]
    begun = date.fromisoformat((written or life.reviewed or context.today.isoformat())[:10])
    last = context.today + timedelta(days=FORECAST_DAYS)
    step = max(1, (last - begun).days // 240)
    unreviewed, strengths = Life(name, reviewed=begun.isoformat()), dict[date, Life]()
    for place in range(1, len(counted) + 1):
        folded = fold_life(name, counted[:place], written)
        if folded.reviewed:
            strengths[date.fromisoformat(folded.reviewed[:10])] = folded
    points = []
    for offset in sorted({*range(0, (last - begun).days + 1, step), *((day - begun).days for day in strengths)}):
        day = begun + timedelta(days=offset)
        before = max((reviewed for reviewed in strengths if reviewed <= day), default=begun)
        then = strengths.get(before, unreviewed)
        now = context.fading.retrievability(life._replace(stability=then.stability, reviewed=then.reviewed), day)
        points.append((day.isoformat(), round(now, 4)))
    fades = context.fading.fades_on(life)
    if written:
        reviews.insert(0, (written, "written"))
    return StrengthCurve(tuple(reviews), tuple(points), fades.isoformat() if fades else None, context.fading.least)


@dataclass(frozen=True, slots=True)
class NamedEntity:
    """Somebody or something that facts name: as it is written, its key, other names, facts, and their last ISO day."""

    name: str
    key: str
    aliases: tuple[str, ...]
    facts: int
    last: str | None


def list_entities(
    context: KnowledgeContext,
    *,
    scope: Scope,
    words: str = "",
    order: EntityOrder = EntityOrder.FACTS,
    offset: int = 0,
    limit: int = 50,
) -> tuple[list[NamedEntity], int]:
    """Return a page of the names in a scope that have some words in them, and how many the whole list has."""
    index = context.index
    counted = index.facts.entities(scope=scope, words=words, order=order)
    some = counted[offset : offset + limit]
    keys = [named.entity for named in some]
    names, aliases = index.facts.names(keys, scope=scope), index.facts.aliases(keys, scope=scope)
    entities = [
        NamedEntity(names.get(key, key), key, tuple(aliases.get(key, ())), facts, last) for key, facts, last in some
    ]
    return entities, len(counted)


@dataclass(frozen=True, slots=True)
class EntityGraph:
    """Who and what is named together, around one entity; names, as they are written, and distances by key.

    A distance is in steps from the centre. An edge has two keys, and how many facts name both; the heaviest come first.
    """

    centre: str
    names: Mapping[str, str]
    distances: Mapping[str, int]
    edges: tuple[tuple[str, str, int], ...]


def entity_graph(context: KnowledgeContext, name: str, *, scope: Scope, depth: int = 1) -> EntityGraph:
    """Return the graph around a name, up to `depth` steps and `MAX_NODES` nodes."""
    index = context.index
    key = entity_key(name)
    centre = index.keys_of([key], scope=scope).get(key, key)
    distances, edges = {centre: 0}, dict[tuple[str, str], int]()
    frontier = [centre]
    for step in range(1, depth + 1):
        reached: list[str] = []
        for node in frontier:
            for other in index.facts.together(node, scope=scope, limit=FROM_ONE):
                if other.entity not in distances and len(distances) < MAX_NODES:
                    distances[other.entity] = step
                    reached.append(other.entity)
                if other.entity in distances:
                    first, second = sorted((node, other.entity))
                    edges[first, second] = other.facts
        frontier = reached
    heaviest = sorted(((*pair, count) for pair, count in edges.items()), key=lambda edge: (-edge[2], edge))
    return EntityGraph(centre, index.facts.names([*distances], scope=scope), distances, tuple(heaviest))


@dataclass(frozen=True, slots=True)
class OpinionCourse:
    """An opinion, and its confidence after each piece of evidence: ISO day and 0 to 1, the start without a day first.

    `conflict` is how much evidence speaks against the side that it is on: 0 for none, 1 for as much as for it.
    """

    opinion: Hit
    confidences: tuple[tuple[str, float], ...]
    conflict: float


def list_opinions(context: KnowledgeContext, *, scope: Scope) -> tuple[tuple[OpinionCourse, ...], int]:
    """Return the newest opinions of a scope, those with most evidence against them first, and how many others are."""
    page = list_facts(context, FactQuery(Filter(kinds=(Kind.OPINION,)), limit=MAX_OPINIONS), scope=scope)
    # What an opinion was moved by is listed with it.
    carried = {piece.id for hit in page.facts for piece in hit.evidence}
    courses = [_course(hit) for hit in page.facts if hit.id not in carried]
    return tuple(sorted(courses, key=lambda course: -course.conflict)), page.total - len(page.facts)


def _course(hit: Hit) -> OpinionCourse:
    written = dict(hit.attributes).get("c", "")
    now = min(1.0, max(0.0, number(written, 0.5)))
    counted = [piece for piece in hit.evidence if piece.step]
    start = fold(now, [replace(piece, step=-piece.step) for piece in reversed(counted)])
    confidences = [("", start), *((piece.day, fold(start, counted[:at])) for at, piece in enumerate(counted, 1))]
    forward, against = _steps(counted, positive=now >= 0.5), _steps(counted, positive=now < 0.5)
    conflict = min(1.0, against / forward) if forward else (1.0 if against else 0.0)
    return OpinionCourse(hit, tuple((day, round(value, 4)) for day, value in confidences), round(conflict, 4))


def _steps(evidence: Iterable[Evidence], *, positive: bool) -> float:
    return sum(abs(piece.step) for piece in evidence if (piece.step > 0) == positive)
