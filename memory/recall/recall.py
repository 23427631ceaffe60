"""One question, from its text to what is recalled, with the reasons; and single units by their ids."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import date
from functools import partial
from time import perf_counter
from typing import NamedTuple

from memory.errors import NotFound
from memory.index.sql import Index
from memory.index.terms import entity_key
from memory.index.types import Totals
from memory.language.answer_forms import course_subject, days_asked_of
from memory.recall import passages, query, timeline
from memory.recall.candidates import ALL_PASSAGES, SearchRequest, find_candidates, read_pool, resolve
from memory.recall.faded import remove_faded, strength_of
from memory.recall.filters import FACTS, format_filter, read_question, with_places
from memory.recall.passages import RecallBudget
from memory.recall.query import Query, Word
from memory.recall.ranking import Ranking, rank
from memory.recall.relevance import Relevance, floor_of
from memory.recall.scoring import SCRUBJAY, Ageing, RankingWeights
from memory.recall.spreading import FIRST_HITS, Activation, spread
from memory.strength import Fading
from memory.types import ANSWERS, EVERYWHERE, OWNER, Filter, Hit, Kind, Recall, RecallForm, Scope
from memory.vectors.questions import SemanticScan

DEFAULT_BUDGET = RecallBudget()
OPINIONS = "bank/opinions.md"
MAX_OPINIONS = 200
"""Opinions about the same entities that are looked through."""
_MAX_NAMED = 6  # words that no note has


class _Reading(NamedTuple):
    """A question as it was understood: its search, what it is narrowed to, and whether a course of events is meant.

    `is_told`: to a course belongs what was told on its days, too, of whatever day it tells.
    """

    request: SearchRequest
    where: Filter
    is_course: bool
    is_told: bool


class Finder:
    """Searches one index."""

    def __init__(
        self,
        index: Index,
        meant: SemanticScan | None = None,
        *,
        weights: RankingWeights = SCRUBJAY,
        fading: Fading | None = None,
    ) -> None:
        """Get ready; without the question's meaning words are searched alone."""
        self._index = index
        self._meant = meant or SemanticScan()
        self._weights = weights
        self._fading = fading or Fading()

    def recall(
        self, text: str, *, scope: Scope, today: date, where: Filter = EVERYWHERE, budget: RecallBudget = DEFAULT_BUDGET
    ) -> Recall:
        """Find what answers a question; no text makes this raise, and `yesterday` is counted from `today`.

        Raises `IndexBroken`, `WriteFailed`, `Busy` if the index cannot be read.
        """
        with self._index.reading():
            return self._recall(text, scope=scope, today=today, given=where, budget=budget, enough_for=budget.passages)

    def _recall(
        self, text: str, *, scope: Scope, today: date, given: Filter, budget: RecallBudget, enough_for: int
    ) -> Recall:
        """Rank as many candidates as so many passages need; where too many of these have faded, rank all."""
        began = perf_counter()
        request, where, is_course, is_told = reading = self._read(text, scope=scope, today=today, given=given)
        totals = self._index.totals(scope=scope)
        ranking = self._rank(reading, totals, Ageing(today, self._fading), scope=scope, enough_for=enough_for)
        relevance = Relevance(request, ranking, self._meant, today=today)
        left_out = ""
        if not given.faded:
            fading = replace(self._fading, threshold=0.0) if is_course else self._fading  # a course is given whole
            order, telling = ranking.order, relevance.telling
            units, first = totals.units, budget.passages
            left_out = remove_faded(order, request, telling, where, fading, units=units, today=today, first=first)
            if left_out and enough_for < ALL_PASSAGES and len(ranking.order) < budget.passages:
                return self._recall(text, scope=scope, today=today, given=given, budget=budget, enough_for=ALL_PASSAGES)
        if is_course:
            if not is_told:
                timeline.drop_other_days(ranking.order, where)
            packed = timeline.tell(self._index, request, ranking, scope=scope, budget=budget, judge=relevance.of)
        else:
            least = self._weights.min_score if request.query.words else 0
            budget = replace(budget, widened=self._weights.widened, min_score=least)
            packed = passages.pack(self._index, ranking, scope=scope, budget=budget, judge=relevance.of)
        reason = self._reason(reading, ranking, packed.hits, scope) + left_out
        ms = round(1000 * (perf_counter() - began), 3)
        is_gauged = self._meant.scan is not None and self._meant.gauge is not None
        floor = floor_of(totals.units) if is_gauged else ANSWERS
        form = RecallForm.TIMELINE if is_course else RecallForm.PASSAGES
        hits = packed.hits if where.known else tuple(self._with_present_confidence(hit) for hit in packed.hits)
        hits = with_strength(self._index, hits, self._fading, scope=scope, today=today)
        mode, embedder = self._meant.mode, self._meant.embedder
        return Recall(text, mode, reason, ms, hits, packed.near, floor, form=form, embedder=embedder)

    def _read(self, text: str, *, scope: Scope, today: date, given: Filter) -> _Reading:
        rest, said = read_question(text, today)
        # What the question's own words say counts where the filter says nothing.
        where = replace(given, valid=given.valid or said.valid, known=given.known or said.known, faded=False)
        subject, is_told = days_asked_of(rest, today) or (course_subject(rest), True)
        languages = self._index.languages(scope=scope)
        if subject is None:
            wanted = query.parse(rest, languages=languages, today=today)
        else:
            wanted, where = timeline.read_subject(
                self._index, subject, languages, today, scope=scope, where=where, is_past=not is_told
            )
        if given.faded and where == EVERYWHERE and not wanted.words and not wanted.when:
            where = Filter(kinds=FACTS)
        if said != EVERYWHERE and wanted.is_common:  # all that it asks for is what it is narrowed to
            wanted = replace(wanted, words=())
        return _Reading(resolve(self._index, wanted, languages, scope=scope), where, subject is not None, is_told)

    def _rank(self, reading: _Reading, totals: Totals, ageing: Ageing, *, scope: Scope, enough_for: int) -> Ranking:
        """Rank what may answer: units, or for a course what opens an entry of it."""
        (request, where, is_course, _), index, scan = reading, self._index, self._meant.scan
        if is_course and not request.query.words:  # everything of some days
            scan = None
        narrowed = with_places(index, with_keys(index, where, scope=scope))
        weights = replace(self._weights, time=0) if is_course else self._weights  # its days bound a course already
        voices = index.voices(scope=scope)
        if is_course:
            candidates = timeline.find_openings(index, request, scope=scope, where=narrowed, voices=voices, scan=scan)
        else:
            find = partial(find_candidates, index, request, scope=scope, where=narrowed, scan=scan, passages=enough_for)
            candidates = find(units=totals.units, has_all=not self._meant.reason)
        read = partial(read_pool, index, scope=scope, versions=request.query.now is not None)
        order = partial(
            rank, request, totals=totals, voices=voices, ageing=ageing, scan=scan, weights=weights, spoken=is_course
        )
        pool = read(candidates.ids)
        ranking = order(candidates, pool)
        if is_course or not weights.spread:
            return ranking
        active = self._activated(ranking, scope)
        if not active:
            return ranking
        # What a question is narrowed to is known to the index alone: then nothing is added to what it has returned.
        new = [unit for unit in active if unit not in candidates.ids] if where == EVERYWHERE else []
        if not new:
            ranking.sort(with_zeros=not request.query.words, active=active)
            return ranking
        return order(replace(candidates, ids=(*candidates.ids, *new), active=active), pool.joined(read(new)))

    def _activated(self, ranking: Ranking, scope: Scope) -> dict[int, Activation]:
        """Return what the first hits that are facts activate."""
        first = ranking.order[:FIRST_HITS]
        hits = {
            ranked.entry.id: ranked.score / first[0].score
            for ranked in first
            if ranked.entry.kind != Kind.NOTE and ranked.score > 0
        }
        return spread(hits, lambda units: self._index.links.neighbours(units, scope=scope)) if hits else {}

    def _reason(self, reading: _Reading, ranking: Ranking, hits: Sequence[Hit], scope: Scope) -> str:
        request, where, is_course, _ = reading
        if not hits:
            return reason_empty(self._index, request.query, scope=scope, where=where)
        if is_course:
            reason = f"Told in the order of time. {self._meant.description}"
        else:
            reason = reason_found(request.query, ranking.unseen(request.query.words), self._meant)
        return f"{reason} Narrowed to {format_filter(where)}." if where != EVERYWHERE else reason

    def _with_present_confidence(self, hit: Hit) -> Hit:
        """Return an opinion as it was said with the confidence and the evidence that it has come to since."""
        if hit.kind is not Kind.OPINION or hit.source.path == OPINIONS:
            return hit
        about = Filter(kinds=(Kind.OPINION,), under=(OPINIONS,), entities=hit.entities)
        where = with_keys(self._index, about, scope=hit.scope)
        ids = self._index.newest(scope=hit.scope, where=where, limit=MAX_OPINIONS)
        for opinion in self._index.stored(ids, scope=hit.scope):
            if any(piece.id == hit.id and not piece.step for piece in opinion.unit.evidence):
                confidence = dict(opinion.unit.attributes).get("c", "")
                attributes = tuple((name, value) for name, value in hit.attributes if name != "c")
                return replace(hit, attributes=(("c", confidence), *attributes), evidence=opinion.unit.evidence)
        return hit


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
        unread = next((problem for problem in index.problems() if problem.line is None), None)
        return f"{unread.message} {unread.hint}" if unread else "There is nothing in memory yet."
    if not (index.lives.sample((0.0,), scope=scope) or index.newest(scope=scope, limit=1)):
        return "There is nothing in memory yet that may be shown here."
    if where != EVERYWHERE:
        words = "has any of the words" if query.words else "is there"
        return f"Nothing that it was narrowed to ({format_filter(where)}) {words}."
    if not query.words:
        return "There are no notes from around those days." if query.when else "The question has no words to look for."
    return f"No note has {_format_words(query.words)}."


