"""Candidates: the units that a question's words, names and days bring up, before they are ranked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from memory.index.port import Index
from memory.index.terms import terms
from memory.model import Scope, Where
from memory.recall.query import Query, Word

BY_WORDS = 120
BY_NAME = 60
BY_DAY = 60

_WORDS_AT_MOST = 32
_SMALL = 20_000
"""Units; up to here every unit that has any of the words is scored."""
_ROWS = 2000
"""Above it only units are scored that have one of the rarest words, as many of these as occur so often together."""
_ENOUGH = 20


@dataclass(frozen=True, slots=True)
class Asked:
    """A question against one collection.

    Attributes:
        query: what is asked.
        frequencies: how many units hold each term.
        words: those of the question's words that occur at all, rarest first.
        unknown: the others.
        entities: keys of the entities that it names.
    """

    query: Query
    frequencies: Mapping[str, int]
    words: tuple[Word, ...]
    unknown: tuple[Word, ...]
    entities: tuple[str, ...]

    def count(self, word: Word) -> int:
        """How many units hold a word in any of its forms; a form that stands for many counts as one unit."""
        return sum(1 if term.endswith("*") else self.frequencies.get(term, 0) for term in word.terms)


def ask(index: Index, query: Query) -> Asked:
    """Hold a question against what the index knows of its words and names."""
    entities = index.known(query.names)
    words = (*query.words, *_named_otherwise(entities, query))
    frequencies = index.frequencies(dict.fromkeys(term for word in words for term in word.terms))
    bare = Asked(query, frequencies, (), (), tuple(dict.fromkeys(entities.values())))
    known = sorted((word for word in words if bare.count(word)), key=bare.count)
    unknown = tuple(word for word in words if word not in known)
    return replace(bare, words=tuple(known[:_WORDS_AT_MOST]), unknown=unknown)


def _named_otherwise(entities: Mapping[str, str], query: Query) -> Iterator[Word]:
    """The words of a name that was asked for by an alias."""
    for alias, name in entities.items():
        if name != alias:
            yield from (Word(term, (term,)) for term in dict.fromkeys(terms(name, query.language)))


@dataclass(frozen=True, slots=True)
class Candidates:
    """Ids of units worth ranking, each once, and which of them are about an entity that was named."""

    ids: tuple[int, ...]
    about: tuple[int, ...]


def candidates(index: Index, asked: Asked, *, scope: Scope, where: Where, units: int) -> Candidates:
    """Collect candidates by words, names and days; `units` is how many the index holds."""
    found = _by_words(index, asked, scope=scope, where=where, units=units)
    about = _about(index, asked, scope=scope, where=where)
    for when in asked.query.when:
        for days in when.days:
            first, last = days.first.isoformat(), days.last.isoformat()
            found += index.dated(first, last, scope=scope, where=where, limit=BY_DAY)
    return Candidates(tuple(dict.fromkeys(found + about)), tuple(about))


def _about(index: Index, asked: Asked, *, scope: Scope, where: Where) -> list[int]:
    """Units about the entities that were named. A name that is on very many of them tells none apart."""
    found = index.about(asked.entities, scope=scope, where=where, limit=BY_NAME) if asked.entities else []
    return found if len(found) < BY_NAME else []


def _by_words(index: Index, asked: Asked, *, scope: Scope, where: Where, units: int) -> list[int]:
    words = [word.terms for word in asked.words]
    if not words:
        return []
    if units <= _SMALL:
        return index.match(words, scope=scope, where=where, limit=BY_WORDS)
    if len(words) > 1:
        found = index.match(words, scope=scope, where=where, limit=BY_WORDS, every=True)
        if len(found) >= _ENOUGH:
            return found
    return index.match(words, scope=scope, where=where, limit=BY_WORDS, among=_rare(asked))


def _rare(asked: Asked) -> Sequence[Sequence[str]]:
    """The rarest words that together occur in no more than `_ROWS` units; at least one, none if all are rare."""
    rare: list[Sequence[str]] = []
    rows = 0
    for word in asked.words:
        rows += asked.count(word)
        if rare and rows > _ROWS:
            return rare
        rare.append(word.terms)
    return []
