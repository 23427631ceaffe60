"""Candidates of a question, and the pool they are ranked in."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from memory.index.port import Entry, Index
from memory.index.terms import COMPOUND_LANGUAGES, compound_forms, terms
from memory.recall.calendar import Days
from memory.recall.query import Query, Word
from memory.types import Filter, Kind, Scope

if TYPE_CHECKING:  # numpy takes 0.1 s to import, which a search by words need not pay
    from memory.vectors.collection import Scan

BY_WORDS = 100
BY_MEANING = 100
BY_MEANING_THEN = 30
"""Of the days that were asked for, and eight more on both sides."""
BY_GUIDANCE = 10
"""Standing instructions and preferences."""
BY_NAME = 60
BY_DAY = 60
BY_MEANING = 120

_WORDS_AT_MOST = 32
_DAYS_BESIDE = 8
_REQUIRED_ROWS = 2000
_REQUIRED_SHARE = 0.02
"""Only units that hold one of the rarest words are scored: as many of these words as occur in so many units together.

In a small collection that is every word; in a large one it bounds the work, and loses no answer that was measured.
"""


@dataclass(frozen=True, slots=True)
class SearchRequest:
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


def ask(index: Index, query: Query, *, scope: Scope) -> SearchRequest:
    """Hold a question against what the index knows of its words and names."""
    entities = index.known(query.names, scope=scope)
    words = (*query.words, *_named_otherwise(entities, query))
    frequencies = index.frequencies(dict.fromkeys(term for word in words for term in word.terms), scope=scope)
    bare = SearchRequest(query, frequencies, (), tuple(dict.fromkeys(entities.values())))
    if COMPOUND_LANGUAGES.intersection(index.languages(scope=scope)):
        words = tuple(word if bare.count(word) else _in_compounds(word) for word in words)
    known = sorted((word for word in words if bare.count(word)), key=bare.count)
    return replace(bare, words=tuple(known[:_WORDS_AT_MOST]))


def _in_compounds(word: Word) -> Word:
    """A word that stands nowhere by itself, as a part of others."""
    return Word(word.text, compound_forms(word.text, word.terms) or word.terms)


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


class Search:
    """Collects candidates from one index."""

    def __init__(
        self, index: Index, asked: SearchRequest, *, scope: Scope, where: Filter, scan: Scan | None = None
    ) -> None:
        """Get ready.

        Args:
            index: where to look.
            asked: the question.
            scope: whose units.
            where: which of them.
            scan: the question's meaning; None searches by words.
        """
        self._index = index
        self._asked = asked
        self._scope = scope
        self._where = where
        self._scan = scan

    def candidates(self, units: int) -> Candidates:
        """Candidates by words, meaning, names and days; `units` is how many the scope may see."""
        about = self._about()
        found = [*self._by_words(units), *self._by_meaning(), *self._by_days(), *about]
        return Candidates(tuple(dict.fromkeys(found)), tuple(about))

    def _about(self) -> list[int]:
        """Units about the entities that were named. A name that is on very many of them tells none apart."""
        if not self._asked.entities:
            return []
        found = self._index.about(self._asked.entities, scope=self._scope, where=self._where, limit=BY_NAME)
        return found if len(found) < BY_NAME else []

    def _by_words(self, units: int) -> list[int]:
        words = [word.terms for word in self._asked.words]
        if not words:
            return []
        among = _required(self._asked, units)
        return self._index.match(words, scope=self._scope, where=self._where, limit=BY_WORDS, among=among)

    def _by_meaning(self) -> Iterator[int]:
        """The nearest of all, and the nearest guidance, which is often not among them."""
        if self._scan and self._asked.query.words:
            guiding = self._index.guiding(scope=self._scope)
            yield from self._nearest(BY_MEANING, self._where)
            if guiding:
                yield from self._nearest(BY_GUIDANCE, self._where, among=guiding)

    def _by_days(self) -> Iterator[int]:
        """A question that names nothing but days takes what is newest there, any other what is nearest."""
        for days in (days for when in self._asked.query.when for days in when.days):
            if self._scan and self._asked.query.words:
                yield from self._nearest(BY_MEANING_THEN, _narrowed(self._where, days.widened(_DAYS_BESIDE)))
            else:
                first, last = days.first.isoformat(), days.last.isoformat()
                yield from self._index.dated(first, last, scope=self._scope, where=self._where, limit=BY_DAY)

    def _nearest(self, limit: int, where: Filter, among: Sequence[int] | None = None) -> Iterator[int]:
        if self._scan:
            yield from (near.id for near in self._scan.best(limit, scope=self._scope, where=where, among=among))


def _narrowed(where: Filter, days: Days) -> Filter:
    """The same for these days only."""
    since, until = days.first.isoformat(), days.last.isoformat()
    return replace(where, since=max(where.since or since, since), until=min(where.until or until, until))


def _required(asked: SearchRequest, units: int) -> Sequence[Sequence[str]]:
    """The rarest words, at least one; none if all of them are."""
    allowed = max(_REQUIRED_ROWS, _REQUIRED_SHARE * units)
    rare: list[Sequence[str]] = []
    for word in asked.words:
        allowed -= asked.count(word)
        if rare and allowed < 0:
            return rare
        rare.append(word.terms)
    return []


SHORT = 150
"""Characters of a unit that borrows half of what an empty one would."""


class Candidate(NamedTuple):
    """A unit to rank. A tuple, because a question makes some hundreds of them.

    Attributes:
        entry: the unit.
        here: its place among the pool's entries.
        before, behind: the places of its neighbours in the file; at the ends, one past the last entry.
        share: of its neighbours' counts and nearness, what it borrows of each.
    """

    entry: Entry
    here: int
    before: int
    behind: int
    share: float


class CandidateSet:
    """Candidates: newest first, then as they stand in their files; and all entries, which are these and neighbours."""

    def __init__(self, entries: Sequence[Entry], wanted: Collection[int], *, beside: float) -> None:
        """Pair the units whose ids are wanted with their neighbours.

        Args:
            entries: the candidates and their neighbours.
            wanted: ids of the candidates.
            beside: what an empty unit would borrow.
        """
        self.entries = entries
        self.ids = [entry.id for entry in entries]
        at = {(entry.file, entry.order): place for place, entry in enumerate(entries)}
        nobody = len(entries)
        ids = frozenset(wanted)
        found = [
            Candidate(
                entry,
                place,
                at.get((entry.file, entry.order - 1), nobody),
                at.get((entry.file, entry.order + 1), nobody),
                borrowed(entry.characters, beside) if entry.kind == Kind.NOTE else 0.0,
            )
            for place, entry in enumerate(entries)
            if entry.id in ids
        ]
        found.sort(key=lambda one: (one.entry.path, one.entry.order))
        found.sort(key=lambda one: one.entry.first or "", reverse=True)
        self.candidates = found


def borrowed(characters: float, beside: float) -> float:
    """The share of its neighbours' counts that a unit of this length borrows; `beside` is that of an empty one."""
    return beside * SHORT / (SHORT + characters)