def _format_words(words: Sequence[Word]) -> str:
    """Format words as `"one", "two" or "three"`."""
    shown = [f'"{word.text[:40]}"' for word in words[:_MAX_NAMED]]
    if len(words) > _MAX_NAMED:
        return f"{', '.join(shown)} or any other word of the question"
    return " or ".join(filter(None, (", ".join(shown[:-1]), shown[-1])))


def with_keys(index: Index, where: Filter, *, scope: Scope) -> Filter:
    """Return a filter with the keys of the entities that its names, and other names, stand for."""
    if not where.entities:
        return where
    asked = [entity_key(name.removeprefix("@")) for name in where.entities]
    known = index.keys_of(asked, scope=scope)
    keys = index.synonyms([known.get(name, name) for name in asked], scope=scope)
    return replace(where, entities=tuple(sorted(keys)))


def with_strength(index: Index, hits: Iterable[Hit], fading: Fading, *, scope: Scope, today: date) -> tuple[Hit, ...]:
    """Return hits with how strong they are, as far as they are facts."""
    hits = tuple(hits)
    names = [hit.id for hit in hits if hit.kind is not Kind.NOTE]
    lives = {life.name: life for life in index.lives.facts(scope=scope, names=names)} if names else {}
    return tuple(
        replace(hit, strength=strength_of(lives[hit.id], fading, today)) if hit.id in lives else hit for hit in hits
    )


def find(index: Index, name: str, *, scope: Scope) -> Hit:
    """Find one unit by its id, with or without `^`; raises `NotFound`."""
    name = name.strip().removeprefix("^")
    stored = index.find(name, scope=scope)
    if stored is None:
        raise NotFound(f"There is no `^{name}` in memory.", hint="Ids stand behind each hit.")
    return passages.to_hit(stored)
