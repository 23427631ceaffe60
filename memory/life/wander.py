"""A random walk over what is remembered, which brings back what would not be asked for.

From a fact that is well remembered, in two of five cases the walk jumps to one that is overdue; otherwise it goes on to
a fact that it is linked to, or to any other if there is none. Source: `wander` of "Cortex on Firestore". Walking is not
a review: it strengthens nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from random import Random

from memory.index.sql import Index
from memory.index.types import FactLife
from memory.knowledge.context import KnowledgeContext
from memory.recall.passages import to_hit
from memory.recall.recall import with_strength
from memory.strength import Fading
from memory.types import Hit, Scope

WELL_KNOWN = 0.7
"""The retrievability above which a jump is likely."""
JUMP = 0.4
"""How likely it is."""
OVERDUE = 0.9
"""The retrievability under which a fact is overdue: where FSRS-6 would ask for a review."""
MAX_STEPS = 50
_DRAWN = 48
"""Facts that are drawn by chance, to choose one of them: the work of a step does not grow with the memory."""


def wander(context: KnowledgeContext, *, scope: Scope, seed: int | str, steps: int = 5) -> tuple[Hit, ...]:
    """Walk over the facts of a scope, each at most once; at most 50 steps, fewer where there are not as many.

    In the same memory on the same day the same seed of the chance takes the same way.
    """
    index, today, fading = context.index, context.today, context.fading
    way = [*walk(index, Random(seed), scope=scope, today=today, fading=fading, steps=steps)]
    hits = [to_hit(stored) for stored in index.stored(way, scope=scope)]
    return with_strength(index, hits, fading, scope=scope, today=today)


def walk(index: Index, chance: Random, *, scope: Scope, today: date, fading: Fading, steps: int) -> Iterator[int]:
    """Yield the facts of a walk, by the index's own numbers."""
    seen: set[int] = set()
    here: FactLife | None = None
    for _ in range(min(steps, MAX_STEPS)):
        jumps = here is not None and fading.retrievability(here, today) > WELL_KNOWN and chance.random() < JUMP
        near = [] if here is None or jumps else index.links.neighbours([here.id], scope=scope)
        weights = {link.target: link.weight for link in near if link.target not in seen}
        linked = [fact for fact in index.lives.facts(scope=scope, ids=[*weights]) if not fact.merged] if weights else []
        if linked:
            here = chance.choices(linked, [weights[fact.id] for fact in linked])[0]
        else:
            shares = [chance.random() for _ in range(_DRAWN)]
            sample = index.lives.sample(shares, scope=scope)
            drawn = [fact for fact in sample if fact.id not in seen and not fact.merged]
            overdue = [fact for fact in drawn if fading.retrievability(fact, today) < OVERDUE]
            if not drawn:
                return
            here = chance.choice(overdue if overdue and (jumps or here is None) else drawn)
        seen.add(here.id)
        yield here.id
