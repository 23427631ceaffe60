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
_REQUIRED_ROWS = 2000
_REQUIRED_SHARE = 0.02
"""Only units that hold one of the rarest words are scored: as many of these words as occur in so many units together.

In a small collection that is every word; in a large one it bounds the work, and loses no answer that was measured.
"""


@dataclass(frozen=True, slots=True)
class Asked:
    """A question against one collection.

    Attributes:
        query: what is asked.
        frequencies: how many units hold each term.
        words: those of the question's words that occur at all, rarest first.
        entities: keys of the entities that it names.
    """

    query: Query
    frequencies: Mapping[str, int]
    words: tuple[Word, ...]
    entities: tuple[str, ...]

    def count(self, word: Word) -> int:
        """How many units hold a word in any of its forms; a form that stands for many counts as one unit."""
        return sum(1 if term.endswith("*") else self.frequencies.get(term, 0) for term in word.terms)


def ask(index: Index, query: Query, *, scope: Scope) -> Asked:
    """Hold a question against what the index knows of its words and names."""
    entities = index.known(query.names, scope=scope)
    words = (*query.words, *_named_otherwise(entities, query))
    frequencies = index.frequencies(dict.fromkeys(term for word in words for term in word.terms))
    bare = Asked(query, frequencies, (), tuple(dict.fromkeys(entities.values())))
    known = sorted((word for word in words if bare.count(word)), key=bare.count)
    return replace(bare, words=tuple(known[:_WORDS_AT_MOST]))


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
    return index.match(words, scope=scope, where=where, limit=BY_WORDS, among=_required(asked, units))


def _required(asked: Asked, units: int) -> Sequence[Sequence[str]]:
    """The rarest words, at least one; none if all of them are."""
    allowed = max(_REQUIRED_ROWS, _REQUIRED_SHARE * units)
    rare: list[Sequence[str]] = []
    for word in asked.words:
        allowed -= asked.count(word)
        if rare and allowed < 0:
            return rare
        rare.append(word.terms)
    return []
