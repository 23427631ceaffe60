"""Spreading activation: what the first hits are linked to is found, too, though it has no word of the question.

    activation = score x decay x weight of the link, for every link on the way, two at most

Breadth first; of several ways to a fact the strongest counts, so that a cycle adds nothing. Source: A. M. Collins and
E. F. Loftus (1975), "A spreading-activation theory of semantic processing".
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from memory.index.types import FactLink

HOPS = 2
DECAY = 0.5
FIRST_HITS = 5
"""So many of the best hits activate others."""
MAX_FRONTIER = 24
"""Facts whose links are followed further, the most active: the work is bounded, however dense the links are."""
MIN_ACTIVATION = 0.05
"""An activation under this is followed no further."""


class Activation(NamedTuple):
    """How active a fact is: the strength, and the hit that it came from (the index's own number)."""

    strength: float
    source: int


def spread(
    hits: Mapping[int, float], neighbours: Callable[[Sequence[int]], Sequence[FactLink]]
) -> dict[int, Activation]:
    """Return what hits activate, by the index's own numbers; a hit is there if another one activates it.

    The scores of hits are from 0 to 1; `neighbours` reads the links of several facts.
    """
    activated: dict[int, Activation] = {}
    frontier = {hit: Activation(score, hit) for hit, score in hits.items()}
    for _ in range(HOPS):
        reached: dict[int, Activation] = {}
        for link in neighbours([*frontier]):
            begun = frontier[link.source]
            active = Activation(begun.strength * DECAY * link.weight, begun.source)
            is_way_back = link.target == active.source
            known = [so_far[link.target].strength for so_far in (activated, reached) if link.target in so_far]
            if not is_way_back and active.strength > max([MIN_ACTIVATION, *known]):
                reached[link.target] = active
        activated |= reached
        # What a hit is by itself is more than what others make of it, so it has been followed already.
        onward = sorted((unit for unit in reached if unit not in hits), key=lambda unit: -reached[unit].strength)
        frontier = {unit: reached[unit] for unit in onward[:MAX_FRONTIER]}
        if not frontier:
            break
    return activated
