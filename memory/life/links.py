"""Links between facts that are alike in meaning: found once for each new fact, and kept in the journal.

A fact is linked to at most six others of its scope, the nearest above the link band of its embedder
(`memory.life.calibrate`); the weight is their similarity on the common scale. "Cortex on Convex" took the six nearest,
of which the first was the fact itself, and took them however far away they were. Links by an entity or by a `[[link]]`
are not kept: `memory.index.tables.links` derives them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from memory.errors import VectorRefused
from memory.files.workspace import digest
from memory.index.owners import whole_name
from memory.index.units import Unit
from memory.journal.records import Action, Operation
from memory.knowledge.context import KnowledgeContext
from memory.life.calibrate import LINK, LanguageBands
from memory.ports import Vectors
from memory.recall.filters import FACTS
from memory.types import Filter, Kind, Origin, Scope
from memory.vectors.service import VectorService

MAX_LINKS = 6
"""Other facts that a fact is linked to."""
AT_ONCE = 16
"""Vectors that are looked at in one step."""
LINKED = "job:link:"
"""Begins the ids of the operations that link facts."""
ACTOR = "scrubjay"
_COMPARED = 3 * MAX_LINKS
"""The nearest units that are looked at: pieces of one fact, and its copies on pages, are no others."""
_MARK = "linked"


def link_facts(context: KnowledgeContext, *, bands: LanguageBands) -> bool:
    """Link the next few facts that have a vector and were never linked; return whether there may be more of them.

    One that is like no other is noted, too. `bands`: what the cosines of the embedder mean.
    """
    manager = context.index_manager
    if manager.is_read_only:
        return False
    mark, _, seq = context.index.note(_MARK).partition(" ")
    position = context.index.vectors.mark()
    after = int(seq) if mark == position.born and seq else 0
    if after >= position.vectors:
        return False
    rows = manager.with_vectors(VectorService.rows, after, AT_ONCE) or []
    if not rows:
        return False
    last = rows[-1][0].seq
    context.journal.refresh()
    lives = context.journal.state.lives
    links: dict[Scope, dict[str, dict[str, dict[str, float]]]] = defaultdict(dict)
    for row, vector in rows:
        scope = Scope(row.unit.scope)
        stored = next((found.unit for found in context.index.stored([row.unit.id], scope=scope)), None)
        if stored is None or stored.kind is Kind.NOTE or stored.name != whole_name(stored.name):
            continue
        if not any(event.action == Action.LINK for event in lives.get(stored.name, ())):
            links[scope][stored.name] = {"links": dict(_nearest(context, stored, vector, bands))}
    for scope, details in links.items():
        operation = Operation(f"{LINKED}{digest(' '.join(details))[:16]}", ACTOR, Origin.SYSTEM, scope)
        context.writer.note(dict.fromkeys(details, ""), operation, Action.LINK, details)
    if links:
        manager.refresh([])
    context.index.write([], notes={_MARK: f"{position.born} {last}"})
    return last < position.vectors


def _nearest(
    context: KnowledgeContext, unit: Unit, vector: Vectors, bands: LanguageBands
) -> Iterator[tuple[str, float]]:
    """Yield the ids of the nearest other facts above the link band, with their weights, nearest first."""
    try:
        cosines = context.index_manager.with_vectors(
            VectorService.cosines, vector, among=(), limit=_COMPARED, scope=unit.scope, where=Filter(kinds=FACTS)
        )
    except VectorRefused:  # an older one, of another size
        return
    scale = bands.of(unit.statement)
    if scale is None:  # a language in which it cannot be told what is near
        return
    near = sorted((cosines or {}).items(), key=lambda pair: (-pair[1], pair[0]))
    weights = {number: weight for number, cosine in near if (weight := scale.similarity(cosine)) >= LINK}
    stored = {found.id: found.unit for found in context.index.stored([*weights], scope=unit.scope)} if weights else {}
    seen, bodies = {whole_name(unit.name)}, {unit.body}
    for number, weight in weights.items():
        if len(seen) > MAX_LINKS:
            return
        if (other := stored.get(number)) and whole_name(other.name) not in seen and other.body not in bodies:
            seen.add(whole_name(other.name))
            bodies.add(other.body)
            yield whole_name(other.name), round(weight, 3)
