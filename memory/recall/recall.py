"""One question, from its text to what is recalled, with the reasons."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from time import perf_counter

from memory.errors import NotFound
from memory.index.port import Index
from memory.index.terms import entity_key
from memory.recall import passages, query
from memory.recall.candidates import find_candidates, resolve
from memory.recall.filters import format_filter, joined, read_question
from memory.recall.passages import RecallBudget
from memory.recall.query import Query, Word
from memory.recall.ranking import rank
from memory.recall.relevance import Relevance, floor_of
from memory.recall.scoring import SCRUBJAY, RankingWeights
from memory.types import ANSWERS, EVERYWHERE, OWNER, Filter, Hit, Recall, Scope
from memory.vectors.service import SemanticScan


def reason_found(query: Query, unseen: Sequence[Word], meant: SemanticScan) -> str:
    """Explain the mode, when something was found; `unseen` are words that nothing found has."""
    if not query.words:
        return "Searched by the days that were asked for." if query.when else "Listed, newest first."
    if query.is_common:
        return f"{meant.description} The question has only common words, so these were looked for."
    if unseen and len(unseen) < len(query.words):
        return f"{meant.description} Nothing found has {_format_words(unseen)}."
    return meant.description


def reason_empty(index: Index, query: Query, *, scope: Scope, where: Filter) -> str:
    """Explain why nothing was found."""
    if scope == OWNER and not index.totals(scope=scope).units:
        return "There is nothing in memory yet."
    if not index.stats(scope=scope).units:
        return "There is nothing in memory yet that may be shown here."
    if where != EVERYWHERE:
        words = "has any of the words" if query.words else "is there"
        return f"Nothing that it was narrowed to ({format_filter(where)}) {words}."
    if not query.words and not query.when:
        return "The question has no words to look for."
    if query.when and not query.words:
        return "There are no notes from around those days."
    return f"No note has {_format_words(query.words)}."


def _format_words(words: Sequence[Word], most: int = 6) -> str:
    """Format words as `"one", "two" or "three"`."""
    shown = [f'"{word.text[:40]}"' for word in words[:most]]
    if len(words) > most:
        return f"{', '.join(shown)} or any other word of the question"
    return " or ".join(filter(None, (", ".join(shown[:-1]), shown[-1])))


ROOM = RecallBudget()


class Finder:
    """Searches one index."""

    def __init__(self, index: Index, meant: SemanticScan | None = None, *, weights: RankingWeights = SCRUBJAY) -> None:
        """Get ready.

        Args:
            index: where to look.
            meant: the question's meaning; without it words are searched alone.
            weights: how words, meaning and the rest are weighed.
        """
        self._index = index
        self._meant = meant or SemanticScan()
        self._weights = weights

    def recall(
        self, text: str, *, scope: Scope, today: date, where: Filter = EVERYWHERE, room: RecallBudget = ROOM
    ) -> Recall:
        """Find what answers a question.

        Args:
            text: the question. No text makes this raise.
            scope: whose units; those of others are never looked at.
            today: the asker's day, from which `yesterday` is counted.
            where: narrows to days, kinds, a folder.
            room: how much is handed over at most.

        Raises:
            IndexBroken, WriteFailed, Busy: the index cannot be read.
        """
        began = perf_counter()
        index = self._index
        scan, totals = self._meant.scan, index.totals(scope=scope)
        asked, told = read_question(text, today)
        where = joined(where, told)
        narrowed = with_keys(index, where, scope=scope)
        wanted = query.parse(asked, languages=index.languages(scope=scope), today=today)
        if told != EVERYWHERE and wanted.is_common:  # all that it asks for is what it is narrowed to
            wanted = replace(wanted, words=())
        request = resolve(index, wanted, scope=scope)
        found = find_candidates(index, request, scope=scope, where=narrowed, units=totals.units, scan=scan)
        ranking = rank(
            request,
            found,
            index.entries(found.ids, scope=scope, around=1) if found.ids else [],
            totals=totals,
            voices=index.voices(scope=scope),
            scan=scan,
            weights=self._weights,
        )
        judge = Relevance(request, ranking, self._meant, today=today).of
        budget = replace(room, widened=self._weights.widened)
        packed = passages.pack(index, ranking, scope=scope, room=budget, judge=judge)
        if packed.hits:
            reason = reason_found(request.query, ranking.unseen(request.query.words), self._meant)
            reason += f" Narrowed to {format_filter(where)}." if where != EVERYWHERE else ""
        else:
            reason = reason_empty(index, request.query, scope=scope, where=where)
        ms = round(1000 * (perf_counter() - began), 3)
        floor = floor_of(totals.units) if scan is not None and self._meant.gauge is not None else ANSWERS
        return Recall(text, self._meant.mode, reason, ms, packed.hits, packed.near, floor)


def with_keys(index: Index, where: Filter, *, scope: Scope) -> Filter:
    """Return a filter with the keys of the entities that its names, and other names, stand for."""
    if not where.entities:
        return where
    asked = [entity_key(name.removeprefix("@")) for name in where.entities]
    known = index.known(asked, scope=scope)
    return replace(where, entities=tuple(dict.fromkeys(known.get(name, name) for name in asked)))


def find(index: Index, name: str, *, scope: Scope) -> Hit:
    """Find one unit by its id, with or without `^`; raises `NotFound`."""
    stored = index.find(name.strip().removeprefix("^"), scope=scope)
    if stored is None:
        raise NotFound(f"There is no `^{name.strip().removeprefix('^')}` in memory.", hint="Ids stand behind each hit.")
    return passages.shown(stored)
