"""All that is remembered of one person, place or project."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from memory.capture.subjects import ME
from memory.index.owners import is_piece
from memory.index.port import Index, Stored
from memory.index.terms import entity_key, terms
from memory.knowledge.context import KnowledgeContext
from memory.language.guidance import is_first_person
from memory.privacy.traces import phrase
from memory.recall.filters import FACTS
from memory.recall.passages import shown
from memory.types import Filter, Hit, Kind, Origin, Scope

MAX_FACTS = 20_000
"""Facts that are looked through."""
MAX_NAMED = 500
"""Facts with the words of a name that are looked through."""
MAX_OTHERS = 8
"""Names that are told beside whom it is about."""

_OWN = frozenset({Origin.OWNER, Origin.AGENT})


@dataclass(frozen=True, slots=True)
class About:
    """What is remembered of somebody.

    Attributes:
        name: as it is written in facts; empty for the person who asks.
        facts: newest first.
        others: names that these facts have besides, and in how many; commonest first.
    """

    name: str
    facts: tuple[Hit, ...]
    others: tuple[tuple[str, int], ...]


def about(context: KnowledgeContext, name: str, *, scope: Scope, entities_only: bool = False) -> About | None:
    """Return all facts about somebody by any of their names; None if no fact is.

    Args:
        name: with or without `@`; `ME` for the owner, who is meant by facts in the first person.
        entities_only: only if some fact names them as an entity; else the bare words are looked for as well.

    Raises:
        IndexBroken, Busy: the index cannot be read.
    """

    def look(index: Index) -> About | None:
        if name == ME:
            ids = index.listed(scope=scope, where=Filter(kinds=FACTS), limit=MAX_FACTS)
            own = (one for one in _whole(index.stored(ids, scope=scope)) if one.unit.origin in _OWN)
            found = [one for one in own if is_first_person(one.unit.body) or "me" in one.unit.entities]
            return _told(ME, found, {"me"}) if found else None
        is_entity = bool(index.known([entity_key(_bare(name))], scope=scope))
        return _of(index, name, scope) if is_entity or not entities_only else None

    return context.index_manager.ask(look)


def opinions_of(context: KnowledgeContext, names: tuple[str, ...], *, limit: int, scope: Scope) -> tuple[Hit, ...]:
    """Return opinions about whoever has one of these names, or all; those that moved or were said last first.

    Of one that the page of opinions carries, what was said in a log is left out.

    Raises:
        IndexBroken, Busy: the index cannot be read.
    """

    def read(index: Index) -> list[Stored]:
        asked = [entity_key(name) for name in names]
        keys = index.synonyms({*asked, *index.known(asked, scope=scope).values()}, scope=scope)
        where = Filter(kinds=(Kind.OPINION,), entities=tuple(sorted(keys)))
        return _whole(index.stored(index.listed(scope=scope, where=where, limit=MAX_NAMED), scope=scope))

    found = context.index_manager.ask(read)
    weighed = {piece.id for one in found for piece in one.unit.evidence}
    left = [one for one in found if one.unit.name not in weighed]
    left.sort(
        key=lambda one: max([piece.day for piece in one.unit.evidence], default=one.unit.first or ""), reverse=True
    )
    return tuple(map(shown, left[:limit]))


def _of(index: Index, name: str, scope: Scope) -> About | None:
    bare = _bare(name)
    asked = entity_key(bare)
    keys = index.synonyms({asked, *index.known([asked], scope=scope).values()}, scope=scope)
    where = Filter(kinds=FACTS)
    ids = index.about(keys, scope=scope, where=where, limit=MAX_FACTS)
    # Who wrote by hand may have left the name without a mark.
    words = [[term] for term in terms(bare, "")]
    said = index.match(words, scope=scope, where=where, limit=MAX_NAMED) if words else []
    plain = [one for one in index.stored(said, scope=scope) if phrase(bare) in phrase(one.unit.body)]
    found = {one.id: one for one in (*index.stored(ids, scope=scope), *plain)}
    lives = index.lives.facts(scope=scope, names=[one.unit.name for one in found.values()])
    for life in lives:
        if life.merged:
            del found[life.id]
    ordered = _whole(sorted(found.values(), key=lambda one: (one.path, -one.order)))
    ordered.sort(key=lambda one: one.unit.first or "", reverse=True)
    if not ordered or not phrase(bare):
        return None
    written = Counter(one for stored in ordered for one in stored.unit.entities if entity_key(one) in keys)
    return _told(max(written, key=lambda one: written[one], default=bare), ordered, keys)


def _told(name: str, found: list[Stored], keys: set[str]) -> About:
    others = Counter(one for stored in found for one in stored.unit.entities if entity_key(one) not in keys)
    return About(name, tuple(map(shown, found)), tuple(others.most_common(MAX_OTHERS)))


def _bare(name: str) -> str:
    return name.strip().removeprefix("@").replace("-", " ")


def _whole(found: list[Stored]) -> list[Stored]:
    """Return the units without further pieces of long facts, nor what an opinion of these was taken from."""
    carried = {piece.id for stored in found for piece in stored.unit.evidence if not piece.step}
    return [one for one in found if not is_piece(one.unit.name) and one.unit.name not in carried]
