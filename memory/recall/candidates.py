"""Candidates: what an index knows of a question, the units that may answer it, and the pool they are ranked in."""

from __future__ import annotations

import re
from bisect import bisect
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate, repeat
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

from memory.index.sql import Index
from memory.index.terms import COMPOUND_LANGUAGES, compound_forms, needle_of, terms
from memory.index.types import Entry, Neighbour
from memory.language.detect import UNSPACED
from memory.recall.filters import FACTS
from memory.recall.query import Query, Word
from memory.recall.spreading import Activation
from memory.types import EVERYWHERE, Filter, Kind, Scope

if TYPE_CHECKING:  # numpy takes 0.1 s to import, which a search by words need not pay
    from memory.vectors.collection import Scan

BY_WORDS = 100
BY_MEANING = 120
"""For whoever wants as many passages as `ALL_PASSAGES`; for fewer in proportion, as far as `FEW_PASSAGES`."""
FEW_PASSAGES, ALL_PASSAGES = 6, 20
BY_MEANING_THEN = 30
"""Of the days that were asked for, and eight more on both sides."""
BY_GUIDANCE = 10
"""Standing instructions and preferences."""
BY_NAME = 60
BY_DAY = 60

SHORT = 150
"""Characters of a unit that borrows half of what an empty one would."""

_UNSPACED = re.compile(rf"[{UNSPACED}]{{3}}")
_MAX_WORDS = 32
_DAYS_BESIDE = 8
_REQUIRED_ROWS, _REQUIRED_BESIDE_MEANING = 2000, 300
_REQUIRED_SHARE = 0.02
"""Only units that hold one of the rarest words are scored: as many of these words as occur in so many units together.

In a small collection that is every word; in a large one it bounds the work, and loses no answer that was measured.
Fewer are scored where no unit waits for its vector: those with none but commoner words are found by their meaning.
"""
_BY_PLACE = attrgetter("path", "order")


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """A question, with what one index knows of it.

    Attributes:
        query: what is asked.
        frequencies: how many units hold each term.
        words: of the question, and of the names that its aliases stand for, those that occur at all, rarest first.
        entities: keys of the entities that it names.
        aliases: the key of each that it names by another name, with the words of that name.
    """

    query: Query
    frequencies: Mapping[str, int]
    words: tuple[Word, ...]
    entities: tuple[str, ...]
    aliases: tuple[tuple[str, frozenset[str]], ...] = ()

    def count(self, word: Word) -> int:
        """Count the units that hold a word in any of its forms; a form that stands for many counts as one unit."""
        return sum(1 if term.endswith("*") else self.frequencies.get(term, 0) for term in word.terms)


def resolve(index: Index, query: Query, languages: Sequence[str], *, scope: Scope) -> SearchRequest:
    """Look up what an index with units in these languages knows of a question's words and names."""
    entities = index.keys_of(query.names, scope=scope)
    aliases = {alias: name for alias, name in entities.items() if name != alias}
    # The words of a name that was asked for by an alias.
    renamed = [Word(term, (term,)) for name in aliases.values() for term in dict.fromkeys(terms(name, query.language))]
    every = dict.fromkeys(term for word in (*query.words, *renamed) for term in word.terms)
    asked = tuple([(name, frozenset(terms(alias, query.language))) for alias, name in aliases.items()])
    keys = tuple(dict.fromkeys(entities.values()))
    bare = SearchRequest(query, index.frequencies(every, scope=scope), (), keys, asked)
    bare = replace(bare, query=replace(query, words=tuple(_without_repeats(query.words, bare.count))))
    words = (*bare.query.words, *renamed)
    if COMPOUND_LANGUAGES.intersection(languages):
        # A word that stands nowhere by itself may be a part of others.
        words = tuple(
            word if bare.count(word) else Word(word.text, compound_forms(word.text, word.terms) or word.terms)
            for word in words
        )
    counted = sorted(((bare.count(word), place) for place, word in enumerate(words)))
    return replace(bare, words=tuple([words[place] for count, place in counted if count][:_MAX_WORDS]))


