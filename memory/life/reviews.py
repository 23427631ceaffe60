"""Reviews of facts, pins, and what fades next."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from datetime import date, timedelta

from memory.capture import Act, WishKind, act_of, contradicts, correct, same, wish
from memory.capture.corrections import MAX_FACT_CHARS
from memory.capture.draft import read_fact
from memory.errors import NotFound
from memory.files.markdown import given_id
from memory.index.chunking import day_of_file
from memory.index.owners import whole_name
from memory.index.units import Unit, statement
from memory.journal.records import Action, Operation
from memory.knowledge.context import KnowledgeContext, check_author
from memory.knowledge.retain import MAX_ALIKE, content_words
from memory.language.time.validity import means_the_same
from memory.recall.filters import FACTS
from memory.recall.passages import to_hit
from memory.recall.recall import find, with_strength
from memory.strength import Rating, is_restatement
from memory.types import Actors, Filter, Hit, Kind, Origin, Scope

DUE_DAYS = 30
"""Days ahead for which facts that fade are listed, unless others are asked for."""
RAREST = 6
"""Words of a text by which a fact that says the same is found; common ones would cost much and tell little."""

_CITED_ID = re.compile(r"\^([0-9A-Za-z][0-9A-Za-z-]{1,63})")
_CITED_PLACE = re.compile(
    r"(?P<path>[\w./-]+\.md)`?(?:#L|:)(?P<first>\d{1,7})(?:\s?[-–]\s?L?(?P<last>\d{1,7}))?", re.IGNORECASE
)


def review(
    context: KnowledgeContext, ratings: Mapping[str, Rating], operation: Operation, *, reason: str
) -> frozenset[str]:
    """Write down that facts were used, or corrected, with the ratings by their ids; a known operation writes no more.

    No other action has the operation's id. The reason is cited, shown, restated, approved or corrected. Returns the
    facts that the operation's scope has; the others are left out.
    """
    there = _there(context, ratings, operation.scope)
    if there:
        details = {name: {"rating": ratings[name].value, "reason": reason} for name in sorted(there)}
        context.writer.note(dict.fromkeys(details, ""), operation, Action.REVIEW, details)
        context.index_manager.refresh([])
    return there


def restate_same(context: KnowledgeContext, text: str, operation: Operation) -> str:
    """Write down that a fact was said again in the same words, once a day and not on the day of its writing.

    Returns its id; empty if none says the same, or if nothing was to be counted. No other action has the operation's
    id.
    """
    context.journal.refresh()
    today, lives = context.clock.now().date().isoformat(), context.journal.state.lives
    for fact in saying(context, text, operation.scope):
        written = context.journal.state.provenance.get(fact.id)
        days = [event.at[:10] for event in lives.get(fact.id, ()) if is_restatement(event)]
        if today not in days and not (written and written.at[:10] == today):
            review(context, {fact.id: Rating.GOOD}, operation, reason="restated")
            return fact.id
    return ""


def find_same(context: KnowledgeContext, text: str, *, origin: Origin, scope: Scope) -> Hit | None:
    """Return a fact that says the same as a text, in notation or not, and that is not from a worse origin; or None."""
    fact = read_fact(text)
    hits = saying(context, statement(fact.text, fact.entities), scope)
    return next((hit for hit in hits if Origin.worst((hit.origin, origin)) == origin), None)


def day_said(said: Hit | Unit, path: str, today: date) -> date:
    """Return the day on which a fact of a file was said; its time is another if it is due, or began, on one."""
    is_of_another = any(key in {"due", "since"} for key, _ in said.attributes)
    day = day_of_file(path) if is_of_another else said.time
    return date.fromisoformat((day or said.known or str(today))[:10])


def saying(context: KnowledgeContext, text: str, scope: Scope) -> list[Hit]:
    """Return the facts that say the same as a text: of those that are most alike by its rarest words, which are few."""
    index, today, deferred = context.index, context.today, context.index_manager.deferred_facts
    if any(same(statement(fact.text, fact.entities), text) for fact in deferred):
        context.index_manager.refresh_deferred()
    counts = index.frequencies(content_words(text), scope=scope)
    rarest = sorted(counts, key=lambda word: (counts[word], word))[:RAREST]
    words = [[word] for word in rarest]
    alike = index.match(words, scope=scope, where=Filter(kinds=FACTS), limit=MAX_ALIKE)
    facts = [hit for hit in map(to_hit, index.stored(alike, scope=scope)) if same(hit.content, text)]
    # A text of today is of the same days: `dentist tomorrow` is another one.
    return [hit for hit in facts if means_the_same(text, day_said(hit, hit.source.path, today), today)]


def review_cited(
    context: KnowledgeContext, cited: Collection[str], said: str, operation: Operation, *, is_denied: bool, reason: str
) -> None:
    """Review what an answer cited, after what was said next: good, and again for what that corrects.

    Where it corrects something and it is not clear what, nothing is counted.

    Args:
        cited: ids of the facts.
        said: the next message; empty if nobody has said anything.
        operation: the turn of the answer; the records have ids of their own.
        is_denied: the message says that the answer was wrong, and not how.
        reason: cited, or shown.
    """
    names = sorted(_there(context, cited, operation.scope))
    hits = _shown(context, names, operation.scope)
    texts = {hit.id: hit.content for hit in hits}
    wished = wish(said)
    if is_denied or (wished and wished.kind not in {WishKind.REMIND, WishKind.MOVE}):
        right = wished.what if wished and wished.kind is WishKind.CORRECT else ""
        short = [name for name, text in texts.items() if len(text) <= MAX_FACT_CHARS]
        wrong = [name for name in short if right and correct(texts[name], right)]
        wrong = list(texts) if len(texts) == 1 and (wrong or is_denied) else wrong
        if len(wrong) != 1:
            return
    else:
        wrong = [name for name, text in texts.items() if contradicts(text, said)] if act_of(said) is Act.NOTE else []
    again = dict.fromkeys(wrong, Rating.AGAIN)
    good = {name: Rating.GOOD for name in names if name not in again}
    for name, ratings, why in (("corrected", again, "corrected"), ("cited", good, reason)):
        review(context, ratings, replace(operation, op_id=f"{operation.op_id}:{name}"), reason=why)


def may_cite(text: str) -> bool:
    """Return whether `cited_facts` has anything to look up for an answer."""
    return bool(_CITED_ID.search(text) or _CITED_PLACE.search(text))


def cited_facts(context: KnowledgeContext, text: str, *, scope: Scope) -> tuple[str, ...]:
    """Return the ids of the facts that an answer names: by `^id`, or by file and lines."""
    named = dict.fromkeys(_CITED_ID.findall(text))
    places: dict[str, list[tuple[int, int]]] = {}
    for place in _CITED_PLACE.finditer(text):
        first = int(place["first"])
        places.setdefault(place["path"], []).append((first, int(place["last"] or first)))
    if not (named or places):
        return ()
    cited = [life.name for life in context.index.lives.facts(scope=scope, names=named)]
    for path, spans in places.items():
        for unit in (stored.unit for stored in context.units_of(path, scope)):
            is_meant = any(unit.start <= last and first <= unit.end for first, last in spans)
            if unit.kind is not Kind.NOTE and is_meant:
                cited.append(whole_name(unit.name))
    return tuple(dict.fromkeys(cited))


def pin(
    context: KnowledgeContext, id: str, operation: Operation, *, is_pinned: bool = True, whose: Actors = None
) -> Hit:
    """Keep a fact from fading, or let it fade again, and return it as it is now.

    Raises `NotFound` if the operation's scope has no such fact, `NotYours` if none of these wrote it.
    """
    name = whole_name(given_id(id))
    if not _there(context, [name], operation.scope):
        raise NotFound(f"There is no fact ^{name} in memory.", hint="Ids stand behind each hit.")
    check_author(context, name, whose)
    context.writer.note({name: ""}, operation, Action.PIN if is_pinned else Action.UNPIN)
    context.index_manager.refresh([])
    return _shown(context, [name], operation.scope)[0]


@dataclass(frozen=True, slots=True)
class Due:
    """The first facts that fade in the days that were asked for; how many do, how many have faded, and are pinned."""

    facts: tuple[Hit, ...]
    soon: int
    faded: int
    pinned: int


def due(context: KnowledgeContext, *, scope: Scope, days: int = DUE_DAYS, limit: int = 20) -> Due:
    """Return the facts that fade within so many days, at most `limit` of them."""
    today = context.today
    until = today + timedelta(days=min(days, (date.max - today).days))
    alive = [life for life in context.index.lives.facts(scope=scope) if not life.merged]
    on = {life.name: context.fading.fades_on(life) for life in alive}
    soon = [(day, name) for name, day in on.items() if day and today < day <= until]
    return Due(
        _shown(context, [name for _, name in sorted(soon)[: max(0, limit)]], scope),
        len(soon),
        sum(1 for day in on.values() if day and day <= today),
        sum(life.pinned for life in alive),
    )


def _shown(context: KnowledgeContext, names: Collection[str], scope: Scope) -> tuple[Hit, ...]:
    hits = [find(context.index, name, scope=scope) for name in names]
    return with_strength(context.index, hits, context.fading, scope=scope, today=context.today)


def _there(context: KnowledgeContext, names: Collection[str], scope: Scope) -> frozenset[str]:
    """Return which of these facts a scope has."""
    return frozenset(life.name for life in context.index.lives.facts(scope=scope, names=names))
