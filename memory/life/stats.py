"""What lives in a memory, in numbers: stores, strength, links, and how what came in was judged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from memory.journal.records import Action
from memory.knowledge.context import KnowledgeContext
from memory.life.overview import BINS, strength_overview
from memory.life.reviews import DUE_DAYS
from memory.types import OWNER, Kind, Scope

STORES = {
    "episodic": (Kind.EXPERIENCE,),
    "semantic": (Kind.WORLD, Kind.OPINION, Kind.OBSERVATION),
    "procedural": (Kind.PROCEDURE,),
    "prospective": (Kind.INTENTION,),
}
"""The kinds of facts that a store holds, the usual one first."""


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
    strength = strength_overview(context, scope=scope, days=DUE_DAYS)
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