def _without_repeats(words: Sequence[Word], count: Callable[[Word], int]) -> Iterator[Word]:
    """Yield words; of triples of characters that overlap and are in as many units, thus in one word, the first alone.

    A script without spaces, which is searched by triples, would else cost several times what others do.
    """
    before: Word | None = None
    for word in words:
        is_next = before is not None and before.text[1:] == word.text[:-1] and _UNSPACED.match(word.text)
        if not (before and is_next and count(before) == count(word)):
            yield word
        before = word


@dataclass(frozen=True, slots=True)
class Candidates:
    """Ids of units worth ranking, each once: all of them, and those `about` an entity that was named.

    `active` is what the hits of an earlier ranking have activated.
    """

    ids: tuple[int, ...]
    about: tuple[int, ...]
    active: Mapping[int, Activation] = field(default_factory=dict)


def find_candidates(
    index: Index,
    request: SearchRequest,
    *,
    scope: Scope,
    where: Filter,
    units: int,
    scan: Scan | None = None,
    passages: int = ALL_PASSAGES,
    has_all: bool = False,
) -> Candidates:
    """Collect candidates by words, by meaning where there is a `scan`, by names and days, as many as the passages need.

    `units` is how many units the scope may see; with `has_all` none of them waits for its vector.
    """
    passages = min(max(passages, FEW_PASSAGES), ALL_PASSAGES)
    by_words, by_meaning = (most * passages // ALL_PASSAGES for most in (BY_WORDS, BY_MEANING))
    has_words = bool(request.query.words)
    named = index.synonyms(request.entities, scope=scope) if request.entities else set()
    about = index.about(named, scope=scope, where=where, limit=BY_NAME) if named else []
    if len(about) >= BY_NAME:
        about = []  # a name that is on very many units tells none apart
    found: list[int] = []
    if words := [word.terms for word in request.words]:
        rows = _REQUIRED_BESIDE_MEANING if scan and has_all else _REQUIRED_ROWS
        among = _required_words(request, max(rows, _REQUIRED_SHARE * units))
        found += index.match(words, scope=scope, where=where, limit=by_words, among=among)
    if scan and has_words:
        found += [near.id for near in scan.best(by_meaning, scope=scope, where=where)]
        if guiding := index.guiding(scope=scope):  # guidance is often not among the nearest
            found += [near.id for near in scan.best(BY_GUIDANCE, scope=scope, where=where, among=guiding)]
    for days in request.query.days:
        # A question that names nothing but days takes what is newest there, any other what is nearest.
        if scan and has_words:
            wide = days.widened(_DAYS_BESIDE)
            since, until = wide.first.isoformat(), wide.last.isoformat()
            since, until = max(where.since or since, since), min(where.until or until, until)
            then = replace(where, since=since, until=until)
            found += [near.id for near in scan.best(BY_MEANING_THEN, scope=scope, where=then)]
        else:
            first, last = days.first.isoformat(), days.last.isoformat()
            found += index.dated(first, last, scope=scope, where=where, limit=BY_DAY)
    if not (has_words or request.query.when) and where != EVERYWHERE:
        facts = replace(where, kinds=where.kinds or FACTS)
        listed = index.newest(scope=scope, where=facts, limit=BY_DAY)
        if where.under and not listed:  # in some folders, such as a handbook, there are no facts
            listed = index.newest(scope=scope, where=where, limit=BY_DAY)
        found += listed
    return Candidates(tuple(dict.fromkeys([*found, *about])), tuple(about))


def _required_words(request: SearchRequest, allowed: float) -> Sequence[Sequence[str]]:
    """Return the rarest words, at least one, that occur in so many units together; none if all of them are."""
    rare: list[Sequence[str]] = []
    for word in request.words:
        allowed -= request.count(word)
        if rare and allowed < 0:
            return rare
        rare.append(word.terms)
    return []


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


class UnitPool(NamedTuple):
    """The units that a ranking reads: candidates and the facts beside them in `entries`, the notes beside them."""

    entries: Sequence[Entry]
    notes: Sequence[Neighbour] = ()

    def joined(self, other: UnitPool) -> UnitPool:
        """Return both as one."""
        entries = {entry.id: entry for entry in (*self.entries, *other.entries)}
        notes = {note.id: note for note in (*self.notes, *other.notes) if note.id not in entries}
        return UnitPool([*entries.values()], [*notes.values()])


def read_pool(index: Index, ids: Sequence[int], *, scope: Scope, versions: bool = True) -> UnitPool:
    """Read candidates with the units before and behind each; of notes among these only what a candidate borrows.

    A fact borrows nothing: what is beside one is read only if newer `versions` of it are looked for.
    """
    if not ids:
        return UnitPool(())
    entries = index.entries(ids, scope=scope)
    known, note = frozenset(ids), Kind.NOTE
    borrowing = ids if versions else [entry.id for entry in entries if entry.kind == note]
    beside = [unit for unit in index.neighbours(borrowing, scope=scope) if unit.id not in known] if borrowing else []
    facts = [unit.id for unit in beside if unit.kind != note]
    if not facts:
        return UnitPool(entries, beside)
    notes = [unit for unit in beside if unit.kind == note]
    return UnitPool([*entries, *index.entries(facts, scope=scope)], notes)


class CandidateSet:
    """Candidates: newest first, then as they stand in their files; and all units of the pool.

    Attributes:
        candidates: with the places of their neighbours in the pool.
        entries: the first units of the pool: candidates and facts.
        ids, terms, lengths: of all units of the pool.
    """

    def __init__(self, pool: UnitPool, wanted: Collection[int], *, beside: float, spoken: bool = False) -> None:
        """Pair the units whose ids are wanted with their neighbours; `beside` is what an empty one would borrow.

        With `spoken`, only what is said in a conversation borrows.
        """
        self.entries = entries = pool.entries
        units: list[Entry | Neighbour] = [*entries, *pool.notes]
        self.ids = [unit.id for unit in units]
        self.terms = [unit.terms for unit in units]
        self.lengths = [unit.length for unit in units]
        at = {(unit.file, unit.order): place for place, unit in enumerate(units)}
        places = dict(zip(self.ids, range(len(entries)), strict=False))
        chosen = [entries[places[unit]] for unit in dict.fromkeys(wanted) if unit in places]
        chosen.sort(key=_BY_PLACE)
        chosen.sort(key=lambda entry: entry.first or "", reverse=True)
        nobody, note = len(units), Kind.NOTE  # an enumeration takes long to look into
        here = [places[entry.id] for entry in chosen]
        before = [at.get((entry.file, entry.order - 1), nobody) for entry in chosen]
        behind = [at.get((entry.file, entry.order + 1), nobody) for entry in chosen]
        shares = [
            borrowed(entry.characters, beside) if entry.kind == note and (entry.speaker or not spoken) else 0.0
            for entry in chosen
        ]
        columns = zip(chosen, here, before, behind, shares, strict=True)
        self.candidates: list[Candidate] = [*map(tuple.__new__, repeat(Candidate), columns)]

    def counts(self, request: SearchRequest) -> list[tuple[int, ...]]:
        """Count each of the question's words in each unit of the pool."""
        if not request.words:
            return [()] * len(self.terms)
        # All units are looked through at once: most have none of the words.
        text, ends = "".join(self.terms), [*accumulate(map(len, self.terms))]
        columns = []
        for word in request.words:
            column = [0] * len(ends)
            # What no unit has need not be looked for.
            for needle in [needle_of(term) for term in word.terms if term.endswith("*") or term in request.frequencies]:
                at = text.find(needle)
                while at >= 0:
                    column[bisect(ends, at)] += 1
                    at = text.find(needle, at + len(needle))
            columns.append(column)
        return [*zip(*columns, strict=True)]


def borrowed(characters: float, beside: float) -> float:
    """Return the share of its neighbours' counts that a unit of this length borrows; `beside` is an empty one's."""
    return beside * SHORT / (SHORT + characters)
