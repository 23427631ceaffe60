"""All that is remembered of one person, place or project."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from functools import partial

from memory.capture.corrections import same
from memory.capture.draft import IDENTIFIER
from memory.capture.grammar import content, grammar_patterns, link_of
from memory.capture.subjects import ME
from memory.index.owners import is_piece
from memory.index.sql import Index
from memory.index.terms import entity_key, token_terms, tokens
from memory.index.types import Stored
from memory.index.units import Unit
from memory.knowledge.context import KnowledgeContext
from memory.language.detect import language
from memory.language.guidance import is_first_person
from memory.language.normalize import ALGORITHMS
from memory.privacy.traces import phrase
from memory.recall.filters import FACTS
from memory.recall.passages import to_hit
from memory.recall.profile import OWN_ORIGINS
from memory.recall.query import parse
from memory.recall.recall import with_keys
from memory.types import Filter, Hit, Kind, Scope

MAX_FACTS = 20_000
"""Facts that are looked through."""
MAX_NAMED = 500
"""Facts with the words of a name that are looked through."""
MAX_OTHERS = 8
"""Other names in these facts that are returned."""

_MIN_NAME_LETTERS = 4
"""Letters of a name whose forms may end otherwise."""


@dataclass(frozen=True, slots=True)
class About:
    """What is remembered of somebody: facts, newest first, and the name as these have it.

    The name is empty for the person who asks. `others` are names that the facts have besides, and in how many;
    commonest first.
    """

    name: str
    facts: tuple[Hit, ...]
    others: tuple[tuple[str, int], ...]


def about(context: KnowledgeContext, name: str, *, scope: Scope, entities_only: bool = False) -> About | None:
    """Return all facts about somebody by any of their names, with or without `@`; None if no fact is.

    `ME` is the owner, who is meant by facts in the first person. The bare words of a name are looked for as well,
    unless it is `entities_only`: then some fact has to name them as an entity.
    """
    index = context.index
    if name == ME:
        listed = context.list_units(Filter(kinds=FACTS), scope=scope, limit=MAX_FACTS)
        own = (fact for fact in _whole(listed) if fact.unit.origin in OWN_ORIGINS)
        facts = [fact for fact in own if _is_of_speaker(fact.unit) or "me" in fact.unit.entities]
        return _collected(ME, facts, {"me"}) if facts else None
    bare = name.strip().removeprefix("@").replace("-", " ")
    is_entity = bool(index.keys_of([entity_key(bare)], scope=scope))
    return _about_entity(index, bare, scope) if is_entity or not entities_only else None


def of_others(context: KnowledgeContext, hits: Sequence[Hit], asked: str, *, scope: Scope) -> frozenset[str]:
    """Return the ids of hits that say of others what a question asks of somebody who is known.

    That is a hit with all else that is asked, whose subject has another name and none of the other words: "Whose number
    is this?" may be answered with "the dentist's number", and what "Bill is my uncle William" joins is one.
    """
    index = context.index
    known = index.keys_of(parse(asked, languages=(), today=date.min).names, scope=scope)
    if not known:
        return frozenset()
    keys = index.synonyms({*known, *known.values()}, scope=scope)
    names = [phrase(key).rstrip() for key in keys]
    begun = tuple(name[:-1] if len(name) > _MIN_NAME_LETTERS else name for name in names)  # also of "Omars" and "Маши"
    code = language(asked, "en")
    sought = {word for word, start, _ in content(asked, code) if not phrase(asked[start:]).startswith(begun)}
    others, joined = dict[str, frozenset[str]](), set[str]()
    for hit in hits:
        said, link, entities = phrase(hit.content), link_of(hit.content), frozenset(map(entity_key, hit.entities))
        subject = hit.content[: link.start()] if link else ""
        if any(name in said for name in begun) or not keys.isdisjoint(entities):
            joined |= entities if link and grammar_patterns().copula.fullmatch(link[0]) else frozenset()
        elif any(phrase(name) in phrase(subject) for name in hit.entities):
            told = {word for word, _, _ in content(hit.content, code)}
            if sought <= told and sought.isdisjoint(word for word, _, _ in content(subject, code)):
                others[hit.id] = entities
    return frozenset(name for name, entities in others.items() if entities.isdisjoint(joined))


def opinions_of(context: KnowledgeContext, names: tuple[str, ...], *, limit: int, scope: Scope) -> tuple[Hit, ...]:
    """Return opinions about whoever has one of these names, or all; those that moved or were said last first.

    Of one that the page of opinions carries, what was said in a log is left out.
    """
    where = with_keys(context.index, Filter(kinds=(Kind.OPINION,), entities=names), scope=scope)
    opinions = _whole(context.list_units(where, scope=scope, limit=MAX_NAMED))
    weighed = {piece.id for opinion in opinions for piece in opinion.unit.evidence}
    unweighed = [opinion for opinion in opinions if opinion.unit.name not in weighed]
    unweighed.sort(
        key=lambda opinion: max([piece.day for piece in opinion.unit.evidence], default=opinion.unit.first or ""),
        reverse=True,
    )
    return tuple(map(to_hit, unweighed[:limit]))


def _is_of_speaker(unit: Unit) -> bool:
    body = unit.body
    if unit.entities and is_first_person(body):  # by a name, perhaps: "Mia" is also Italian for "my"
        body = re.sub(rf"\b(?:{'|'.join(map(re.escape, unit.entities))})\b", "", body)
    return is_first_person(body) or grammar_patterns().first.match(body) is not None


def _about_entity(index: Index, name: str, scope: Scope) -> About | None:
    key, where = entity_key(name), Filter(kinds=FACTS)
    keys = index.synonyms({key, *index.keys_of([key], scope=scope).values()}, scope=scope)
    ids = index.about(keys, scope=scope, where=where, limit=MAX_FACTS)
    # Who wrote by hand may have left the name without a mark.
    codes = ("", *ALGORITHMS)  # "Lily" is stemmed as a word is: "lili"
    words = [sorted({term for code in codes for term in token_terms(token, code)}) for token in tokens(name)]
    matches = index.match(words, scope=scope, where=where, limit=MAX_NAMED) if words else []
    stored, whole = index.stored(matches, scope=scope), phrase(name)
    without_others = partial(IDENTIFIER.sub, lambda found: found[0] if phrase(found[0]) == whole else "")
    unmarked = [fact for fact in stored if whole in phrase(without_others(fact.unit.body))]
    facts = {fact.id: fact for fact in (*index.stored(ids, scope=scope), *unmarked)}
    for life in index.lives.facts(scope=scope, names=[fact.unit.name for fact in facts.values()]):
        if life.merged:
            del facts[life.id]
    ordered = _whole(sorted(facts.values(), key=lambda fact: (fact.path, -fact.order)))
    ordered.sort(key=lambda fact: fact.unit.first or "", reverse=True)
    if not ordered or not whole:
        return None
    spellings = Counter(entity for fact in ordered for entity in fact.unit.entities if entity_key(entity) in keys)
    return _collected(max(spellings, key=spellings.__getitem__, default=name), ordered, keys)


def _collected(name: str, facts: list[Stored], keys: set[str]) -> About:
    names = (entity for fact in facts for entity in fact.unit.entities)
    others = Counter(entity for entity in names if entity_key(entity) not in keys)
    return About(name, tuple(map(to_hit, facts)), tuple(others.most_common(MAX_OTHERS)))


def _whole(facts: list[Stored]) -> list[Stored]:
    """Return the facts without further pieces of long ones, nor what an opinion was taken from, or restates."""
    told = {fact.unit.name: fact.unit.body for fact in facts}
    weighed = ((piece, fact.unit.body) for fact in facts for piece in fact.unit.evidence)
    carried = {piece.id for piece, body in weighed if not piece.step or same(told.get(piece.id, ""), body)}
    return [fact for fact in facts if not is_piece(fact.unit.name) and fact.unit.name not in carried]
