"""How much each part of a score weighs.

Scores are sums of named parts, so that `/why` can show each. The weights were chosen on four of seven LoCoMo and seven
of ten BEAM conversations and on small notes of our own in German and Chinese; recall is flat around all of them
(`docs/benchmarks.md`). A weight of 0 switches its part off.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from memory.model import Profile


@dataclass(frozen=True, slots=True)
class Recipe:
    """The weights of one way to rank.

    Attributes:
        words: of the words, 1 for the unit that they fit best.
        meaning: of the similarity in meaning, 1 for the nearest unit.
        metric: whether nearness is measured in the collection's own metric, or by the bare cosine.
        certain: words count in full when one unit holds this share of what the question tells; 0 trusts them always.
        beside: what a very short unit borrows of its neighbours' words and nearness.
        feedback: how far the question is moved towards the best units before it is asked again.
        time: closeness to the days that the question names.
        standing: a standing instruction, by its nearness.
        preference: a preference, by its nearness, if the question turns to the agent.
        asker: a unit of somebody who speaks of themself, if the question does.
        entity: an entity that the question names.
        fact: written down as a fact.
        again: taken off for every further piece of the same turn, at most twice.
        widened: so many of the first passages grow over any neighbour.
    """

    words: float = 0.5
    meaning: float = 0.5
    metric: bool = True
    certain: float = 0.4
    beside: float = 0.5
    feedback: float = 0.5
    time: float = 0.3
    standing: float = 0.2
    preference: float = 0.2
    asker: float = 0.25
    entity: float = 0.1
    fact: float = 0.05
    again: float = 0.06
    widened: int = 5


SCRUBJAY = Recipe()

OPENCLAW = Recipe(
    words=0.3,
    meaning=0.7,
    metric=False,
    certain=0,
    beside=0,
    feedback=0,
    time=0,
    standing=0,
    preference=0,
    asker=0,
    entity=0,
    fact=0,
    again=0,
)
"""Three parts of words and seven of the bare cosine, and nothing else."""

_NAMED: Mapping[Profile, Recipe] = {Profile.SCRUBJAY: SCRUBJAY, Profile.OPENCLAW: OPENCLAW}


def recipe_of(ranking: Profile | Recipe) -> Recipe:
    """The weights of a profile; weights are what they are."""
    return ranking if isinstance(ranking, Recipe) else _NAMED[ranking]
